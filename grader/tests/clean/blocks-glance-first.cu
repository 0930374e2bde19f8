// What blocks do to the same words without any order, and rightly: a flag that all of them set to 1 and look
// at; the largest value, looked at before atomicMax; edges that two blocks write alike; bytes side by side.
#include "corpus.h"

constexpr uint32_t BLOCKS = 5, PART = 62; // parts of bytes that share a word
__device__ int found, best, edges[BLOCKS + 1];
__device__ unsigned char marks[BLOCKS * PART];

__global__ void look(const int *in) {
  const uint32_t at = blockIdx.x * PART + threadIdx.x;
  if (threadIdx.x < 2) edges[blockIdx.x + threadIdx.x] = static_cast<int>(blockIdx.x + threadIdx.x);
  if (threadIdx.x >= PART) return;
  if (found == 0 && in[at] % 2 == 0) found = 1;
  if (best < in[at]) atomicMax(&best, in[at]);
  marks[at] = static_cast<unsigned char>(at);
}

__global__ void tell(int *out) {
  const uint32_t at = blockIdx.x * PART + threadIdx.x;
  if (threadIdx.x < PART) out[at] = found + best + edges[blockIdx.x] + marks[at];
}

int main() {
  return corpus_check(
      BLOCKS * PART,
      [](int *out, const int *in) {
        look<<<BLOCKS, 64>>>(in);
        tell<<<BLOCKS, 64>>>(out);
      },
      [](const std::vector<int> &in, size_t i) {
        return 1 + in.back() + static_cast<int>(i / PART) + static_cast<int>(i & 255);
      });
}
