// Bulk groups: several in flight, waits that leave the newest pending, .read waits before a buffer is used
// again, empty groups.
#include "conformance.cuh"

static __device__ void bulk_store(void *to, const void *from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :
               : "l"(to), "r"(shared_address(from)), "r"(bytes)
               : "memory");
}

// A ring of two buffers, each used again after a .read wait; the last groups end with the kernel.
static __global__ void ring(uint32_t *out, uint32_t tiles) {
  __shared__ alignas(128) uint32_t buffer[2][256];
  for (uint32_t tile = 0; tile < tiles; tile++) {
    uint32_t *mine = buffer[tile % 2];
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
      mine[i] = tile * 1000 + i + blockIdx.x * 100000;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) bulk_store(out + (blockIdx.x * tiles + tile) * 256, mine, 1024);
    commit_group(); // an empty group in every other thread
  }
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// What was stored is read back after the full wait of its group, through ordinary loads.
static __global__ void read_back(uint32_t *out, uint32_t *sums) {
  __shared__ alignas(128) uint32_t buffer[4][32];
  if (threadIdx.x != 0) return;
  for (uint32_t group = 0; group < 4; group++)
    for (uint32_t i = 0; i < 32; i++)
      buffer[group][i] = group * 100 + i;
  fence_async();
  for (uint32_t group = 0; group < 4; group++) {
    bulk_store(out + group * 32, buffer[group], 64);
    bulk_store(out + group * 32 + 16, buffer[group] + 16, 64);
    commit_group();
  }
  asm volatile("cp.async.bulk.wait_group 2;" ::: "memory"); // groups 0 and 1
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 64; i++)
    sum = sum * 7 + reinterpret_cast<volatile uint32_t *>(out)[i];
  sums[0] = sum;
  wait_all_groups();
  for (uint32_t i = 64; i < 128; i++)
    sum = sum * 7 + reinterpret_cast<volatile uint32_t *>(out)[i];
  sums[1] = sum;
  wait_all_groups(); // nothing pending
}

int main() {
  device_bytes memory(1 << 20), sums(64);
  std::vector<uint8_t> shown(1 << 20);
  uint32_t *out = reinterpret_cast<uint32_t *>(memory.at);
  for (uint32_t tiles = 1; tiles <= 9; tiles += 4) {
    MUST(cudaMemset(out, 0xee, 1 << 20));
    ring<<<7, 64>>>(out, tiles);
    MUST(cudaMemcpy(shown.data(), out, 1 << 20, cudaMemcpyDeviceToHost));
    show("ring", shown.data(), 7 * tiles * 1024 + 1024, 4);
  }
  read_back<<<1, 32>>>(out, reinterpret_cast<uint32_t *>(sums.at));
  MUST(cudaMemcpy(shown.data(), out, 1024, cudaMemcpyDeviceToHost));
  show("stored", shown.data(), 1024);
  MUST(cudaMemcpy(shown.data(), sums.at, 8, cudaMemcpyDeviceToHost));
  show("sums", shown.data(), 8);
}
