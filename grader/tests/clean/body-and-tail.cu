// Each block's part is a body, which a bulk store writes, and a tail that threads write.
#include "corpus.h"

constexpr uint32_t BODY = 64, TAIL = 4, PART = BODY + TAIL;

__global__ void kernel(int *out, const int *in, uint32_t count) {
  __shared__ alignas(128) int tile[PART + TAIL];
  const uint32_t first = blockIdx.x * PART;
  for (uint32_t i = threadIdx.x; i < PART + TAIL; i += blockDim.x)
    tile[i] = i < PART && first + i < count ? in[first + i] + 1 : 0;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out + first, tile, BODY * sizeof(int));
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
  if (threadIdx.x < TAIL && first + BODY + threadIdx.x < count)
    out[first + BODY + threadIdx.x] = tile[BODY + threadIdx.x];
}

int main() {
  return corpus_check(
      4 * PART, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in, 4 * PART); }, corpus_plus_one);
}
