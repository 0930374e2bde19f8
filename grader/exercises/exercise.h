// What the referee knows of an exercise: its cases, inputs and right answers. The idea: everything is a
// function of (case, seed), in plain C, so that no expected value ever comes from the code under test.
#ifndef EXERCISES_EXERCISE_H
#define EXERCISES_EXERCISE_H

#include "exercises/formulas.h"
#include "exercises/trusted.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  EXERCISE_MAX_SIZES = 6,
  EXERCISE_MAX_SCALARS = 8,
  EXERCISE_MAX_CASES = 64,
  EXERCISE_MAX_PARTS = 4,
  EXERCISE_NAME = 48
};

enum element_type { ELEMENT_INT32, ELEMENT_FLOAT32, ELEMENT_BF16 };

// Rows of `columns` elements, `pitch_bytes` apart. An array is one row.
struct matrix_shape {
  const char *name; // the name of the launcher's parameter
  enum element_type type;
  size_t rows, columns, pitch_bytes;
};

enum part_type { PART_INT32, PART_FLOAT32, PART_BF16, PART_INT64, PART_FLOAT64 };

// One of several arrays that share the output's buffer, each with elements of its own type.
struct output_part {
  const char *name; // of the launcher's parameter
  enum part_type type;
  size_t offset; // in bytes, from the buffer's begin; a multiple of 16
  size_t rows, columns, pitch_bytes;
  double tolerance, relative_tolerance; // of floats, as in exercise_value_is_right
};

struct exercise_case {
  char name[EXERCISE_NAME];
  size_t size[EXERCISE_MAX_SIZES]; // in the order of the exercise's size_names
};

struct exercise;

// For the widest vectors that the machine has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_MACHINE \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define FOR_EACH_MACHINE
#endif

// Whether the right answers can be made from a slice of the input, whole rows of it, or elements of the only
// row: not at all, or from the same slice, or from that and the row before and after it; or each slice of an
// input has such an output of its own, of int32, and all of them are to be added up.
enum slicing { SLICES_NONE, SLICES_ALONE, SLICES_NEIGHBOURS, SLICES_ADDED };

// One case with one seed.
struct exercise_instance {
  const struct exercise *exercise;
  struct exercise_case the_case;
  uint64_t seed;
  uint64_t origin;      // elements of the input that lie before this slice of it
  unsigned launches;    // in place: how many launches have been applied to the same buffer; 1 at first
  uint32_t poison_salt; // what the output's poison differs by from OUTPUT_POISON: bits of POISON_SALT
  // filled by exercise->prepare:
  struct matrix_shape input, output;
  // The arrays of the output in the order of their offsets, if they are several or have elements of eight
  // bytes. Then `output` is their whole buffer, one row of int32, and not in place; `reference` leaves alone
  // what is no part's. 0: the output is one array.
  struct output_part parts[EXERCISE_MAX_PARTS];
  unsigned part_count;
  bool in_place;                          // output is input
  size_t spare_elements;                  // of the input, that are nobody's and need not be read
  uint64_t scalars[EXERCISE_MAX_SCALARS]; // for the adapter, in the order that it expects
  unsigned scalar_count;
  double tolerance, relative_tolerance; // see exercise_value_is_right
  uint64_t bytes_moved;                 // read + written by an ideal kernel
  uint64_t products;                    // multiplications that the result takes; 0: it is no product
};

// A mistake that makes whole results wrong, known by what comes out.
struct exercise_suspect {
  const char *slip; // a clause: "the number itself is not subtracted"
  unsigned step;    // the TODO where it is made
  // Element `index` of what comes out then. `kind` is the suspect's own.
  uint32_t (*word)(const struct exercise_instance *instance, const void *input, size_t index, unsigned kind);
  unsigned kind;
};

// What the kernel does; its speed is compared with a kernel of the referee that does the same: a plain copy,
// a plain read, or a matrix product (trusted_NAME_product).
enum exercise_traffic { TRAFFIC_COPY, TRAFFIC_READ, TRAFFIC_PRODUCT };

