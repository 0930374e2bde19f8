// expect: fault out-of-bounds
// A kernel goes past the end of page-locked memory, by one element, within its last page.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void use(int *data, int *out) {
  data[threadIdx.x] += 1;
  out[threadIdx.x] = data[threadIdx.x];
}

int main() {
  int *data, *out;
  cudaMallocHost(reinterpret_cast<void **>(&data), 31 * sizeof *data);
  cudaMallocHost(reinterpret_cast<void **>(&out), 4096);
  use<<<1, 32>>>(data, out);
  cudaError_t error = cudaDeviceSynchronize();
  puts(error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorString(error));
}
