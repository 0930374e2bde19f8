// nvcc: -Ilabs/lab10
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab10's second exercise is right. The
// idea: sizes around the tile's and half the tile's, pitches with and without room; that room is not to be
// touched in the output beyond the 16 bytes where a tensor store ends.
#include "../../../solutions/lab10/2-transpose.cu"
#include "lab9-bandwidth.h"

static size_t pitch_of(size_t columns, size_t gap) { // both in elements
  return (columns + 3) / 4 * 4 + gap;
}

static bool is_right(const std::vector<int32_t> &after, const std::vector<int32_t> &before, size_t width,
                     size_t height, size_t gap) {
  const size_t in_pitch = pitch_of(width, gap), out_pitch = pitch_of(height, gap);
  int32_t poison;
  memset(&poison, guarded<int32_t>::poison, sizeof poison);
  for (size_t i = 0; i < after.size(); i++) {
    const size_t x = i / out_pitch, y = i % out_pitch;
    if (y >= height && y < (height + 3) / 4 * 4) continue; // where a tensor store's row ends
    const int32_t expected = y >= height ? poison : before[y * in_pitch + x];
    if (!check_that(after[i] == expected, "%zu x %zu, gap %zu: out[%zu][%zu] is %d, not %d", width, height,
                    gap, x, y, after[i], expected))
      return false;
  }
  return true;
}

static void check_size(size_t width, size_t height, size_t gap) {
  const size_t in_pitch = pitch_of(width, gap), out_pitch = pitch_of(height, gap);
  guarded<int32_t> in(in_pitch * height), out(out_pitch * width);
  std::vector<int32_t> before(in.count);
  random_numbers random = {width * 1000 + height};
  for (int32_t &number : before)
    number = static_cast<int32_t>(random.next());
  in.set(before);
  CUDA_CHECK(launch_transpose(out.data(), in.data(), width, height, in_pitch * 4, out_pitch * 4, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  is_right(out.get(), before, width, height, gap);
  in.check_bands("in");
  out.check_bands("out");
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    for (const size_t width : {size_t{32768}, size_t{16384}, size_t{8192}, size_t{30000}}) {
      const size_t height = (size_t{1} << 29) / width / 4 * 4, bytes = width * height * 4;
      guarded<int32_t> in(bytes / 4), out(bytes / 4);
      char name[64];
      snprintf(name, sizeof name, "2-transpose, %zu x %zu", width, height);
      print_bandwidth(name, out.data(), in.data(), bytes, 2 * bytes, [&] {
        return launch_transpose(out.data(), in.data(), width, height, width * 4, height * 4, nullptr);
      });
    }
    return 0;
  }
  const size_t sizes[][3] = {{1, 1, 0},   {1, 1, 12},   {3, 5, 0},   {4, 1, 0},    {1, 100, 4},
                             {31, 33, 0}, {32, 32, 0},  {65, 63, 8}, {130, 31, 0}, {64, 128, 256},
                             {300, 1, 0}, {1061, 3, 0}, {5, 1061, 4}};
  for (const auto &size : sizes)
    check_size(size[0], size[1], size[2]);
  return self_check_result();
}