struct exercise {
  const char *lab, *name; // the student's file is name.cu
  bool needs_sm_90a;      // its programs use instructions that only Hopper has, such as wgmma
  bool large_on_few;      // its large rules case is run where there are few processors
  const char *trusted;    // its trusted kernels are trusted_NAME_make and so on, with this NAME
  enum exercise_traffic traffic;
  const char *size_names[EXERCISE_MAX_SIZES];
  unsigned size_count;
  const struct exercise_case *cases; // public ones
  size_t case_count;
  // Small cases, then one that is large enough for the requirements, even for a kernel with as many blocks as
  // a GPU holds.
  const struct exercise_case *rules_cases;
  size_t rules_case_count;
  // Each size of the last rules case grows by a random number of steps, up to `most`, so that no program
  // recognises it.
  struct {
    size_t step, most;
  } growth[EXERCISE_MAX_SIZES];
  // Tiny sizes: each size takes every multiple of `step` up to `step * count` once, in an order that is
  // drawn. There are as many tiny cases as the largest count; a size with a smaller count starts again.
  struct {
    size_t step, count;
  } tiny[EXERCISE_MAX_SIZES];
  // Sizes in between, beside hidden cases: each size goes from `least` to `most` in between_count parts of
  // equal ratio, and takes from each part a multiple of `step` that is drawn. 0 of them: none.
  struct {
    size_t step, least, most;
  } between[EXERCISE_MAX_SIZES];
  size_t between_count;
  // Makes sizes that were drawn one by one fit together; NULL: they always do.
  void (*fit)(size_t *size);
  // Returns NULL if a case may have these sizes, else the reason, as a clause.
  const char *(*reject)(const size_t *size);
  // The largest bandwidth case whose input and output each fit into `bytes`.
  struct exercise_case (*bandwidth_case)(size_t bytes);
  // The case whose time is predicted where there is no GPU; NULL: a bandwidth case of some megabytes.
  struct exercise_case (*played_case)(void);
  // The case that is run on the virtual Hopper in place of the one that was timed, if that would take too
  // long; NULL: that one itself.
  struct exercise_case (*stand_in)(const struct exercise_case *timed);
  // Fills the instance from its case and seed.
  void (*prepare)(struct exercise_instance *instance);
  // Fills what the trusted kernels need besides shape and keys; NULL: they need nothing more.
  void (*trust)(const struct exercise_instance *instance, struct trusted_case *the_case);
  // Writes elements [first, last) of the input, counted row by row without the padding, which stays
  // untouched.
  void (*generate)(const struct exercise_instance *instance, void *input, size_t first, size_t last);
  // How input and right answers may be made slice by slice: generate and reference then get an instance whose
  // shapes are those of a slice, with its origin. All its other members, sizes as well, are the whole case's.
  enum slicing slicing;
  // Writes elements [first, last) of the expected output. `input` is complete.
  void (*reference)(const struct exercise_instance *instance, const void *input, void *expected, size_t first,
                    size_t last);
  // Mistakes to look for in wrong results, the likelier first; NULL and 0: none are known.
  const struct exercise_suspect *suspects;
  size_t suspect_count;
  // A mistake that only a search finds in the values of a result: a sentence that says which, and the TODO
  // where it is made. NULL: there is no search.
  bool (*recognise)(const struct exercise_instance *instance, const void *input, const void *expected,
                    const void *got, char *text, size_t size);
  unsigned recognised_step;
};

// The exercises of a lab in order; NULL and 0 for an unknown lab.
const struct exercise *const *exercises_of(const char *lab, size_t *count);

static inline size_t matrix_element_bytes(const struct matrix_shape *shape) {
  return shape->type == ELEMENT_BF16 ? 2 : 4;
}
static inline size_t part_element_bytes(const struct output_part *part) {
  return part->type == PART_BF16 ? 2 : part->type == PART_INT64 || part->type == PART_FLOAT64 ? 8 : 4;
}
// What nvcc's option -gencode says for programs of the exercise; NULL, of an unknown one: the same.
const char *exercise_code(const struct exercise *exercise);

// The bytes of all elements of the output, without padding and without what lies between its parts.
size_t exercise_output_bytes(const struct exercise_instance *instance);
// The size in bytes, with the padding of all rows.
size_t matrix_bytes(const struct matrix_shape *shape);
size_t matrix_elements(const struct matrix_shape *shape);
// The byte offset of element `index`, counted row by row.
size_t matrix_offset(const struct matrix_shape *shape, size_t index);

