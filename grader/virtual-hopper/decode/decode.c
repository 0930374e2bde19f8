// In: the syntax tree of an entry and of every function that it can call. Out: a program of ops, with no
// decision left for execution. One idea: each PTX instruction becomes ops through its family, one instruction
// after the other. At the end, labels become op numbers.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/base/poison.h"
#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/decode/families.h"
#include "virtual-hopper/execute/flow.h"

void *decode_grow(void *array, uint32_t *capacity, uint32_t count, size_t size) {
  if (count < *capacity) return array;
  uint32_t wanted = *capacity ? *capacity * 2 : 32;
  void *grown = realloc(array, (size_t)wanted * size);
  if (!grown) die("out of memory while decoding");
  *capacity = wanted;
  return grown;
}

static void add_problem(struct decoder *d, const struct ptx_instruction *in, const char *text) {
  struct program *p = d->program;
  p->problems = decode_grow(p->problems, &p->problem_capacity, p->problem_count, sizeof *p->problems);
  p->problems[p->problem_count++] = (struct decode_problem){
      .function = d->source, .instruction = in, .text = arena_copy_text(d->arena, text, strlen(text))};
}

bool decode_error(struct decoder *d, const struct ptx_instruction *in, const char *format, ...) {
  if (d->failed) return false; // only the first reason is reported
  d->failed = true;
  char reason[512], text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  snprintf(text, sizeof text, "`%s` (line %u of the PTX): %s", in ? in->text : d->source->name,
           in ? in->ptx_line : d->source->line, reason);
  add_problem(d, in, text);
  return false;
}

bool decode_failed(const struct decoder *d) {
  return d->failed;
}

void *decode_allocate(struct decoder *d, size_t bytes) {
  return arena_allocate(d->arena, bytes);
}

enum ptx_type decode_type(const struct ptx_instruction *in, unsigned nth) {
  for (uint32_t i = 0; i < in->modifier_count; i++) {
    enum ptx_type type = ptx_type_from_name(in->modifiers[i]);
    if (type != PTX_TYPE_NONE && nth-- == 0) return type;
  }
  return PTX_TYPE_NONE;
}

bool decode_allowed(struct decoder *d, const struct ptx_instruction *in, const char *const allowed[]) {
  for (uint32_t i = 0; i < in->modifier_count; i++) {
    if (ptx_type_from_name(in->modifiers[i]) != PTX_TYPE_NONE) continue;
    bool known = false;
    for (const char *const *name = allowed; *name && !known; name++)
      known = strcmp(*name, in->modifiers[i]) == 0;
    if (!known) return decode_error(d, in, "the modifier .%s isn't supported here", in->modifiers[i]);
  }
  return true;
}

static struct op blank_op(const struct decoder *d) {
  return (struct op){.d = OP_NO_REGISTER,
                     .a = OP_NO_REGISTER,
                     .b = OP_NO_REGISTER,
                     .c = OP_NO_REGISTER,
                     .guard = OP_NO_REGISTER,
                     .source = d->instruction,
                     .module = d->module};
}

struct op *decode_emit(struct decoder *d) {
  d->ops = decode_grow(d->ops, &d->op_capacity, d->op_count, sizeof *d->ops);
  d->ops[d->op_count] = blank_op(d);
  return &d->ops[d->op_count++];
}

// ---- one function -----------------------------------------------------------------------------------------

// Why an instruction has no family, and what does instead.
static const char *missing_because(const char *opcode) {
  static const struct {
    const char *opcode, *why;
  } missing[] = {
      {"tcgen05", "needs compute capability 10.0; this is 9.0, whose tensor cores take wgmma"},
      {"clusterlaunchcontrol", "needs compute capability 10.0; this is 9.0"},
      {"sured", "this device has no reductions on surfaces: use global memory and red"},
      {"txq", "this device can't ask a texture for its size: pass it as a parameter"},
      {"suq", "this device can't ask a surface for its size: pass it as a parameter"},
      {"alloca", "this device has no stack of variable size: use an array of constant size"},
      {"stacksave", "this device has no stack of variable size: use an array of constant size"},
      {"stackrestore", "this device has no stack of variable size: use an array of constant size"},
  };
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
    if (strcmp(opcode, missing[i].opcode) == 0) return missing[i].why;
  return "this device doesn't know the instruction";
}

static void decode_instruction(struct decoder *d, const struct ptx_instruction *in) {
  d->instruction = in;
  d->failed = false;
  d->predicates.used = d->words.used = d->doubles.used = 0;
  struct op op = blank_op(d);
  if (in->guard >= 0) {
    op.guard = d->register_offsets[in->guard];
    op.guard_negated = in->guard_negated;
  }
  decode_family *family = decode_family_find(in);
  if (!family)
    decode_error(d, in, "%s", missing_because(in->opcode));
  else if (family(d, in, &op) && !op.execute && !d->failed)
    die("the family of `%s` decoded it to nothing", in->text);
  if (d->failed) return;
  *decode_emit(d) = op;
}

// Gives each variable an offset after the one before, at the alignment of the variable. An error when the end
// would exceed `most`.
static uint64_t place_list(struct decoder *d, const struct ptx_variable *variables, uint32_t count,
                           uint32_t **offsets, uint64_t end, uint64_t most) {
  *offsets = arena_allocate_array(d->arena, count + 1, sizeof **offsets);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t start;
    if (!checked_place(&end, variables[i].size, variables[i].alignment, most, &start)) {
      decode_error(d, NULL, "the parameters take more than %llu bytes", (unsigned long long)most);
      return 0;
    }
    (*offsets)[i] = (uint32_t)start;
  }
  return end;
}

