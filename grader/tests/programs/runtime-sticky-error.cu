// In: nothing. Out: `ok` if the next call that waits reports a kernel that failed, and then every call does,
// until the device is reset. The idea: the address 16 is in no allocation.
// expect: fault out-of-bounds
#include "self-check.h"

__global__ void write_to(int *place) {
  *place = 1;
}

int main() {
  int *memory;
  write_to<<<1, 1>>>(reinterpret_cast<int *>(16));
  check_that(cudaGetLastError() == cudaSuccess, "the launch itself has failed");
  check_that(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "nothing was reported");
  check_that(cudaGetLastError() == cudaErrorIllegalAddress, "the error isn't the last one");
  check_that(cudaMalloc(&memory, 4) == cudaErrorIllegalAddress, "memory can be had");
  check_that(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "the error was forgotten");
  write_to<<<1, 1>>>(nullptr);
  check_that(cudaGetLastError() == cudaErrorIllegalAddress, "a kernel can be launched");
  CUDA_CHECK(cudaDeviceReset());
  int value = 0;
  CUDA_CHECK(cudaMalloc(&memory, 4));
  write_to<<<1, 1>>>(memory);
  CUDA_CHECK(cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost));
  check_that(value == 1, "after the reset: %d", value);
  return self_check_result();
}
