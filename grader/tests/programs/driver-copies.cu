// What the driver has beside modules and plain launches: arrays, textures and surfaces, copies of rectangles
// and boxes, fills, its linker, occupancy, what it tells of streams and contexts, events of launches. Kernels
// are the runtime's: objects of either library are the other's as well.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include "self-check.h"

#include <cuda.h>

static void check_driver(CUresult result, const char *what) {
  const char *name = "?";
  if (result != CUDA_SUCCESS) cuGetErrorName(result, &name);
  check_that(result == CUDA_SUCCESS, "%s: %s", what, name);
}
#define DRIVER(call) check_driver(call, #call)

constexpr unsigned WIDTH = 12, HEIGHT = 5, DEPTH = 3;

static std::vector<uint8_t> bytes_of(unsigned count) {
  std::vector<uint8_t> all(count);
  for (unsigned i = 0; i < count; i++)
    all[i] = static_cast<uint8_t>(i * 7 + 1);
  return all;
}

// ---- arrays, textures, surfaces ---------------------------------------------------------------------------

__global__ void sample(float *as_fraction, unsigned char *as_is, cudaTextureObject_t fraction,
                       cudaTextureObject_t whole) {
  const unsigned x = threadIdx.x, y = threadIdx.y;
  as_fraction[y * WIDTH + x] = tex2D<float>(fraction, static_cast<float>(x), static_cast<float>(y));
  as_is[y * WIDTH + x] = tex2D<unsigned char>(whole, static_cast<float>(x), static_cast<float>(y));
}

__global__ void add_one(cudaSurfaceObject_t surface) {
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned char was = surf2Dread<unsigned char>(surface, x, y);
  surf2Dwrite(static_cast<unsigned char>(was + 1), surface, x, y);
}

static CUDA_MEMCPY2D rows(unsigned byte, unsigned row, unsigned width, unsigned height) {
  CUDA_MEMCPY2D copy = {};
  copy.dstXInBytes = byte, copy.dstY = row;
  copy.WidthInBytes = width, copy.Height = height;
  return copy;
}

static void fill_array(CUarray array, const std::vector<uint8_t> &from) {
  CUDA_MEMCPY2D copy = rows(0, 0, WIDTH, HEIGHT);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = from.data(), copy.srcPitch = WIDTH;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  DRIVER(cuMemcpy2D(&copy));
}

static std::vector<uint8_t> read_array(CUarray array) {
  std::vector<uint8_t> got(WIDTH * HEIGHT);
  CUDA_MEMCPY2D copy = rows(0, 0, WIDTH, HEIGHT);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = got.data(), copy.dstPitch = WIDTH;
  DRIVER(cuMemcpy2D(&copy));
  return got;
}

static CUtexObject texture_of(CUarray array, unsigned flags) {
  CUDA_RESOURCE_DESC resource = {};
  CUDA_TEXTURE_DESC how = {};
  CUtexObject object = 0;
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  for (CUaddress_mode &mode : how.addressMode)
    mode = CU_TR_ADDRESS_MODE_CLAMP;
  how.flags = flags;
  DRIVER(cuTexObjectCreate(&object, &resource, &how, nullptr));
  CUDA_TEXTURE_DESC told = {};
  DRIVER(cuTexObjectGetTextureDesc(&told, object));
  check_that(told.flags == flags && told.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP, "flags %u", told.flags);
  return object;
}

