// The parser. A table has instructions and the description of their operands. Further tests check the
// contents of a module, a function, a variable and a source position. What is refused: parse-errors-test.c.
#include "virtual-hopper/ptx/ptx.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER ".version 8.4\n.target sm_90\n.address_size 64\n"

static struct ptx_module *parse(const char *text) {
  struct ptx_error error;
  struct ptx_module *module = ptx_parse(text, strlen(text), &error);
  if (!module) fail_msg("line %u: %s\n%s", error.line, error.message, text);
  return module;
}

// A module of one kernel with this body.
static struct ptx_module *parse_kernel(const char *body) {
  char text[8192];
  snprintf(text, sizeof text,
           HEADER ".global .b8 data[64];\n.visible .entry kernel(.param .u64 kernel_0)\n{\n%s\n}\n", body);
  return parse(text);
}

// ---- operands ----

static void describe(const struct ptx_operand *operand, char *text);

static void describe_elements(const struct ptx_operand *operand, const char *open, const char *close,
                              char *text) {
  text += sprintf(text, "%s", open);
  for (uint32_t i = 0; i < operand->count; i++) {
    text += sprintf(text, "%s", i ? " " : "");
    describe(&operand->elements[i], text);
    text += strlen(text);
  }
  if (operand->integer) text += sprintf(text, "%+" PRId64, operand->integer);
  sprintf(text, "%s", close);
}

static void describe(const struct ptx_operand *operand, char *text) {
  switch (operand->kind) {
  case PTX_OPERAND_REGISTER: sprintf(text, "%s", operand->name); break;
  case PTX_OPERAND_NOT: sprintf(text, "!%s", operand->name); break;
  case PTX_OPERAND_NEGATED: sprintf(text, "-%s", operand->name); break;
  case PTX_OPERAND_SPECIAL: sprintf(text, "special:%s", operand->name); break;
  case PTX_OPERAND_INTEGER: sprintf(text, "%" PRId64, operand->integer); break;
  case PTX_OPERAND_FLOAT:
    sprintf(text, "%s:%" PRIx64, ptx_type_name(operand->type), (uint64_t)operand->integer);
    break;
  case PTX_OPERAND_SYMBOL: sprintf(text, "%s%+" PRId64, operand->name, operand->integer); break;
  case PTX_OPERAND_ADDRESS: describe_elements(operand, "[", "]", text); break;
  case PTX_OPERAND_TENSOR: describe_elements(operand, "tensor[", "]", text); break;
  case PTX_OPERAND_VECTOR: describe_elements(operand, "{", "}", text); break;
  case PTX_OPERAND_LIST: describe_elements(operand, "(", ")", text); break;
  case PTX_OPERAND_PAIR: describe_elements(operand, "pair(", ")", text); break;
  case PTX_OPERAND_SINK: sprintf(text, "_"); break;
  }
}

