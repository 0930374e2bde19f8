// In: nothing. Out: `ok` if every way to copy and fill memory moves the bytes it should, and nothing beside
// them. The idea: each copy is done on the device and on a plain array on the host, and both are compared.
#include "self-check.h"

constexpr size_t PITCH = 48, WIDTH = 20, HEIGHT = 7, BYTES = PITCH * HEIGHT;

static std::vector<uint8_t> numbers(size_t count, uint64_t seed) {
  random_numbers random{seed};
  std::vector<uint8_t> values(count);
  for (uint8_t &value : values)
    value = static_cast<uint8_t>(random.next());
  return values;
}

static void check_bytes(const char *what, const std::vector<uint8_t> &got,
                        const std::vector<uint8_t> &expected) {
  for (size_t i = 0; i < expected.size(); i++)
    if (!check_that(got[i] == expected[i], "%s: byte %zu is %d, not %d", what, i, got[i], expected[i]))
      return;
}

static void copies_in_one_dimension() {
  guarded<uint8_t> a(1000), b(1000);
  const std::vector<uint8_t> values = numbers(1000, 1);
  a.set(values);
  check_bytes("host to device and back", a.get(), values);
  CUDA_CHECK(cudaMemcpy(b.data(), a.data(), 1000, cudaMemcpyDeviceToDevice));
  check_bytes("device to device", b.get(), values);
  std::vector<uint8_t> expected = values;
  CUDA_CHECK(cudaMemcpy(b.data() + 3, values.data() + 500, 77, cudaMemcpyDefault));
  memcpy(expected.data() + 3, values.data() + 500, 77);
  check_bytes("default kind, to the device", b.get(), expected);
  std::vector<uint8_t> back(1000, 9), host(1000);
  CUDA_CHECK(cudaMemcpy(back.data() + 1, b.data() + 1, 998, cudaMemcpyDefault));
  check_that(back[0] == 9 && back[999] == 9, "a copy wrote beside its target");
  CUDA_CHECK(cudaMemcpy(host.data(), values.data(), 1000, cudaMemcpyHostToHost));
  check_bytes("host to host", host, values);
  CUDA_CHECK(cudaMemcpyAsync(b.data(), values.data(), 1000, cudaMemcpyHostToDevice, nullptr));
  CUDA_CHECK(cudaStreamSynchronize(nullptr));
  check_bytes("asynchronous", b.get(), values);
  CUDA_CHECK(cudaMemcpy(b.data(), values.data(), 0, cudaMemcpyHostToDevice));
  a.check_bands("a");
  b.check_bands("b");
}

