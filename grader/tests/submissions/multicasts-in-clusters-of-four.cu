// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/CLUSTER = 2/CLUSTER = 4/
// expect: exit 0
// A changed header, which the submission brings.
