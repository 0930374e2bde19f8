// Runs single PTX instructions on a separate warp: parse, decode, make one frame, then run one operation
// after the other without a scheduler.
#include "arithmetic-harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/decode/program.h"
#include "virtual-hopper/execute/flow.h"

#define KINDS "hrlfdpq"
static const size_t kind_bytes[] = {2, 4, 8, 4, 8, 0, 16};

struct snippet {
  struct ptx_module *module;
  struct arena *arena;
  struct program *program;
  struct launch launch;
  struct cluster cluster;
  struct block block;
  struct warp warp;
  struct frame *frame;
  uint32_t places[7][8]; // [kind][number]; OP_NO_REGISTER: the code does not name this register
};

static struct ptx_module *parse_snippet(const char *code, char *problem, size_t size) {
  static const char header[] =
      ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %l<8>;\n.reg .f32 %f<8>;\n.reg .f64 %d<8>;\n"
      ".reg .pred %p<8>;\n.reg .b128 %q<8>;\n";
  char text[4096];
  struct ptx_error error;
  int length = snprintf(text, sizeof text, "%s%s\nret;\n}\n", header, code);
  struct ptx_module *module = ptx_parse(text, (size_t)length, &error);
  if (!module) snprintf(problem, size, "line %u: %s", error.line, error.message);
  return module;
}

static void find_places(struct snippet *s, const char *code) {
  const struct function *f = s->program->entry;
  for (unsigned kind = 0; kind < strlen(KINDS); kind++) {
    for (unsigned number = 0; number < 8; number++) {
      char name[8];
      snprintf(name, sizeof name, "%%%c%u", KINDS[kind], number);
      s->places[kind][number] = OP_NO_REGISTER;
      if (!strstr(code, name)) continue;
      for (uint32_t i = 0; i < f->source->register_count; i++) {
        if (strcmp(f->source->registers[i].name, name) == 0) s->places[kind][number] = f->register_places[i];
      }
    }
  }
}

static struct snippet *make(const char *code, char *problem, size_t size) {
  struct ptx_module *module = parse_snippet(code, problem, size);
  if (!module) return NULL;
  struct snippet *s = calloc(1, sizeof *s);
  s->module = module;
  s->arena = arena_create();
  s->program = program_decode(module, &module->functions[0], NULL, s->arena);
  if (s->program->problem_count) {
    snprintf(problem, size, "%s", s->program->problems[0].text);
    snippet_destroy(s);
    return NULL;
  }
  s->launch.blocks_per_cluster = 2;
  s->cluster.launch = s->block.launch = s->warp.launch = &s->launch;
  s->block.cluster = &s->cluster;
  s->block.rank = 1;
  s->warp.block = &s->block;
  s->frame = frame_take(&s->warp, s->program->entry, NULL, UINT32_MAX, 0);
  s->warp.registers = s->frame->registers;
  find_places(s, code);
  return s;
}

struct snippet *snippet_make(const char *code) {
  char problem[1024];
  struct snippet *s = make(code, problem, sizeof problem);
  if (!s) fail_msg("%s", problem);
  return s;
}

char *snippet_problem(const char *code) {
  char problem[1024];
  struct snippet *s = make(code, problem, sizeof problem);
  if (!s) return strdup(problem);
  snippet_destroy(s);
  return NULL;
}

void snippet_destroy(struct snippet *s) {
  if (!s) return;
  if (s->frame) frame_give(&s->warp, s->frame);
  frame_destroy_all(&s->warp);
  program_release(s->program);
  arena_destroy(s->arena);
  ptx_module_free(s->module);
  free(s);
}

