// In: an operand of the syntax tree. Out: a place in the frame. One idea: an operand may be a register, an
// immediate, a symbol or a special register, but the op always reads it as a register. So no op checks the
// kind of its operands.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/base/salt.h"
#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/move.h"

size_t decode_storage(enum ptx_type type) {
  if (type == PTX_PRED) return 0;
  size_t size = ptx_type_size(type);
  return size <= 4 ? 4 : size;
}

enum ptx_type decode_register_type(struct decoder *d, const struct ptx_operand *operand) {
  bool is_register = operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_NOT ||
                     operand->kind == PTX_OPERAND_NEGATED;
  return is_register ? d->source->registers[operand->register_index].type : PTX_TYPE_NONE;
}

// ---- constants --------------------------------------------------------------------------------------------

static uint32_t constant_hash(uint64_t value, size_t bytes, enum constant_base base) {
  const struct salt *salt = salt_of_process();
  return (uint32_t)(((value ^ (value >> 29)) * salt->factor + (bytes * 31 + base) * (salt->start | 1)) >> 32);
}

static void constant_table_grow(struct decoder *d) {
  uint32_t size = d->constant_table_size ? d->constant_table_size * 2 : 64;
  d->constant_table = arena_allocate_array(d->arena, size, sizeof *d->constant_table);
  d->constant_table_size = size;
  for (uint32_t i = 0; i < d->constant_count; i++) {
    const struct constant *c = &d->constants[i];
    uint32_t at = constant_hash(c->value, c->bytes, c->base) & (size - 1);
    while (d->constant_table[at])
      at = (at + 1) & (size - 1);
    d->constant_table[at] = i + 1;
  }
}

uint32_t decode_symbolic_constant(struct decoder *d, uint64_t value, size_t bytes, enum constant_base base) {
  if (2 * d->constant_count >= d->constant_table_size) constant_table_grow(d);
  uint32_t at = constant_hash(value, bytes, base) & (d->constant_table_size - 1);
  for (; d->constant_table[at]; at = (at + 1) & (d->constant_table_size - 1)) {
    const struct constant *c = &d->constants[d->constant_table[at] - 1];
    if (c->value == value && c->bytes == bytes && c->base == base) return c->offset;
  }
  d->constants = decode_grow(d->constants, &d->constant_capacity, d->constant_count, sizeof *d->constants);
  uint32_t offset = decode_reserve(d, bytes ? (uint32_t)bytes * WARP_LANES : 4);
  // a constant without a place must not enter the table
  if (d->failed) return OP_NO_REGISTER;
  d->constants[d->constant_count++] =
      (struct constant){.offset = offset, .bytes = (uint8_t)bytes, .base = base, .value = value};
  d->constant_table[at] = d->constant_count;
  return offset;
}

uint32_t decode_constant(struct decoder *d, uint64_t value, size_t bytes) {
  return decode_symbolic_constant(d, bytes == 4 ? (uint32_t)value : value, bytes, CONSTANT_ABSOLUTE);
}

// ---- scratch ----------------------------------------------------------------------------------------------

uint32_t decode_temporary(struct decoder *d, size_t bytes) {
  struct temporaries *pool = bytes == 0 ? &d->predicates : bytes == 4 ? &d->words : &d->doubles;
  if (pool->used == DECODE_MOST_TEMPORARIES) {
    decode_error(d, d->instruction, "it needs more than %d scratch registers", DECODE_MOST_TEMPORARIES);
    return OP_NO_REGISTER;
  }
  if (pool->used == pool->made) {
    uint32_t offset = decode_reserve(d, bytes ? (uint32_t)bytes * WARP_LANES : 4);
    if (d->failed) return OP_NO_REGISTER; // a scratch register without a place must not enter the pool
    pool->offsets[pool->made++] = offset;
  }
  return pool->offsets[pool->used++];
}

// ---- symbols ----------------------------------------------------------------------------------------------

static bool find_own_variable(struct decoder *d, const char *name, uint64_t *address,
                              enum constant_base *base, enum ptx_space *space) {
  uint32_t i;
  if (name_index_find(&d->variable_names, name, &i) && d->source->variables[i].space == PTX_LOCAL) {
    *address = d->variable_offsets[i];
    *base = CONSTANT_LOCAL;
    *space = PTX_LOCAL;
    return true;
  }
  if (!d->function->is_entry || !name_index_find(&d->parameter_names, name, &i)) return false;
  *address = d->function->parameter_offsets[i];
  *base = CONSTANT_ABSOLUTE;
  *space = PTX_PARAM;
  return true;
}

static bool find_placed(struct decoder *d, const char *name, uint64_t *address, enum ptx_space *space) {
  uint32_t i;
  if (!name_index_find(&d->program->placed_names, name, &i)) return false;
  const struct placed_variable *placed = &d->program->placement->variables[i];
  *address = placed->address;
  *space = placed->variable->space;
  return true;
}

