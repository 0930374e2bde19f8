// expect: fault stream-order
// In: nothing. Out: `ok`, and the report of a copy in one stream of managed memory that a kernel in another
// stream writes; the same behind an event is right.
#include "self-check.h"

constexpr int COUNT = 4096;

__global__ void add_one(int *data) {
  data[threadIdx.x] += 1;
}

int main() {
  int *managed, *device;
  cudaStream_t first, second;
  cudaEvent_t done;
  CUDA_CHECK(cudaMallocManaged(&managed, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&device, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  for (int i = 0; i < COUNT; i++)
    managed[i] = i;
  for (bool waits : {true, false}) {
    add_one<<<1, 256, 0, first>>>(managed);
    CUDA_CHECK(cudaEventRecord(done, first));
    if (waits) CUDA_CHECK(cudaStreamWaitEvent(second, done));
    CUDA_CHECK(cudaMemcpyAsync(device, managed, COUNT * sizeof(int), cudaMemcpyDefault, second));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(cudaEventDestroy(done));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
  CUDA_CHECK(cudaFree(managed));
  CUDA_CHECK(cudaFree(device));
  return self_check_result();
}