void snippet_input(struct snippet *s, unsigned number, unsigned lane, uint64_t value) {
  for (unsigned kind = 0; kind < strlen(KINDS); kind++) {
    uint32_t place = s->places[kind][number];
    if (place == OP_NO_REGISTER) continue;
    if (kind_bytes[kind] == 0) {
      uint32_t *mask = warp_predicate(&s->warp, place);
      *mask = (*mask & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
    } else if (kind_bytes[kind] >= 8) {
      warp_register64(&s->warp, place)[lane] = value;
      if (kind_bytes[kind] == 16) warp_register64(&s->warp, place)[WARP_LANES + lane] = ~value;
    } else {
      warp_register32(&s->warp, place)[lane] = kind_bytes[kind] == 2 ? (uint16_t)value : (uint32_t)value;
    }
  }
}

uint64_t snippet_output(const struct snippet *s, unsigned number, unsigned lane) {
  for (unsigned kind = 0; kind < strlen(KINDS); kind++) {
    uint32_t place = s->places[kind][number];
    if (place == OP_NO_REGISTER) continue;
    if (kind_bytes[kind] == 0) return *warp_predicate(&s->warp, place) >> lane & 1;
    if (kind_bytes[kind] >= 8) return warp_register64(&s->warp, place)[lane];
    return warp_register32(&s->warp, place)[lane];
  }
  fail_msg("the code has no register number %u", number);
  return 0;
}

void snippet_run(struct snippet *s, uint32_t lanes) {
  const struct function *f = s->program->entry;
  struct warp *w = &s->warp;
  uint32_t last = f->op_count;
  for (w->pc = 0; w->pc < last;) {
    const struct op *op = &f->ops[w->pc++];
    if (op->source && strcmp(op->source->opcode, "ret") == 0) break;
    w->lanes = lanes;
    if (op->guard != OP_NO_REGISTER) {
      uint32_t mask = *warp_predicate(w, op->guard);
      w->lanes &= op->guard_negated ? ~mask : mask;
    }
    if (w->lanes) op->execute(w, op);
  }
}

// ---- tables ----

static void fill(struct snippet *s, const uint64_t inputs[4]) {
  for (unsigned n = 0; n < 4; n++) {
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
      snippet_input(s, n + 1, lane, inputs[n]);
  }
}

void check_rows(const struct arithmetic_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct arithmetic_row *row = &rows[i];
    struct snippet *s = snippet_make(row->code);
    for (int round = 0; round < 2; round++) { // all lanes, then all but two
      uint32_t lanes = round ? 0x7ffffffe : UINT32_MAX;
      fill(s, row->inputs);
      snippet_run(s, lanes);
      for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        uint64_t got = snippet_output(s, 0, lane);
        if ((lanes >> lane & 1) && got != row->expected)
          fail_msg("%s of %llx %llx %llx %llx: lane %u got %llx, expected %llx", row->code,
                   (unsigned long long)row->inputs[0], (unsigned long long)row->inputs[1],
                   (unsigned long long)row->inputs[2], (unsigned long long)row->inputs[3], lane,
                   (unsigned long long)got, (unsigned long long)row->expected);
      }
    }
    snippet_destroy(s);
  }
}

void check_refusals(const struct arithmetic_refusal *refusals, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char *problem = snippet_problem(refusals[i].code);
    if (!problem)
      fail_msg("%s was taken", refusals[i].code);
    else if (!strstr(problem, refusals[i].words))
      fail_msg("%s: %s", refusals[i].code, problem);
    free(problem);
  }
}

// ---- draws ----

