// The decoded form: one `struct op` per PTX instruction, everything decided: type, width, space, rounding, operand places.
#ifndef VIRTUAL_HOPPER_DECODE_OP_H
#define VIRTUAL_HOPPER_DECODE_OP_H

#include "virtual-hopper/machine.h"
#include "virtual-hopper/ptx.h"

typedef void op_execute(struct warp *w, const struct op *op);

#define OP_NO_REGISTER UINT32_MAX

struct op {
  op_execute *execute;
  uint32_t d, a, b, c; // byte offsets into the frame's registers; OP_NO_REGISTER: absent (a sink)
  uint32_t guard;      // predicate's offset, OP_NO_REGISTER: unguarded
  bool guard_negated;
  uint8_t space;        // enum ptx_space of an access; PTX_SPACE_NONE: generic
  uint8_t width, count; // bytes of one element; vector elements
  uint8_t kind, flags;  // the family's own
  uint32_t target;      // branch: index of the op to go to; else a fourth operand place of the family's own
  int64_t immediate;    // address offset, or the family's own
  const void *extra;    // family's own decoded data, in the module's arena
  const struct ptx_instruction *source;
  const struct ptx_module *module;
};

// A value that a frame holds from the moment it is made: immediates and symbols' addresses, broadcast over the lanes.
struct constant {
  uint32_t offset; // in the frame's registers
  uint8_t bytes;   // 4 or 8 per lane; 0: a predicate (one mask)
  enum constant_base {
    CONSTANT_ABSOLUTE,
    CONSTANT_SHARED,
    CONSTANT_LOCAL
  } base; // SHARED: add the block's rank << 24;
          // LOCAL: add the frame's local_base
  uint64_t value;
};

struct function { // decoded code of one PTX function
  const struct ptx_function *source;
  const struct ptx_module *module;
  const char *name;
  bool is_entry;
  struct op *ops;
  uint32_t op_count;               // ends in an implicit ret/exit
  uint32_t register_bytes;         // frame size
  const uint32_t *register_places; // offset in the frame of each of source->registers, for tests and traces
  struct constant *constants;
  uint32_t constant_count;
  uint32_t call_area_bytes;                     // .param space of calls, per lane
  uint32_t *result_offsets, *parameter_offsets; // in the call area (device functions)
  uint32_t local_bytes;                         // of this activation, per thread
  uint32_t local_bytes_per_thread; // entry only: deepest call chain, recursion allowance included
  uint32_t index;                  // in its program
};

// decode's services to the families ----------------------------------------------------------------------------------------------

struct decoder; // one function being decoded
typedef bool decode_family(struct decoder *d, const struct ptx_instruction *in,
                           struct op *op); // false: decode_error was called

// All return an offset, or OP_NO_REGISTER after decode_error (a sink destination also gives OP_NO_REGISTER: check decode_failed).
uint32_t decode_source(struct decoder *d, const struct ptx_operand *operand,
                       enum ptx_type type); // register, immediate (broadcast constant of
// the type's width), special register (its read is emitted as an op before), symbol address
uint32_t decode_destination(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type);
uint32_t decode_predicate(struct decoder *d, const struct ptx_operand *operand,
                          bool *negated); // a predicate source; !p allowed when negated != NULL
uint32_t decode_constant(struct decoder *d, uint64_t value, size_t bytes); // 4 or 8: broadcast over the lanes
uint32_t decode_temporary(struct decoder *d, size_t bytes_per_lane); // scratch register: 4 or 8; 0: predicate
// [base + offset]: op->a (always made 64-bit wide unless space is shared and the register is 32-bit: then *narrow = true) and op->immediate.
bool decode_address(struct decoder *d, const struct ptx_operand *operand, enum ptx_space space, struct op *op,
                    uint32_t *base, int64_t *offset, bool *narrow);
void *decode_allocate(struct decoder *d, size_t bytes); // in the module's arena
bool decode_error(struct decoder *d, const struct ptx_instruction *in, const char *format,
                  ...) // always false; names line and instruction
    __attribute__((format(printf, 3, 4)));
enum ptx_type decode_type(const struct ptx_instruction *in,
                          unsigned nth); // nth type modifier, PTX_TYPE_NONE when absent
struct op *decode_emit(
    struct decoder *d); // one more op before the present one, unguarded; valid until the next one is emitted
enum ptx_type decode_register_type(
    struct decoder *d, const struct ptx_operand *operand); // as declared; PTX_TYPE_NONE: no register
bool decode_failed(const struct decoder *d); // decode_error was called for the present instruction
// Accepts exactly the modifiers named (NULL-terminated list) besides types; false after decode_error for another one.
bool decode_allowed(struct decoder *d, const struct ptx_instruction *in, const char *const allowed[]);

// The families, by opcode; decode_family_find in decode/families.c lists them all.
decode_family decode_integer, decode_float, decode_half, decode_logic, decode_move, decode_compare,
    decode_convert; // arithmetic
decode_family decode_branch, decode_call, decode_memory, decode_atomic, decode_barrier, decode_warp,
    decode_special, decode_fence, decode_cp_async, decode_matrix, decode_mma; // core
decode_family decode_mbarrier, decode_bulk, decode_tensor, decode_tensormap;  // asynchronous

#endif
