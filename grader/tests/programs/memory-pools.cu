// Pools of memory that a program makes: memory from them, one of them as the device's own, and refusals.
#include "self-check.h"

__global__ void fill(int *to, int value) {
  to[threadIdx.x] = value + static_cast<int>(threadIdx.x);
}

static void check_memory(int *memory, int value, const char *from) {
  int got[32];
  fill<<<1, 32>>>(memory, value);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(got, memory, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    check_that(got[i] == value + i, "%s: [%d] is %d", from, i, got[i]);
  CUDA_CHECK(cudaFreeAsync(memory, nullptr));
}

int main() {
  cudaMemPoolProps wanted = {};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool, device_pool, other;
  int *memory;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&device_pool, 0));
  CUDA_CHECK(cudaMemPoolCreate(&pool, &wanted));
  check_that(pool != device_pool, "the new pool is the device's");
  CUDA_CHECK(cudaMallocFromPoolAsync(&memory, 128, pool, nullptr));
  check_memory(memory, 5, "the pool");
  cudaMemAccessDesc access = {};
  access.location = wanted.location;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  CUDA_CHECK(cudaMemPoolSetAccess(pool, &access, 1));
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  CUDA_CHECK(cudaMemPoolGetAccess(&flags, pool, &wanted.location));
  check_that(flags == cudaMemAccessFlagsProtReadWrite, "the device has no access");
  CUDA_CHECK(cudaDeviceSetMemPool(0, pool));
  CUDA_CHECK(cudaDeviceGetMemPool(&other, 0));
  check_that(other == pool, "another pool is the device's");
  CUDA_CHECK(cudaMallocAsync(&memory, 128, nullptr));
  check_memory(memory, 9, "the device's pool");
  CUDA_CHECK(cudaMemPoolDestroy(pool));
  CUDA_CHECK(cudaDeviceGetMemPool(&other, 0));
  check_that(other == device_pool, "a destroyed pool is the device's");
  check_that(cudaMallocFromPoolAsync(&memory, 128, pool, nullptr) == cudaErrorInvalidValue,
             "memory comes from a destroyed pool");
  cudaGetLastError();
  return self_check_result();
}
