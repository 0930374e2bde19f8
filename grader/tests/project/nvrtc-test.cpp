// A kernel that is compiled while the program runs.
#include <cuda.h>
#include <nvrtc.h>

#include <string>

static const char source[] = "extern \"C\" __global__ void fill(int *data) { data[threadIdx.x] = 42; }\n";

int main() {
  nvrtcProgram program;
  const char *options[] = {"--gpu-architecture=compute_90", "-lineinfo"};
  size_t size = 0;
  if (nvrtcCreateProgram(&program, source, "fill.cu", 0, nullptr, nullptr) ||
      nvrtcCompileProgram(program, 2, options) || nvrtcGetPTXSize(program, &size))
    return 2;
  std::string ptx(size, 0);
  nvrtcGetPTX(program, &ptx[0]);
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr data;
  int out[32];
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context) || cuModuleLoadData(&module, ptx.c_str()) ||
      cuModuleGetFunction(&kernel, module, "fill") || cuMemAlloc(&data, sizeof out))
    return 3;
  void *arguments[] = {&data};
  if (cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr)) return 4;
  cuMemcpyDtoH(out, data, sizeof out);
  return out[31] == 42 ? 0 : 1;
}
