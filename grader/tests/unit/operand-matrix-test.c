// Every kind of operand at every place of every form of instruction, and every type in place of every type.
// The device must accept each of them, or name the reason why not. Nothing may crash. Under the sanitizers
// the frame of a kernel has poisoned gaps (execute/frame.c), so the sanitizers detect an executor that reads
// past its operand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "operand-matrix-forms.h"
#include "virtual-hopper/decode/families.h"
#include "virtual-hopper/decode/program.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"

enum { FORM_COUNT = sizeof matrix_forms / sizeof *matrix_forms };
enum { OPERAND_COUNT = sizeof matrix_operands / sizeof *matrix_operands };
enum { LONGEST = 512, MOST_PIECES = 40, OUT_BYTES = 16384 };

// A run of everything takes minutes under the sanitizers. A person who changes decode should run everything
// (argument `all`). Otherwise a part is tried, always the same part.
static uint32_t part = 8;

struct tally {
  uint32_t asked, tried, not_ptx, refused, accepted, ended, faulted;
};

// ---- an instruction in pieces: the text between two cuts is a modifier or an operand ----------------------

struct piece {
  size_t start, end;
};
struct pieces {
  struct piece at[MOST_PIECES];
  uint32_t count;
};

static void add_piece(struct pieces *p, size_t start, size_t end) {
  if (p->count == MOST_PIECES) fail_msg("an instruction with more than %d pieces", MOST_PIECES);
  p->at[p->count++] = (struct piece){start, end};
}

// Finds operands, and the elements of vectors, addresses and argument lists. A piece may contain others.
static void find_operands(const char *form, struct pieces *p) {
  size_t starts[8], depth = 0, at = strcspn(form, " ");
  p->count = 0;
  if (!form[at]) return;
  starts[0] = ++at;
  for (;; at++) {
    char here = form[at];
    if (here == ' ' && starts[depth] == at) starts[depth]++;
    if (here == '[' || here == '{' || here == '(') starts[++depth] = at + 1;
    if (here != ',' && here != ']' && here != '}' && here != ')' && here) continue;
    if (at > starts[depth]) add_piece(p, starts[depth], at);
    starts[depth] = at + 1;
    if (here && here != ',') depth--;
    if (!here) return;
  }
}

static bool is_type(const char *text, size_t length) {
  for (size_t i = 0; i < MATRIX_TYPES; i++)
    if (strlen(matrix_types[i]) == length && strncmp(matrix_types[i], text, length) == 0) return true;
  return false;
}

static void find_types(const char *form, struct pieces *p) {
  size_t end = strcspn(form, " "), at = strcspn(form, ".");
  for (p->count = 0; at < end;) {
    size_t length = strcspn(form + at + 1, ". ");
    if (is_type(form + at + 1, length)) add_piece(p, at + 1, at + 1 + length);
    at += 1 + length;
  }
}

static void replace(char to[LONGEST], const char *form, struct piece piece, const char *by) {
  int length = snprintf(to, LONGEST, "%.*s%s%s", (int)piece.start, form, by, form + piece.end);
  if (length >= LONGEST) fail_msg("too long: %s", form);
}

// ---- the device's answer ----------------------------------------------------------------------------------

static size_t write_module(char *text, size_t size, const char *instruction) {
  int length = snprintf(text, size, "%s%s;%s", MATRIX_MODULE, instruction, MATRIX_END);
  if (length < 0 || (size_t)length >= size) fail_msg("too long: %s", instruction);
  return (size_t)length;
}

static bool names_the_line(const struct program *p) {
  for (uint32_t i = 0; i < p->problem_count; i++)
    if (!strstr(p->problems[i].text, "(line ") || strlen(p->problems[i].text) < 40) return false;
  return p->problem_count > 0;
}

// Decodes the entry `k`. Returns true when it is accepted. `why` receives the first problem.
static bool decodes(const char *text, size_t length, struct tally *t, char why[LONGEST]) {
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(text, length, &error);
  t->tried++;
  if (!module) {
    t->not_ptx++;
    snprintf(why, LONGEST, "line %u: %s", error.line, error.message);
    assert_true(error.message[0] && error.line >= 1);
    return false;
  }
  const struct ptx_function *entry = NULL;
  for (uint32_t i = 0; i < module->function_count; i++)
    if (strcmp(module->functions[i].name, "k") == 0) entry = &module->functions[i];
  struct placed_variable placed[8];
  struct placement placement = {placed, module->variable_count < 8 ? module->variable_count : 8};
  for (size_t i = 0; i < placement.count; i++)
    placed[i] = (struct placed_variable){&module->variables[i], 0x10000 * (i + 1)};
  struct program *p = program_decode(module, entry, &placement, module->arena);
  bool accepted = p->problem_count == 0;
  if (!accepted) {
    t->refused++;
    snprintf(why, LONGEST, "%s", p->problems[0].text);
    if (!names_the_line(p)) fail_msg("a refusal without its line: %s", why);
  }
  program_release(p);
  ptx_module_free(module);
  return accepted;
}