static void place_own(struct decoder *d, uint64_t *area, uint64_t *local) {
  const struct ptx_function *f = d->source;
  d->variable_offsets = arena_allocate_array(d->arena, f->variable_count + 1, sizeof *d->variable_offsets);
  for (uint32_t i = 0; i < f->variable_count; i++) {
    const struct ptx_variable *v = &f->variables[i];
    uint64_t *end = v->space == PTX_PARAM ? area : v->space == PTX_LOCAL ? local : NULL;
    if (!end) continue;
    uint64_t start, most = v->space == PTX_LOCAL ? DECODE_MOST_LOCAL : DECODE_MOST_CALL_AREA;
    if (!checked_place(end, v->size, v->alignment, most, &start)) {
      decode_error(d, NULL, "the variable %s of %zu bytes is too large", v->name, v->size);
      return;
    }
    d->variable_offsets[i] = (uint32_t)start;
  }
}

// Results, formal parameters and the .param variables of calls share one area per lane. The parameters of an
// entry lie elsewhere: the launch holds them.
static void place_variables(struct decoder *d) {
  const struct ptx_function *f = d->source;
  uint64_t area = 0, local = 0;
  if (f->is_entry) {
    place_list(d, f->parameters, f->parameter_count, &d->function->parameter_offsets, 0,
               DECODE_MOST_PARAMETERS);
  } else {
    area = place_list(d, f->results, f->result_count, &d->function->result_offsets, 0, DECODE_MOST_CALL_AREA);
    area = place_list(d, f->parameters, f->parameter_count, &d->function->parameter_offsets, area,
                      DECODE_MOST_CALL_AREA);
  }
  place_own(d, &area, &local);
  // area and local are within their bounds, which are multiples of 16
  d->function->call_area_bytes = (uint32_t)(area + 15) / 16 * 16;
  d->function->local_bytes = (uint32_t)(local + 15) / 16 * 16;
}

static void fix_targets(struct decoder *d) {
  for (uint32_t i = 0; i < d->fixup_count; i++) {
    const struct target_fixup *fixup = &d->fixups[i];
    uint32_t target = d->first_op[fixup->instruction];
    if (fixup->slot)
      *fixup->slot = target;
    else
      d->ops[fixup->op].target = target;
  }
}

// For whoever looks at a frame as a whole: the gaps between the places belong to nobody (and are poisoned
// under the address sanitizer, execute/frame.c).
static void take_places(struct decoder *d) {
  struct function *f = d->function;
  struct frame_place *places = arena_allocate_array(d->arena, d->place_count + 1, sizeof *places);
  if (d->place_count) memcpy(places, d->places, d->place_count * sizeof *places);
  f->places = places;
  f->place_count = d->place_count;
}

static void finish_function(struct decoder *d) {
  struct function *f = d->function;
  d->instruction = NULL;
  // a function returns when control reaches its end, PTX ISA 9.7.12.6
  struct op *end = decode_emit(d);
  end->execute = flow_return;
  fix_targets(d);
  take_places(d);
  f->ops = arena_allocate_array(d->arena, d->op_count, sizeof *f->ops);
  memcpy(f->ops, d->ops, d->op_count * sizeof *f->ops);
  f->op_count = d->op_count;
  f->constants = arena_allocate_array(d->arena, d->constant_count + 1, sizeof *f->constants);
  if (d->constant_count) memcpy(f->constants, d->constants, d->constant_count * sizeof *f->constants);
  f->constant_count = d->constant_count;
  f->register_bytes = (d->next_offset + 63) / 64 * 64;
  f->register_places = d->register_offsets;
  if (d->program->uses_products) decode_moves_of_sums(d, f);
}

static void index_variables(struct decoder *d, struct name_index *names, const struct ptx_variable *variables,
                            uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    name_index_add(names, d->arena, variables[i].name, i);
}

void decode_index_names(struct decoder *d) {
  const struct ptx_function *f = d->source;
  index_variables(d, &d->variable_names, f->variables, f->variable_count);
  index_variables(d, &d->parameter_names, f->parameters, f->parameter_count);
  index_variables(d, &d->result_names, f->results, f->result_count);
  for (uint32_t i = 0; i < f->label_count; i++)
    name_index_add(&d->label_names, d->arena, f->labels[i].name, i);
  for (uint32_t i = 0; i < f->target_count; i++)
    name_index_add(&d->table_names, d->arena, f->targets[i].name, i);
  d->table_targets = arena_allocate_array(d->arena, f->target_count + 1, sizeof *d->table_targets);
}

void decode_function(struct program *p, struct function *f) {
  struct decoder d = {
      .program = p, .function = f, .source = f->source, .module = p->module, .arena = p->arena};
  decode_index_names(&d);
  place_variables(&d);
  if (!d.failed) decode_place_registers(&d);
  if (!d.failed && d.next_offset > DECODE_MOST_REGISTERS)
    decode_error(&d, NULL, "its registers take %u bytes of a warp, more than %u", d.next_offset,
                 DECODE_MOST_REGISTERS);
  if (d.failed) { // the function gets no code: the program has a problem, so it can't be launched
    free(d.places);
    free(d.constants);
    return;
  }
  uint32_t problems = p->problem_count;
  d.first_op = arena_allocate_array(d.arena, f->source->instruction_count + 1, sizeof *d.first_op);
  for (uint32_t i = 0; i < f->source->instruction_count; i++) {
    d.first_op[i] = d.op_count;
    decode_instruction(&d, &f->source->instructions[i]);
  }
  d.first_op[f->source->instruction_count] = d.op_count;
  finish_function(&d);
  if (p->problem_count == problems) decode_verify(&d);
  free(d.ops);
  free(d.places);
  free(d.constants);
  free(d.fixups);
}
