// Some threads read numbers that one writes, after they have waited for it. nvcc lets all threads load them,
// before it has computed which of them choose the number; and once for all turns of a loop.
#include "corpus.h"

constexpr uint32_t THREADS = 64;

__global__ void kernel(int *out, const int *in, int turns, int from, int except) {
  __shared__ int numbers[3];
  __shared__ uint64_t bar;
  const int thread = static_cast<int>(threadIdx.x), at = static_cast<int>(blockIdx.x) * 64 + thread;
  if (thread == 0) init_barrier(&bar, 1);
  __syncthreads();
  if (thread == 0) {
    for (int i = 0; i < 3; i++)
      numbers[i] = i + 1;
    arrive(&bar);
  }
  if (thread >= 32) wait(&bar, 0);
  int sum = 0;
  for (int turn = 0; turn < turns; turn++)
    if (thread >= 32 && turn > from && turn != except && (turn & 1)) sum += numbers[0];
  const int one = thread >= 32 ? numbers[0] : 1, two = thread >= 40 ? numbers[1] : 2,
            three = thread >= 48 && turns < 99 ? numbers[2] : 3;
  sum += (thread & 1 ? one : two) + (thread & 2 ? three : one) - (thread & 1 ? 1 : 2) - (thread & 2 ? 3 : 1);
  out[at] = in[at] + 1 + sum - (thread >= 32 ? 4 : 0);
}

int main() {
  return corpus_check(
      4 * THREADS, [](int *out, const int *in) { kernel<<<4, THREADS>>>(out, in, 10, 2, 8); },
      [](const std::vector<int> &in, size_t i) { return in[i] + 1; });
}
