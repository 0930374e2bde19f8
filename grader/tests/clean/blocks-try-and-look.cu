// Two blocks each raise a flag and look for the other's, many times (Dekker): who doesn't see it goes in and
// raises an ordinary number. fence.sc stands between the two, so they are never both inside.
#include "corpus.h"

constexpr uint32_t ROUNDS = 20;

__device__ unsigned flags[2][32];
__device__ int inside, entered[2];

static __device__ unsigned look(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__global__ void kernel() {
  unsigned *const mine = flags[blockIdx.x], *const other = flags[1 - blockIdx.x];
  for (uint32_t round = 0; round < ROUNDS; round++) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(mine) : "memory");
    asm volatile("fence.sc.gpu;" ::: "memory");
    if (!look(other)) {
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
      inside += 1;
      entered[blockIdx.x] += 1;
    }
    asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(mine) : "memory");
  }
}

__global__ void compare(int *out) {
  out[0] = inside == entered[0] + entered[1];
}

int main() {
  return corpus_check(
      1,
      [](int *out, const int *) {
        kernel<<<2, 1>>>();
        compare<<<1, 1>>>(out);
      },
      [](const std::vector<int> &, size_t) { return 1; });
}
