// A warp stores matrices by stmatrix, and each lane changes the words, or halves of words, that are its own
// fragment, and loads them again. Four lanes store a row together, so nobody needs to meet.
#include "corpus.h"

__device__ static uint32_t address(const void *p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) uint32_t tile[128];
  __shared__ alignas(16) uint16_t turned[64];
  const uint32_t lane = threadIdx.x, group = lane / 4, pair = lane % 4 * 2;
  const uint32_t row = address(tile + 4 * lane), turned_row = address(turned + lane % 8 * 8);
  uint32_t r[4], t;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(in[lane]),
               "r"(in[lane + 32]), "r"(in[lane + 64]), "r"(in[lane + 96])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(turned_row),
               "r"(in[lane + 128])
               : "memory");
  for (uint32_t m = 0; m < 4; m++)
    tile[m * 32 + lane] += 1;
  turned[pair * 8 + group] += 1;
  turned[(pair + 1) * 8 + group] += 1;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row)
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(t)
               : "r"(turned_row)
               : "memory");
  for (uint32_t m = 0; m < 4; m++)
    out[m * 32 + lane] = r[m];
  out[lane + 128] = t;
}

int main() {
  return corpus_check(
      160, [](int *out, const int *in) { kernel<<<1, 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + (i < 128 ? 1 : 0x10001); });
}
