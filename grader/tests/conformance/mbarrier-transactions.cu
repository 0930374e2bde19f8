// The transaction count: announced before, after and in pieces; below zero; at its limits; with copies and
// without.
#include "conformance.cuh"

static __device__ void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(bar))
               : "memory");
}

static __global__ void without_copies(uint32_t *out) {
  __shared__ uint64_t bar;
  uint32_t n = 0;
  barrier_init(&bar, 1);
  barrier_complete(&bar, 512); // below zero
  out[n++] = barrier_test(&bar, 0);
  barrier_arrive(&bar);
  out[n++] = barrier_test(&bar, 0);
  barrier_expect(&bar, 256);
  out[n++] = barrier_test(&bar, 0);
  barrier_complete(&bar, 16);
  barrier_expect(&bar, 288);
  barrier_complete(&bar, 16);
  out[n++] = barrier_test(&bar, 0);
  for (uint32_t phase = 1; phase < 6; phase++) {
    barrier_expect(&bar, 1048575); // the most a phase can hold
    barrier_arrive(&bar);
    out[n++] = barrier_test(&bar, phase & 1);
    barrier_complete(&bar, 1048574);
    out[n++] = barrier_test(&bar, phase & 1);
    barrier_complete(&bar, 1);
    out[n++] = barrier_test(&bar, phase & 1);
  }
  barrier_complete(&bar, 1048575); // the least
  barrier_expect(&bar, 1048575);
  out[n++] = barrier_test(&bar, 0);
  barrier_arrive(&bar);
  out[n++] = barrier_test(&bar, 0);
  out[n++] = 0x600d;
}

// Announces after the copies were issued, in two pieces, while its own arrival is still owed; many phases on
// one barrier.
static __global__ void announced_late(const uint8_t *in, uint32_t *out, uint32_t phases) {
  __shared__ uint64_t bar;
  __shared__ alignas(128) uint32_t tile[256];
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  fence_async();
  __syncthreads();
  uint32_t sum = 0;
  for (uint32_t i = 0; i < phases; i++) {
    if (threadIdx.x == 0) {
      bulk_load(tile, in + i * 16, 512, &bar);
      bulk_load(tile + 128, in + i * 32, 496, &bar);
      barrier_expect(&bar, 512);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                   :
                   : "r"(shared_address(&bar)), "r"(496)
                   : "memory");
    }
    barrier_wait(&bar, i & 1);
    sum = sum * 33 + tile[threadIdx.x] + tile[128 + threadIdx.x % 124];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// 32 lanes, one barrier with a count of 32, each lane announces and copies its own part.
static __global__ void lanes_issue(const uint8_t *in, uint32_t *out) {
  __shared__ uint64_t bar;
  __shared__ alignas(128) uint32_t tile[32 * 8];
  if (threadIdx.x == 0) barrier_init(&bar, 32);
  fence_async();
  __syncthreads();
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(&bar)), "r"(32)
               : "memory");
  bulk_load(tile + threadIdx.x * 8, in + threadIdx.x * 48, 32, &bar);
  barrier_wait(&bar, 0);
  for (int i = 0; i < 8; i++)
    out[i * 32 + threadIdx.x] = tile[i * 32 + threadIdx.x];
}

int main() {
  device_bytes memory(4096), in(8192);
  std::vector<uint8_t> shown(4096), source(8192);
  for (size_t i = 0; i < source.size(); i++)
    source[i] = static_cast<uint8_t>(i * 11 + i / 256);
  MUST(cudaMemcpy(in.at, source.data(), source.size(), cudaMemcpyHostToDevice));
  MUST(cudaMemset(memory.at, 0, 4096));
  uint32_t *out = reinterpret_cast<uint32_t *>(memory.at);
  without_copies<<<1, 1>>>(out);
  MUST(cudaMemcpy(shown.data(), out, 128, cudaMemcpyDeviceToHost));
  show("without copies", shown.data(), 128);
  announced_late<<<1, 128>>>(in.at, out, 100);
  MUST(cudaMemcpy(shown.data(), out, 512, cudaMemcpyDeviceToHost));
  show("announced late", shown.data(), 512);
  lanes_issue<<<1, 32>>>(in.at, out);
  MUST(cudaMemcpy(shown.data(), out, 1024, cudaMemcpyDeviceToHost));
  show("every lane issues", shown.data(), 1024);
}
