// CUDA arrays, texture objects and surface objects, as CUDA courses use them: shapes, filters, address modes
// and reading modes that this device knows, and the ways of copying to and from an array.
#include <cmath>

#include "self-check.h"

constexpr uint32_t WIDTH = 8, HEIGHT = 4, DEPTH = 3, POINTS = 64;

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureAddressMode mode,
                                      cudaTextureFilterMode filter, bool normalized,
                                      cudaTextureReadMode reading = cudaReadModeElementType) {
  cudaTextureDesc how = {};
  for (int i = 0; i < 3; i++)
    how.addressMode[i] = mode;
  how.filterMode = filter;
  how.readMode = reading;
  how.normalizedCoords = normalized;
  how.borderColor[0] = 77;
  cudaTextureObject_t object = 0;
  CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
  return object;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static float texel(uint32_t x, uint32_t y, uint32_t z = 0) {
  return static_cast<float>(x * x + 10 * y + 100 * z + 1);
}

static std::vector<float> texels(uint32_t width, uint32_t height, uint32_t depth) {
  std::vector<float> all;
  for (uint32_t i = 0; i < width * height * depth; i++)
    all.push_back(texel(i % width, i / width % height, i / width / height));
  return all;
}

// ---- what the host computes -------------------------------------------------------------------------------

static int wrapped(int i, int size, cudaTextureAddressMode mode) {
  if (i >= 0 && i < size) return i;
  if (mode == cudaAddressModeWrap) return ((i % size) + size) % size;
  if (mode == cudaAddressModeBorder) return -1;
  if (mode == cudaAddressModeClamp) return i < 0 ? 0 : size - 1;
  const int turn = ((i % (2 * size)) + 2 * size) % (2 * size);
  return turn < size ? turn : 2 * size - 1 - turn;
}

static float at(int x, int y, cudaTextureAddressMode mode) {
  const int column = wrapped(x, WIDTH, mode), row = wrapped(y, HEIGHT, mode);
  return column < 0 || row < 0 ? 77 : texel(static_cast<uint32_t>(column), static_cast<uint32_t>(row));
}

// The CUDA C++ Programming Guide, "Texture Fetching": fractions have 8 bits.
static float filtered(float x, float y, cudaTextureAddressMode mode) {
  const float left = std::floor(x - 0.5f), low = std::floor(y - 0.5f);
  const float a = std::rint((x - 0.5f - left) * 256) / 256, b = std::rint((y - 0.5f - low) * 256) / 256;
  const int i = static_cast<int>(left), j = static_cast<int>(low);
  return (1 - a) * (1 - b) * at(i, j, mode) + a * (1 - b) * at(i + 1, j, mode) +
         (1 - a) * b * at(i, j + 1, mode) + a * b * at(i + 1, j + 1, mode);
}

// ---- two dimensions ---------------------------------------------------------------------------------------

__host__ __device__ static float point_x(uint32_t i) { // some outside; no half of 1/256
  return static_cast<float>(i) * 0.25f - 3.0f + 1.0f / 64;
}
__host__ __device__ static float point_y(uint32_t i) {
  return static_cast<float>(i * 7 % 40) * 0.25f - 2.0f + 1.0f / 32;
}

__global__ void sample_2d(float *out, cudaTextureObject_t texture, float width, float height) {
  const uint32_t i = threadIdx.x;
  out[i] = tex2D<float>(texture, point_x(i) / width, point_y(i) / height);
}

static void check_2d(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                     bool normalized) {
  guarded<float> out(POINTS);
  const cudaTextureObject_t object = texture_of(resource_of(array), mode, filter, normalized);
  sample_2d<<<1, POINTS>>>(out.data(), object, normalized ? WIDTH : 1, normalized ? HEIGHT : 1);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = out.get();
  for (uint32_t i = 0; i < POINTS; i++) {
    const float x = point_x(i), y = point_y(i);
    const float right = filter == cudaFilterModeLinear
                            ? filtered(x, y, mode)
                            : at(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)), mode);
    check_that(std::fabs(got[i] - right) <= 0.01f, "mode %d, filter %d: at %g, %g is %g, not %g",
               static_cast<int>(mode), static_cast<int>(filter), static_cast<double>(x),
               static_cast<double>(y), static_cast<double>(got[i]), static_cast<double>(right));
  }
  CUDA_CHECK(cudaDestroyTextureObject(object));
}

