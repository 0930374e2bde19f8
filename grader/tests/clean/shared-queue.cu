// A queue in shared memory between two warps, without locks: the head and the tail are set by releases and
// read by acquires, so each element is written before it is read, and read before it is overwritten.
#include "corpus.h"
#include <cuda/atomic>

constexpr int SLOTS = 4;
using shared_number = cuda::atomic_ref<int, cuda::thread_scope_block>;

__global__ void kernel(int *out, const int *in) {
  __shared__ int slots[SLOTS], head, tail;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) head = tail = 0;
  __syncthreads();
  shared_number filled(head), used(tail);
  if (threadIdx.x == 0)
    for (int i = 0; i < static_cast<int>(CORPUS_TILE); i++) {
      while (i - used.load(cuda::memory_order_acquire) == SLOTS)
        __nanosleep(20);
      slots[i % SLOTS] = in[first + i] + 1;
      filled.store(i + 1, cuda::memory_order_release);
    }
  if (threadIdx.x == 32)
    for (int i = 0; i < static_cast<int>(CORPUS_TILE); i++) {
      while (filled.load(cuda::memory_order_acquire) <= i)
        __nanosleep(20);
      out[first + i] = slots[i % SLOTS];
      used.store(i + 1, cuda::memory_order_release);
    }
}

int main() {
  return corpus_check(
      2 * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