static const struct {
  const char *instruction, *operands; // separated by ", "
} operand_cases[] = {
    {"mov.u32 %r1, %tid.x;", "%r1, special:%tid.x"},
    {"mov .u32 %r1, %tid .y;", "%r1, special:%tid.y"},
    {"mov.u32 %r1, %laneid;", "%r1, special:%laneid"},
    {"mov.v4.u32 {%r0,%r1,%r2,%r3}, %ctaid;", "{%r0 %r1 %r2 %r3}, special:%ctaid"},
    {"mov.u32 %r1, WARP_SZ;", "%r1, special:WARP_SZ"},
    {"mov.u32 %r1, WARP_SZ*2;", "%r1, 64"},
    {"mov.u32 %r1, -5;", "%r1, -5"},
    {"mov.u32 %r1, -(2+3)*4;", "%r1, -20"},
    {"mov.u32 %r1, 1<<4|3;", "%r1, 19"},
    {"mov.u32 %r1, 10-4-3;", "%r1, 3"},
    {"mov.u32 %r1, ~0&0xFF;", "%r1, 255"},
    {"mov.u32 %r1, !3;", "%r1, 0"},
    {"mov.u32 %r1, -8>>1;", "%r1, -4"},
    {"mov.u32 %r1, -8/3;", "%r1, -2"},
    {"mov.u32 %r1, -8%3;", "%r1, -2"},
    {"mov.u64 %d1, -8/3U;", "%d1, 6148914691236517202"},
    {"mov.u64 %d1, (.s64) 0xFFFFFFFFFFFFFFFFU/2;", "%d1, 0"},
    {"mov.u64 %d1, (-9223372036854775807-1)/-1;", "%d1, -9223372036854775808"},
    {"mov.u32 %r1, 1<<64;", "%r1, 0"},
    {"mov.u32 %r1, -1>>64;", "%r1, -1"},
    {"mov.u32 %r1, 3>2?7:8;", "%r1, 7"},
    {"mov.u32 %r1, 1==2||3!=3&&1;", "%r1, 0"},
    {"mov.u32 %r1, -1<1U;", "%r1, 0"},
    {"mov.f32 %f1, 0f3F800000;", "%f1, f32:3f800000"},
    {"mov.f32 %f1, -0f3F800000;", "%f1, f32:bf800000"},
    {"mov.f64 %d1, 1.5;", "%d1, f64:3ff8000000000000"},
    {"mov.f64 %d1, 1.5*2+1;", "%d1, f64:4010000000000000"},
    {"mov.u64 %d1, data;", "%d1, data+0"},
    {"mov.u64 %d1, data+8-2*3;", "%d1, data+2"},
    {"ld.u32 %r1, [%d1];", "%r1, [%d1]"},
    {"ld.u32 %r1, [%d1+-4];", "%r1, [%d1-4]"},
    {"ld.u32 %r1, [%d1-4];", "%r1, [%d1-4]"},
    {"ld.u32 %r1, [data+4*3];", "%r1, [data+0+12]"},
    {"ld.u32 %r1, [256];", "%r1, [+256]"},
    {"ld.v2.u32 {%r1,_}, [kernel_0];", "{%r1 _}, [kernel_0+0]"},
    {"ld.v4.f32 quad, [%d1];", "{quad.x quad.y quad.z quad.w}, [%d1]"},
    {"add.f32 quad.x, quad.w, quad.b;", "quad.x, quad.w, quad.z"},
    {"setp.eq.and.u32 %p1|%p2, %r1, 0, !%p3;", "pair(%p1 %p2), %r1, 0, !%p3"},
    {"elect.sync _|%p1, -1;", "pair(_ %p1), -1"},
    {"fma.f32 %f1, %f2, -%f3, %f1;", "%f1, %f2, -%f3, %f1"},
    {"call f;", "f+0"},
    {"call.uni (%r1), f, (%r2, 5, data);", "(%r1), f+0, (%r2 5 data+0)"},
    {"call %d1, (), f;", "%d1, (), f+0"},
    {"call (), f, ();", "(), f+0, ()"},
    {"x [%d1, {%r1, %r2}], [%r3], {%h1}, %d2;", "tensor[%d1 {%r1 %r2}], [%r3], {%h1}, %d2"},
    {"x [data+64, {%r1, 7}];", "tensor[data+0 {%r1 7}+64]"},
    {"x [%d1, %d2, {%f1}];", "tensor[%d1 %d2 {%f1}]"},
    {"ret;", ""},
};

static void test_operands(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof operand_cases / sizeof *operand_cases; i++) {
    char text[1024], got[1024] = "";
    snprintf(
        text, sizeof text,
        HEADER
        ".global .b8 data[64];\n.func f;\n"
        ".entry kernel(.param .u64 kernel_0)\n{ .reg .pred %%p<4>; "
        ".reg .b16 %%h<4>; .reg .b32 %%r<4>; .reg .f32 %%f<4>; .reg .b64 %%d<4>; .reg .v4 .f32 quad;\n%s }",
        operand_cases[i].instruction);
    struct ptx_module *module = parse(text);
    const struct ptx_function *kernel = &module->functions[1];
    assert_int_equal(kernel->instruction_count, 1);
    char *end = got;
    for (uint32_t j = 0; j < kernel->instructions[0].operand_count; j++) {
      end += sprintf(end, "%s", j ? ", " : "");
      describe(&kernel->instructions[0].operands[j], end);
      end += strlen(end);
    }
    if (strcmp(got, operand_cases[i].operands) != 0) {
      fail_msg("'%s': got '%s', expected '%s'", operand_cases[i].instruction, got, operand_cases[i].operands);
    }
    ptx_module_free(module);
  }
}