// Elements that lie in one row, side by side.
struct matrix_piece {
  size_t row, column, count;
};
// The piece that begins with element `first` and ends with its row, or before element `last`. Who goes on by
// pieces divides once for each, and not for each element.
static inline struct matrix_piece matrix_piece_at(const struct matrix_shape *shape, size_t first,
                                                  size_t last) {
  const size_t column = first % shape->columns, rest = shape->columns - column;
  return (struct matrix_piece){first / shape->columns, column, last - first < rest ? last - first : rest};
}

// The element's bits, interpreted by shape->type. Those of a bf16 are the upper half of a float's.
static inline uint32_t matrix_word(const struct matrix_shape *shape, const char *matrix, size_t row,
                                   size_t column) {
  const char *place = matrix + row * shape->pitch_bytes + column * matrix_element_bytes(shape);
  return shape->type == ELEMENT_BF16 ? (uint32_t) * (const uint16_t *)place << 16 : *(const uint32_t *)place;
}
// Every word of the output if only poison was written.
static inline uint32_t output_poison(const struct exercise_instance *instance) {
  return OUTPUT_POISON ^ instance->poison_salt;
}
// What an element of it is then.
static inline uint32_t output_poison_at(const struct exercise_instance *instance, size_t row, size_t column) {
  const uint32_t poison = output_poison(instance);
  if (instance->output.type != ELEMENT_BF16) return poison;
  return (row * instance->output.pitch_bytes / 2 + column) % 2 ? poison & 0xffff0000U : poison << 16;
}
// The float that has these bits.
float float_of_bits(uint32_t word);

// The random words of the input's elements from `first` on, but none of element `last` or later. Returns how
// many they are.
enum { RANDOM_WORDS = 64 };
size_t exercise_random_words(const struct exercise_instance *instance, size_t first, size_t last,
                             uint32_t words[RANDOM_WORDS]);
// Whether no formula makes a zero or a special number of any of them. Most often so: and who says to the
// compiler, by TAKE_FOR_ORDINARY, that a word is ordinary gets a loop of vector instructions.
bool exercise_are_ordinary(const uint32_t words[RANDOM_WORDS]);
#define TAKE_FOR_ORDINARY(word)                     \
  do {                                              \
    if ((word) >> 22 == 0) __builtin_unreachable(); \
  } while (0)

// Checks sizes and prepares; returns NULL or the reason, as a clause.
const char *exercise_instantiate(const struct exercise *exercise, const struct exercise_case *the_case,
                                 uint64_t seed, struct exercise_instance *instance);
// The rules case number `which`; the last one gets sizes drawn by `seed`.
struct exercise_case exercise_rules_case(const struct exercise *exercise, size_t which, uint64_t seed);
// How many tiny cases there are, and tiny case number `which` of those that `seed` draws.
size_t exercise_tiny_count(const struct exercise *exercise);
struct exercise_case exercise_tiny_case(const struct exercise *exercise, size_t which, uint64_t seed);
// Number `which` of the cases of a size in between that `seed` draws.
struct exercise_case exercise_between_case(const struct exercise *exercise, size_t which, uint64_t seed);
// After how many elements the case's input repeats itself, at least four times; 0: it doesn't. Looks at the
// first 65536 elements.
size_t exercise_input_period(const struct exercise *exercise, const struct exercise_case *the_case);
// Writes the case's sizes with their names, such as "width 65, height 33".
void exercise_describe_sizes(const struct exercise_instance *instance, char *text, size_t size);
// Whether a value is right: equal if int32; a float or a bf16 if |got - expected| <= tolerance +
// relative_tolerance * |expected|. For a NaN only a NaN is right, of any bits; for an infinity only itself.
bool exercise_value_is_right(const struct exercise_instance *instance, uint32_t expected, uint32_t got);
// Writes an element's name, such as "out[3][17]" or "data[4096]".
void exercise_describe_element(const struct matrix_shape *shape, size_t index, char *text, size_t size);

#endif
