// In: nothing. Out: `ok` if the referee's own kernels make the inputs that the CPU's formulas tell, find
// nothing in right results, and in wrong ones each wrong element and the first of them. The idea: a bandwidth
// run is judged by these kernels alone, so they are judged here, against the same formulas on the host.
// nvcc: -Igrader
#include "self-check.h"

#include "exercises/lab9/trusted.cu"

// more elements than TRUSTED_LATE, so that three of them come late
constexpr size_t COLUMNS = 1028, ROWS = 131;
constexpr uint32_t GRID = 8;

struct judged { // one exercise
  const char *name;
  bool in_place, pitched, sums;
  void (*make)(uint32_t *, trusted_case);
  void (*late)(uint32_t *, trusted_case);
  uint32_t (*element)(uint32_t random, const trusted_case &c);
};

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static const judged EXERCISES[] = {
    {"bulk_copy_1d", true, false, false, trusted_bulk_copy_1d_make, trusted_bulk_copy_1d_late,
     [](uint32_t random, const trusted_case &) { return bulk_copy_1d_input(random); }},
    {"tiles_2d", false, true, false, trusted_tiles_2d_make, trusted_tiles_2d_late,
     [](uint32_t random, const trusted_case &) { return bits_of(tiles_2d_input(random)); }},
    {"phase_reuse", false, false, true, trusted_phase_reuse_make, trusted_phase_reuse_late,
     [](uint32_t random, const trusted_case &) { return column_sums_input(random); }},
    {"store_commit_groups", false, false, false, trusted_store_commit_groups_make,
     trusted_store_commit_groups_late,
     [](uint32_t random, const trusted_case &c) {
       return bits_of(store_commit_groups_input(random, c.a, c.b));
     }},
};

static trusted_case case_for(const judged &e) {
  trusted_case c = {};
  c.rows = e.pitched || e.sums ? ROWS : 1;
  c.columns = ROWS * COLUMNS / c.rows;
  c.pitch_bytes = (c.columns + (e.pitched ? 12 : 0)) * sizeof(uint32_t);
  c.key = exercise_key_of(7);
  c.late_key = exercise_key_of(8);
  c.late_place = 1234;
  c.a = -1.5F;
  c.b = 3;
  return c;
}

static size_t place(const trusted_case &c, size_t i) {
  return i / c.columns * (c.pitch_bytes / 4) + i % c.columns;
}

static std::vector<uint32_t> expected_input(const judged &e, const trusted_case &c) {
  std::vector<uint32_t> in(c.rows * c.pitch_bytes / 4, OUTPUT_POISON);
  for (size_t i = 0; i < c.rows * c.columns; i++) {
    const bool late = i % TRUSTED_LATE == c.late_place;
    in[place(c, i)] = e.element(exercise_random(late ? c.late_key : c.key, i), c);
  }
  return in;
}

static float stencil(const std::vector<uint32_t> &in, const trusted_case &c, size_t x, size_t y) {
  const auto at = [&](size_t column, size_t row) { // -1 wraps round to the largest number
    return column < c.columns && row < c.rows ? float_of(in[place(c, row * c.columns + column)]) : 0;
  };
  return tiles_2d_result(at(x, y - 1), at(x, y + 1), at(x - 1, y), at(x + 1, y), at(x, y));
}

static std::vector<uint32_t> right_output(const judged &e, const trusted_case &c,
                                          const std::vector<uint32_t> &in) {
  std::vector<uint32_t> out(e.sums ? c.columns : in.size(), e.sums ? 0 : OUTPUT_POISON);
  for (size_t i = 0; i < c.rows * c.columns; i++) {
    const uint32_t value = in[place(c, i)];
    if (e.sums)
      out[i % c.columns] += value;
    else if (e.pitched)
      out[place(c, i)] = bits_of(stencil(in, c, i % c.columns, i / c.columns));
    else if (e.in_place)
      out[i] = value + 1;
    else
      out[i] = bits_of(store_commit_groups_result(c.a, float_of(value), c.b));
  }
  return out;
}

static const float *floats(const uint32_t *bits) {
  return reinterpret_cast<const float *>(bits);
}

