// expect: fault out-of-bounds
// The host frees page-locked memory, and a kernel writes it: that it was freed is told.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void use(int *data, int *out) {
  data[threadIdx.x] += 1;
  out[threadIdx.x] = data[threadIdx.x];
}

int main() {
  int *data, *out;
  cudaMallocHost(reinterpret_cast<void **>(&data), 4096);
  cudaMallocHost(reinterpret_cast<void **>(&out), 4096);
  cudaFreeHost(data);
  use<<<1, 32>>>(data, out);
  cudaError_t error = cudaDeviceSynchronize();
  puts(error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorString(error));
}
