// What an exercise is to the referee: its cases, its inputs, its right answers. The idea: everything is a function of
// (case, seed), in plain C, so that no expected value ever comes from the code under test.
#ifndef EXERCISES_EXERCISE_H
#define EXERCISES_EXERCISE_H

#include "exercises/formulas.h"
#include "exercises/trusted.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXERCISE_MAX_SIZES = 3, EXERCISE_MAX_SCALARS = 6, EXERCISE_NAME = 48 };

enum element_type { ELEMENT_INT32, ELEMENT_FLOAT32 }; // both of 4 bytes

// Rows of `columns` elements, `pitch_bytes` apart. An array is one row.
struct matrix_shape {
  const char *name; // as the launcher's parameter is called
  enum element_type type;
  size_t rows, columns, pitch_bytes;
};

struct exercise_case {
  char name[EXERCISE_NAME];
  size_t size[EXERCISE_MAX_SIZES]; // in the order of the exercise's size_names
};

struct exercise;

// One case with one seed.
struct exercise_instance {
  const struct exercise *exercise;
  struct exercise_case the_case;
  uint64_t seed;
  unsigned launches; // in place: how often the kernel has been applied to its own result; 1 at first
  // filled by exercise->prepare:
  struct matrix_shape input, output;
  bool in_place;                          // output is input
  uint64_t scalars[EXERCISE_MAX_SCALARS]; // for the adapter, in its own order
  unsigned scalar_count;
  double tolerance,
      relative_tolerance; // right if |got - expected| <= tolerance + relative_tolerance * |expected|
  uint64_t bytes_moved;   // read + written by an ideal kernel
};

// What the kernel does to memory, so what its speed is to be compared with.
enum exercise_traffic { TRAFFIC_COPY, TRAFFIC_READ };

struct exercise {
  const char *lab, *name; // the file is name.cu
  const char *trusted;    // what its trusted kernels are called: trusted_NAME_make
  enum exercise_traffic traffic;
  const char *size_names[EXERCISE_MAX_SIZES];
  unsigned size_count;
  const struct exercise_case *cases; // public ones
  size_t case_count;
  // Small ones; then one that is large enough for the requirements: for a kernel that has as many blocks as a GPU holds, too.
  const struct exercise_case *rules_cases;
  size_t rules_case_count;
  // Of the last rules case each size grows by up to `most` steps, at random: so no program can tell it by its sizes.
  struct {
    size_t step, most;
  } growth[EXERCISE_MAX_SIZES];
  // NULL if a case may have these sizes, else the reason, as a clause.
  const char *(*reject)(const size_t *size);
  // The largest bandwidth case whose input and output each fit into `bytes`.
  struct exercise_case (*bandwidth_case)(size_t bytes);
  // Fills the instance from its case and seed.
  void (*prepare)(struct exercise_instance *instance);
  // Fills what trusted kernels need besides shape and keys; NULL: nothing.
  void (*trust)(const struct exercise_instance *instance, struct trusted_case *the_case);
  // Elements [first, last) of the input, counted row by row without the gaps; bytes between rows are left alone.
  void (*generate)(const struct exercise_instance *instance, void *input, size_t first, size_t last);
  // The same of the expected output. `input` is whole.
  void (*reference)(const struct exercise_instance *instance, const void *input, void *expected, size_t first,
                    size_t last);
};

// The exercises of a lab in order; NULL and 0 for an unknown lab.
const struct exercise *const *exercises_of(const char *lab, size_t *count);

// Bytes from the first to the last byte that belongs to the matrix or to its rows' padding.
size_t matrix_bytes(const struct matrix_shape *shape);
size_t matrix_elements(const struct matrix_shape *shape);
// Byte offset of element `index`, counted row by row.
size_t matrix_offset(const struct matrix_shape *shape, size_t index);

// Checks sizes and prepares; returns NULL or the reason, as a clause.
const char *exercise_instantiate(const struct exercise *exercise, const struct exercise_case *the_case,
                                 uint64_t seed, struct exercise_instance *instance);
// The rules case of that number, the last one with sizes drawn by `seed`.
struct exercise_case exercise_rules_case(const struct exercise *exercise, size_t which, uint64_t seed);
// "width 65, height 33": the case's sizes by name.
void exercise_describe_sizes(const struct exercise_instance *instance, char *text, size_t size);
// "out[3][17]" or "data[4096]"
void exercise_describe_element(const struct matrix_shape *shape, size_t index, char *text, size_t size);

#endif