static void test_instruction(void **state) {
  (void)state;
  struct ptx_module *module =
      parse_kernel(".reg .pred %p<3>;\n.reg .b32 %r<2>;\n"
                   "@!%p2 mbarrier.try_wait.parity.shared::cta.b64 // why\n\t%p1 , /* x */ [%r1],  0 ;");
  const struct ptx_instruction *instruction = &module->functions[0].instructions[0];
  assert_string_equal(instruction->opcode, "mbarrier");
  assert_int_equal(instruction->modifier_count, 4);
  assert_string_equal(instruction->modifiers[2], "shared::cta");
  assert_true(ptx_has_modifier(instruction, "parity"));
  assert_false(ptx_has_modifier(instruction, "par"));
  assert_int_equal(instruction->guard, 2);
  assert_true(instruction->guard_negated);
  assert_int_equal(instruction->ptx_line, 9);
  assert_int_equal(instruction->location, -1);
  assert_string_equal(instruction->text, "@!%p2 mbarrier.try_wait.parity.shared::cta.b64 %p1 , [%r1], 0");
  ptx_module_free(module);
}

// ---- scopes ----

static const struct ptx_label *label_named(const struct ptx_function *function, const char *name) {
  for (uint32_t i = 0; i < function->label_count; i++) {
    if (strcmp(function->labels[i].name, name) == 0) return &function->labels[i];
  }
  fail_msg("no label '%s'", name);
  return NULL;
}

static void test_labels_of_scopes_are_apart(void **state) {
  (void)state;
  struct ptx_module *module = parse_kernel("bra done;\n{ again: bra again; bra done; done: exit; }\n"
                                           "{ again: bra done; bra again; }\ndone:");
  const struct ptx_function *kernel = &module->functions[0];
  // of each instruction; the fourth instruction is the exit
  static const uint32_t targets[] = {6, 1, 3, 0, 6, 4};
  assert_int_equal(kernel->instruction_count, 6);
  assert_int_equal(kernel->label_count, 4);
  for (uint32_t i = 0; i < 6; i++) {
    if (i == 3) continue;
    assert_int_equal(label_named(kernel, kernel->instructions[i].operands[0].name)->instruction, targets[i]);
  }
  ptx_module_free(module);
}

static void test_registers_of_scopes_are_apart(void **state) {
  (void)state;
  struct ptx_module *module =
      parse_kernel(".reg .b32 %r<3>, a;\nmov.u32 a, %r2;\n{ .reg .b64 a; .reg .b16 %r2;\n"
                   "mov.u32 a, %r1; mov.u32 a, %r2; { mov.u32 a, %r0; } }\nmov.u32 a, %r2;");
  const struct ptx_function *kernel = &module->functions[0];
  static const uint32_t registers[][2] = {{3, 2}, {4, 1}, {4, 5}, {4, 0}, {3, 2}};
  assert_int_equal(kernel->register_count, 6);
  assert_int_equal(kernel->registers[4].type, PTX_B64);
  assert_int_equal(kernel->instruction_count, 5);
  for (uint32_t i = 0; i < 5; i++) {
    for (uint32_t j = 0; j < 2; j++) {
      assert_int_equal(kernel->instructions[i].operands[j].register_index, registers[i][j]);
    }
  }
  ptx_module_free(module);
}

