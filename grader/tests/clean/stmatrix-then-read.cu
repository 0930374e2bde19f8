// A warp transposes a matrix by stmatrix; each lane then reads a word that other lanes have stored.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) uint16_t tile[64];
  const uint32_t lane = threadIdx.x;
  const uint32_t row = static_cast<uint32_t>(__cvta_generic_to_shared(tile + lane % 8 * 8));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row), "r"(in[lane])
               : "memory");
  __syncwarp();
  out[lane] = tile[2 * lane] + (tile[2 * lane + 1] << 16);
}

int main() {
  return corpus_check(
      32, [](int *out, const int *in) { kernel<<<1, 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const auto at = [&](size_t row, size_t column) { // of the stored matrix: the transposed one
          const unsigned word = static_cast<unsigned>(in[column * 4 + row / 2]);
          return row % 2 ? word >> 16 : word & 0xffff;
        };
        return static_cast<int>(at(i / 4, i % 4 * 2) | at(i / 4, i % 4 * 2 + 1) << 16);
      });
}
