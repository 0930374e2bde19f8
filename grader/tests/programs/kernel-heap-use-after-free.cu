// expect: fault out-of-bounds
// A thread writes memory that its block wrote before, and that another thread has freed since. The device
// must look the address up again. The message says that the memory was freed, by whom and where.
#include <cstdio>

__global__ void use_after_free(int *out) {
  __shared__ int *data;
  if (threadIdx.x == 0) data = (int *)malloc(1 << 20);
  __syncthreads();
  for (int turn = 0; turn < 2; turn++) {
    data[threadIdx.x] = turn; // the same instruction before and after
    __syncthreads();
    if (threadIdx.x == 32 && turn == 0) free(data);
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

int main() {
  int *out;
  cudaMalloc(&out, 256);
  use_after_free<<<1, 64>>>(out);
  cudaError_t error = cudaDeviceSynchronize();
  puts(error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorString(error));
}