static void test_variables_of_scopes_are_apart(void **state) {
  (void)state;
  struct ptx_module *module =
      parse_kernel(".shared .align 16 .b8 data[32];\n.reg .b64 %d;\nmov.u64 %d, data;\n"
                   "{ .param .b32 data; mov.u64 %d, data; }\n{ .param .b64 data; mov.u64 %d, data; }");
  const struct ptx_function *kernel = &module->functions[0];
  assert_int_equal(module->variable_count, 1);
  assert_int_equal(kernel->variable_count, 3);
  for (uint32_t i = 0; i < 3; i++) {
    assert_string_equal(kernel->instructions[i].operands[1].name, kernel->variables[i].name);
    for (uint32_t j = 0; j < i; j++)
      assert_string_not_equal(kernel->variables[i].name, kernel->variables[j].name);
  }
  assert_string_equal(kernel->variables[0].name, "data");
  assert_int_equal(kernel->variables[0].space, PTX_SHARED);
  assert_int_equal(kernel->variables[0].alignment, 16);
  assert_int_equal(kernel->variables[0].size, 32);
  ptx_module_free(module);
}

// A register that interface/timeline.cuh declares is a mark at its place; one that is only called alike
// isn't.
static void test_marks(void **state) {
  (void)state;
  struct ptx_module *module = parse_kernel("{ .reg .b32 timeline_begin_1684107116_0_0; }\n"
                                           "bra $next;\n$next:\n"
                                           "{ .reg .b32 timeline_end_8315172638224707427_1819042080_0; }\n"
                                           "{ .reg .b32 timeline_begin_12; mov.u32 timeline_begin_12, 1; }\n"
                                           "{ .reg .b32 timeline_begins_1_0_0, timeline_end_0_0_0; }\nret;");
  const struct ptx_function *kernel = &module->functions[0];
  static const char *const expected[][3] = {{PTX_MARK, "begin", "load"},
                                            {"bra", NULL, NULL},
                                            {PTX_MARK, "end", "consumes all"},
                                            {"mov", NULL, NULL}};
  assert_int_equal(kernel->instruction_count, 5);
  for (int i = 0; i < 4; i++) {
    assert_string_equal(kernel->instructions[i].opcode, expected[i][0]);
    if (!expected[i][1]) continue;
    assert_string_equal(kernel->instructions[i].modifiers[0], expected[i][1]);
    assert_string_equal(kernel->instructions[i].text, expected[i][2]);
  }
  assert_int_equal(kernel->labels[0].instruction, 2);
  assert_int_equal(kernel->register_count, 3);
  ptx_module_free(module);
}

static void test_tables_and_prototypes(void **state) {
  (void)state;
  struct ptx_module *module = parse_kernel(
      ".reg .b64 %d<2>; .reg .b32 %r;\n"
      "{ table: .branchtargets one, two, out; brx.idx %r, table; one: exit; two: }\nout:\n"
      "{ proto : .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .param .b64 _) .noreturn;\n"
      "call %d0, (%r), proto; }");
  const struct ptx_function *kernel = &module->functions[0];
  assert_int_equal(kernel->target_count, 1);
  assert_int_equal(kernel->targets[0].count, 3);
  assert_string_equal(kernel->targets[0].name, kernel->instructions[0].operands[1].name);
  static const uint32_t instructions[] = {1, 2, 2};
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(label_named(kernel, kernel->targets[0].labels[i])->instruction, instructions[i]);
  }
  assert_int_equal(kernel->prototype_count, 1);
  assert_string_equal(kernel->prototypes[0].name, kernel->instructions[2].operands[2].name);
  assert_int_equal(kernel->prototypes[0].result_count, 1);
  assert_int_equal(kernel->prototypes[0].results[0].size, 16);
  assert_int_equal(kernel->prototypes[0].parameter_count, 2);
  assert_int_equal(kernel->prototypes[0].parameters[1].type, PTX_B64);
  ptx_module_free(module);
}

// ---- functions ----