static void copies_rows() {
  guarded<uint8_t> device(BYTES);
  const std::vector<uint8_t> values = numbers(WIDTH * HEIGHT, 2);
  std::vector<uint8_t> expected = numbers(BYTES, 3), back(WIDTH * HEIGHT);
  device.set(expected);
  CUDA_CHECK(cudaMemcpy2D(device.data(), PITCH, values.data(), WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
  for (size_t y = 0; y < HEIGHT; y++)
    memcpy(&expected[y * PITCH], &values[y * WIDTH], WIDTH);
  check_bytes("rows to the device", device.get(), expected);
  CUDA_CHECK(cudaMemcpy2D(back.data(), WIDTH, device.data(), PITCH, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
  check_bytes("rows from the device", back, values);
  guarded<uint8_t> packed(WIDTH * HEIGHT);
  CUDA_CHECK(
      cudaMemcpy2D(packed.data(), WIDTH, device.data(), PITCH, WIDTH, HEIGHT, cudaMemcpyDeviceToDevice));
  check_bytes("rows on the device", packed.get(), values);
  CUDA_CHECK(cudaMemset2D(device.data(), PITCH, 0x5a, WIDTH, HEIGHT - 1));
  for (size_t y = 0; y + 1 < HEIGHT; y++)
    memset(&expected[y * PITCH], 0x5a, WIDTH);
  check_bytes("filled rows", device.get(), expected);
  device.check_bands("rows");
  packed.check_bands("packed rows");
}

static void copies_boxes() {
  constexpr size_t DEPTH = 3, X = 5, Y = 4, Z = 2; // a box of X by Y by Z bytes
  cudaPitchedPtr device;
  CUDA_CHECK(cudaMalloc3D(&device, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
  check_that(device.pitch >= WIDTH && device.xsize == WIDTH && device.ysize == HEIGHT,
             "cudaMalloc3D describes another box");
  CUDA_CHECK(cudaMemset3D(device, 7, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
  std::vector<uint8_t> values = numbers(X * Y * Z, 4), back(WIDTH * HEIGHT * DEPTH),
                       expected(WIDTH * HEIGHT * DEPTH, 7);
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = make_cudaPitchedPtr(values.data(), X, X, Y);
  parameters.dstPtr = device;
  parameters.dstPos = make_cudaPos(10, 2, 1);
  parameters.extent = make_cudaExtent(X, Y, Z);
  parameters.kind = cudaMemcpyHostToDevice;
  CUDA_CHECK(cudaMemcpy3D(&parameters));
  for (size_t z = 0; z < Z; z++)
    for (size_t y = 0; y < Y; y++)
      memcpy(&expected[((z + 1) * HEIGHT + y + 2) * WIDTH + 10], &values[(z * Y + y) * X], X);
  parameters = {};
  parameters.srcPtr = device;
  parameters.dstPtr = make_cudaPitchedPtr(back.data(), WIDTH, WIDTH, HEIGHT);
  parameters.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
  parameters.kind = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaMemcpy3D(&parameters));
  check_bytes("a box", back, expected);
  CUDA_CHECK(cudaFree(device.ptr));
}

static void allocates() {
  void *nothing = &nothing;
  CUDA_CHECK(cudaMalloc(&nothing, 0));
  check_that(nothing == nullptr, "cudaMalloc of no bytes gives an address");
  CUDA_CHECK(cudaFree(nullptr));
  void *pointers[100];
  for (void *&pointer : pointers) {
    CUDA_CHECK(cudaMalloc(&pointer, 1));
    check_that(reinterpret_cast<uintptr_t>(pointer) % 256 == 0, "%p is no multiple of 256", pointer);
  }
  for (void *pointer : pointers)
    CUDA_CHECK(cudaFree(pointer));
  uint8_t *rows, *later, *pinned;
  size_t pitch, available, total;
  CUDA_CHECK(cudaMallocPitch(&rows, &pitch, 100, 3));
  check_that(pitch >= 100 && pitch % 256 == 0, "a pitch of %zu bytes", pitch);
  CUDA_CHECK(cudaMemGetInfo(&available, &total));
  check_that(available <= total && total > (size_t(60) << 30), "%zu of %zu bytes are free", available, total);
  CUDA_CHECK(cudaMallocAsync(&later, 1000, nullptr));
  CUDA_CHECK(cudaMallocHost(&pinned, 1000));
  memset(pinned, 3, 1000);
  CUDA_CHECK(cudaMemcpyAsync(later, pinned, 1000, cudaMemcpyHostToDevice, nullptr));
  memset(pinned, 0, 0);
  std::vector<uint8_t> back(1000);
  CUDA_CHECK(cudaMemcpy(back.data(), later, 1000, cudaMemcpyDeviceToHost));
  check_bytes("page-locked memory", back, std::vector<uint8_t>(1000, 3));
  cudaPointerAttributes attributes;
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, rows + 5));
  check_that(attributes.type == cudaMemoryTypeDevice && attributes.device == 0, "device memory is of type %d",
             attributes.type);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, pinned + 5));
  check_that(attributes.type == cudaMemoryTypeHost, "page-locked memory is of type %d", attributes.type);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, &back));
  check_that(attributes.type == cudaMemoryTypeUnregistered, "the stack is of type %d", attributes.type);
  CUDA_CHECK(cudaFreeAsync(later, nullptr));
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaFree(rows));
}

int main() {
  copies_in_one_dimension();
  copies_rows();
  copies_boxes();
  allocates();
  return self_check_result();
}
