// 1-bulk-copy-1d: data[i] += 1 in place. Elements are random, so that a tile at a wrong place is noticed.
#include "exercises/exercise.h"

#include <string.h>

static const struct exercise_case public_cases[] = {
    {"smallest", {4}},          {"less than a warp", {124}}, {"one tile", {4096}},
    {"one tile and 4", {4100}}, {"short of two", {8188}},    {"many and a tail", {300012}},
};
static const struct exercise_case rules_cases[] = {
    {"one short tile", {1020}}, {"several and a tail", {20008}}, {"large", {1000012}}};

static const char *reject(const size_t *size) {
  return size[0] > 0 && size[0] % 4 == 0 ? NULL : "count must be a positive multiple of 4";
}

static struct exercise_case bandwidth_case(size_t bytes) {
  return (struct exercise_case){"timed", {bytes / 4 / 4096 * 4096}};
}

static void prepare(struct exercise_instance *instance) {
  size_t count = instance->the_case.size[0];
  instance->input = (struct matrix_shape){"data", ELEMENT_INT32, 1, count, count * 4};
  instance->output = instance->input;
  instance->in_place = true;
  instance->scalars[0] = count;
  instance->scalar_count = 1;
  instance->bytes_moved = 2 * (uint64_t)count * 4;
}

static void generate(const struct exercise_instance *instance, void *input, size_t first, size_t last) {
  uint32_t *data = input, words[RANDOM_WORDS];
  for (size_t i = first, count; i < last; i += count) {
    count = exercise_random_words(instance, i, last, words);
    if (!exercise_are_ordinary(words)) // an ordinary word is the number itself
      for (size_t j = 0; j < count; j++)
        words[j] = bulk_copy_1d_input(words[j]);
    memcpy(data + i, words, count * sizeof *data);
  }
}

FOR_EACH_MACHINE static void add_to_all(uint32_t *restrict sums, const uint32_t *restrict data, size_t count,
                                        uint32_t number) {
  for (size_t i = 0; i < count; i++)
    sums[i] = data[i] + number;
}

static void reference(const struct exercise_instance *instance, const void *input, void *expected,
                      size_t first, size_t last) {
  const uint32_t *data = input;
  uint32_t *result = expected;
  add_to_all(result + first, data + first, last - first, instance->launches);
}

const struct exercise lab9_bulk_copy_1d = {
    .lab = "lab9",
    .name = "1-bulk-copy-1d",
    .trusted = "bulk_copy_1d",
    .traffic = TRAFFIC_COPY,
    .size_names = {"count"},
    .size_count = 1,
    .cases = public_cases,
    .case_count = sizeof public_cases / sizeof *public_cases,
    .rules_cases = rules_cases,
    .rules_case_count = sizeof rules_cases / sizeof *rules_cases,
    .between = {{.step = 4, .least = 320, .most = 60000}},
    .between_count = 16,
    .growth = {{.step = 4, .most = 50000}},
    .tiny = {{.step = 4, .count = 80}},
    .reject = reject,
    .bandwidth_case = bandwidth_case,
    .prepare = prepare,
    .generate = generate,
    .slicing = SLICES_ALONE,
    .reference = reference,
};