static void check_arrays_2d() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array, other;
  CUDA_CHECK(cudaMallocArray(&array, &floats, WIDTH, HEIGHT));
  CUDA_CHECK(cudaMallocArray(&other, &floats, WIDTH, HEIGHT));
  const std::vector<float> all = texels(WIDTH, HEIGHT, 1);
  const size_t row = WIDTH * sizeof(float);
  CUDA_CHECK(cudaMemcpy2DToArray(other, 0, 0, all.data(), row, row, HEIGHT, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy2DArrayToArray(array, 0, 0, other, 0, 0, row, HEIGHT));
  const cudaTextureFilterMode filters[] = {cudaFilterModePoint, cudaFilterModeLinear};
  for (const cudaTextureFilterMode filter : filters) {
    check_2d(array, cudaAddressModeClamp, filter, false);
    check_2d(array, cudaAddressModeBorder, filter, false);
    check_2d(array, cudaAddressModeWrap, filter, true);
    check_2d(array, cudaAddressModeMirror, filter, true);
    check_2d(array, cudaAddressModeClamp, filter, true);
  }
  std::vector<float> back(WIDTH * HEIGHT);
  CUDA_CHECK(cudaMemcpy2DFromArray(back.data(), row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
  check_that(back == all, "the array comes back as something else");
  cudaChannelFormatDesc channel;
  cudaExtent extent;
  unsigned flags;
  CUDA_CHECK(cudaArrayGetInfo(&channel, &extent, &flags, array));
  check_that(channel.x == 32 && channel.f == cudaChannelFormatKindFloat && extent.width == WIDTH &&
                 extent.height == HEIGHT && extent.depth == 0 && flags == 0,
             "cudaArrayGetInfo says something else");
  CUDA_CHECK(cudaFreeArray(array));
  CUDA_CHECK(cudaFreeArray(other));
}

// ---- one and three dimensions, layers ---------------------------------------------------------------------

// The base level of a texture without others is the texture.
__device__ static float tex3d_base(cudaTextureObject_t texture, float x, float y, float z) {
  float r;
  [[maybe_unused]] float rest[3];
  asm volatile("tex.base.3d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
               : "=f"(r), "=f"(rest[0]), "=f"(rest[1]), "=f"(rest[2])
               : "l"(texture), "f"(x), "f"(y), "f"(z));
  return r;
}

__global__ void sample_others(float *out, cudaTextureObject_t line, cudaTextureObject_t volume,
                              cudaTextureObject_t layers) {
  const uint32_t i = threadIdx.x;
  const float x = static_cast<float>(i % WIDTH) + 0.5f, y = static_cast<float>(i / WIDTH % HEIGHT) + 0.5f;
  out[i] = tex1D<float>(line, x + 0.25f);
  out[POINTS + i] = tex3d_base(volume, x, y, static_cast<float>(i % DEPTH) + 0.5f);
  out[2 * POINTS + i] = tex2DLayered<float>(layers, x, y, static_cast<int>(i % DEPTH));
  out[3 * POINTS + i] = tex2DLod<float>(layers, x, y, 0) * 0 + tex3D<float>(volume, x, y, 1.25f);
}

static cudaArray_t array_3d(unsigned flags) {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA_CHECK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(WIDTH, HEIGHT, DEPTH), flags));
  std::vector<float> all = texels(WIDTH, HEIGHT, DEPTH);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(all.data(), WIDTH * sizeof(float), WIDTH, HEIGHT);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&copy));
  return array;
}

