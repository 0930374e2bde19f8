// expect: fault out-of-bounds
// A thread writes memory that its block had written before and another thread has freed since: what was looked up then
// leads nowhere now. The message says that it was freed, by whom and where.
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
