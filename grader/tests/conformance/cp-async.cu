// cp.async: 4, 8 and 16 bytes, short and ignored sources, groups, and arrivals on a barrier with and without
// .noinc.
#include "conformance.cuh"

static __global__ void copies(const uint32_t *in, uint32_t *out) {
  __shared__ alignas(16) uint32_t tile[32 * 12];
  __shared__ uint64_t bar;
  for (uint32_t i = threadIdx.x; i < 32 * 12; i += 32)
    tile[i] = poison;
  if (threadIdx.x == 0) barrier_init(&bar, 32);
  __syncthreads();
  uint32_t at = shared_address(tile) + threadIdx.x * 48;
  const uint32_t *from = in + threadIdx.x * 16;
  asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 4;" : : "r"(at), "l"(from) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8;" : : "r"(at + 8), "l"(from + 2) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  uint32_t first = tile[threadIdx.x * 12];
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(at + 16), "l"(from + 4), "r"(threadIdx.x % 17)
               : "memory");
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %2, 9; cp.async.cg.shared.global [%0], [%1], 16, p; }"
               :
               : "r"(at + 32), "l"(from + 8), "r"(threadIdx.x)
               : "memory");
  if (threadIdx.x < 16)
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
                 :
                 : "r"(shared_address(&bar))
                 : "memory");
  else {
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" : : "r"(shared_address(&bar)) : "memory");
    barrier_arrive(&bar);
  }
  barrier_wait(&bar, 0);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < 32 * 12; i += 32)
    out[i] = tile[i];
  out[32 * 12 + threadIdx.x] = first;
}

int main() {
  device_bytes in(4096), out(4096);
  std::vector<uint8_t> source = numbered(4096, 4), shown(32 * 13 * 4);
  MUST(cudaMemcpy(in.at, source.data(), source.size(), cudaMemcpyHostToDevice));
  copies<<<1, 32>>>(reinterpret_cast<uint32_t *>(in.at), reinterpret_cast<uint32_t *>(out.at));
  MUST(cudaMemcpy(shown.data(), out.at, shown.size(), cudaMemcpyDeviceToHost));
  show("copies", shown.data(), shown.size());
}