static bool find_function(struct decoder *d, const char *name, uint64_t *address) {
  uint32_t i;
  if (!name_index_find(&d->program->function_names, name, &i)) return false;
  // a kernel's address is for a launch: its code is no part of this program
  if (!d->program->module->functions[i].is_entry) program_reach(d->program, name);
  *address = FUNCTION_WINDOW + 16ull * i;
  return true;
}

bool decode_symbol(struct decoder *d, const char *name, uint64_t *address, enum constant_base *base,
                   enum ptx_space *space) {
  *base = CONSTANT_ABSOLUTE;
  if (find_own_variable(d, name, address, base, space)) return true;
  uint32_t i;
  if (name_index_find(&d->program->shared_names, name, &i)) {
    *address = d->program->shared[i].offset;
    *base = CONSTANT_SHARED;
    *space = PTX_SHARED;
    return true;
  }
  if (find_placed(d, name, address, space)) return true;
  *space = PTX_SPACE_NONE;
  return find_function(d, name, address);
}

static bool match_slot(const struct name_index *names, const struct ptx_variable *variables,
                       const uint32_t *offsets, const char *name, uint32_t *offset, uint32_t *bytes) {
  uint32_t i;
  if (!name_index_find(names, name, &i) || variables[i].space != PTX_PARAM) return false;
  *offset = offsets[i];
  *bytes = (uint32_t)variables[i].size;
  return true;
}

bool decode_call_slot(struct decoder *d, const char *name, uint32_t *offset, uint32_t *bytes) {
  const struct ptx_function *f = d->source;
  if (match_slot(&d->variable_names, f->variables, d->variable_offsets, name, offset, bytes)) return true;
  if (f->is_entry) return false;
  return match_slot(&d->result_names, f->results, d->function->result_offsets, name, offset, bytes) ||
         match_slot(&d->parameter_names, f->parameters, d->function->parameter_offsets, name, offset, bytes);
}

// ---- operands ---------------------------------------------------------------------------------------------

// Copies a register into a scratch register of another width.
static uint32_t change_width(struct decoder *d, uint32_t from, size_t bytes) {
  uint32_t to = decode_temporary(d, bytes);
  struct op *op = decode_emit(d);
  op->execute = bytes == 4 ? warp_narrow : warp_widen;
  op->d = to;
  op->a = from;
  return to;
}

static uint32_t source_register(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type) {
  enum ptx_type declared = decode_register_type(d, operand);
  uint32_t offset = d->register_offsets[operand->register_index];
  size_t have = decode_storage(declared), want = decode_storage(type);
  if (have == want) return offset;
  if (have == 8 && want == 4) return change_width(d, offset, 4);
  decode_error(d, d->instruction, "register %s is .%s, the instruction reads .%s", operand->name,
               ptx_type_name(declared), ptx_type_name(type));
  return OP_NO_REGISTER;
}

static uint64_t float_bits(const struct ptx_operand *operand, enum ptx_type type) {
  // for example 1.5 as an operand of type .f32
  if (operand->type == PTX_F64 && ptx_type_size(type) == 4) {
    double value;
    memcpy(&value, &operand->integer, 8);
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    return bits;
  }
  if (operand->type == PTX_F32 && type == PTX_F64) {
    float value;
    memcpy(&value, &operand->integer, 4);
    double wide = value;
    uint64_t bits;
    memcpy(&bits, &wide, 8);
    return bits;
  }
  return (uint64_t)operand->integer;
}

static uint32_t source_immediate(struct decoder *d, uint64_t value, enum ptx_type type) {
  size_t bytes = ptx_type_size(type);
  if (type == PTX_PRED) return decode_constant(d, value ? UINT32_MAX : 0, 0);
  if (bytes > 8) {
    decode_error(d, d->instruction, "an immediate can't be .%s", ptx_type_name(type));
    return OP_NO_REGISTER;
  }
  if (bytes < 4) value &= (1ull << (8 * bytes)) - 1;
  return decode_constant(d, value, bytes == 8 ? 8 : 4);
}

static uint32_t source_symbol(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type) {
  uint64_t address;
  enum constant_base base;
  enum ptx_space space;
  if (!decode_symbol(d, operand->name, &address, &base, &space)) {
    decode_error(d, d->instruction, "nothing in this module is called `%s`", operand->name);
    return OP_NO_REGISTER;
  }
  size_t bytes = ptx_type_size(type);
  if (bytes != 4 && bytes != 8) {
    decode_error(d, d->instruction, "the address of `%s` has 32 or 64 bits, the instruction reads .%s",
                 operand->name, ptx_type_name(type));
    return OP_NO_REGISTER;
  }
  return decode_symbolic_constant(d, address + (uint64_t)operand->integer, bytes, base);
}

