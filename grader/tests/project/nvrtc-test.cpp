// A kernel that is compiled while the program runs: once to PTX, once for the GPU that there is.
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <string>

static const char source[] = "extern \"C\" __global__ void fill(int *data) { data[threadIdx.x] = VALUE; }\n";

static int fails(const std::string &code, int value) {
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr data;
  int out[32];
  if (cuModuleLoadData(&module, code.c_str()) || cuModuleGetFunction(&kernel, module, "fill") ||
      cuMemAlloc(&data, sizeof out))
    return 3;
  void *arguments[] = {&data};
  if (cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr)) return 4;
  cuMemcpyDtoH(out, data, sizeof out);
  return out[31] == value ? 0 : 1;
}

int main() {
  CUdevice device;
  CUcontext context;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context))
    return 5;
  nvrtcProgram program;
  const char *options[] = {"--gpu-architecture=compute_90", "-lineinfo", "-DVALUE=42"};
  size_t size = 0;
  if (nvrtcCreateProgram(&program, source, "fill.cu", 0, nullptr, nullptr) ||
      nvrtcCompileProgram(program, 3, options) || nvrtcGetPTXSize(program, &size))
    return 2;
  std::string ptx(size, 0);
  nvrtcGetPTX(program, &ptx[0]);
  if (int status = fails(ptx, 42)) return status;
  // no machine code was made
  if (nvrtcGetCUBINSize(program, &size) || size) return 6;

  options[0] = "-arch=sm_90";
  options[2] = "-DVALUE=43";
  auto code_of = reinterpret_cast<decltype(&nvrtcGetCUBIN)>(dlsym(RTLD_DEFAULT, "nvrtcGetCUBIN"));
  if (nvrtcCreateProgram(&program, source, "fill.cu", 0, nullptr, nullptr) ||
      nvrtcCompileProgram(program, 3, options) || nvrtcGetCUBINSize(program, &size))
    return 7;
  std::string machine_code(size, 0);
  if (!code_of || code_of(program, &machine_code[0])) return 8;
  return fails(machine_code, 43);
}