// Runs the kernel. The launch must end, either without an error or with an error that has a fault or an
// unsupported thing.
static void run(const char *text, size_t length, struct tally *t) {
  struct vhopper_options options = {
      .workers = 1, .check = true, .memory_limit = 16 << 20, .output_limit = 4096, .launch_deadline = 0.2};
  struct vhopper *v = vhopper_create(&options);
  struct vhopper_module *module;
  struct vhopper_launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
  uint64_t parameters[16] = {0};
  char *error = NULL;
  if (vhopper_hand(v, OUT_BYTES, "out", &parameters[0])) fail_msg("no memory");
  int status = vhopper_module_load(v, text, length, &module, &error);
  if (!status) status = vhopper_launch(v, vhopper_module_function(module, "k"), &config, parameters);
  if (status) {
    t->faulted++;
    struct fault_report *report = vhopper_report(v);
    if (!fault_count(report) && !unsupported_count(report) && !error)
      fail_msg("status %d and no reason for\n%s", status, text);
  } else {
    t->ended++;
  }
  free(error);
  vhopper_destroy(v);
}

static bool try_instruction(const char *instruction, struct tally *t, bool execute, char why[LONGEST]) {
  static char text[16384];
  size_t length = write_module(text, sizeof text, instruction);
  if (!decodes(text, length, t, why)) return false;
  t->accepted++;
  if (execute) run(text, length, t);
  return true;
}

