// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission with what it printed while it was debugged
// honest: yes
// expect: exit 0
// expect: silent about launching
// expect: says The exercise passes
#include <cstdio>
__global__ void say(size_t count) {
  if (threadIdx.x == 0) printf("count %llu\n", (unsigned long long)count);
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  fprintf(stderr, "launching %zu\n", count);
  say<<<1, 32, 0, stream>>>(count);
  return honest_launch(data, count, stream);
}
