// nvcc: -Ilabs/lab9
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab9's second exercise is right. The
// idea: sizes around the tile's, pitches with and without room, that room full of NaN in the input and,
// beyond the 16 bytes where a tensor store ends, not to be touched in the output.
#include "../../../solutions/lab9/2-tiles-2d.cu"
#include "lab9-bandwidth.h"
#include <cmath>

static float expected_at(const std::vector<float> &in, size_t width, size_t height, size_t pitch, size_t x,
                         size_t y) {
  const float up = y > 0 ? in[(y - 1) * pitch + x] : 0, down = y + 1 < height ? in[(y + 1) * pitch + x] : 0;
  const float left = x > 0 ? in[y * pitch + x - 1] : 0, right = x + 1 < width ? in[y * pitch + x + 1] : 0;
  return 0.25f * (up + down + left + right) - in[y * pitch + x];
}

static void check_size(size_t width, size_t height, size_t pitch) { // pitch in elements
  guarded<float> in(pitch * height), out(pitch * height);
  std::vector<float> before(in.count, NAN);
  random_numbers random = {width * 1000 + height};
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++)
      before[y * pitch + x] = static_cast<float>(static_cast<int32_t>(random.next()) >> 8) / 65536;
  in.set(before);
  CUDA_CHECK(launch_tiles_2d(out.data(), in.data(), width, height, pitch * sizeof(float), nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> after = out.get();
  uint32_t poison;
  memset(&poison, guarded<float>::poison, sizeof poison);
  for (size_t i = 0; i < out.count; i++) {
    const size_t x = i % pitch, y = i / pitch;
    uint32_t bits;
    memcpy(&bits, &after[i], sizeof bits);
    if (x >= width && x < (width + 3) / 4 * 4) continue; // where a tensor store's row ends
    if (x >= width) {
      if (!check_that(bits == poison, "%zu x %zu: (%zu, %zu) beyond the width was written", width, height, x,
                      y))
        break;
      continue;
    }
    const float expected = expected_at(before, width, height, pitch, x, y);
    if (!check_that(std::fabs(after[i] - expected) <= 1e-4f, "%zu x %zu, pitch %zu: (%zu, %zu) is %g, not %g",
                    width, height, pitch, x, y, after[i], expected))
      break;
  }
  in.check_bands("in");
  out.check_bands("out");
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    for (const size_t width : {size_t{32768}, size_t{8192}, size_t{30001}}) {
      const size_t pitch = (width + 3) / 4 * 4, height = (size_t{1} << 30) / pitch,
                   bytes = pitch * height * 4;
      guarded<float> in(bytes / 4), out(bytes / 4);
      char name[64];
      snprintf(name, sizeof name, "2-tiles-2d, %zu x %zu", width, height);
      print_bandwidth(name, out.data(), in.data(), bytes, 2 * width * height * 4, [&] {
        return launch_tiles_2d(out.data(), in.data(), width, height, pitch * 4, nullptr);
      });
    }
    return 0;
  }
  const size_t sizes[][3] = {{1, 1, 4},      {1, 1, 64},     {3, 5, 4},       {4, 1, 4},      {1, 100, 4},
                             {127, 31, 128}, {128, 32, 128}, {129, 33, 132},  {130, 31, 256}, {257, 65, 260},
                             {300, 1, 300},  {131, 70, 132}, {500, 100, 512}, {64, 200, 68}};
  for (const auto &size : sizes)
    check_size(size[0], size[1], size[2]);
  check_that(launch_tiles_2d(nullptr, nullptr, 0, 1, 16, nullptr) == cudaErrorInvalidValue,
             "width 0 is accepted");
  return self_check_result();
}
