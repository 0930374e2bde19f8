// nvcc: -Ilabs/lab10
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab10's third exercise is right. The
// idea: sizes around the tile's, the column's and the ring's; the room between rows is full of NaN in the
// input.
#include "../../../solutions/lab10/3-halo-3d.cu"
#include "lab9-bandwidth.h"
#include <cmath>

struct volume {
  size_t width, height, depth;
  size_t pitch() const { return (width + 3) / 4 * 4; } // in elements
  size_t place(size_t x, size_t y, size_t z) const { return (z * height + y) * pitch() + x; }
};

// 0 outside; -1 has wrapped round to the largest number.
static float number(const std::vector<float> &in, const volume &v, size_t x, size_t y, size_t z) {
  return x < v.width && y < v.height && z < v.depth ? in[v.place(x, y, z)] : 0;
}

static float expected_at(const std::vector<float> &in, const volume &v, size_t x, size_t y, size_t z) {
  const float sum = number(in, v, x - 1, y, z) + number(in, v, x + 1, y, z) + number(in, v, x, y - 1, z) +
                    number(in, v, x, y + 1, z) + number(in, v, x, y, z - 1) + number(in, v, x, y, z + 1);
  return 0.125f * sum - number(in, v, x, y, z);
}

static void check_size(const volume &v) {
  guarded<float> in(v.place(0, 0, v.depth)), out(in.count);
  std::vector<float> before(in.count, NAN);
  random_numbers random = {v.width * 1000 + v.height * 10 + v.depth};
  for (size_t i = 0; i < v.width * v.height * v.depth; i++)
    before[i / v.width * v.pitch() + i % v.width] = static_cast<float>(random.next() >> 12);
  in.set(before);
  CUDA_CHECK(launch_halo_3d(out.data(), in.data(), v.width, v.height, v.depth, v.pitch() * 4, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> after = out.get();
  for (size_t i = 0; i < v.width * v.height * v.depth; i++) {
    const size_t x = i % v.width, y = i / v.width % v.height, z = i / v.width / v.height;
    const float expected = expected_at(before, v, x, y, z), got = after[v.place(x, y, z)];
    if (!check_that(got == expected, "%zu x %zu x %zu: (%zu, %zu, %zu) is %g, not %g", v.width, v.height,
                    v.depth, x, y, z, got, expected))
      break;
  }
  in.check_bands("in");
  out.check_bands("out");
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    for (const size_t side : {size_t{1024}, size_t{512}}) {
      const volume v = {side, side, (size_t{1} << 28) / side / side};
      const size_t bytes = v.place(0, 0, v.depth) * 4;
      guarded<float> in(bytes / 4), out(bytes / 4);
      char name[64];
      snprintf(name, sizeof name, "3-halo-3d, %zu x %zu x %zu", v.width, v.height, v.depth);
      print_bandwidth(name, out.data(), in.data(), bytes, 2 * bytes, [&] {
        return launch_halo_3d(out.data(), in.data(), v.width, v.height, v.depth, v.pitch() * 4, nullptr);
      });
    }
    return 0;
  }
  const volume volumes[] = {{1, 1, 1},   {176, 14, 1}, {177, 15, 3},  {3, 5, 70},   {180, 2, 6},
                            {2, 40, 21}, {7, 9, 4},    {176, 14, 40}, {175, 13, 5}, {1, 1, 64}};
  for (const volume &v : volumes)
    check_size(v);
  return self_check_result();
}
