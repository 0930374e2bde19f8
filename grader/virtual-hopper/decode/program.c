// In: an entry. Out: the program: all functions that the entry can reach, the places of its variables in
// shared and local memory, and its code.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/footprint.h"

int32_t program_reach(struct program *p, const char *name) {
  uint32_t i;
  if (!name_index_find(&p->function_names, name, &i) || !p->module->functions[i].has_body) return -1;
  if (p->by_index[i] >= 0) return p->by_index[i];
  const struct ptx_function *source = &p->module->functions[i];
  p->functions =
      decode_grow(p->functions, &p->function_capacity, p->function_count, sizeof(struct function *));
  struct function *f = arena_allocate(p->arena, sizeof *f);
  *f = (struct function){.source = source,
                         .module = p->module,
                         .name = source->name,
                         .is_entry = source->is_entry,
                         .index = p->function_count};
  p->by_index[i] = (int32_t)p->function_count;
  p->functions[p->function_count++] = f;
  return p->by_index[i];
}

static void add_shared(struct program *p, const struct ptx_variable *v, uint32_t offset, uint32_t bytes) {
  p->shared = decode_grow(p->shared, &p->shared_capacity, p->shared_count, sizeof *p->shared);
  name_index_add(&p->shared_names, p->arena, v->name, p->shared_count);
  p->shared[p->shared_count++] = (struct shared_symbol){v->name, offset, bytes, (uint32_t)v->alignment};
}

static void add_names(struct name_index *names, struct arena *arena, const struct ptx_operand *operand) {
  if (operand->kind == PTX_OPERAND_SYMBOL) name_index_add(names, arena, operand->name, 0);
  for (uint32_t i = 0; i < operand->count; i++)
    add_names(names, arena, &operand->elements[i]);
}

// Returns every symbol that the code of the program names.
static struct name_index names_in_use(const struct program *p) {
  struct name_index names = {0};
  for (uint32_t i = 0; i < p->function_count; i++) {
    const struct ptx_function *f = p->functions[i]->source;
    for (uint32_t k = 0; k < f->instruction_count; k++)
      for (uint32_t n = 0; n < f->instructions[k].operand_count; n++)
        add_names(&names, p->arena, &f->instructions[k].operands[n]);
  }
  return names;
}

// far more bytes than a block may have, but the end of the area still fits into 32 bits
#define MOST_SHARED (UINT32_MAX / 2)

// Places the variables whose names are in `used`. NULL: places all variables.
static uint64_t place_shared_list(struct program *p, const struct ptx_variable *variables, uint32_t count,
                                  const struct name_index *used, uint64_t end, uint64_t *dynamic_alignment) {
  for (uint32_t i = 0; i < count; i++) {
    const struct ptx_variable *v = &variables[i];
    uint32_t ignored;
    if (v->space != PTX_SHARED || (used && !name_index_find(used, v->name, &ignored))) continue;
    if (v->is_extern || !v->size) {
      if (v->alignment > *dynamic_alignment) *dynamic_alignment = v->alignment;
      continue;
    }
    uint64_t start;
    // the launch will report that the program needs too much shared memory
    if (!checked_place(&end, v->size, v->alignment, MOST_SHARED, &start)) start = end = MOST_SHARED;
    add_shared(p, v, (uint32_t)start, (uint32_t)(end - start));
  }
  return end;
}

static void place_dynamic(struct program *p, const struct ptx_variable *variables, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (variables[i].space == PTX_SHARED && (variables[i].is_extern || !variables[i].size))
      add_shared(p, &variables[i], p->dynamic_shared_offset, 0);
}

// Lays out the shared memory of a block: first every static variable that the entry can reach, then all
// extern arrays at one common place (CUDA C++ Programming Guide, `__shared__`).
static void place_shared(struct program *p) {
  uint64_t alignment = 16;
  const struct name_index used = names_in_use(p);
  uint64_t end = place_shared_list(p, p->module->variables, p->module->variable_count, &used,
                                   SHARED_FIRST_OFFSET, &alignment);
  for (uint32_t i = 0; i < p->function_count; i++)
    end = place_shared_list(p, p->functions[i]->source->variables, p->functions[i]->source->variable_count,
                            NULL, end, &alignment);
  p->static_shared_bytes = (uint32_t)(end - SHARED_FIRST_OFFSET);
  if (!checked_align_up(end, alignment, &end)) die("shared memory ends past 2^64 bytes");
  p->dynamic_shared_offset = (uint32_t)end;
  place_dynamic(p, p->module->variables, p->module->variable_count);
  for (uint32_t i = 0; i < p->function_count; i++)
    place_dynamic(p, p->functions[i]->source->variables, p->functions[i]->source->variable_count);
}

// A kernel that is named is launched, not called: it is a program of its own.
static void reach_function(struct program *p, const char *name) {
  uint32_t i;
  if (name_index_find(&p->function_names, name, &i) && !p->module->functions[i].is_entry)
    program_reach(p, name);
}

static void reach_operand(struct program *p, const struct ptx_operand *operand) {
  if (operand->kind == PTX_OPERAND_SYMBOL) reach_function(p, operand->name);
  for (uint32_t i = 0; i < operand->count; i++)
    reach_operand(p, &operand->elements[i]);
}