// Emits an op before the instruction that reads the special register, 32 or 64 bits wide.
static uint32_t source_special(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type) {
  size_t bytes = decode_storage(type);
  if (bytes == 4 || bytes == 8) return decode_special_register(d, operand->name, bytes);
  decode_error(d, d->instruction, "%s has 32 or 64 bits, the instruction reads .%s", operand->name,
               ptx_type_name(type));
  return OP_NO_REGISTER;
}

uint32_t decode_source(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type) {
  switch (operand->kind) {
  case PTX_OPERAND_REGISTER: return source_register(d, operand, type);
  case PTX_OPERAND_INTEGER: return source_immediate(d, (uint64_t)operand->integer, type);
  case PTX_OPERAND_FLOAT: return source_immediate(d, float_bits(operand, type), type);
  case PTX_OPERAND_SPECIAL: return source_special(d, operand, type);
  case PTX_OPERAND_SYMBOL: return source_symbol(d, operand, type);
  default:
    decode_error(d, d->instruction, "an operand is of a kind that this instruction doesn't take");
    return OP_NO_REGISTER;
  }
}

uint32_t decode_destination(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type) {
  if (operand->kind == PTX_OPERAND_SINK) return OP_NO_REGISTER;
  if (operand->kind != PTX_OPERAND_REGISTER) {
    decode_error(d, d->instruction, "the destination isn't a register");
    return OP_NO_REGISTER;
  }
  enum ptx_type declared = decode_register_type(d, operand);
  if (decode_storage(declared) != decode_storage(type)) {
    decode_error(d, d->instruction, "register %s is .%s, the instruction writes .%s", operand->name,
                 ptx_type_name(declared), ptx_type_name(type));
    return OP_NO_REGISTER;
  }
  return d->register_offsets[operand->register_index];
}

uint32_t decode_predicate(struct decoder *d, const struct ptx_operand *operand, bool *negated) {
  if (negated) *negated = operand->kind == PTX_OPERAND_NOT;
  if (operand->kind == PTX_OPERAND_INTEGER) return decode_constant(d, operand->integer ? UINT32_MAX : 0, 0);
  if (negated && operand->kind == PTX_OPERAND_SPECIAL) return decode_special_predicate(d, operand->name);
  bool is_register = operand->kind == PTX_OPERAND_REGISTER || (negated && operand->kind == PTX_OPERAND_NOT);
  if (!is_register || decode_register_type(d, operand) != PTX_PRED) {
    decode_error(d, d->instruction, "a predicate is wanted here");
    return OP_NO_REGISTER;
  }
  return d->register_offsets[operand->register_index];
}

static bool address_of_symbol(struct decoder *d, const struct ptx_operand *symbol, enum ptx_space space,
                              uint32_t *base, bool *narrow) {
  uint64_t address;
  enum constant_base kind;
  enum ptx_space found;
  if (!decode_symbol(d, symbol->name, &address, &kind, &found))
    return decode_error(d, d->instruction, "nothing in this module is called `%s`", symbol->name);
  // a generic access that names a symbol
  if (space == PTX_SPACE_NONE && found != PTX_GLOBAL && found != PTX_CONST)
    address += found == PTX_SHARED  ? SHARED_WINDOW
               : found == PTX_LOCAL ? LOCAL_WINDOW
               : found == PTX_PARAM ? PARAM_WINDOW
                                    : 0;
  *narrow = space == PTX_SHARED;
  *base = decode_symbolic_constant(d, address, *narrow ? 4 : 8, kind);
  return true;
}

bool decode_address(struct decoder *d, const struct ptx_operand *operand, enum ptx_space space, struct op *op,
                    uint32_t *base, int64_t *offset, bool *narrow) {
  (void)op; // the caller stores base and offset in its op
  const struct ptx_operand *symbol =
      operand->kind == PTX_OPERAND_ADDRESS || operand->kind == PTX_OPERAND_TENSOR
          ? (operand->count ? &operand->elements[0] : NULL)
          : operand;
  *narrow = false;
  *offset = operand->integer;
  if (!symbol) {
    *base = decode_constant(d, 0, 8);
    return true;
  }
  if (symbol != operand && symbol->kind == PTX_OPERAND_SYMBOL)
    *offset = wrapping_add(*offset, symbol->integer);
  if (symbol->kind == PTX_OPERAND_SYMBOL) return address_of_symbol(d, symbol, space, base, narrow);
  if (symbol->kind == PTX_OPERAND_INTEGER) { // [8, {...}]: *offset already holds the number
    *base = decode_constant(d, 0, 8);
    return true;
  }
  size_t storage = decode_storage(decode_register_type(d, symbol));
  if (symbol->kind != PTX_OPERAND_REGISTER || (storage != 4 && storage != 8))
    return decode_error(d, d->instruction,
                        "the address isn't a 32-bit or 64-bit register, a symbol or a number");
  *base = d->register_offsets[symbol->register_index];
  *narrow = storage == 4 && space == PTX_SHARED;
  if (storage == 4 && !*narrow) *base = change_width(d, *base, 8);
  return true;
}
