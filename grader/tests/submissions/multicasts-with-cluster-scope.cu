// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/arrive_after_reading/arrive_remote/
// change: s/wait(&s\./wait_cluster(\&s./
// expect: exit 0
// The scope that the chapter asks for.
