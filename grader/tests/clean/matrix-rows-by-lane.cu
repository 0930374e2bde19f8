// Each lane writes a row of 16 bytes by itself and gives its address to ldmatrix, which hands the row to four
// other lanes: they have met in between. What they change goes back by stmatrix, and each lane reads a row.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int4 rows[32];
  const uint32_t lane = threadIdx.x, row = static_cast<uint32_t>(__cvta_generic_to_shared(rows + lane));
  uint32_t r[4];
  rows[lane] = make_int4(in[4 * lane], in[4 * lane + 1], in[4 * lane + 2], in[4 * lane + 3]);
  __syncwarp();
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(r[0] + 1),
               "r"(r[1] + 1), "r"(r[2] + 1), "r"(r[3] + 1)
               : "memory");
  __syncwarp();
  const int4 changed = rows[lane];
  out[4 * lane] = changed.x;
  out[4 * lane + 1] = changed.y;
  out[4 * lane + 2] = changed.z;
  out[4 * lane + 3] = changed.w;
}

int main() {
  return corpus_check(
      128, [](int *out, const int *in) { kernel<<<1, 32>>>(out, in); }, corpus_plus_one);
}
