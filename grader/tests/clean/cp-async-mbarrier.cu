// cp.async copies arrive on an mbarrier by themselves (cp.async.mbarrier.arrive.noinc). The same barrier also
// counts the bytes of a bulk load.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int bulk[256], element[256];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * 256;
  if (threadIdx.x == 0) {
    init_barrier(&bar, blockDim.x + 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof bulk);
    cp_async_bulk_global_to_shared(bulk, in + first, sizeof bulk, &bar);
  }
  __syncthreads();
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tma_shared_address(element + threadIdx.x * 4)),
      "l"(in + first + threadIdx.x * 4)
      : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(tma_shared_address(&bar)) : "memory");
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
    out[first + i] = bulk[i] + element[255 - i];
}

int main() {
  return corpus_check(
      2 * 256, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + in[i / 256 * 256 + 255 - i % 256]; });
}
