// In: nothing. Out: `ok` if a program that uses the driver's functions alone loads a module, launches its
// kernel and reads the result. The idea: the kernel is PTX written by hand, so nothing of the runtime is
// needed; the two libraries then share what they made.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include "self-check.h"

#include <cuda.h>

static const char module_text[] = R"(
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 values, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [values];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r6, [%rd3];
  ld.global.u32 %r7, [factor];
  mul.lo.u32 %r6, %r6, %r7;
  st.global.u32 [%rd3], %r6;
done:
  ret;
}
)";

static void check_driver(CUresult result, const char *what) {
  const char *name = "?";
  if (result != CUDA_SUCCESS) cuGetErrorName(result, &name);
  check_that(result == CUDA_SUCCESS, "%s: %s", what, name);
}
#define DRIVER(call) check_driver(call, #call)

constexpr unsigned COUNT = 1000;

static void check_values(const char *what, CUdeviceptr values, unsigned times) {
  std::vector<uint32_t> got(COUNT);
  DRIVER(cuMemcpyDtoH(got.data(), values, COUNT * 4));
  for (unsigned i = 0; i < COUNT; i++)
    if (!check_that(got[i] == i * times, "%s: element %u is %u, not %u", what, i, got[i], i * times)) return;
}

static void launches(CUfunction function, CUdeviceptr values) {
  unsigned count = COUNT;
  void *arguments[] = {&values, &count};
  DRIVER(cuLaunchKernel(function, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  check_values("an array of arguments", values, 3);
  struct {
    CUdeviceptr values;
    unsigned count;
  } block = {values, COUNT};
  size_t bytes = 12;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  DRIVER(cuLaunchKernel(function, (COUNT + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  check_values("a block of arguments", values, 9);
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config = {};
  config.gridDimX = 8, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  DRIVER(cuLaunchKernelEx(&config, function, arguments, nullptr));
  check_values("cuLaunchKernelEx", values, 27);
}

static void refuses_wrong_calls(CUmodule module, CUfunction function) {
  CUfunction none;
  int value = 0;
  CUdeviceptr address = 0;
  const char *name = nullptr;
  check_that(cuModuleGetFunction(&none, module, "missing") == CUDA_ERROR_NOT_FOUND,
             "a function that isn't there");
  check_that(cuModuleGetGlobal(&address, nullptr, module, "missing") == CUDA_ERROR_NOT_FOUND,
             "a variable that isn't there");
  check_that(cuLaunchKernel(function, 1, 1, 1, 2000, 1, 1, 0, nullptr, nullptr, nullptr) ==
                 CUDA_ERROR_INVALID_VALUE,
             "2000 threads");
  check_that(cuMemAlloc(&address, 0) == CUDA_ERROR_INVALID_VALUE, "an allocation of nothing");
  check_that(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0) == CUDA_SUCCESS && value == 32,
             "warps of %d", value);
  check_that(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name) == CUDA_SUCCESS &&
                 strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0,
             "%s", name);
}

// libcu++ asks the driver for the pool that the runtime knows as the device's own.
static void takes_memory_from_the_default_pool() {
  CUmemoryPool of_device = nullptr, of_place = nullptr;
  cudaMemPool_t of_runtime = nullptr;
  CUmemLocation place = {};
  cuuint64_t threshold = UINT64_MAX;
  CUdeviceptr memory = 0;
  uint32_t nine = 0;
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  DRIVER(cuDeviceGetDefaultMemPool(&of_device, 0));
  DRIVER(cuMemGetDefaultMemPool(&of_place, &place, CU_MEM_ALLOCATION_TYPE_PINNED));
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&of_runtime, 0));
  check_that(of_device == of_place && of_device == of_runtime, "there is more than one default pool");
  DRIVER(cuMemPoolSetAttribute(of_device, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  DRIVER(cuMemPoolTrimTo(of_device, 0));
  DRIVER(cuMemAllocFromPoolAsync(&memory, 4, of_device, nullptr));
  DRIVER(cuMemsetD32(memory, 9, 1));
  DRIVER(cuMemcpyDtoH(&nine, memory, 4));
  check_that(nine == 9, "%u", nine);
  DRIVER(cuMemFreeAsync(memory, nullptr));
}

// A map may be written anywhere: what kernels get is a copy.
static void encodes_maps_at_any_address(CUdeviceptr values) {
  alignas(128) static unsigned char room[3 * sizeof(CUtensorMap)];
  const cuuint64_t dimensions[] = {256, COUNT / 256}, strides[] = {1024};
  const cuuint32_t box[] = {32, 4}, ones[] = {1, 1};
  for (size_t at : {size_t{0}, 2 * sizeof(CUtensorMap) - 16, sizeof(CUtensorMap) + 1}) {
    DRIVER(cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap *>(room + at), CU_TENSOR_MAP_DATA_TYPE_UINT32,
                                  2, reinterpret_cast<void *>(values), dimensions, strides, box, ones,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    check_that(memcmp(room, room + at, sizeof(CUtensorMap)) == 0, "another map at %zu", at);
  }
}

int main() {
  CUdevice device;
  CUcontext context, current;
  CUmodule module;
  CUfunction function;
  CUdeviceptr values, factor;
  size_t bytes = 0;
  DRIVER(cuInit(0));
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));
  DRIVER(cuCtxGetCurrent(&current));
  check_that(current == context, "another context is current");
  DRIVER(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  DRIVER(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  check_that(bytes >= 4096, "a stack of %zu bytes", bytes);
  DRIVER(cuModuleLoadData(&module, module_text));
  DRIVER(cuModuleGetFunction(&function, module, "scale"));
  DRIVER(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  check_that(bytes == 4, "a variable of %zu bytes", bytes);
  std::vector<uint32_t> numbers(COUNT);
  for (unsigned i = 0; i < COUNT; i++)
    numbers[i] = i;
  DRIVER(cuMemAlloc(&values, COUNT * 4));
  DRIVER(cuMemcpyHtoD(values, numbers.data(), COUNT * 4));
  launches(function, values);
  encodes_maps_at_any_address(values);
  refuses_wrong_calls(module, function);
  // the runtime knows the driver's memory
  CUDA_CHECK(cudaMemset(reinterpret_cast<void *>(values), 0, COUNT * 4));
  check_values("after cudaMemset", values, 0);
  DRIVER(cuMemsetD32(values, 7, 1));
  uint32_t seven = 0;
  CUDA_CHECK(cudaMemcpy(&seven, reinterpret_cast<void *>(values), 4, cudaMemcpyDefault));
  check_that(seven == 7, "%u", seven);
  DRIVER(cuMemFree(values));
  takes_memory_from_the_default_pool();
  DRIVER(cuModuleUnload(module));
  DRIVER(cuDevicePrimaryCtxRelease(device));
  return self_check_result();
}
