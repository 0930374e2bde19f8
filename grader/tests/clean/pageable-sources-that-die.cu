// Copies from vectors and arrays that are gone when a host function in another stream runs, which itself uses
// the heap and its stack: nobody is accused of that.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void use_memory(void *sum) {
  volatile int room[COUNT];
  const std::vector<int> more(COUNT, 1);
  for (int i = 0; i < COUNT; i++)
    room[i] = more[static_cast<size_t>(i)];
  *static_cast<int *>(sum) += room[COUNT - 1];
}

static void copy_array(int *to, cudaStream_t stream) {
  int ones[COUNT];
  for (int &one : ones)
    one = 1;
  CUDA_CHECK(cudaMemcpyAsync(to, ones, sizeof ones, cudaMemcpyHostToDevice, stream));
}

static void launch(int *out, const int *in) {
  cudaStream_t functions, copies;
  int *more, sum = 0;
  CUDA_CHECK(cudaMalloc(&more, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&functions, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  for (int turn = 0; turn < 3; turn++) {
    CUDA_CHECK(cudaLaunchHostFunc(functions, use_memory, &sum));
    {
      const std::vector<int> twos(COUNT, 2);
      CUDA_CHECK(cudaMemcpyAsync(more, twos.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice, copies));
    }
    copy_array(more, copies);
  }
  add<<<1, COUNT, 0, copies>>>(out, in, more);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(sum == 3, "the functions leave %d", sum);
  CUDA_CHECK(cudaStreamDestroy(functions));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaFree(more));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
