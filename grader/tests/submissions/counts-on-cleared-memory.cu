// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/cudaMemsetAsync(sums, 0, columns \* sizeof \*sums, stream)/COPY(sums, zeros)/
// change: s/COPY(sums, zeros)/cudaMemcpyAsync(sums, zeros, columns * 4, KIND, stream)/
// change: s/KIND/cudaMemcpyDeviceToDevice/
// change: s/^  const uint32_t bytes = ring.stages/  static uint32_t *zeros;\n  static size_t room;\n&/
// change: s/^  int device, processors;/  if (room < columns \&\& MAKE) return FULL;\n&/
// change: s/MAKE/cudaMalloc(\&zeros, columns * 4)/
// change: s/return FULL;/return cudaErrorMemoryAllocation;\n  room = room < columns ? columns : room;/
// expect: exit 1
// expect: says computes a wrong result
// New memory may hold anything.
