// In: nothing. Out: `ok` if the referee's kernels of lab10 make the inputs that the CPU's formulas tell, find
// nothing in right results, and in wrong ones each wrong element and the first of them.
// nvcc: -Igrader
#include "self-check.h"

#include "exercises/lab10/trusted.cu"

constexpr uint64_t COLUMNS = 261, ROWS = 259, GAP = 32; // more elements than TRUSTED_LATE: two come late
constexpr uint32_t GRID = 8;

static size_t place(uint64_t columns, uint64_t row, uint64_t column) {
  return row * (transpose_pitch(columns, GAP) / 4) + column;
}

template <class kernel, class element>
static trusted_finding judge(kernel check, const trusted_case &c, const element *in,
                             const std::vector<element> &output) {
  guarded<trusted_finding> finding(1);
  guarded<element> out(output.size());
  finding.set({{0, 0, UINT64_MAX, UINT64_MAX}});
  out.set(output);
  check<<<GRID, 256>>>(out.data(), c, finding.data(), in);
  CUDA_CHECK(cudaDeviceSynchronize());
  return finding.get()[0];
}

static void check_transpose() {
  trusted_case c = {};
  c.rows = ROWS;
  c.columns = COLUMNS;
  c.pitch_bytes = transpose_pitch(COLUMNS, GAP);
  c.key = exercise_key_of(7);
  c.late_key = exercise_key_of(8);
  c.late_place = 1234;

  std::vector<uint32_t> expected(place(COLUMNS, ROWS, 0), OUTPUT_POISON),
      output(place(ROWS, COLUMNS, 0), OUTPUT_POISON);
  for (uint64_t i = 0; i < ROWS * COLUMNS; i++) {
    const uint64_t x = i % COLUMNS, y = i / COLUMNS;
    const uint32_t value =
        transpose_input(exercise_random(i % TRUSTED_LATE == c.late_place ? c.late_key : c.key, i));
    expected[place(COLUMNS, y, x)] = output[place(ROWS, x, y)] = value;
  }
  guarded<uint32_t> in(expected.size());
  trusted_poison<<<GRID, 256>>>(in.data(), expected.size());
  trusted_transpose_make<<<GRID, 256>>>(in.data(), c);
  trusted_transpose_late<<<GRID, 256>>>(in.data(), c);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(in.get() == expected, "not the input that the formulas tell");
  trusted_finding found = judge(trusted_transpose_check, c, in.data(), output);
  check_that(found.wrong_outputs == 0 && found.changed_inputs == 0, "accuses what is right");

  output[place(ROWS, 2, 100)] ^= 0x10000;
  output[place(ROWS, 260, 258)] ^= 0x10000;
  expected[place(COLUMNS, 3, 5)]++;
  in.set(expected);
  found = judge(trusted_transpose_check, c, in.data(), output);
  check_that(found.wrong_outputs == 2 && found.first_wrong == 2 * ROWS + 100, "finds %llu wrong, first %llu",
             static_cast<unsigned long long>(found.wrong_outputs),
             static_cast<unsigned long long>(found.first_wrong));
  check_that(found.changed_inputs == 1 && found.first_changed == 3 * COLUMNS + 5, "misses the changed input");
}

static float number(const std::vector<float> &in, const trusted_case &c, uint64_t x, uint64_t y, uint64_t z) {
  const uint64_t depth = c.rows / c.plane_rows;
  return x < c.columns && y < c.plane_rows && z < depth ? in[(z * c.plane_rows + y) * (c.pitch_bytes / 4) + x]
                                                        : 0;
}

static void check_halo() {
  constexpr uint64_t WIDTH = 61, HEIGHT = 37, DEPTH = 31, PITCH = 72; // in elements
  trusted_case c = {};
  c.rows = HEIGHT * DEPTH;
  c.columns = WIDTH;
  c.pitch_bytes = halo_3d_pitch(WIDTH, 32);
  c.plane_rows = HEIGHT;
  c.key = exercise_key_of(7);
  c.late_key = exercise_key_of(8);
  c.late_place = 1234;

  std::vector<float> expected(c.rows * PITCH), output(c.rows * PITCH);
  for (uint64_t i = 0; i < c.rows * WIDTH; i++)
    expected[i / WIDTH * PITCH + i % WIDTH] =
        tiles_2d_input(exercise_random(i % TRUSTED_LATE == c.late_place ? c.late_key : c.key, i));
  for (uint64_t i = 0; i < c.rows * WIDTH; i++) {
    const uint64_t x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
    const float sum = number(expected, c, x - 1, y, z) + number(expected, c, x + 1, y, z) +
                      number(expected, c, x, y - 1, z) + number(expected, c, x, y + 1, z) +
                      number(expected, c, x, y, z - 1) + number(expected, c, x, y, z + 1);
    output[i / WIDTH * PITCH + x] = sum / 8 - number(expected, c, x, y, z);
  }
  guarded<float> in(expected.size());
  CUDA_CHECK(cudaMemset(in.data(), 0, in.bytes()));
  uint32_t *bits = reinterpret_cast<uint32_t *>(in.data());
  trusted_halo_3d_make<<<GRID, 256>>>(bits, c);
  trusted_halo_3d_late<<<GRID, 256>>>(bits, c);
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> made = in.get(); // by their bits: a NaN equals nothing
  check_that(memcmp(made.data(), expected.data(), in.bytes()) == 0,
             "halo: not the input that the formulas tell");
  trusted_finding found = judge(trusted_halo_3d_check, c, in.data(), output);
  check_that(found.wrong_outputs == 0 && found.changed_inputs == 0, "halo: accuses what is right");

  output[2 * PITCH + 7]++;
  output[(c.rows - 1) * PITCH + WIDTH - 1]++;
  expected[3 * PITCH + 5]++;
  in.set(expected);
  found = judge(trusted_halo_3d_check, c, in.data(), output);
  check_that(found.wrong_outputs == 2 && found.first_wrong == 2 * WIDTH + 7,
             "halo: finds %llu wrong, first %llu", static_cast<unsigned long long>(found.wrong_outputs),
             static_cast<unsigned long long>(found.first_wrong));
  check_that(found.changed_inputs == 1 && found.first_changed == 3 * WIDTH + 5,
             "halo: misses the changed input");
}

int main() {
  check_transpose();
  check_halo();
  return self_check_result();
}
