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

static trusted_finding judge(const trusted_case &c, const uint32_t *in, const std::vector<uint32_t> &output) {
  guarded<trusted_finding> finding(1);
  guarded<uint32_t> out(output.size());
  finding.set({{0, 0, UINT64_MAX, UINT64_MAX}});
  out.set(output);
  trusted_transpose_check<<<GRID, 256>>>(out.data(), c, finding.data(), in);
  CUDA_CHECK(cudaDeviceSynchronize());
  return finding.get()[0];
}

int main() {
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
    const uint32_t value = exercise_random(i % TRUSTED_LATE == c.late_place ? c.late_key : c.key, i);
    expected[place(COLUMNS, y, x)] = output[place(ROWS, x, y)] = value;
  }
  guarded<uint32_t> in(expected.size());
  trusted_poison<<<GRID, 256>>>(in.data(), expected.size());
  trusted_transpose_make<<<GRID, 256>>>(in.data(), c);
  trusted_transpose_late<<<GRID, 256>>>(in.data(), c);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(in.get() == expected, "not the input that the formulas tell");
  trusted_finding found = judge(c, in.data(), output);
  check_that(found.wrong_outputs == 0 && found.changed_inputs == 0, "accuses what is right");

  output[place(ROWS, 2, 100)] ^= 0x10000;
  output[place(ROWS, 260, 258)] ^= 0x10000;
  expected[place(COLUMNS, 3, 5)]++;
  in.set(expected);
  found = judge(c, in.data(), output);
  check_that(found.wrong_outputs == 2 && found.first_wrong == 2 * ROWS + 100, "finds %llu wrong, first %llu",
             static_cast<unsigned long long>(found.wrong_outputs),
             static_cast<unsigned long long>(found.first_wrong));
  check_that(found.changed_inputs == 1 && found.first_changed == 3 * COLUMNS + 5, "misses the changed input");
  return self_check_result();
}
