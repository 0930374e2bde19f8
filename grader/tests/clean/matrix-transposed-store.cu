// Fragments leave transposed: ldmatrix reads rows, stmatrix.trans writes columns, into and out of 8x8 tiles
// of half values, and a tensor store writes the result. Another warp reads what was written with ordinary
// loads after __syncthreads().
#include "corpus.h"

constexpr uint32_t HALVES = 2 * CORPUS_TILE; // 8 matrices of 8x8

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) uint16_t rows[HALVES], columns[HALVES];
  __shared__ int sum;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) sum = 0;
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
    reinterpret_cast<int *>(rows)[i] = in[first + i];
  __syncthreads();
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32,
                 at = (warp * 4 + lane / 8) * 64 + lane % 8 * 8;
  uint32_t r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(tma_shared_address(rows + at))
               : "memory");
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(tma_shared_address(columns + at)),
      "r"(r[0]), "r"(r[1])
      : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(
                   tma_shared_address(columns + (warp * 4 + 2 + lane / 8 % 2) * 64 + lane % 8 * 8)),
               "r"(r[2]), "r"(r[3])
               : "memory");
  __syncwarp();
  if (lane < 16) atomicAdd(&sum, columns[warp * 256 + lane]); // of its own warp's
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 33) {
    cp_async_bulk_shared_to_global(out + first, columns, sizeof columns);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
  if (threadIdx.x == 0 && sum == -1) out[first] = columns[300]; // never: a read of the other warp's part
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t matrix = i / 32, row = i % 32 / 4, pair = i % 4 * 2;
        const uint16_t *halves = reinterpret_cast<const uint16_t *>(in.data() + matrix * 32);
        return static_cast<int>(halves[pair * 8 + row] | static_cast<uint32_t>(halves[(pair + 1) * 8 + row])
                                                             << 16);
      });
}
