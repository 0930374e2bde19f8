// nvcc: -Ilabs/lab9
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab9's third exercise is right. The
// idea: few and many rows, panels that are narrow, odd, exactly one or several wide; values large enough that
// sums wrap around.
#include "../../../solutions/lab9/3-phase-reuse.cu"
#include "lab9-bandwidth.h"

static void check_size(size_t rows, size_t columns) {
  guarded<int32_t> matrix(rows * columns), sums(columns);
  std::vector<int32_t> values(matrix.count);
  std::vector<uint32_t> expected(columns, 0);
  random_numbers random = {rows * 1000 + columns};
  for (size_t i = 0; i < values.size(); i++) {
    values[i] = static_cast<int32_t>(random.next());
    expected[i % columns] += static_cast<uint32_t>(values[i]);
  }
  matrix.set(values);
  CUDA_CHECK(launch_phase_reuse(sums.data(), matrix.data(), rows, columns, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int32_t> got = sums.get();
  for (size_t c = 0; c < columns; c++)
    if (!check_that(static_cast<uint32_t>(got[c]) == expected[c],
                    "%zu rows, %zu columns: sums[%zu] is %d, not %d", rows, columns, c, got[c],
                    static_cast<int32_t>(expected[c])))
      break;
  matrix.check_bands("matrix");
  sums.check_bands("sums");
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    const size_t bytes = size_t{4} << 30;
    guarded<int32_t> matrix(bytes / 4), other(bytes / 4);
    for (size_t columns : {64u, 256u, 1024u, 1000u, 4096u, 16384u}) {
      const size_t rows = bytes / 4 / columns;
      char name[64];
      snprintf(name, sizeof name, "3-phase-reuse, %zu x %zu", rows, columns);
      print_bandwidth(name, other.data(), matrix.data(), bytes, rows * columns * 4, [&] {
        return launch_phase_reuse(other.data(), matrix.data(), rows, columns, nullptr);
      });
    }
    return 0;
  }
  const size_t sizes[][2] = {{1, 4},     {1, 1024},  {2, 8},    {17, 4},   {18, 12},   {19, 20},
                             {100, 100}, {1000, 64}, {77, 68},  {40, 516}, {50, 1000}, {60, 1024},
                             {37, 1028}, {25, 3000}, {3000, 4}, {5000, 32}};
  for (const auto &size : sizes)
    check_size(size[0], size[1]);
  check_that(launch_phase_reuse(nullptr, nullptr, 1, 3, nullptr) == cudaErrorInvalidValue,
             "3 columns are accepted");
  return self_check_result();
}
