// 5-matmul: a product of two matrices of bf16. Both factors are one input, whose rows are those of a, some
// that belong to neither, then those of b. They hold whole numbers of eight bits. So sums in float are exact,
// and the result is known but for its last rounding. Some rows are of one sign and others nearly empty: sums
// of random numbers alone would neither be large nor small, and a kernel that limits them would pass.
#include "exercises/exercise.h"

enum { UNIT = 128, MOST_K = 65536, CHUNK = 128, LANES = 32, MOST_ROWS_BETWEEN = 8 };
// Of larger products, which are timed, b lies right behind a: nothing is left of the memory they may take.
enum { MOST_PRODUCTS_APART = INT32_MAX };

static const struct exercise_case public_cases[] = {
    {"one tile", {128, 256, 128}},
    {"half a tile", {128, 128, 256}},
    {"more than the ring holds", {128, 256, 640}},
    {"several tiles", {384, 640, 128}},
};
// The large one has more tiles of 128 x 256 than an H100 has processors, and more steps of k than fit into
// shared memory: then some of a block's loads have to come after its first stores. That holds for kernels
// with a block on each of 132 processors, and, since few processors do it, for two kernels that share the
// work.
static const struct exercise_case rules_cases[] = {
    {"one tile", {128, 256, 256}}, {"several, not square", {384, 384, 128}}, {"large", {1920, 2560, 384}}};

static const char *reject(const size_t *size) {
  for (unsigned i = 0; i < 3; i++)
    if (size[i] == 0 || size[i] % UNIT != 0) return "m, n and k must be positive multiples of 128";
  if (size[2] > MOST_K) return "k must be at most 65536, so that sums are exact";
  return size[0] <= SIZE_MAX / 4 / MOST_K / UNIT && size[1] <= SIZE_MAX / 4 / MOST_K / size[0]
             ? NULL
             : "m and n are too large";
}

// 8192 each way, or less if the factors wouldn't fit.
static struct exercise_case bandwidth_case(size_t bytes) {
  size_t side = 8192;
  while (side > UNIT && 2 * side * side * sizeof(uint16_t) > bytes)
    side /= 2;
  return (struct exercise_case){"timed", {side, side, side}};
}

// Two tiles of 128 x 256 for each of 128 blocks. time_of_product knows how long ours takes.
static struct exercise_case played_case(void) {
  return (struct exercise_case){"played", {2048, 4096, 256}};
}

// All rows and columns, and little depth: 8192 each way would take the virtual Hopper half an hour.
static struct exercise_case stand_in(const struct exercise_case *timed) {
  struct exercise_case shallow = *timed;
  if (shallow.size[2] > UNIT) shallow.size[2] = UNIT;
  return shallow;
}

static void prepare(struct exercise_instance *instance) {
  const size_t m = instance->the_case.size[0], n = instance->the_case.size[1], k = instance->the_case.size[2];
  const bool apart = (uint64_t)m * n * k <= MOST_PRODUCTS_APART;
  const size_t between = apart ? 1 + exercise_mix(m + 3 * n + 5 * k) % MOST_ROWS_BETWEEN : 0;
  instance->input = (struct matrix_shape){"factors", ELEMENT_BF16, m + between + n, k, k * sizeof(uint16_t)};
  instance->spare_elements = between * k;
  instance->output = (struct matrix_shape){"c", ELEMENT_BF16, m, n, n * sizeof(uint16_t)};
  for (unsigned i = 0; i < 3; i++)
    instance->scalars[i] = instance->the_case.size[i];
  instance->scalars[3] = (m + between) * k;
  instance->scalar_count = 4;
  instance->relative_tolerance = MATMUL_TOLERANCE;
  instance->bytes_moved = ((uint64_t)(m + n) * k + (uint64_t)m * n) * sizeof(uint16_t);
  instance->products = (uint64_t)m * n * k;
}

enum row_kind { POSITIVE, NEGATIVE, SPARSE, MIXED };

// One row in 16 is positive throughout, one in 16 negative, and one in 32 has a small number here and there.
// The rows of a case are fewer than its elements, so ~row is no number of an element.
static enum row_kind kind_of_row(struct exercise_key key, size_t row) {
  const uint32_t drawn = exercise_random(key, ~(uint64_t)row) % 32;
  return drawn < 2 ? POSITIVE : drawn < 4 ? NEGATIVE : drawn < 5 ? SPARSE : MIXED;
}

// What becomes of a random number in such a row. The sums of the deepest case stay below 2^24.
static int32_t number_in_row(enum row_kind kind, int32_t number) {
  switch (kind) {
  case POSITIVE: return 64 + (number & 15);
  case NEGATIVE: return -64 - (number & 15);
  case SPARSE: return (number & 63) == 7 ? number / 32 : 0;
  default: return number;
  }
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  const struct exercise_key key = exercise_key_of(instance->seed);
  const size_t k = instance->the_case.size[2];
  uint16_t *numbers = input;
  enum row_kind kind = MIXED;
  for (size_t i = first; i < last; i++) {
    if (i == first || i % k == 0) kind = kind_of_row(key, i / k);
    numbers[i] = bf16_of((float)number_in_row(kind, matmul_input(exercise_random(key, i / 2), i)));
  }
}