static void check_others() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t line, volume = array_3d(cudaArrayDefault), layers = array_3d(cudaArrayLayered);
  CUDA_CHECK(cudaMallocArray(&line, &floats, WIDTH));
  const std::vector<float> all = texels(WIDTH, 1, 1);
  CUDA_CHECK(cudaMemcpy2DToArray(line, 0, 0, all.data(), WIDTH * sizeof(float), WIDTH * sizeof(float), 1,
                                 cudaMemcpyHostToDevice));
  const cudaTextureObject_t objects[] = {
      texture_of(resource_of(line), cudaAddressModeClamp, cudaFilterModeLinear, false),
      texture_of(resource_of(volume), cudaAddressModeClamp, cudaFilterModeLinear, false),
      texture_of(resource_of(layers), cudaAddressModeClamp, cudaFilterModePoint, false)};
  guarded<float> out(4 * POINTS);
  sample_others<<<1, POINTS>>>(out.data(), objects[0], objects[1], objects[2]);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = out.get();
  for (uint32_t i = 0; i < POINTS; i++) {
    const uint32_t x = i % WIDTH, y = i / WIDTH % HEIGHT, next = x + 1 < WIDTH ? x + 1 : x;
    const float right[] = {0.75f * texel(x, 0) + 0.25f * texel(next, 0), texel(x, y, i % DEPTH),
                           texel(x, y, i % DEPTH), 0.25f * texel(x, y, 0) + 0.75f * texel(x, y, 1)};
    for (uint32_t n = 0; n < 4; n++)
      check_that(std::fabs(got[n * POINTS + i] - right[n]) <= 0.01f, "%u of %u is %g, not %g", i, n,
                 static_cast<double>(got[n * POINTS + i]), static_cast<double>(right[n]));
  }
  cudaResourceDesc asked;
  CUDA_CHECK(cudaGetTextureObjectResourceDesc(&asked, objects[1]));
  check_that(asked.resType == cudaResourceTypeArray && asked.res.array.array == volume, "another resource");
  for (const cudaTextureObject_t object : objects)
    CUDA_CHECK(cudaDestroyTextureObject(object));
  for (const cudaArray_t array : {line, volume, layers})
    CUDA_CHECK(cudaFreeArray(array));
}

// ---- cube maps --------------------------------------------------------------------------------------------

__global__ void look_around(float *out, cudaTextureObject_t cube) {
  const float way = threadIdx.x % 2 ? -2.0f : 2.0f;
  const uint32_t axis = threadIdx.x / 2;
  // beside the middle of the face, which the main direction leads to
  out[threadIdx.x] =
      texCubemap<float>(cube, axis == 0 ? way : 0.5f, axis == 1 ? way : 0.5f, axis == 2 ? way : 0.5f);
}

static void check_cube() {
  constexpr uint32_t SIZE = 4, FACES = 6;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA_CHECK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(SIZE, SIZE, FACES), cudaArrayCubemap));
  std::vector<float> all = texels(SIZE, SIZE, FACES);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(all.data(), SIZE * sizeof(float), SIZE, SIZE);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(SIZE, SIZE, FACES);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&copy));
  const cudaTextureObject_t object =
      texture_of(resource_of(array), cudaAddressModeClamp, cudaFilterModePoint, true);
  guarded<float> out(FACES);
  look_around<<<1, FACES>>>(out.data(), object);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = out.get();
  // which way a face's own axes go: a quarter right of the middle is texel 2, left of it texel 1
  static const uint32_t x[FACES] = {1, 2, 2, 2, 2, 1}, y[FACES] = {1, 1, 2, 1, 1, 1};
  for (uint32_t face = 0; face < FACES; face++)
    check_that(std::fabs(got[face] - texel(x[face], y[face], face)) < 0.01f, "face %u is %g, not %g", face,
               static_cast<double>(got[face]), static_cast<double>(texel(x[face], y[face], face)));
  CUDA_CHECK(cudaDestroyTextureObject(object));
  CUDA_CHECK(cudaFreeArray(array));
}

