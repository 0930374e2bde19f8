// The state of decoding one function. Private to the files of decode/.
#ifndef VIRTUAL_HOPPER_DECODE_DECODER_H
#define VIRTUAL_HOPPER_DECODE_DECODER_H

#include "virtual-hopper/decode/decode.h"
#include "virtual-hopper/decode/program.h"

// Bounds on what a program may ask for. Where CUDA has a bound, it is the same here (32764 bytes of
// parameters, 512 KiB of local memory). Fuzzers write short programs, so in fuzz builds a short program
// reaches the bounds.
#ifdef VHOPPER_FUZZ_LIMITS
enum {
  DECODE_MOST_PARAMETERS = 32764,
  DECODE_MOST_LOCAL = 4 << 10,
  DECODE_MOST_CALL_AREA = 256,
  DECODE_MOST_REGISTERS = 64 << 10,
  DECODE_MOST_FRAME = 72 << 10,
  DECODE_MOST_TARGETS = 8,
  DECODE_MOST_TEMPORARIES = 8
};
#else
enum {
  DECODE_MOST_PARAMETERS = 32764,
  DECODE_MOST_LOCAL = 512 << 10,
  DECODE_MOST_CALL_AREA = 64 << 10,
  DECODE_MOST_REGISTERS = 8 << 20, // bytes that the declared registers take in a frame
  DECODE_MOST_FRAME = 256 << 20,   // bytes with immediates, addresses of symbols and scratch registers, too
  DECODE_MOST_TARGETS = 1 << 20,   // entries in all tables of branch targets of a function
  DECODE_MOST_TEMPORARIES = 64     // scratch registers of one width in one instruction
};
#endif
enum { LANE_BYTES_32 = 4 * WARP_LANES, LANE_BYTES_64 = 8 * WARP_LANES };

struct temporaries {
  uint32_t offsets[DECODE_MOST_TEMPORARIES];
  uint32_t made, used;
};

struct target_fixup {
  uint32_t op;
  uint32_t *slot;
  uint32_t instruction;
}; // slot NULL: the target is ops[op].target

struct decoder {
  struct program *program;
  struct function *function;
  const struct ptx_function *source;
  const struct ptx_module *module;
  struct arena *arena;
  // registers:
  uint32_t *register_offsets; // by register index
  // by register index:
  struct register_use {
    uint32_t reads, writes, reader, writer; // reader, writer: the last instructions that do
  } * register_uses;
  uint32_t next_offset;       // where the next place in the frame begins
  struct frame_place *places; // every place in the frame, in ascending order
  uint32_t place_count, place_capacity;
  struct temporaries predicates, words, doubles; // scratch registers; every instruction reuses them
  struct constant *constants;
  uint32_t constant_count, constant_capacity;
  uint32_t *constant_table;
  uint32_t constant_table_size; // a hash table with open addressing; an entry is index + 1
  // code:
  struct op *ops;
  uint32_t op_count, op_capacity;
  uint32_t table_entries; // in all tables of branch targets decoded so far
  uint32_t *first_op;     // by instruction number; [instruction_count] is the end
  struct target_fixup *fixups;
  uint32_t fixup_count, fixup_capacity;
  // offsets of the .param variables of calls and of the .local variables, by index in source->variables
  uint32_t *variable_offsets;
  // each name that the function declares -> its index in the list of `source`
  struct name_index variable_names, parameter_names, result_names, label_names, table_names;
  uint32_t **table_targets; // by index in source->targets; NULL: not decoded yet
  // the instruction that is being decoded:
  const struct ptx_instruction *instruction;
  bool failed;
};

// Grows an array that lies outside the arena. Dies when there is no memory left.
void *decode_grow(void *array, uint32_t *capacity, uint32_t count, size_t size);

// decode.c: decodes all instructions of one function. Errors are added to the program's problems.
void decode_function(struct program *p, struct function *f);
// Fills the name indexes for `source`. This is the first step of decoding a function.
void decode_index_names(struct decoder *d);

// registers.c: gives every register of the function a place in the frame. Registers that are never live
// together share a place.
void decode_place_registers(struct decoder *d);
// Returns the offset of a new place in the frame; 0 after decode_error.
uint32_t decode_reserve(struct decoder *d, uint32_t bytes);
// Returns the bytes per lane: 4, 8 or 16; 0 for a predicate.
size_t decode_storage(enum ptx_type type);

// operand.c
uint32_t decode_symbolic_constant(struct decoder *d, uint64_t value, size_t bytes, enum constant_base base);
// Finds the address of a symbol as a number, and the space in which the symbol lies. Returns false when there
// is no such symbol.
bool decode_symbol(struct decoder *d, const char *name, uint64_t *address, enum constant_base *base,
                   enum ptx_space *space);
// Finds the slot of a .param variable in the call area, or of a formal parameter or result of a device
// function. Returns false when the name is none of these.
bool decode_call_slot(struct decoder *d, const char *name, uint32_t *offset, uint32_t *bytes);

// verify.c: dies when an op would touch memory that its function doesn't own. Only for functions without a
// problem.
void decode_verify(const struct decoder *d);
// wgmma.c: moves of sums of a decoded function become moves that complete these sums first.
void decode_moves_of_sums(struct decoder *d, struct function *f);

// branch.c: returns the number of the instruction that the label stands before; -1 when the label does not
// exist.
int64_t decode_label(struct decoder *d, const char *name);
void decode_fix_target(struct decoder *d, uint32_t op, uint32_t *slot, uint32_t instruction);

// special.c: emits an op that reads a special register. Returns the scratch register that receives the value.
uint32_t decode_special_predicate(struct decoder *d, const char *name);
uint32_t decode_special_register(struct decoder *d, const char *name, size_t bytes);

#endif
