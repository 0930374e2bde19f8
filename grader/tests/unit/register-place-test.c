// Registers that share a place in the frame are never live together. The reference is liveness computed the
// plain way over the control-flow graph, for random functions full of loops and branches.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/decode/decoder.h"

enum { REGISTERS = 24, LABELS = 8, INSTRUCTIONS = 60, TRIALS = 3000, TEXT = 16384 };

struct random_function {
  char text[TEXT];
  size_t used;
};

static void add(struct random_function *f, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  f->used += (size_t)vsnprintf(f->text + f->used, sizeof f->text - f->used, format, arguments);
  va_end(arguments);
}

static uint32_t pick(uint64_t *state, uint32_t below) {
  return (uint32_t)(machine_random(state) % below);
}

static void write_random(struct random_function *f, uint64_t *state) {
  f->used = 0;
  add(f,
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k()\n{\n.reg .b32 %%r<%d>;\n.reg .pred %%p<%d>;\n",
      REGISTERS, REGISTERS);
  uint32_t next_label = 0;
  for (int i = 0; i < INSTRUCTIONS; i++) {
    if (next_label < LABELS && pick(state, INSTRUCTIONS / LABELS) == 0) add(f, "L%u:\n", next_label++);
    uint32_t d = pick(state, REGISTERS), a = pick(state, REGISTERS), b = pick(state, REGISTERS);
    switch (pick(state, 6)) {
    case 0: add(f, "mov.u32 %%r%u, %u;\n", d, a); break;
    case 1: add(f, "@%%p%u add.u32 %%r%u, %%r%u, 1;\n", b, d, a); break;
    case 2: add(f, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", d, a, b); break;
    case 3: add(f, "@%%p%u bra L%u;\n", a, pick(state, LABELS)); break;
    default: add(f, "add.u32 %%r%u, %%r%u, %%r%u;\n", d, a, b); break;
    }
  }
  while (next_label < LABELS)
    add(f, "L%u:\n", next_label++);
  add(f, "ret;\n}\n");
}

// ---- liveness, one bit per register -----------------------------------------------------------------------

static uint64_t bits_of(const struct ptx_operand *operand) {
  uint64_t bits = operand->kind == PTX_OPERAND_REGISTER ? 1ull << operand->register_index : 0;
  for (uint32_t i = 0; i < operand->count; i++)
    bits |= bits_of(&operand->elements[i]);
  return bits;
}

static uint64_t written(const struct ptx_instruction *in) {
  return strcmp(in->opcode, "bra") != 0 && in->operand_count ? bits_of(&in->operands[0]) : 0;
}

static uint64_t read(const struct ptx_instruction *in) {
  uint64_t bits = in->guard >= 0 ? 1ull << in->guard : 0;
  for (uint32_t i = 1; i < in->operand_count; i++)
    bits |= bits_of(&in->operands[i]);
  return bits;
}

static uint32_t label_place(const struct ptx_function *f, const char *name) {
  for (uint32_t i = 0; i < f->label_count; i++)
    if (strcmp(f->labels[i].name, name) == 0) return f->labels[i].instruction;
  fail_msg("no label %s", name);
  return 0;
}

// before[i]: live before instruction i
static void compute_liveness(const struct ptx_function *f, uint64_t *before) {
  memset(before, 0, (f->instruction_count + 1) * sizeof *before);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = f->instruction_count; i-- > 0;) {
      const struct ptx_instruction *in = &f->instructions[i];
      bool ends = strcmp(in->opcode, "ret") == 0;
      uint64_t after = ends ? 0 : before[i + 1];
      if (strcmp(in->opcode, "bra") == 0) after |= before[label_place(f, in->operands[0].name)];
      uint64_t live = read(in) | (in->guard >= 0 ? after : after & ~written(in));
      changed = changed || live != before[i];
      before[i] = live;
    }
  }
}

