// expect: fault out-of-bounds
// The host unregisters memory of its heap, and a kernel reads it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void use(int *data, int *out) {
  data[threadIdx.x] += 1;
  out[threadIdx.x] = data[threadIdx.x];
}

int main() {
  int *out, *data = static_cast<int *>(calloc(1, 1 << 20));
  cudaMallocHost(reinterpret_cast<void **>(&out), 4096);
  cudaHostRegister(data, 1 << 20, cudaHostRegisterDefault);
  use<<<1, 32>>>(data, out);
  cudaHostUnregister(data);
  use<<<1, 32>>>(data, out);
  cudaError_t error = cudaDeviceSynchronize();
  puts(error == cudaErrorIllegalAddress ? "ok" : cudaGetErrorString(error));
}
