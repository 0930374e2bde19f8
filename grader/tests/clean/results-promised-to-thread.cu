// A thread of the host fetches results and waits for its stream; then it lets another thread know, which
// reads them, and lets the device read them in a stream of its own.
#include "corpus.h"

#include <future>
#include <thread>

constexpr int COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void twice(int *to, const int *from) {
  to[threadIdx.x] = 2 * from[threadIdx.x];
}

static void launch(int *out, const int *in) {
  cudaStream_t first, second;
  int *words, *there;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&words, BYTES));
  CUDA_CHECK(cudaMalloc(&there, BYTES));
  CUDA_CHECK(cudaDeviceSynchronize());
  std::promise<void> done;
  std::thread worker([&] {
    twice<<<1, COUNT, 0, first>>>(there, in);
    CUDA_CHECK(cudaMemcpyAsync(words, there, BYTES, cudaMemcpyDeviceToHost, first));
    CUDA_CHECK(cudaStreamSynchronize(first));
    done.set_value();
    CUDA_CHECK(cudaStreamSynchronize(first));
  });
  done.get_future().wait();
  const int last = words[COUNT - 1];
  CUDA_CHECK(cudaMemcpyAsync(out, there, BYTES, cudaMemcpyDeviceToDevice, second));
  CUDA_CHECK(cudaStreamSynchronize(second));
  worker.join();
  check_that(last == 2 * ((COUNT - 1) * 7 + 3), "the other thread has read %d", last);
  CUDA_CHECK(cudaFree(there));
  CUDA_CHECK(cudaFreeHost(words));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) { return 2 * in[i]; });
}
