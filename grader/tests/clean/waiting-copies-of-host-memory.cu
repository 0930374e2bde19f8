// Copies for which the host waits read and write page-locked memory that another stream has used before. The
// other stream doesn't wait for the default stream, so the host waits for it first.
#include "corpus.h"

constexpr int WIDTH = 64, HEIGHT = 48, COUNT = WIDTH * HEIGHT, TABLE = 256;

__constant__ int table[TABLE];

__global__ static void look_up(int *to, const int *from) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  to[i] = from[i] + (i < TABLE ? table[i] - from[i] : 0) + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  int *host, *device, *copy;
  CUDA_CHECK(cudaDeviceSynchronize()); // `in` may still be on its way: it came from pageable memory
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&host, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&copy, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&device, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMemcpyAsync(host, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream)); // before the table
  CUDA_CHECK(cudaMemcpyToSymbol(table, host, TABLE * sizeof(int)));
  CUDA_CHECK(cudaMemcpyAsync(copy, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream)); // before the halves
  // the right halves of the rows beside the copy of the left ones
  CUDA_CHECK(cudaMemcpy2DAsync(device, WIDTH * sizeof(int), copy, WIDTH * sizeof(int),
                               WIDTH / 2 * sizeof(int), HEIGHT, cudaMemcpyHostToDevice, stream));
  CUDA_CHECK(cudaMemcpy2D(device + WIDTH / 2, WIDTH * sizeof(int), copy + WIDTH / 2, WIDTH * sizeof(int),
                          WIDTH / 2 * sizeof(int), HEIGHT, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaDeviceSynchronize());
  // writes the host's memory itself
  look_up<<<COUNT / 128, 128, 0, stream>>>(copy, device);
  CUDA_CHECK(cudaStreamSynchronize(stream)); // before the results
  CUDA_CHECK(cudaMemcpy(out, copy, COUNT * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaFree(device));
  CUDA_CHECK(cudaFreeHost(copy));
  CUDA_CHECK(cudaFreeHost(host));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