// Marks functions whose addresses stand in initialisers, such as tables of virtual functions.
static void reach_tables(struct program *p) {
  for (uint32_t i = 0; i < p->module->variable_count; i++)
    for (size_t k = 0; k < p->module->variables[i].relocation_count; k++)
      reach_function(p, p->module->variables[i].relocations[k].symbol);
}

static void reach_all(struct program *p) {
  for (uint32_t i = 0; i < p->function_count; i++) {
    const struct ptx_function *f = p->functions[i]->source;
    for (uint32_t k = 0; k < f->instruction_count; k++) {
      const struct ptx_instruction *in = &f->instructions[k];
      for (uint32_t n = 0; n < in->operand_count; n++)
        reach_operand(p, &in->operands[n]);
      if (strcmp(in->opcode, "call") != 0) continue;
      bool direct = false;
      for (uint32_t n = 0; n < in->operand_count && !direct; n++)
        direct = n <= 1 && in->operands[n].kind == PTX_OPERAND_SYMBOL;
      if (direct || p->uses_indirect_calls) continue;
      p->uses_indirect_calls = true;
      reach_tables(p);
    }
  }
}

// ---- local memory -----------------------------------------------------------------------------------------

enum { UNVISITED = 0, VISITING = -1, ENDLESS = -2 };

#ifdef VHOPPER_FUZZ_LIMITS
enum { LONGEST_CHAIN = 3 };
#else
enum { LONGEST_CHAIN = 1000 }; // calls; a longer chain counts as endless
#endif

static int64_t deepest(const struct program *p, uint32_t i, int64_t *depths, uint32_t chain);

static int64_t deepest_call(const struct program *p, const struct ptx_instruction *in, int64_t *depths,
                            uint32_t chain) {
  int64_t below = 0;
  for (uint32_t n = 0; n < in->operand_count; n++) {
    uint32_t i;
    if (in->operands[n].kind != PTX_OPERAND_SYMBOL ||
        !name_index_find(&p->function_names, in->operands[n].name, &i) || p->by_index[i] < 0)
      continue;
    int64_t depth = deepest(p, (uint32_t)p->by_index[i], depths, chain + 1);
    if (depth < 0) return ENDLESS;
    if (depth > below) below = depth;
  }
  return below;
}

// Returns the bytes of local memory that function i and the deepest chain of calls below it need. Returns
// ENDLESS when there is no bound, because the calls form a cycle or the chain is too long. depths[] holds the
// results plus one.
static int64_t deepest(const struct program *p, uint32_t i, int64_t *depths, uint32_t chain) {
  if (depths[i] == VISITING || depths[i] == ENDLESS || chain > LONGEST_CHAIN) return ENDLESS;
  if (depths[i] != UNVISITED) return depths[i] - 1;
  depths[i] = VISITING;
  int64_t below = 0;
  const struct ptx_function *f = p->functions[i]->source;
  for (uint32_t k = 0; k < f->instruction_count && below >= 0; k++) {
    if (strcmp(f->instructions[k].opcode, "call") != 0) continue;
    int64_t depth = deepest_call(p, &f->instructions[k], depths, chain);
    if (depth < 0 || depth > below) below = depth;
  }
  depths[i] = below < 0 ? ENDLESS : below + p->functions[i]->local_bytes + 1;
  return below < 0 ? ENDLESS : depths[i] - 1;
}

static void size_local(struct program *p) {
  int64_t *depths = arena_allocate_array(p->arena, p->function_count, sizeof *depths);
  int64_t bytes = deepest(p, 0, depths, 0);
  p->uses_recursion = bytes < 0;
  bool unbounded = bytes < 0 || p->uses_indirect_calls;
  if (unbounded) bytes = RECURSION_LOCAL_BYTES;
  for (uint32_t i = 0; unbounded && i < p->function_count; i++)
    bytes += p->functions[i]->local_bytes;
  // deeper calls overflow
  p->entry->local_bytes_per_thread = (uint32_t)(bytes < DECODE_MOST_LOCAL ? bytes : DECODE_MOST_LOCAL);
}

struct program *program_decode(const struct ptx_module *module, const struct ptx_function *entry,
                               const struct placement *placement, struct arena *arena) {
  struct program *p = arena_allocate(arena, sizeof *p);
  *p = (struct program){.module = module, .placement = placement, .arena = arena};
  p->by_index = arena_allocate_array(arena, module->function_count + 1, sizeof *p->by_index);
  for (uint32_t i = 0; i < module->function_count; i++) {
    p->by_index[i] = -1;
    name_index_add(&p->function_names, arena, module->functions[i].name, i);
  }
  for (uint32_t i = 0; placement && i < placement->count; i++)
    name_index_add(&p->placed_names, arena, placement->variables[i].variable->name, i);
  int32_t first = program_reach(p, entry->name);
  if (first != 0) die("the entry %s has no body", entry->name);
  p->entry = p->functions[0];
  reach_all(p);
  place_shared(p);
  p->executors = *footprint_index();
  for (uint32_t i = 0; i < p->function_count; i++)
    decode_function(p, p->functions[i]);
  size_local(p);
  return p;
}

void program_release(struct program *p) {
  if (!p) return;
  free(p->functions);
  free(p->shared);
  free(p->problems);
}
