// A kernel waits for the host's flag in managed memory, and the host, which goes on, for the kernel's.
#include "corpus.h"
#include <cuda/atomic>
#include <thread>

constexpr int COUNT = 1024;

using flag_of_both = cuda::atomic_ref<int, cuda::thread_scope_system>;

struct box {
  int begin, done, more;
};

__global__ void add(int *to, const int *from, box *b) {
  if (threadIdx.x == 0) {
    while (flag_of_both(b->begin).load(cuda::memory_order_acquire) == 0) {
    }
  }
  __syncthreads();
  to[threadIdx.x] = from[threadIdx.x] + b->more;
  __syncthreads();
  if (threadIdx.x > 0) return;
  b->more = 7;
  flag_of_both(b->done).store(1, cuda::memory_order_release);
}

static void launch(int *out, const int *in) {
  box *b;
  CUDA_CHECK(cudaMallocManaged(&b, sizeof *b));
  *b = {0, 0, 0};
  add<<<1, COUNT>>>(out, in, b);
  b->more = 1;
  flag_of_both(b->begin).store(1, cuda::memory_order_release);
  while (flag_of_both(b->done).load(cuda::memory_order_acquire) == 0)
    std::this_thread::yield();
  check_that(b->more == 7, "the host sees %d", b->more);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(b));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