// ---- memory as a texture ----------------------------------------------------------------------------------

__global__ void fetch(float *out, cudaTextureObject_t numbers, cudaTextureObject_t bytes,
                      cudaTextureObject_t plane) {
  const int i = static_cast<int>(threadIdx.x);
  const short2 pair = tex1Dfetch<short2>(numbers, i - 4);
  out[i * 3] = static_cast<float>(pair.x * 1000 + pair.y);
  out[i * 3 + 1] = tex1Dfetch<float>(bytes, i);
  out[i * 3 + 2] = tex2D<float4>(plane, static_cast<float>(i % 4), static_cast<float>(i / 4 % 2)).z;
}

static void check_memory() {
  constexpr uint32_t COUNT = 32;
  short2 *numbers;
  signed char *bytes;
  CUDA_CHECK(cudaMalloc(&numbers, COUNT * sizeof *numbers)); // a texture wants 512 bytes of alignment
  CUDA_CHECK(cudaMalloc(&bytes, COUNT));
  std::vector<short2> pairs;
  std::vector<signed char> values;
  for (uint32_t i = 0; i < COUNT; i++) {
    pairs.push_back(make_short2(static_cast<short>(i), static_cast<short>(-static_cast<int>(i))));
    values.push_back(static_cast<signed char>(i * 8 - 128));
  }
  CUDA_CHECK(cudaMemcpy(numbers, pairs.data(), COUNT * sizeof *numbers, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(bytes, values.data(), COUNT, cudaMemcpyHostToDevice));
  float4 *plane;
  size_t pitch;
  CUDA_CHECK(cudaMallocPitch(&plane, &pitch, 4 * sizeof(float4), 2));
  std::vector<float4> colours;
  for (int i = 0; i < 8; i++)
    colours.push_back(make_float4(0, 1, static_cast<float>(i + 5), 3));
  CUDA_CHECK(cudaMemcpy2D(plane, pitch, colours.data(), 4 * sizeof(float4), 4 * sizeof(float4), 2,
                          cudaMemcpyHostToDevice));
  cudaResourceDesc linear = {}, flat = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = numbers;
  linear.res.linear.desc = cudaCreateChannelDesc<short2>();
  linear.res.linear.sizeInBytes = COUNT * sizeof(short2);
  const cudaTextureObject_t of_numbers = texture_of(linear, cudaAddressModeClamp, cudaFilterModePoint, false);
  linear.res.linear.devPtr = bytes;
  linear.res.linear.desc = cudaCreateChannelDesc<signed char>();
  linear.res.linear.sizeInBytes = COUNT;
  const cudaTextureObject_t of_bytes =
      texture_of(linear, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
  flat.resType = cudaResourceTypePitch2D;
  flat.res.pitch2D.devPtr = plane;
  flat.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
  flat.res.pitch2D.width = 4;
  flat.res.pitch2D.height = 2;
  flat.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureObject_t of_plane = texture_of(flat, cudaAddressModeClamp, cudaFilterModePoint, false);
  guarded<float> out(COUNT * 3);
  fetch<<<1, COUNT>>>(out.data(), of_numbers, of_bytes, of_plane);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = out.get();
  for (uint32_t i = 0; i < COUNT; i++) {
    const float number = i < 4 ? 0 : static_cast<float>((static_cast<int>(i) - 4) * 999);
    const float scaled = values[i] == -128 ? -1 : static_cast<float>(values[i]) / 127;
    check_that(!(got[i * 3] < number) && !(got[i * 3] > number), "fetch %u is %g", i,
               static_cast<double>(got[i * 3]));
    check_that(std::fabs(got[i * 3 + 1] - scaled) < 1e-6f, "byte %u is %g", i,
               static_cast<double>(got[i * 3 + 1]));
    check_that(std::fabs(got[i * 3 + 2] - static_cast<float>(i % 8 + 5)) < 1e-6f, "colour %u is %g", i,
               static_cast<double>(got[i * 3 + 2]));
  }
  for (const cudaTextureObject_t object : {of_numbers, of_bytes, of_plane})
    CUDA_CHECK(cudaDestroyTextureObject(object));
  linear.res.linear.devPtr = bytes + 16;
  cudaTextureObject_t crooked;
  const cudaTextureDesc plain = {};
  check_that(cudaCreateTextureObject(&crooked, &linear, &plain, nullptr) == cudaErrorInvalidValue,
             "a texture may begin at 16 bytes");
  cudaGetLastError();
  for (void *memory : {static_cast<void *>(plane), static_cast<void *>(numbers), static_cast<void *>(bytes)})
    CUDA_CHECK(cudaFree(memory));
}

// ---- surfaces ---------------------------------------------------------------------------------------------

__global__ void mirror(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  uchar4 colour;
  surf2Dread(&colour, from, x * 4, y);
  colour.w = static_cast<unsigned char>(y);
  surf2Dwrite(colour, to, (static_cast<int>(WIDTH) - 1 - x) * 4, y);
  surf2Dwrite(colour, to, -4, y, cudaBoundaryModeZero); // is dropped
  if (surf2Dread<uchar4>(from, 1000, y, cudaBoundaryModeZero).x != 0) surf2Dwrite(colour, to, 0, y);
}

static void check_surfaces() {
  const cudaChannelFormatDesc colours = cudaCreateChannelDesc<uchar4>();
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  std::vector<uchar4> all, got(WIDTH * HEIGHT);
  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
    all.push_back(make_uchar4(static_cast<unsigned char>(i), 1, 2, 3));
  const size_t row = WIDTH * sizeof(uchar4);
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocArray(&arrays[i], &colours, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CUDA_CHECK(cudaMemcpy2DToArray(arrays[i], 0, 0, all.data(), row, row, HEIGHT, cudaMemcpyHostToDevice));
    const cudaResourceDesc resource = resource_of(arrays[i]);
    CUDA_CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
  }
  mirror<<<1, dim3(WIDTH, HEIGHT)>>>(surfaces[1], surfaces[0]);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy2DFromArray(got.data(), row, arrays[1], 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
    const uchar4 right = all[i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH];
    check_that(got[i].x == right.x && got[i].w == i / WIDTH, "pixel %u is %u, %u", i, got[i].x, got[i].w);
  }
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaDestroySurfaceObject(surfaces[i]));
    CUDA_CHECK(cudaFreeArray(arrays[i]));
  }
}

// ---- refusals ---------------------------------------------------------------------------------------------

static void check_refusals() {
  const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>(),
                              three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t array;
  cudaTextureObject_t object;
  check_that(cudaMallocArray(&array, &three, WIDTH, HEIGHT) == cudaErrorInvalidChannelDescriptor,
             "three channels are allowed");
  CUDA_CHECK(cudaMallocArray(&array, &ints, WIDTH, HEIGHT));
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc how = {};
  how.filterMode = cudaFilterModeLinear;
  check_that(cudaCreateTextureObject(&object, &resource, &how, nullptr) == cudaErrorInvalidFilterSetting,
             "ints are filtered");
  how.filterMode = cudaFilterModePoint;
  how.readMode = cudaReadModeNormalizedFloat;
  check_that(cudaCreateTextureObject(&object, &resource, &how, nullptr) == cudaErrorInvalidNormSetting,
             "ints are scaled");
  CUDA_CHECK(cudaFreeArray(array));
  cudaGetLastError();
}

int main() {
  check_arrays_2d();
  check_others();
  check_cube();
  check_memory();
  check_surfaces();
  check_refusals();
  return self_check_result();
}
