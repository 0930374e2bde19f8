// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/STAGES = 4/STAGES = 3/
// expect: exit 0
// Another changed header.