// Computes the registers that may hold a value before each instruction. A register that was never written
// can't be overwritten wrongly.
static void compute_defined(const struct ptx_function *f, uint64_t *defined) {
  memset(defined, 0, (f->instruction_count + 1) * sizeof *defined);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < f->instruction_count; i++) {
      const struct ptx_instruction *in = &f->instructions[i];
      uint64_t after = defined[i] | written(in);
      if (strcmp(in->opcode, "ret") == 0) continue;
      uint32_t jump = strcmp(in->opcode, "bra") == 0 ? label_place(f, in->operands[0].name) : i + 1;
      changed = changed || (after & ~defined[i + 1]) || (after & ~defined[jump]);
      defined[i + 1] |= after;
      defined[jump] |= after;
    }
  }
}

static void check_pair(const struct decoder *d, uint64_t together, const char *text) {
  for (uint32_t a = 0; a < d->source->register_count; a++) {
    for (uint32_t b = a + 1; b < d->source->register_count; b++) {
      if (!(together >> a & 1) || !(together >> b & 1) || d->register_offsets[a] != d->register_offsets[b])
        continue;
      print_error("%s and %s are live together and share a place in\n%s", d->source->registers[a].name,
                  d->source->registers[b].name, text);
      fail();
    }
  }
}

static bool shares_anything(const struct decoder *d, uint64_t used) {
  for (uint32_t a = 0; a < d->source->register_count; a++)
    for (uint32_t b = a + 1; b < d->source->register_count; b++)
      if ((used >> a & 1) && (used >> b & 1) && d->register_offsets[a] == d->register_offsets[b]) return true;
  return false;
}

static bool check_function(const char *text) {
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(text, strlen(text), &error);
  if (!module) fail_msg("line %u: %s", error.line, error.message);
  const struct ptx_function *f = &module->functions[0];
  struct program program = {.module = module, .arena = module->arena};
  struct function function = {.source = f};
  struct decoder d = {
      .program = &program, .function = &function, .source = f, .module = module, .arena = module->arena};
  decode_index_names(&d);
  decode_place_registers(&d);
  uint64_t *before = calloc(f->instruction_count + 1, sizeof *before), used = 0;
  uint64_t *defined = calloc(f->instruction_count + 1, sizeof *defined);
  compute_liveness(f, before);
  compute_defined(f, defined);
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    used |= read(&f->instructions[i]) | written(&f->instructions[i]);
    // a write must not overwrite a live register
    check_pair(&d, (before[i + 1] & defined[i]) | written(&f->instructions[i]), text);
    check_pair(&d, (read(&f->instructions[i]) & defined[i]) | written(&f->instructions[i]), text);
  }
  bool shares = shares_anything(&d, used);
  free(before);
  free(defined);
  free(d.places);
  ptx_module_free(module);
  return shares;
}

static void test_random_functions(void **state) {
  (void)state;
  uint64_t random = 2024;
  static struct random_function f;
  int sharing = 0;
  for (int i = 0; i < TRIALS; i++) {
    write_random(&f, &random);
    sharing += check_function(f.text);
  }
  assert_true(sharing > TRIALS / 4); // otherwise the test would prove little
}

// A chain of sums needs few places, however many registers it names.
static void test_straight_code_shares(void **state) {
  (void)state;
  static struct random_function f;
  f.used = 0;
  add(&f, ".version 8.5\n.target sm_90\n.address_size 64\n"
          ".visible .entry k()\n{\n.reg .b32 %%r<60>;\nmov.u32 %%r0, 1;\n");
  for (int i = 1; i < 60; i++)
    add(&f, "add.u32 %%r%d, %%r%d, 1;\n", i, i - 1);
  add(&f, "ret;\n}\n");
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(f.text, strlen(f.text), &error);
  assert_non_null(module);
  struct function function = {.source = &module->functions[0]};
  struct decoder d = {
      .function = &function, .source = &module->functions[0], .module = module, .arena = module->arena};
  decode_place_registers(&d);
  assert_true(d.next_offset <= 3 * LANE_BYTES_32);
  free(d.places);
  ptx_module_free(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_functions),
                                     cmocka_unit_test(test_straight_code_shares)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