// Sums of CHUNK products are exact in float, and so are those of chunks in int32, up to MOST_K. This is the
// longest loop of a grading outside the device.
FOR_EACH_MACHINE static int32_t dot_product(const uint16_t *a, const uint16_t *b, size_t k) {
  int32_t sum = 0;
  for (size_t chunk = 0; chunk < k; chunk += CHUNK) {
    float lanes[LANES] = {0}; // of fixed number, so that the compiler works on several at a time
    for (size_t l = chunk; l < chunk + CHUNK; l += LANES)
      for (size_t lane = 0; lane < LANES; lane++)
        lanes[lane] += float_of_bf16(a[l + lane]) * float_of_bf16(b[l + lane]);
    for (size_t lane = 0; lane < LANES; lane++)
      sum += (int32_t)lanes[lane];
  }
  return sum;
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const size_t n = instance->the_case.size[1], k = instance->the_case.size[2];
  const uint16_t *a = input, *b = a + instance->scalars[3];
  uint16_t *c = expected;
  for (size_t i = first; i < last; i++)
    c[i] = bf16_of((float)dot_product(a + i / n * k, b + i % n * k, k));
}

// ---- slips ----

// The solution's tile and its steps of k, and how many numbers of k one product takes.
enum {
  LAST_STEP,
  LAST_PRODUCT,
  FIRST_STEP,
  ONE_PRODUCT,
  HALF_A_PRODUCT,
  ROW_FOR_COLUMN,
  ROWS = 128,
  COLUMNS = 256,
  STEP = 64,
  PRODUCT = 16
};

// What a product adds if the coordinates of a factor's tiles change places: a load at row `first` and at
// number `step` of k then brings rows from number `step` on, and of them the numbers from `first` on.
static uint16_t swapped(const uint16_t *factor, size_t rows, size_t k, size_t first, size_t row, size_t l) {
  const size_t at = l / STEP * STEP + (row - first), number = first + l % STEP;
  return at < rows && number < k ? factor[at * k + number] : 0;
}

static uint32_t slip_of_coordinates(const struct exercise_instance *instance, const void *input, size_t index,
                                    unsigned of_b) {
  const size_t m = instance->the_case.size[0], n = instance->the_case.size[1], k = instance->the_case.size[2];
  const size_t row = index / n, column = index % n;
  const uint16_t *a = input, *b = a + instance->scalars[3];
  double sum = 0; // exact
  for (size_t l = 0; l < k; l++) {
    const uint16_t left = of_b ? a[row * k + l] : swapped(a, m, k, row / ROWS * ROWS, row, l),
                   right = of_b ? swapped(b, n, k, column / COLUMNS * COLUMNS, column, l) : b[column * k + l];
    sum += (double)float_of_bf16(left) * (double)float_of_bf16(right);
  }
  return (uint32_t)bf16_of((float)sum) << 16;
}

static uint32_t slip(const struct exercise_instance *instance, const void *input, size_t index,
                     unsigned kind) {
  const size_t n = instance->the_case.size[1], k = instance->the_case.size[2];
  const size_t row = index / n, column = index % n,
               taken = kind == ROW_FOR_COLUMN ? row / ROWS * ROWS + column % COLUMNS : column;
  const uint16_t *a = (const uint16_t *)input + row * k,
                 *b = (const uint16_t *)input + instance->scalars[3] + taken * k;
  double sum = 0; // exact
  for (size_t l = kind == LAST_STEP      ? k - STEP
                  : kind == LAST_PRODUCT ? k - PRODUCT
                  : kind == FIRST_STEP   ? STEP - PRODUCT
                                         : 0;
       l < k && taken < n; l++) {
    // how far each product of a step begins behind the one before it
    const size_t apart = kind == ONE_PRODUCT ? 0 : kind == HALF_A_PRODUCT ? PRODUCT / 2 : PRODUCT;
    const size_t at = l / STEP * STEP + l % STEP / PRODUCT * apart + l % PRODUCT;
    sum += (double)float_of_bf16(a[at]) * (double)float_of_bf16(b[at]);
  }
  return (uint32_t)bf16_of((float)sum) << 16;
}

static const struct exercise_suspect suspects[] = {
    {"only the last step of k counts: each step sets the sums anew, and not only the tile's first one", 3,
     slip, LAST_STEP},
    {"only the last 16 numbers of k count: each product sets the sums anew, and not only the tile's first "
     "one",
     3, slip, LAST_PRODUCT},
    {"the first 48 numbers of k are missing: each product of a tile's first step sets the sums anew, and not "
     "only the tile's first one",
     3, slip, FIRST_STEP},
    {"a step's four products are all of its first 16 numbers of k: the descriptors have to move on", 3, slip,
     ONE_PRODUCT},
    {"each product of a step begins 8 numbers of k behind the one before it, not 16: descriptors count in "
     "units of 16 bytes",
     3, slip, HALF_A_PRODUCT},
    {"the tile of b begins at the row of c's tile, not at its column", 2, slip, ROW_FOR_COLUMN},
    {"the coordinates of a's tile have changed places: the first one counts numbers of k, the second rows", 2,
     slip_of_coordinates, 0},
    {"the coordinates of b's tile have changed places: the first one counts numbers of k, the second rows", 2,
     slip_of_coordinates, 1},
};

const struct exercise lab10_matmul = {
    .lab = "lab10",
    .name = "5-matmul",
    .needs_sm_90a = true,
    .large_on_few = true,
    .trusted = "matmul",
    .traffic = TRAFFIC_PRODUCT,
    .size_names = {"m", "n", "k"},
    .size_count = 3,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .growth = {{.step = UNIT, .most = 1}, {.step = UNIT, .most = 1}, {.step = UNIT, .most = 0}},
    .tiny = {{.step = UNIT, .count = 3}, {.step = UNIT, .count = 3}, {.step = UNIT, .count = 2}},
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .played_case = played_case,
    .stand_in = stand_in,
    .prepare = prepare,
    .generate = generate,
    .reference = reference,
    .suspects = suspects,
    .suspect_count = sizeof suspects / sizeof *suspects,
};