static void test_function_headers(void **state) {
  (void)state;
  struct ptx_module *module =
      parse(HEADER ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.func later;\n"
                   ".visible .entry kernel(.param .u64 .ptr .global .align 16 p, "
                   ".param .align 64 .b8 map[128], .param .f32 x)\n"
                   ".maxntid 128, 2\n.minnctapersm 2\n.reqnctapercluster 2, 1, 1\n"
                   ".explicitcluster\n.blocksareclusters\n.maxnreg 32\n{ }\n"
                   ".weak .func (.reg .b32 y) later (.reg .b32 x) .noreturn { mov.b32 y, x; }\n"
                   ".func other;\n.alias other, later;\n.entry third .reqntid 32 { }\n");
  assert_int_equal(module->function_count, 5);
  const struct ptx_function *print = &module->functions[0], *later = &module->functions[1];
  const struct ptx_function *kernel = &module->functions[2], *other = &module->functions[3];
  assert_true(print->is_extern && !print->has_body && !print->is_entry);
  assert_int_equal(print->result_count, 1);
  assert_int_equal(print->parameter_count, 2);
  // the definition replaced its declaration
  assert_true(later->has_body && later->is_weak && later->is_noreturn);
  assert_int_equal(later->register_count, 2);
  assert_int_equal(later->parameters[0].space, PTX_REG);
  assert_int_equal(later->instructions[0].operands[0].register_index, 0);
  assert_true(kernel->is_entry && kernel->is_visible && kernel->explicit_cluster &&
              kernel->blocks_are_clusters);
  // the alignment after .ptr belongs to the memory that the parameter points to
  assert_int_equal(kernel->parameters[0].alignment, 8);
  assert_int_equal(kernel->parameters[1].alignment, 64);
  assert_int_equal(kernel->parameters[1].size, 128);
  assert_int_equal(kernel->max_threads[0], 128);
  assert_int_equal(kernel->max_threads[1], 2);
  assert_int_equal(kernel->max_threads[2], 1);
  assert_int_equal(kernel->required_threads[0], 0);
  assert_int_equal(kernel->required_cluster[0], 2);
  assert_string_equal(other->name, "other");
  assert_ptr_equal(other->instructions, later->instructions);
  assert_int_equal(module->functions[4].required_threads[0], 32);
  ptx_module_free(module);
}

// ---- variables ----

static const struct ptx_variable *variable_named(const struct ptx_module *module, const char *name) {
  for (uint32_t i = 0; i < module->variable_count; i++) {
    if (strcmp(module->variables[i].name, name) == 0) return &module->variables[i];
  }
  fail_msg("no variable '%s'", name);
  return NULL;
}

static const struct {
  const char *declaration; // the declaration of v
  size_t size, alignment;
  const char *bytes; // hexadecimal; NULL: no bytes
} variable_cases[] = {
    {".global .u32 v;", 4, 4, NULL},
    {".global .align 16 .b8 v[3];", 3, 16, NULL},
    {".global .v4 .f32 v[2];", 32, 16, NULL},
    {".extern .shared .align 16 .b8 v[];", 0, 16, NULL},
    {".const .b128 v[2];", 32, 16, NULL},
    {".global .u32 v = 0x01020304;", 4, 4, "04030201"},
    {".global .s16 v[3] = {1, -2};", 6, 2, "0100feff0000"},
    {".global .u8 v[2][2][2] = {{{1}, {2, 3}}, {{4, 5}, {6}}};", 8, 1, "0100020304050600"},
    {".global .u8 v[2][2] = {1, 2, 3};", 4, 1, "01020300"},
    {".global .u8 v[][2] = {{1}, {2, 3}, 4};", 6, 1, "010002030400"},
    {".global .u8 v[] = {1, 2, 3,};", 3, 1, "010203"},
    {".global .f32 v[3] = {0f3F800000, 1.5, 2};", 12, 4, "0000803f0000c03f00000040"},
    {".global .f64 v[2] = {1, 0d3FF8000000000000};", 16, 8, "000000000000f03f000000000000f83f"},
    {".global .b32 v = 0f3F800000;", 4, 4, "0000803f"},
    {".global .v2 .u8 v[2] = {{1, 2}, {3, 4}};", 4, 2, "01020304"},
    {".global .u8 v[0] = {};", 0, 1, ""},
    {".global .attribute(.managed) .align 4 .u8 v[1] = {1<<2|1};", 1, 4, "05"},
};

