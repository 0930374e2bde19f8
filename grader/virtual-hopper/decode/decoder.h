// The private state of decoding one function; what decode's own files share.
#ifndef VIRTUAL_HOPPER_DECODE_DECODER_H
#define VIRTUAL_HOPPER_DECODE_DECODER_H

#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/decode/program.h"

// Bounds on what a program may ask for; CUDA's own where it has one (32764 bytes of parameters, 512 KiB of local memory).
enum {
  DECODE_MOST_PARAMETERS = 32764,
  DECODE_MOST_LOCAL = 512 << 10,
  DECODE_MOST_CALL_AREA = 64 << 10,
  DECODE_MOST_FRAME = 8 << 20
};
enum { DECODE_MOST_TEMPORARIES = 64, LANE_BYTES_32 = 4 * WARP_LANES, LANE_BYTES_64 = 8 * WARP_LANES };

struct temporaries {
  uint32_t offsets[DECODE_MOST_TEMPORARIES];
  uint32_t made, used;
};

struct target_fixup {
  uint32_t op;
  uint32_t *slot;
  uint32_t instruction;
}; // slot NULL: ops[op].target

struct decoder {
  struct program *program;
  struct function *function;
  const struct ptx_function *source;
  const struct ptx_module *module;
  struct arena *arena;
  // registers:
  uint32_t *register_offsets;                    // by register index
  bool *register_read;                           // the same: somebody reads it
  uint32_t next_offset;                          // of the frame
  struct temporaries predicates, words, doubles; // reused by every instruction
  struct constant *constants;
  uint32_t constant_count, constant_capacity;
  uint32_t *constant_table;
  uint32_t constant_table_size; // open addressing: index + 1
  // code:
  struct op *ops;
  uint32_t op_count, op_capacity;
  uint32_t *first_op; // by instruction; [instruction_count] is the end
  struct target_fixup *fixups;
  uint32_t fixup_count, fixup_capacity;
  // the .param variables of calls and the .local ones: offsets by index in source->variables
  uint32_t *variable_offsets;
  // what the function's own names stand for: places in source's lists
  struct name_index variable_names, parameter_names, result_names, label_names, table_names;
  uint32_t **table_targets; // by index in source->targets; NULL: not decoded yet
  // the instruction in work:
  const struct ptx_instruction *instruction;
  bool failed;
};

// Grows an array kept outside the arena; dies when memory is out.
void *decode_grow(void *array, uint32_t *capacity, uint32_t count, size_t size);

static inline uint64_t decode_align_up(uint64_t value, uint64_t alignment) {
  return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

// decode.c: all instructions of one function; what can't be decoded is added to the program's problems.
void decode_function(struct program *p, struct function *f);
void decode_index_names(struct decoder *d); // before all else: fills the names of `source`

// registers.c: gives every register of the function its place in the frame, sharing places between registers that are never live together.
void decode_place_registers(struct decoder *d);
uint32_t decode_reserve(struct decoder *d, uint32_t bytes); // new place in the frame
size_t decode_storage(enum ptx_type type);                  // bytes per lane: 0 predicate, 4, 8 or 16

// operand.c
uint32_t decode_symbolic_constant(struct decoder *d, uint64_t value, size_t bytes, enum constant_base base);
// The address of a symbol as a number: false when there is no such symbol. `space` is the space it lives in.
bool decode_symbol(struct decoder *d, const char *name, uint64_t *address, enum constant_base *base,
                   enum ptx_space *space);
// A .param variable of the call area, a formal parameter or result of a device function; false: none of these.
bool decode_call_slot(struct decoder *d, const char *name, uint32_t *offset, uint32_t *bytes);

// branch.c: the op in work jumps to a label; -1 when there is none.
int64_t decode_label(struct decoder *d, const char *name);
void decode_fix_target(struct decoder *d, uint32_t op, uint32_t *slot, uint32_t instruction);

// special.c: emits the read of a special register; gives the temporary that holds it.
uint32_t decode_special_register(struct decoder *d, const char *name, size_t bytes);

#endif
