// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/^  if (threadIdx.x == WIDTH) load/  if (blockIdx.x >= w.sets) return;\n&/
// expect: exit 1
// A block without a set of its own does not help the others.