static void start_check(const judged &e, const trusted_case &c, const uint32_t *in, const uint32_t *out,
                        uint32_t *sums, trusted_finding *finding) {
  const dim3 grid((c.columns + 255) / 256, (c.rows + 1023) / 1024);
  if (e.sums) {
    trusted_phase_reuse_sum<<<grid, 256>>>(in, c, finding, sums);
    trusted_phase_reuse_check<<<GRID, 256>>>(out, c, finding, sums);
  } else if (e.pitched) {
    trusted_tiles_2d_check<<<GRID, 256>>>(floats(out), c, finding, floats(in));
  } else if (e.in_place) {
    trusted_bulk_copy_1d_check<<<GRID, 256>>>(out, c, finding);
  } else {
    trusted_store_commit_groups_check<<<GRID, 256>>>(floats(out), c, finding, floats(in));
  }
}

static trusted_finding judge(const judged &e, const trusted_case &c, const uint32_t *in,
                             const std::vector<uint32_t> &output) {
  guarded<trusted_finding> finding(1);
  guarded<uint32_t> out(output.size()), sums(c.columns);
  finding.set({{0, 0, UINT64_MAX, UINT64_MAX}});
  out.set(output);
  sums.set(std::vector<uint32_t>(c.columns, 0));
  start_check(e, c, in, out.data(), sums.data(), finding.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  return finding.get()[0];
}

// A number where the right result is none is wrong.
static void check_not_a_number(const judged &e, const trusted_case &c, const uint32_t *in,
                               std::vector<uint32_t> output) {
  size_t i = 0;
  while (i < c.rows * c.columns && !isnan(float_of(output[place(c, i)])))
    i++;
  check_that(i < c.rows * c.columns, "%s: no result is a NaN", e.name);
  output[place(c, i)] = bits_of(1);
  const trusted_finding found = judge(e, c, in, output);
  check_that(found.wrong_outputs == 1 && found.first_wrong == i, "%s: takes a number for a NaN", e.name);
}

static void check_exercise(const judged &e) {
  const trusted_case c = case_for(e);
  const std::vector<uint32_t> expected = expected_input(e, c);
  guarded<uint32_t> in(expected.size());
  trusted_case early = c;
  early.late_key.before++;

  trusted_poison<<<GRID, 256>>>(in.data(), expected.size());
  e.make<<<GRID, 256>>>(in.data(), early);
  CUDA_CHECK(cudaDeviceSynchronize());
  size_t differing = 0;
  const std::vector<uint32_t> stale = in.get();
  for (size_t i = 0; i < expected.size(); i++)
    differing += stale[i] != expected[i];
  check_that(differing == 3, "%s: %zu elements come late", e.name, differing);
  e.late<<<GRID, 256>>>(in.data(), c);
  check_that(in.get() == expected, "%s: not the input that the formulas tell", e.name);

  std::vector<uint32_t> output = right_output(e, c, expected);
  trusted_finding found = judge(e, c, in.data(), output);
  check_that(found.wrong_outputs == 0 && found.changed_inputs == 0, "%s: accuses what is right: %llu outputs",
             e.name, static_cast<unsigned long long>(found.wrong_outputs));
  if (!e.in_place && !e.sums) check_not_a_number(e, c, in.data(), output);

  output[e.sums ? 5 : place(c, 777)] ^= 0x10000;
  output[e.sums ? 900 : place(c, 90000)] ^= 0x10000;
  std::vector<uint32_t> changed = expected;
  changed[place(c, 4444)]++;
  in.set(changed);
  found = judge(e, c, in.data(), output);
  check_that(found.wrong_outputs == 2 && found.first_wrong == (e.sums ? 5 : 777),
             "%s: finds %llu wrong, first %llu", e.name, static_cast<unsigned long long>(found.wrong_outputs),
             static_cast<unsigned long long>(found.first_wrong));
  if (!e.in_place)
    check_that(found.changed_inputs == 1 && found.first_changed == 4444, "%s: misses the changed input",
               e.name);
  in.check_bands(e.name);
}

int main() {
  for (const judged &e : EXERCISES)
    check_exercise(e);
  return self_check_result();
}