static const uint64_t integer32_edges[] = {
    0,      1,      2,      31,      32,         33,         0x7f,       0x80,       0xff,
    0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
static const uint64_t integer64_edges[] = {0,
                                           1,
                                           63,
                                           64,
                                           0x7fffffff,
                                           0x80000000,
                                           0xffffffff,
                                           0x100000000,
                                           0x7fffffffffffffff,
                                           0x8000000000000000,
                                           0x8000000000000001,
                                           0xfffffffffffffffe,
                                           0xffffffffffffffff};
static const uint64_t shift_edges[] = {0,  1,  7,  15, 16,  17,  31,         32,
                                       33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff};
static const uint64_t float_edges[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                       0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4f000000,
                                       0xcf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0xff812345, 0x3effffff, 0x3f000000, 0x40200000};
static const uint64_t double_edges[] = {0,
                                        0x8000000000000000,
                                        1,
                                        0x000fffffffffffff,
                                        0x0010000000000000,
                                        0x3ff0000000000000,
                                        0xbff0000000000000,
                                        0x41dfffffffc00000,
                                        0x43e0000000000000,
                                        0x7fefffffffffffff,
                                        0xffefffffffffffff,
                                        0x7ff0000000000000,
                                        0xfff0000000000000,
                                        0x3810000000000000,
                                        0x36a0000000000000,
                                        0x3fe0000000000000,
                                        0x4004000000000000};
static const uint64_t half_edges[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00,
                                      0xbc00, 0x3bff, 0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                      0x7e00, 0xfc01, 0x3800, 0x6400, 0x6401};
static const uint64_t bfloat_edges[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3f80,
                                        0xbf80, 0x3f7f, 0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
                                        0x7fc0, 0xff81, 0x3f00, 0x4300, 0x4301};

static uint64_t draw_state;
static uint64_t draw_bits(void) {
  draw_state += 0x9e3779b97f4a7c15ull;
  uint64_t z = (draw_state ^ (draw_state >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

#define DRAW(edges, any) ((bits & 1) ? edges[(bits >> 8) % (sizeof edges / sizeof *edges)] : (any))
static uint64_t draw(enum arithmetic_kind kind) {
  uint64_t bits = draw_bits(), any = draw_bits();
  switch (kind) {
  case KIND_INTEGER32: return DRAW(integer32_edges, (uint32_t)any >> (bits >> 16 & 31));
  case KIND_INTEGER64: return DRAW(integer64_edges, any >> (bits >> 16 & 63));
  case KIND_SHIFT: return DRAW(shift_edges, any & 127);
  case KIND_FLOAT: return DRAW(float_edges, (uint32_t)any);
  case KIND_DOUBLE: return DRAW(double_edges, any);
  case KIND_HALF: return DRAW(half_edges, (uint16_t)any);
  case KIND_BFLOAT: return DRAW(bfloat_edges, (uint16_t)any);
  case KIND_HALVES: return draw(KIND_HALF) | draw(KIND_HALF) << 16;
  case KIND_BFLOATS: return draw(KIND_BFLOAT) | draw(KIND_BFLOAT) << 16;
  case KIND_NEAR_FLOAT:
    return (any & 0x807fffff) | (127 - 8 + (bits >> 8) % 16) << 23; // magnitudes 2^-8 to 2^8
  case KIND_NEAR_DOUBLE: return (any & 0x800fffffffffffff) | (1023 - 4 + (bits >> 8) % 8) << 52;
  default: return 0;
  }
}

static void check_draws(struct snippet *s, const char *code, const uint64_t inputs[WARP_LANES][4],
                        uint32_t lanes, const uint64_t before[WARP_LANES], arithmetic_reference *reference) {
  for (unsigned lane = 0; lane < WARP_LANES; lane++) {
    const uint64_t *in = inputs[lane];
    uint64_t got = snippet_output(s, 0, lane), expected = (lanes >> lane & 1) ? reference(in) : before[lane];
    if (got != expected)
      fail_msg("%s of %llx %llx %llx %llx with lanes %x: lane %u got %llx, expected %llx", code,
               (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2],
               (unsigned long long)in[3], lanes, lane, (unsigned long long)got, (unsigned long long)expected);
  }
}

void check_reference(const char *code, const enum arithmetic_kind kinds[4], arithmetic_reference *reference) {
  static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 1,
                                   0x80000000, 0x0000ffff, 0x55555555, 0xfffffffe};
  struct snippet *s = snippet_make(code);
  draw_state = 1;
  for (unsigned round = 0; round < 64; round++) {
    uint64_t inputs[WARP_LANES][4], before[WARP_LANES];
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
      for (unsigned n = 0; n < 4; n++) {
        inputs[lane][n] = draw(kinds[n]);
        snippet_input(s, n + 1, lane, inputs[lane][n]);
      }
      before[lane] = snippet_output(s, 0, lane);
    }
    snippet_run(s, masks[round % 8]);
    check_draws(s, code, inputs, masks[round % 8], before, reference);
  }
  snippet_destroy(s);
}
