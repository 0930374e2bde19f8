// Kernels that a program loads while it runs: cudaLibraryLoadData and the driver's libraries, with a module
// given as PTX text. A library's kernel is launched, asked and configured as any other kernel.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include <cuda.h>

#include "self-check.h"

static const char module_text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .u32 factor = 3;\n"
    ".visible .entry scale(.param .u64 data, .param .u32 more)\n{\n"
    ".reg .b64 %rd<4>;\n.reg .b32 %r<6>;\n"
    "ld.param.u64 %rd1, [data];\nld.param.u32 %r1, [more];\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r3, [factor];\nld.global.u32 %r4, [%rd3];\n"
    "mad.lo.u32 %r5, %r4, %r3, %r1;\nst.global.u32 [%rd3], %r5;\nret;\n}\n";

constexpr uint32_t COUNT = 32;

static void check_data(const char *who, guarded<uint32_t> &data, uint32_t factor, uint32_t more) {
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint32_t> got = data.get();
  for (uint32_t i = 0; i < COUNT; i++)
    check_that(got[i] == i * factor + more, "%s: [%u] is %u, not %u", who, i, got[i], i * factor + more);
}

static void fill(guarded<uint32_t> &data) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < COUNT; i++)
    values.push_back(i);
  data.set(values);
}

static void check_runtime() {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  CUDA_CHECK(cudaLibraryLoadData(&library, module_text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "scale"));
  check_that(cudaLibraryGetKernel(&kernel, library, "shrink") != cudaSuccess, "a kernel that isn't there");
  cudaGetLastError();
  guarded<uint32_t> data(COUNT);
  fill(data);
  void *factor, *address = data.data();
  size_t bytes;
  uint32_t more = 5, five = 5;
  CUDA_CHECK(cudaLibraryGetGlobal(&factor, &bytes, library, "factor"));
  check_that(bytes == 4, "the variable has %zu bytes", bytes);
  void *arguments[] = {&address, &more};
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), 1, COUNT, arguments, 0, nullptr));
  check_data("the runtime's library", data, 3, 5);
  CUDA_CHECK(cudaMemcpy(factor, &five, sizeof five, cudaMemcpyHostToDevice));
  fill(data);
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void *>(kernel), 1, COUNT, arguments, 0, nullptr));
  check_data("another factor", data, 5, 5);
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel)));
  check_that(attributes.maxThreadsPerBlock == 1024, "%d threads", attributes.maxThreadsPerBlock);
  CUDA_CHECK(cudaLibraryUnload(library));
}

static void check_driver(CUresult result, const char *call) {
  check_that(result == CUDA_SUCCESS, "%s returns %d", call, static_cast<int>(result));
}
#define CHECK_DRIVER(call) check_driver((call), #call)

static void check_libraries_of_driver() {
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  const char *name = "";
  size_t offset = 99, bytes = 99;
  CHECK_DRIVER(cuLibraryLoadData(&library, module_text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK_DRIVER(cuLibraryGetKernel(&kernel, library, "scale"));
  CHECK_DRIVER(cuKernelGetFunction(&function, kernel));
  CHECK_DRIVER(cuKernelGetName(&name, kernel));
  check_that(std::strcmp(name, "scale") == 0, "the kernel's name is %s", name);
  CHECK_DRIVER(cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
  check_that(offset == 8 && bytes == 4, "the second parameter lies at %zu, %zu bytes", offset, bytes);
  guarded<uint32_t> data(COUNT);
  fill(data);
  void *address = data.data();
  uint32_t more = 7;
  void *arguments[] = {&address, &more};
  CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, nullptr, arguments, nullptr));
  check_data("the driver's library", data, 3, 7);
  CHECK_DRIVER(cuLibraryUnload(library));
}

int main() {
  CUDA_CHECK(cudaFree(nullptr));
  check_runtime();
  check_libraries_of_driver();
  return self_check_result();
}
