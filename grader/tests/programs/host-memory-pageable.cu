// expect: fault out-of-bounds
// A kernel is handed memory from malloc, beside page-locked memory that it may use.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void use(int *data, int *out) {
  data[threadIdx.x] += 1;
  out[threadIdx.x] = data[threadIdx.x];
}

int main() {
  int *out, *data = static_cast<int *>(malloc(4096));
  memset(data, 0, 4096);
  cudaMallocHost(reinterpret_cast<void **>(&out), 4096);
  use<<<1, 32>>>(data, out);
  cudaError_t error = cudaDeviceSynchronize();
  puts(error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorString(error));
}
