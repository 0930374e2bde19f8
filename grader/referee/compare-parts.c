// In: outputs of several arrays in one buffer, expected and got. Out: which elements differ, by array. The
// idea: each part has its own type and tolerance, and bytes of no part must still hold the poison.
#include "referee/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW_ENDS = 16 }; // a tensor store's row ends at a multiple of so many bytes

struct parts {
  const struct exercise_instance *instance;
  const char *expected, *got;
  struct comparison *comparison;
  size_t wrong[EXERCISE_MAX_PARTS]; // by part
  size_t stray;                     // changed bytes that belong to no part
};

static uint16_t half_at(const char *place) {
  uint16_t half;
  memcpy(&half, place, sizeof half);
  return half;
}

// The element as a double, which holds each float and bf16.
static double number_at(const struct output_part *part, const char *place) {
  float single;
  double number = 0;
  if (part->type == PART_BF16) return (double)float_of_bits((uint32_t)half_at(place) << 16);
  if (part->type == PART_FLOAT64) {
    memcpy(&number, place, sizeof number);
  } else {
    memcpy(&single, place, sizeof single);
    number = (double)single;
  }
  return number;
}

static bool is_right(const struct output_part *part, const char *expected, const char *got) {
  if (part->type == PART_INT32 || part->type == PART_INT64)
    return memcmp(expected, got, part_element_bytes(part)) == 0;
  const double wanted = number_at(part, expected);
  return result_is_right(wanted, number_at(part, got),
                         part->tolerance + part->relative_tolerance * fabs(wanted));
}

// Whether `count` bytes, `offset` bytes from the buffer's begin, are those of the poison.
static bool is_poison(const struct exercise_instance *instance, const char *place, size_t offset,
                      size_t count) {
  const uint32_t poison = output_poison(instance);
  char bytes[sizeof poison];
  memcpy(bytes, &poison, sizeof poison);
  for (size_t i = 0; i < count; i++)
    if (place[i] != bytes[(offset + i) % sizeof poison]) return false;
  return true;
}

static void describe_value(const struct output_part *part, const char *place, const char *note, char *text,
                           size_t size) {
  int32_t small;
  int64_t large;
  if (part->type == PART_INT32) {
    memcpy(&small, place, sizeof small);
    snprintf(text, size, "%d%s", small, note);
  } else if (part->type == PART_INT64) {
    memcpy(&large, place, sizeof large);
    snprintf(text, size, "%lld%s", (long long)large, note);
  } else {
    const double number = number_at(part, place);
    if (isnan(number))
      snprintf(text, size, "NaN%s", note);
    else
      snprintf(text, size, part->type == PART_FLOAT64 ? "%.17g%s" : "%.9g%s", number, note);
  }
}

static void describe_first(struct parts *parts, const struct output_part *part, size_t row, size_t column) {
  struct comparison *comparison = parts->comparison;
  const size_t offset = part->offset + row * part->pitch_bytes + column * part_element_bytes(part);
  const bool poisoned = !parts->instance->in_place &&
                        is_poison(parts->instance, parts->got + offset, offset, part_element_bytes(part));
  if (part->rows == 1)
    snprintf(comparison->element, sizeof comparison->element, "%s[%zu]", part->name, column);
  else
    snprintf(comparison->element, sizeof comparison->element, "%s[%zu][%zu]", part->name, row, column);
  describe_value(part, parts->expected + offset, "", comparison->expected, sizeof comparison->expected);
  describe_value(part, parts->got + offset, poisoned ? " (the poison that lay there before)" : "",
                 comparison->got, sizeof comparison->got);
}

static void compare_part(struct parts *parts, unsigned which) {
  const struct output_part *part = &parts->instance->parts[which];
  struct comparison *comparison = parts->comparison;
  for (size_t row = 0; row < part->rows; row++) {
    for (size_t column = 0; column < part->columns; column++) {
      const size_t offset = part->offset + row * part->pitch_bytes + column * part_element_bytes(part);
      if (is_right(part, parts->expected + offset, parts->got + offset)) continue;
      if (comparison->wrong++ == 0) {
        comparison->first = comparison->total + row * part->columns + column;
        describe_first(parts, part, row, column);
      }
      parts->wrong[which]++;
    }
  }
  comparison->total += part->rows * part->columns;
}

static void look_between(struct parts *parts, size_t first, size_t last) {
  if (last > first && memcmp(parts->expected + first, parts->got + first, last - first) == 0) return;
  for (size_t byte = first; byte < last; byte++) {
    if (parts->expected[byte] == parts->got[byte]) continue;
    struct comparison *comparison = parts->comparison;
    if (parts->stray++ > 0 || comparison->wrong++ > 0) continue;
    comparison->first = comparison->total;
    snprintf(comparison->element, sizeof comparison->element, "byte %zu of the output, which is no array's",
             byte);
    snprintf(comparison->expected, sizeof comparison->expected, "0x%02x, unchanged",
             (unsigned char)parts->expected[byte]);
    snprintf(comparison->got, sizeof comparison->got, "0x%02x", (unsigned char)parts->got[byte]);
  }
}

// The ends of rows, and what lies between the parts.
static void compare_between(struct parts *parts) {
  size_t end = 0;
  for (unsigned i = 0; i < parts->instance->part_count; i++) {
    const struct output_part *part = &parts->instance->parts[i];
    const size_t row_bytes = part->columns * part_element_bytes(part);
    size_t reach = (row_bytes + ROW_ENDS - 1) / ROW_ENDS * ROW_ENDS;
    if (part->rows > 1 && reach > part->pitch_bytes) reach = part->pitch_bytes;
    look_between(parts, end, part->offset);
    for (size_t row = 0; row + 1 < part->rows; row++)
      look_between(parts, part->offset + row * part->pitch_bytes + reach,
                   part->offset + (row + 1) * part->pitch_bytes);
    end = part->offset + (part->rows - 1) * part->pitch_bytes + reach;
  }
  look_between(parts, end, matrix_bytes(&parts->instance->output));
}

static void say_by_part(const struct parts *parts) {
  char *text = parts->comparison->pattern.text;
  const size_t size = sizeof parts->comparison->pattern.text;
  size_t length = (size_t)snprintf(text, size, "Wrong are");
  for (unsigned i = 0; i < parts->instance->part_count && length < size; i++) {
    const struct output_part *part = &parts->instance->parts[i];
    length += (size_t)snprintf(text + length, size - length, "%s %zu of %zu in `%s`", i ? "," : "",
                               parts->wrong[i], part->rows * part->columns, part->name);
  }
  if (length < size) length += (size_t)snprintf(text + length, size - length, ".");
  if (parts->stray > 0 && length < size)
    snprintf(text + length, size - length, " %zu bytes between the arrays have changed.", parts->stray);
}

void compare_parts(const struct exercise_instance *instance, const void *expected, const void *got,
                   struct comparison *comparison) {
  struct parts parts = {.instance = instance, .expected = expected, .got = got, .comparison = comparison};
  *comparison = (struct comparison){0};
  for (unsigned i = 0; i < instance->part_count; i++)
    compare_part(&parts, i);
  compare_between(&parts);
  if (comparison->wrong > 0) say_by_part(&parts);
}