static void test_variables(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof variable_cases / sizeof *variable_cases; i++) {
    char text[512], got[256] = "";
    snprintf(text, sizeof text, HEADER "%s", variable_cases[i].declaration);
    struct ptx_module *module = parse(text);
    const struct ptx_variable *variable = variable_named(module, "v");
    const char *bytes = variable_cases[i].bytes;
    if ((bytes != NULL) != (variable->initial != NULL)) fail_msg("%s: initialised?", text);
    for (size_t j = 0; variable->initial && j < variable->size; j++)
      sprintf(got + 2 * j, "%02x", variable->initial[j]);
    if (variable->size != variable_cases[i].size || variable->alignment != variable_cases[i].alignment ||
        strcmp(got, bytes ? bytes : "") != 0) {
      fail_msg("%s: got %zu bytes aligned to %zu: %s", text, variable->size, variable->alignment, got);
    }
    ptx_module_free(module);
  }
}

static void check_relocation(const struct ptx_variable *variable, size_t index,
                             struct ptx_relocation wanted) {
  assert_true(index < variable->relocation_count);
  const struct ptx_relocation *got = &variable->relocations[index];
  assert_string_equal(got->symbol, wanted.symbol);
  assert_int_equal(got->offset, wanted.offset);
  assert_int_equal(got->addend, wanted.addend);
  assert_int_equal(got->generic, wanted.generic);
  assert_int_equal(got->size, wanted.size);
  assert_int_equal(got->shift, wanted.shift);
}

static void test_addresses_in_initialisers(void **state) {
  (void)state;
  struct ptx_module *module =
      parse(HEADER ".global .u64 p[5] = {a, generic(a), generic(a)+4, b-8, f};\n"
                   ".global .u32 a; .global .u32 b; .func f { }\n"
                   ".global .u8 m[12] = "
                   "{1, 0XFF(generic(a)), 0xFF00(generic(a)), 0xFF0000(generic(a)), 0xFF000000(generic(a)),"
                   " 0xFF00000000(generic(a)), 0xFF0000000000(generic(a)), 0xFF000000000000(generic(a)),"
                   " 0xFF00000000000000(generic(a)), 0xFF00(b+1), 0xFF(b+1)};\n");
  const struct ptx_variable *pointers = variable_named(module, "p"), *masked = variable_named(module, "m");
  assert_int_equal(pointers->relocation_count, 5);
  check_relocation(pointers, 0, (struct ptx_relocation){0, "a", 0, false, 8, 0});
  check_relocation(pointers, 1, (struct ptx_relocation){8, "a", 0, true, 8, 0});
  check_relocation(pointers, 2, (struct ptx_relocation){16, "a", 4, true, 8, 0});
  check_relocation(pointers, 3, (struct ptx_relocation){24, "b", -8, false, 8, 0});
  check_relocation(pointers, 4, (struct ptx_relocation){32, "f", 0, false, 8, 0});
  assert_int_equal(masked->relocation_count, 3);
  check_relocation(masked, 0, (struct ptx_relocation){1, "a", 0, true, 8, 0});
  check_relocation(masked, 1, (struct ptx_relocation){9, "b", 1, false, 1, 8});
  check_relocation(masked, 2, (struct ptx_relocation){10, "b", 1, false, 1, 0});
  ptx_module_free(module);
}

static void test_a_definition_replaces_its_declaration(void **state) {
  (void)state;
  struct ptx_module *module =
      parse(HEADER ".extern .global .u32 v;\n.visible .global .u32 v = 5;\n.extern .global .u32 v;\n"
                   ".func f { .global .u32 v; .reg .b64 %d; mov.u64 %d, v; }");
  assert_int_equal(module->variable_count, 2);
  assert_true(!module->variables[0].is_extern && module->variables[0].initial[0] == 5);
  // a .global declared inside a function is a variable of the module, with a unique name
  assert_string_not_equal(module->variables[1].name, "v");
  assert_string_equal(module->functions[0].instructions[0].operands[1].name, module->variables[1].name);
  ptx_module_free(module);
}

