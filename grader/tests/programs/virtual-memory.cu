// The driver's virtual memory: a vector that grows. Two pieces of memory lie one behind the other, then move
// to a larger reservation with what they hold, and a third one comes behind them.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include <cuda.h>

#include "self-check.h"

static void check_driver(CUresult result, CUresult wanted, const char *call) {
  check_that(result == wanted, "%s returns %d, not %d", call, static_cast<int>(result),
             static_cast<int>(wanted));
}
#define DRIVER(call)  check_driver((call), CUDA_SUCCESS, #call)
#define INVALID(call) check_driver((call), CUDA_ERROR_INVALID_VALUE, #call)

__global__ void count_on(unsigned *values, unsigned stride, unsigned more) {
  values[threadIdx.x * stride] += threadIdx.x + more;
}

static CUmemAllocationProp device_memory() {
  CUmemAllocationProp p = {};
  p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return p;
}

static void allow(CUdeviceptr address, size_t bytes) {
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER(cuMemSetAccess(address, bytes, &access, 1));
}

int main() {
  CUDA_CHECK(cudaFree(nullptr));
  int supported = 0;
  DRIVER(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  check_that(supported == 1, "the device says that it has no virtual memory");
  const CUmemAllocationProp properties = device_memory();
  CUmemGenericAllocationHandle pieces[3], again;
  CUdeviceptr small, large;
  size_t unit = 0;
  DRIVER(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  for (CUmemGenericAllocationHandle &piece : pieces)
    DRIVER(cuMemCreate(&piece, unit, &properties, 0));
  INVALID(cuMemCreate(&again, unit + 1, &properties, 0));
  DRIVER(cuMemAddressReserve(&small, 2 * unit, 0, 0, 0));
  INVALID(cuMemMap(small + 2 * unit, unit, 0, pieces[0], 0)); // outside
  DRIVER(cuMemMap(small, unit, 0, pieces[0], 0));
  INVALID(cuMemMap(small, unit, 0, pieces[1], 0)); // taken
  DRIVER(cuMemMap(small + unit, unit, 0, pieces[1], 0));
  allow(small, 2 * unit);

  constexpr unsigned COUNT = 64;
  const unsigned stride = static_cast<unsigned>(2 * unit / sizeof(unsigned) / COUNT);
  CUDA_CHECK(cudaMemset(reinterpret_cast<void *>(small), 0, 2 * unit)); // across both
  count_on<<<1, COUNT>>>(reinterpret_cast<unsigned *>(small), stride, 1);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize()); // cuMemUnmap doesn't wait for the kernel

  INVALID(cuMemAddressFree(small, 2 * unit)); // still mapped
  DRIVER(cuMemUnmap(small, 2 * unit));
  DRIVER(cuMemAddressFree(small, 2 * unit));
  DRIVER(cuMemAddressReserve(&large, 3 * unit, 0, 0, 0));
  for (unsigned i = 0; i < 3; i++)
    DRIVER(cuMemMap(large + i * unit, unit, 0, pieces[i], 0));
  allow(large, 3 * unit);
  unsigned long long flags = 0;
  DRIVER(cuMemGetAccess(&flags, &properties.location, large + unit));
  check_that(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, "the access is %llu", flags);
  DRIVER(cuMemRetainAllocationHandle(&again, reinterpret_cast<void *>(large)));
  check_that(again == pieces[0], "another handle");
  DRIVER(cuMemRelease(again));
  for (const CUmemGenericAllocationHandle piece : pieces)
    DRIVER(cuMemRelease(piece)); // the mappings keep the memory

  count_on<<<1, COUNT>>>(reinterpret_cast<unsigned *>(large), stride, 10);
  CUDA_CHECK(cudaGetLastError());
  std::vector<unsigned> got(2 * unit / sizeof(unsigned));
  CUDA_CHECK(cudaMemcpy(got.data(), reinterpret_cast<void *>(large), 2 * unit, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < COUNT; i++)
    check_that(got[i * stride] == 2 * i + 11, "[%u] is %u, not %u", i, got[i * stride], 2 * i + 11);
  DRIVER(cuMemUnmap(large, 3 * unit));
  DRIVER(cuMemAddressFree(large, 3 * unit));
  return self_check_result();
}