// Tries one of `part` instructions, and skips the others.
static void try_part(const char *instruction, struct tally *t) {
  char why[LONGEST];
  uint32_t hash = t->asked++;
  for (const char *at = instruction; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 0x01000193u;
  if ((hash >> 7) % part == 0) try_instruction(instruction, t, true, why);
}

static void show(const char *name, const struct tally *t) {
  print_message(
      "%s: %u tried, %u no PTX, %u refused, %u accepted; of those run %u ended well, %u with an error\n",
      name, t->tried, t->not_ptx, t->refused, t->accepted, t->ended, t->faulted);
}

// ---- the tests --------------------------------------------------------------------------------------------

// Every form is accepted unchanged, and every row of the table has a form. Otherwise the matrix would prove
// little.
static void test_forms_are_taken(void **state) {
  (void)state;
  struct tally t = {0};
  char why[LONGEST];
  uint32_t bad = 0;
  for (size_t i = 0; i < FORM_COUNT; i++) {
    if (try_instruction(matrix_forms[i], &t, true, why)) continue;
    print_error("%s\n  %s\n", matrix_forms[i], why);
    bad++;
  }
  show("forms", &t);
  assert_int_equal(bad, 0);
}

static bool has_modifier(const char *form, const char *modifier) {
  char wanted[64], opcode[LONGEST];
  snprintf(opcode, sizeof opcode, "%.*s.", (int)strcspn(form, " "), form);
  snprintf(wanted, sizeof wanted, ".%s.", modifier);
  return strstr(opcode, wanted) != NULL;
}

static void test_every_family_has_a_form(void **state) {
  (void)state;
  const char *opcode, *modifier;
  for (uint32_t n = 0; (opcode = decode_family_entry(n, &modifier)); n++) {
    bool found = false;
    for (size_t i = 0; i < FORM_COUNT && !found; i++) {
      size_t length = strcspn(matrix_forms[i], ". ");
      found = strlen(opcode) == length && strncmp(opcode, matrix_forms[i], length) == 0 &&
              (!modifier || has_modifier(matrix_forms[i], modifier));
    }
    // st.bulk came with PTX ISA 8.6, for sm_100; this device recognises the name in order to refuse it
    bool refused = modifier && strcmp(modifier, "bulk") == 0 && strcmp(opcode, "st") == 0;
    if (!found && !refused)
      fail_msg("no form of %s.%s in operand-matrix-forms.h", opcode, modifier ? modifier : "");
  }
}

static void test_every_operand_everywhere(void **state) {
  (void)state;
  struct tally t = {0};
  char instruction[LONGEST];
  for (size_t f = 0; f < FORM_COUNT; f++) {
    struct pieces p;
    find_operands(matrix_forms[f], &p);
    for (uint32_t i = 0; i < p.count; i++) {
      for (size_t o = 0; o < OPERAND_COUNT; o++) {
        replace(instruction, matrix_forms[f], p.at[i], matrix_operands[o]);
        try_part(instruction, &t);
      }
    }
  }
  show("operands", &t);
  assert_true(t.accepted > 1000 && t.refused > 5000);
}

// Every type in place of every type; then also one operand of each class at every place.
static void test_every_type_with_every_class(void **state) {
  (void)state;
  struct tally t = {0};
  char typed[LONGEST], instruction[LONGEST], why[LONGEST];
  for (size_t f = 0; f < FORM_COUNT; f++) {
    struct pieces types, p;
    find_types(matrix_forms[f], &types);
    for (uint32_t n = 0; n < types.count; n++) {
      for (size_t k = 0; k < MATRIX_TYPES; k++) {
        replace(typed, matrix_forms[f], types.at[n], matrix_types[k]);
        try_instruction(typed, &t, true, why);
        find_operands(typed, &p);
        for (uint32_t i = 0; i < p.count; i++) {
          for (size_t o = 0; o < MATRIX_CLASSES; o++) {
            replace(instruction, typed, p.at[i], matrix_operands[o]);
            try_part(instruction, &t);
          }
        }
      }
    }
  }
  show("types", &t);
}

// One operand fewer, one operand more, and each operand twice.
static void test_every_number_of_operands(void **state) {
  (void)state;
  struct tally t = {0};
  char instruction[LONGEST], why[LONGEST];
  for (size_t f = 0; f < FORM_COUNT; f++) {
    const char *form = matrix_forms[f];
    for (const char *comma = strchr(form, ','); comma; comma = strchr(comma + 1, ',')) {
      snprintf(instruction, sizeof instruction, "%.*s", (int)(comma - form), form);
      try_instruction(instruction, &t, true, why);
    }
    static const char *const more[] = {", %r1", ", %rd1",           ", %q1",       ", [%rd1]", ", [s+64]",
                                       ", 1",   ", %p1, %r1, %rd1", ", {%r1, %r2}"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
      snprintf(instruction, sizeof instruction, "%s%s", form, strchr(form, ' ') ? more[i] : more[i] + 1);
      try_instruction(instruction, &t, true, why);
    }
  }
  show("numbers", &t);
}

// Every modifier of every form, on every other form of the same opcode.
static void test_every_modifier_of_the_opcode(void **state) {
  (void)state;
  struct tally t = {0};
  char instruction[LONGEST], why[LONGEST];
  for (size_t f = 0; f < FORM_COUNT; f++) {
    const char *form = matrix_forms[f];
    size_t opcode = strcspn(form, ". ");
    for (size_t g = 0; g < FORM_COUNT; g++) {
      const char *other = matrix_forms[g];
      if (strcspn(other, ". ") != opcode || strncmp(other, form, opcode) != 0) continue;
      size_t end = strcspn(other, " ");
      for (size_t at = opcode; at < end;) {
        size_t length = 1 + strcspn(other + at + 1, ". ");
        snprintf(instruction, sizeof instruction, "%.*s%.*s%s", (int)opcode, form, (int)length, other + at,
                 form + opcode);
        try_instruction(instruction, &t, true, why);
        at += length;
      }
    }
  }
  show("modifiers", &t);
}

// What is newer than this device is refused with the true reason: `.ignore_oob` is for sm_90, too.
static void test_newer_forms_are_refused_with_the_reason(void **state) {
  (void)state;
#define TO_SHARED "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
#define TO_GLOBAL "cp.async.bulk.global.shared::cta.bulk_group"
  static const char *const refused[][2] = {
      {TO_SHARED ".ignore_oob [%r0], [%rd0], 64, 4, 4, [%r1]", "came with PTX ISA 9.2"},
      {TO_GLOBAL ".cp_mask [%rd0], [%r0], 64, %r8", "needs compute capability 10.0"},
      {"st.bulk.shared::cta [%r0], 64, 0", "needs compute capability 10.0"}};
  struct tally t = {0};
  char why[LONGEST];
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    assert_false(try_instruction(refused[i][0], &t, false, why));
    if (!strstr(why, refused[i][1])) fail_msg("%s: not \"%s\": %s", refused[i][0], refused[i][1], why);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "all") == 0) part = 1;
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_are_taken),
                                     cmocka_unit_test(test_every_family_has_a_form),
                                     cmocka_unit_test(test_every_operand_everywhere),
                                     cmocka_unit_test(test_every_type_with_every_class),
                                     cmocka_unit_test(test_every_number_of_operands),
                                     cmocka_unit_test(test_every_modifier_of_the_opcode),
                                     cmocka_unit_test(test_newer_forms_are_refused_with_the_reason)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
