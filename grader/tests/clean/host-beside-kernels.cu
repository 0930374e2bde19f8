// The host works beside kernels: in managed memory and in page-locked memory that no kernel uses then, with
// flags that kernel and host poll, and with results that it has waited for.
#include "corpus.h"

constexpr int COUNT = 2048; // two pages, and half of the corpus' ints

__global__ void plus_one(int *data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void copy(int *to, const int *from) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x];
}

__global__ void answer(volatile int *asked, int *data, volatile int *answered) {
  if (threadIdx.x == 0)
    while (*asked == 0) {
    }
  __syncthreads();
  data[threadIdx.x] += 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *answered = 1;
}

static void poll(volatile int *flags, int *data) {
  flags[0] = flags[1] = 0;
  memset(data, 0, 4096);
  answer<<<1, 64>>>(flags, data, flags + 1);
  data[64] = 5; // the kernel's neighbour
  data[0] = 7;
  __sync_synchronize();
  flags[0] = 1;
  while (flags[1] == 0) {
  }
  __sync_synchronize();
  check_that(data[0] == 8 && data[63] == 1 && data[64] == 5, "the kernel answered %d", data[0]);
  CUDA_CHECK(cudaDeviceSynchronize());
}

static void launch(int *out, const int *in) {
  const size_t bytes = COUNT * sizeof(int);
  int *first, *second, *mapped, *flags;
  cudaEvent_t done;
  CUDA_CHECK(cudaMallocManaged(&first, bytes));
  CUDA_CHECK(cudaMallocManaged(&second, bytes));
  CUDA_CHECK(cudaEventCreate(&done));
  CUDA_CHECK(cudaMemcpy(first, in, bytes, cudaMemcpyDefault));
  plus_one<<<COUNT / 128, 128>>>(first);
  CUDA_CHECK(cudaMemcpy(second, in + COUNT, bytes, cudaMemcpyDefault));
  plus_one<<<COUNT / 128, 128>>>(second);
  CUDA_CHECK(cudaDeviceSynchronize());
  const int known = first[7];
  check_that(second[7] != known, "both are %d", known);
  copy<<<COUNT / 128, 128>>>(out, first);
  check_that(first[7] == known, "both may read");
  CUDA_CHECK(cudaEventRecord(done));
  CUDA_CHECK(cudaEventSynchronize(done));
  first[7] = 0;
  CUDA_CHECK(cudaFree(first));
  CUDA_CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped));
  memcpy(mapped, second, bytes);
  CUDA_CHECK(cudaFree(second)); // no kernel of this program copies managed memory now
  copy<<<COUNT / 128, 128>>>(out + COUNT, mapped);
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
  mapped[7] = 0;
  CUDA_CHECK(cudaHostAlloc(&flags, 2 * sizeof(int), cudaHostAllocMapped));
  poll(flags, mapped);
  CUDA_CHECK(cudaFreeHost(mapped));
  CUDA_CHECK(cudaFreeHost(flags));
  CUDA_CHECK(cudaEventDestroy(done));
}

int main() {
  return corpus_check(2 * COUNT, launch, corpus_plus_one);
}