// ---- source positions ----

static void test_positions(void **state) {
  (void)state;
  struct ptx_module *module = parse(
      HEADER ".entry k\n{\nexit;\n.loc 1 10 3\nexit;\n.loc 2 7 5, function_name $n, inlined_at 1 10 3\n"
             ".loc 3 8 1, function_name $n+4, inlined_at 2 7 5\nexit;\n.loc 1 10 3\n"
             ".loc 3 9 9, inlined_at 2 99 1\nexit;\n}\n.entry other { exit; }\n"
             ".file 1 \"a.cu\"\n.file 3 \"c.h\", 123, 456\n.section .debug_str { $n: .b8 1,2 { } .b8 3 }\n");
  const struct ptx_instruction *instructions = module->functions[0].instructions;
  const struct ptx_location *locations = module->locations;
  assert_int_equal(module->file_count, 4);
  assert_string_equal(module->files[0], "");
  assert_string_equal(module->files[1], "a.cu");
  assert_string_equal(module->files[2], "");
  assert_int_equal(instructions[0].location, -1);
  assert_int_equal(locations[instructions[1].location].line, 10);
  const struct ptx_location *inner = &locations[instructions[2].location];
  assert_string_equal(module->files[inner->file], "c.h");
  assert_int_equal(inner->line, 8);
  const struct ptx_location *middle = &locations[inner->inlined_at];
  assert_int_equal(middle->line, 7);
  assert_int_equal(locations[middle->inlined_at].line, 10);
  assert_int_equal(locations[middle->inlined_at].inlined_at, -1);
  // the caller has no .loc of its own
  const struct ptx_location *unseen = &locations[instructions[3].location];
  assert_int_equal(locations[unseen->inlined_at].line, 99);
  assert_int_equal(module->functions[1].instructions[0].location, -1);
  ptx_module_free(module);
}

static void test_inlined_at_means_the_latest(void **state) {
  (void)state;
  char *text = malloc(1 << 20), *end = text;
  end += sprintf(end, HEADER ".entry k {\n");
  for (int i = 0; i < 3000; i++) { // enough to make the table of positions grow
    end += sprintf(end, ".loc 1 %d 1\n.loc 2 5 5, inlined_at 1 %d 1\n.loc 3 6 6, inlined_at 2 5 5\nexit;\n",
                   i, i);
  }
  sprintf(end, "}");
  struct ptx_module *module = parse(text);
  for (int i = 0; i < 3000; i++) {
    const struct ptx_location *at = &module->locations[module->functions[0].instructions[i].location];
    at = &module->locations[at->inlined_at];
    assert_int_equal(module->locations[at->inlined_at].line, i);
  }
  ptx_module_free(module);
  free(text);
}

static void test_types(void **state) {
  (void)state;
  assert_int_equal(ptx_type_size(PTX_B128), 16);
  assert_int_equal(ptx_type_size(PTX_PRED), 0);
  assert_string_equal(ptx_type_name(PTX_BF16X2), "bf16x2");
  for (enum ptx_type type = PTX_TYPE_NONE + 1; type < PTX_TYPE_COUNT; type++) {
    assert_int_equal(ptx_type_from_name(ptx_type_name(type)), type);
  }
  assert_int_equal(ptx_type_from_name("x32"), PTX_TYPE_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operands),
      cmocka_unit_test(test_instruction),
      cmocka_unit_test(test_labels_of_scopes_are_apart),
      cmocka_unit_test(test_registers_of_scopes_are_apart),
      cmocka_unit_test(test_variables_of_scopes_are_apart),
      cmocka_unit_test(test_marks),
      cmocka_unit_test(test_tables_and_prototypes),
      cmocka_unit_test(test_function_headers),
      cmocka_unit_test(test_variables),
      cmocka_unit_test(test_addresses_in_initialisers),
      cmocka_unit_test(test_a_definition_replaces_its_declaration),
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_inlined_at_means_the_latest),
      cmocka_unit_test(test_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