static void textures_and_surfaces() {
  CUDA_ARRAY_DESCRIPTOR what = {WIDTH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1}, told = {};
  CUarray array;
  DRIVER(cuArrayCreate(&array, &what));
  DRIVER(cuArrayGetDescriptor(&told, array));
  check_that(told.Width == WIDTH && told.Height == HEIGHT && told.Format == CU_AD_FORMAT_UNSIGNED_INT8 &&
                 told.NumChannels == 1,
             "an array of %zu x %zu", told.Width, told.Height);
  const std::vector<uint8_t> texels = bytes_of(WIDTH * HEIGHT);
  fill_array(array, texels);
  guarded<float> fractions(WIDTH * HEIGHT);
  guarded<unsigned char> wholes(WIDTH * HEIGHT);
  const CUtexObject fraction = texture_of(array, 0), whole = texture_of(array, CU_TRSF_READ_AS_INTEGER);
  sample<<<1, dim3(WIDTH, HEIGHT)>>>(fractions.data(), wholes.data(), fraction, whole);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
    if (!check_that(fractions.get()[i] == static_cast<float>(texels[i]) / 255 && wholes.get()[i] == texels[i],
                    "texel %u is %g, %u", i, static_cast<double>(fractions.get()[i]), wholes.get()[i]))
      break;
  CUDA_RESOURCE_DESC resource = {};
  CUsurfObject surface = 0;
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  DRIVER(cuSurfObjectCreate(&surface, &resource));
  add_one<<<1, dim3(WIDTH, HEIGHT)>>>(surface);
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint8_t> got = read_array(array);
  for (unsigned i = 0; i < got.size(); i++)
    if (!check_that(got[i] == static_cast<uint8_t>(texels[i] + 1), "surface: %u is %u", i, got[i])) break;
  DRIVER(cuSurfObjectDestroy(surface));
  DRIVER(cuTexObjectDestroy(whole));
  DRIVER(cuTexObjectDestroy(fraction));
  DRIVER(cuTexObjectDestroy(fraction)); // a driver of CUDA 13.0 does not mind a texture that is gone
  DRIVER(cuArrayDestroy(array));
}

// ---- copies and fills -------------------------------------------------------------------------------------

