// Runs single PTX instructions on a separate warp, without scheduler, memory or program. In: registers. Out:
// registers. Registers are named by kind and number: %h (b16), %r (b32), %l (b64), %f (f32), %d (f64), %p
// (pred), %q (b128). Number 0 is the result, 7 is a second result, 1 to 4 are inputs. An input for "1" goes
// to whichever of %h1, %r1, ... the code names.
#ifndef TESTS_UNIT_ARITHMETIC_HARNESS_H
#define TESTS_UNIT_ARITHMETIC_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct snippet;

// When the code can't be parsed or decoded, fails the running test and names the reason.
struct snippet *snippet_make(const char *code);
// Returns NULL when the code can be decoded, else the reason why not (malloc'ed).
char *snippet_problem(const char *code);
void snippet_input(struct snippet *s, unsigned number, unsigned lane, uint64_t value);
uint64_t snippet_output(const struct snippet *s, unsigned number, unsigned lane);
void snippet_run(struct snippet *s, uint32_t lanes);
void snippet_destroy(struct snippet *s);

// One instruction, its inputs, and the result that is expected in every lane.
struct arithmetic_row {
  const char *code;
  uint64_t inputs[4];
  uint64_t expected;
};
void check_rows(const struct arithmetic_row *rows, size_t count);

// The set that an input is drawn from: half the time edges of the kind, else any bits.
enum arithmetic_kind {
  KIND_NONE,
  KIND_INTEGER32,
  KIND_INTEGER64,
  KIND_SHIFT,
  KIND_FLOAT,
  KIND_DOUBLE,
  KIND_HALF,
  KIND_HALVES,
  KIND_BFLOAT,
  KIND_BFLOATS,
  KIND_NEAR_FLOAT,
  KIND_NEAR_DOUBLE
};
typedef uint64_t arithmetic_reference(const uint64_t inputs[4]);
// Compares the instruction with a formula on many draws: with all lanes active, and with some lanes active.
// The other lanes must not change.
void check_reference(const char *code, const enum arithmetic_kind kinds[4], arithmetic_reference *reference);

// The device must refuse each, with a message that contains `words`.
struct arithmetic_refusal {
  const char *code, *words;
};
void check_refusals(const struct arithmetic_refusal *refusals, size_t count);

#endif
