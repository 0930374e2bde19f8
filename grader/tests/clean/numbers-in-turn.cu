// Blocks raise a volatile number by a load and a store, one after the other: by the number itself, by a flag,
// under a lock, each a number of its own, and one launch after the other.
#include "corpus.h"

constexpr int BLOCKS = 6;

__global__ void kernel(volatile int *numbers, int *out) {
  const int me = static_cast<int>(blockIdx.x);
  int *const flag = out + BLOCKS + 4, *const lock = flag + 1;
  while (numbers[0] != me) {
  }
  numbers[0] = numbers[0] + 1;
  while (atomicAdd(flag, 0) != me) {
  }
  numbers[1] = numbers[1] + 1;
  __threadfence();
  atomicAdd(flag, 1);
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  numbers[2] = numbers[2] + 1;
  __threadfence();
  atomicExch(lock, 0);
  numbers[4 + me] = numbers[4 + me] + 1;
}

__global__ void alone(volatile int *numbers) {
  numbers[3] = numbers[3] + 1;
}

int main() {
  return corpus_check(
      BLOCKS + 6,
      [](int *out, const int *) {
        kernel<<<BLOCKS, 1>>>(out, out);
        for (int i = 0; i < BLOCKS; i++)
          alone<<<1, 1>>>(out);
      },
      [](const std::vector<int> &, size_t i) {
        return i < 4 || i == BLOCKS + 4 ? BLOCKS : i < BLOCKS + 4 ? 1 : 0;
      });
}