// Through an array of three dimensions, from inside one box of memory to inside another.
static void boxes() {
  const CUDA_ARRAY3D_DESCRIPTOR what = {WIDTH, HEIGHT, DEPTH, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  const std::vector<uint8_t> from = bytes_of(WIDTH * HEIGHT * DEPTH);
  CUarray array;
  DRIVER(cuArray3DCreate(&array, &what));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = from.data();
  copy.srcPitch = WIDTH, copy.srcHeight = HEIGHT;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = WIDTH, copy.Height = HEIGHT, copy.Depth = DEPTH;
  DRIVER(cuMemcpy3D(&copy));
  CUdeviceptr memory;
  DRIVER(cuMemAlloc(&memory, from.size()));
  DRIVER(cuMemsetD8(memory, 0, from.size()));
  copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, copy.srcArray = array;
  copy.srcXInBytes = 2, copy.srcY = 1, copy.srcZ = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = memory;
  copy.dstPitch = WIDTH, copy.dstHeight = HEIGHT;
  copy.dstXInBytes = 5, copy.dstY = 2, copy.dstZ = 0;
  copy.WidthInBytes = 7, copy.Height = 3, copy.Depth = 2;
  DRIVER(cuMemcpy3DAsync(&copy, nullptr));
  std::vector<uint8_t> got(from.size());
  DRIVER(cuMemcpyDtoH(got.data(), memory, got.size()));
  for (unsigned i = 0; i < got.size(); i++) {
    const unsigned x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
    const bool inside = x >= 5 && y >= 2 && z < 2;
    const uint8_t right = inside ? from[((z + 1) * HEIGHT + y - 1) * WIDTH + x - 3] : 0;
    if (!check_that(got[i] == right, "box: %u is %u, not %u", i, got[i], right)) break;
  }
  copy.srcZ = 2;
  check_that(cuMemcpy3D(&copy) == CUDA_ERROR_INVALID_VALUE, "a box outside the array is copied");
  DRIVER(cuMemFree(memory));
  DRIVER(cuArrayDestroy(array));
}

static void fills_and_rows() {
  size_t pitch = 0;
  CUdeviceptr memory;
  std::vector<uint16_t> got(6 * 3);
  DRIVER(cuMemAllocPitch(&memory, &pitch, 12, 3, 4));
  DRIVER(cuMemsetD2D16(memory, pitch, 0x1234, 6, 3));
  DRIVER(cuMemsetD2D16Async(memory + pitch + 2, pitch, 0x4321, 2, 2, nullptr));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED, copy.srcDevice = memory, copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = got.data(), copy.dstPitch = 12;
  copy.WidthInBytes = 12, copy.Height = 3;
  DRIVER(cuMemcpy2DUnaligned(&copy));
  for (unsigned i = 0; i < got.size(); i++) {
    const bool second = i / 6 > 0 && i % 6 > 0 && i % 6 < 3;
    if (!check_that(got[i] == (second ? 0x4321 : 0x1234), "fill: %u is 0x%x", i, got[i])) break;
  }
  const CUDA_ARRAY_DESCRIPTOR what = {6, 0, CU_AD_FORMAT_UNSIGNED_INT16, 1};
  CUarray array;
  uint16_t three[3] = {};
  DRIVER(cuArrayCreate(&array, &what));
  DRIVER(cuMemcpyDtoA(array, 0, memory + pitch, 12));
  DRIVER(cuMemcpyAtoH(three, array, 2, 6));
  check_that(three[0] == 0x4321 && three[1] == 0x4321 && three[2] == 0x1234, "a row of an array");
  DRIVER(cuArrayDestroy(array));
  DRIVER(cuMemFree(memory));
}

// ---- the rest ---------------------------------------------------------------------------------------------

static const char module_text[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry nothing() .maxntid 256, 1, 1 { ret; }
)";

static size_t shared_of(int threads) {
  return static_cast<size_t>(threads) * 4;
}

static void links_and_counts() {
  CUlinkState link;
  CUmodule module;
  CUfunction function;
  void *image = nullptr;
  size_t bytes = 0, shared = 0;
  int grid = 0, block = 0;
  DRIVER(cuLinkCreate(0, nullptr, nullptr, &link));
  DRIVER(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char *>(module_text), sizeof module_text, "nothing",
                       0, nullptr, nullptr));
  DRIVER(cuLinkComplete(link, &image, &bytes));
  DRIVER(cuModuleLoadData(&module, image));
  DRIVER(cuLinkDestroy(link));
  DRIVER(cuModuleGetFunction(&function, module, "nothing"));
  DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, shared_of, 0, 0));
  check_that(block == 256 && grid == 132 * 8, "%d blocks of %d", grid, block);
  DRIVER(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 4, 256));
  check_that(shared == 48 << 10, "%zu bytes for each of four blocks", shared);
  DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
  DRIVER(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 4, 256));
  check_that(shared == 233472 / 4, "%zu bytes for each of four blocks that may have more", shared);
  DRIVER(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 5, 256));
  check_that(shared == 46592, "%zu bytes for each of five blocks", shared);
  DRIVER(cuModuleUnload(module));
}

static void call_back(CUstream, CUresult status, void *data) {
  *static_cast<int *>(data) = status == CUDA_SUCCESS ? 42 : 1;
}

