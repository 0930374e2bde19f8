// The loop around mbarrier.try_wait, written in PTX with a time limit of its own; and one with test_wait that
// counts its questions.
#include "corpus.h"

__device__ static void wait_in_ptx(uint64_t *bar, uint32_t parity) {
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, 20;\n"
               "@!done bra again;\n"
               "}" ::"r"(tma_shared_address(bar)),
               "r"(parity)
               : "memory");
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[2][CORPUS_TILE];
  __shared__ uint64_t bar[2];
  if (threadIdx.x == 0) {
    for (uint32_t t = 0; t < 2; t++)
      init_barrier(&bar[t], 1);
    async_proxy_fence();
    for (uint32_t t = 0; t < 2; t++) {
      expect_bytes_and_arrive(&bar[t], sizeof tile[t]);
      cp_async_bulk_global_to_shared(tile[t], in + (2 * blockIdx.x + t) * CORPUS_TILE, sizeof tile[t],
                                     &bar[t]);
    }
  }
  __syncthreads();
  uint32_t questions = 0;
  wait_in_ptx(&bar[0], 0);
  const int one = tile[0][threadIdx.x];
  while (!test_wait(&bar[1], 0))
    questions++;
  const int two = tile[1][threadIdx.x];
  if (questions > 1u << 30) return; // never
  out[2 * blockIdx.x * CORPUS_TILE + threadIdx.x] = one + 1;
  out[(2 * blockIdx.x + 1) * CORPUS_TILE + threadIdx.x] = two + 1;
}

int main() {
  return corpus_check(
      4 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, CORPUS_TILE>>>(out, in); }, corpus_plus_one);
}
