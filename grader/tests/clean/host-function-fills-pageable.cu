// Host functions fill pageable memory that copies bring to the device. Such a copy reads its source while it
// is called, so the host waits for the function first. A function in another stream fills other bytes, and
// one uses memory of the heap in which a source has lain.
#include "corpus.h"

constexpr int PART = 1024, PARTS = 3;

struct part {
  std::vector<int> *to;
  int first;
};

static void fill(void *data) {
  const part *p = static_cast<const part *>(data);
  for (int i = 0; i < PART; i++)
    (*p->to)[static_cast<size_t>(p->first + i)] = 1;
}

static void use_the_heap(void *sum) {
  const std::vector<int> more(PART * PARTS, 2);
  for (const int one : more)
    *static_cast<int *>(sum) += one;
}

__global__ void add(int *to, const int *from, const int *more) {
  to[blockIdx.x * PART + threadIdx.x] = from[blockIdx.x * PART + threadIdx.x] + more[threadIdx.x];
}

static void launch(int *out, const int *in) {
  cudaStream_t functions, others, copies;
  int *more, *rest, sum = 0;
  std::vector<int> values(2 * PART, 0);
  part first = {&values, 0}, second = {&values, PART};
  CUDA_CHECK(cudaMalloc(&more, PART * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&rest, PARTS * PART * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&functions, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&others, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));

  CUDA_CHECK(cudaLaunchHostFunc(functions, fill, &first));
  CUDA_CHECK(cudaStreamSynchronize(functions));
  CUDA_CHECK(cudaLaunchHostFunc(others, fill, &second)); // beside the copy, but not of its bytes
  CUDA_CHECK(cudaMemcpyAsync(more, values.data(), PART * sizeof(int), cudaMemcpyHostToDevice, copies));
  add<<<PARTS, PART, 0, copies>>>(out, in, more);
  CUDA_CHECK(cudaDeviceSynchronize());

  CUDA_CHECK(cudaLaunchHostFunc(functions, use_the_heap, &sum));
  {
    const std::vector<int> gone(PART * PARTS, 3);
    CUDA_CHECK(
        cudaMemcpyAsync(rest, gone.data(), PARTS * PART * sizeof(int), cudaMemcpyHostToDevice, copies));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(sum == 2 * PART * PARTS && values[2 * PART - 1] == 1, "the functions leave %d", sum);
  CUDA_CHECK(cudaStreamDestroy(functions));
  CUDA_CHECK(cudaStreamDestroy(others));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaFree(more));
  CUDA_CHECK(cudaFree(rest));
}

int main() {
  return corpus_check(PART * PARTS, launch, corpus_plus_one);
}