// Programs built before CUDA 12.5 mean the form with two arguments.
static void ask_for_contexts(CUstream stream, CUcontext current) {
  CUcontext of_stream = nullptr, unused = nullptr;
  CUgreenCtx green = reinterpret_cast<CUgreenCtx>(1), other = green;
  void *two = nullptr, *three = nullptr;
  DRIVER(cuStreamGetCtx_v2(stream, &of_stream, &green));
  DRIVER(cuStreamGetGreenCtx(stream, &other));
  check_that(of_stream == current && !green && !other, "contexts %p, %p, %p", of_stream, green, other);
  DRIVER(cuGetProcAddress("cuStreamGetCtx", &two, 12040, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
  DRIVER(cuGetProcAddress("cuStreamGetCtx", &three, 12050, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
  check_that(two != three, "both forms of cuStreamGetCtx are %p", two);
  DRIVER(reinterpret_cast<CUresult (*)(CUstream, CUcontext *)>(two)(stream, &of_stream));
  green = reinterpret_cast<CUgreenCtx>(1);
  DRIVER(reinterpret_cast<CUresult (*)(CUstream, CUcontext *, CUgreenCtx *)>(three)(stream, &unused, &green));
  check_that(of_stream == current && unused == current && !green, "%p, %p, %p", of_stream, unused, green);
}

static void streams_and_contexts() {
  CUstream stream;
  CUcontext of_stream, current;
  unsigned flags = 0;
  int priority = 0, lowest = 1, highest = 1, called = 0;
  char bus[16] = "";
  CUdevice device = 7;
  DRIVER(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -2));
  DRIVER(cuStreamGetFlags(stream, &flags));
  DRIVER(cuStreamGetPriority(stream, &priority));
  DRIVER(cuStreamGetCtx(stream, &of_stream));
  DRIVER(cuCtxGetCurrent(&current));
  check_that(flags == CU_STREAM_NON_BLOCKING && priority == -2 && of_stream == current,
             "flags %u, priority %d", flags, priority);
  ask_for_contexts(stream, current);
  DRIVER(cuStreamAddCallback(stream, call_back, &called, 0));
  DRIVER(cuStreamSynchronize(stream));
  check_that(called == 42, "the callback has left %d", called);
  DRIVER(cuStreamDestroy(stream));
  DRIVER(cuCtxGetStreamPriorityRange(&lowest, &highest));
  check_that(lowest == 0 && highest < 0, "priorities from %d to %d", lowest, highest);
  DRIVER(cuDeviceGetPCIBusId(bus, sizeof bus, 0));
  DRIVER(cuDeviceGetByPCIBusId(&device, bus));
  check_that(device == 0, "device %d is at %s", device, bus);
}

// ---- launches that record events --------------------------------------------------------------------------

__global__ void put(int *to) {
  *to = 41;
}
__global__ void take(int *to, const int *from) {
  *to = *from + 1;
}

static void launch(void (*function)(), CUstream stream, CUlaunchAttribute attribute, void **arguments) {
  cudaKernel_t kernel;
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_CHECK(cudaGetKernel(&kernel, reinterpret_cast<const void *>(function)));
  DRIVER(cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel), arguments, nullptr));
}

static void launches_that_record() {
  CUstream first, second;
  CUevent put_event, take_event;
  DRIVER(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  DRIVER(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  DRIVER(cuEventCreate(&put_event, CU_EVENT_DISABLE_TIMING));
  DRIVER(cuEventCreate(&take_event, CU_EVENT_DISABLE_TIMING));
  guarded<int> from(1), to(1);
  CUDA_CHECK(cudaDeviceSynchronize()); // they are filled in the default stream
  int *pointers[] = {to.data(), from.data()};
  void *arguments[] = {&pointers[0], &pointers[1]};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
  attribute.value.programmaticEvent.event = put_event;
  launch(reinterpret_cast<void (*)()>(put), first, attribute, arguments + 1);
  DRIVER(cuStreamWaitEvent(second, put_event, 0)); // or the second launch may read too early
  attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  attribute.value.launchCompletionEvent.event = take_event;
  launch(reinterpret_cast<void (*)()>(take), second, attribute, arguments);
  DRIVER(cuStreamSynchronize(second));
  check_that(to.get()[0] == 42, "%d", to.get()[0]);
  DRIVER(cuEventDestroy(take_event));
  DRIVER(cuEventDestroy(put_event));
  DRIVER(cuStreamDestroy(second));
  DRIVER(cuStreamDestroy(first));
}

int main() {
  CUcontext context;
  DRIVER(cuInit(0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
  DRIVER(cuCtxSetCurrent(context));
  textures_and_surfaces();
  boxes();
  fills_and_rows();
  links_and_counts();
  streams_and_contexts();
  launches_that_record();
  return self_check_result();
}
