// A kernel author's own wrappers of the instructions, as they stand in many code bases: nothing of the kit's
// interface is used on the device.
#include "corpus.h"

namespace own {
__device__ __forceinline__ uint32_t at(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void barrier_init(uint64_t *bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void expect(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  asm volatile("{ .reg .pred done;\n"
               "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again; }" ::"r"(at(bar)),
               "r"(parity)
               : "memory");
}
__device__ __forceinline__ void load(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
      "l"(from), "r"(bytes), "r"(at(bar))
      : "memory");
}
__device__ __forceinline__ void store(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void commit_and_wait() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ __forceinline__ void load_tile(int *tile, const int *from, uint64_t *bar) {
  expect(bar, CORPUS_TILE * sizeof(int));
  load(tile, from, CORPUS_TILE * sizeof(int), bar);
}
} // namespace own

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    own::barrier_init(&bar, 1);
    own::fence();
    own::load_tile(tile, in + first, &bar);
  }
  __syncthreads();
  own::wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    tile[i] += 1;
  own::fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    own::store(out + first, tile, sizeof tile);
    own::commit_and_wait();
  }
}

int main() {
  return corpus_check(
      3 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<3, 64>>>(out, in); }, corpus_plus_one);
}
