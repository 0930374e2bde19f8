// Some warps meet at barrier 0, which they count. All meet elsewhere before they come to __syncthreads(), so
// nobody can take the one meeting for the other.
#include "corpus.h"

constexpr uint32_t THREADS = 128;

__global__ void kernel(int *out, const int *in) {
  __shared__ int buffer[THREADS];
  const size_t first = size_t{blockIdx.x} * THREADS;
  buffer[threadIdx.x] = in[first + threadIdx.x] + 1;
  if (threadIdx.x < 64) asm volatile("bar.sync 0, 64;" ::: "memory");
  asm volatile("bar.sync 1, 128;" ::: "memory"); // the meeting of the 64 is over
  const int got = buffer[threadIdx.x ^ 64];
  __syncthreads();
  out[first + threadIdx.x] = got;
}

int main() {
  return corpus_check(
      2 * THREADS, [](int *out, const int *in) { kernel<<<2, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 64] + 1; });
}
