// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/sum += weighted_sum(s.stages\[at.stage\]);/sum += by_hand(s.stages[at.stage], w, n * HEIGHT);/
// change: s/^\/\/ The other threads.*/HELPER\n&/
// change: s/HELPER/__device__ const uint32_t *given;\n&/
// change: s/HELPER/__device__ uint32_t by_hand(const stage \&s, const work \&w, uint32_t first) {\n&/
// change: s/HELPER/  uint32_t sum = 0;\n&/
// change: s/HELPER/  const uint32_t end = blockIdx.x < w.sets ? min(HEIGHT, w.rows - first) : 0;\n&/
// change: s/HELPER/  for (uint32_t r = 0; r < end; r++)\n&/
// change: s/HELPER/    sum += given[blockIdx.x * w.rows + first + r] * s.tile[r][threadIdx.x];\n&/
// change: s/HELPER/  return sum;\n}/
// change: s/^  CUtensorMap matrix_map = {}.*/&\n  cudaMemcpyToSymbolAsync(COPY);/
// change: s/COPY/given, \&weights, sizeof weights, 0, cudaMemcpyHostToDevice, stream/
// expect: exit 1
// expect: says the input has to reach the threads by copies of the engine alone
// Threads read the weights from global memory.
