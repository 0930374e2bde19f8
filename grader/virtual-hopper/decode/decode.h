// The interface between the decoder and the families of instructions: it turns operands into places in the
// frame and reports errors with their line.
#ifndef VIRTUAL_HOPPER_DECODE_DECODE_H
#define VIRTUAL_HOPPER_DECODE_DECODE_H

#include "virtual-hopper/machine/op.h"

// ---- functions for the families ---------------------------------------------------------------------------

struct decoder; // the state of decoding one function
// Decodes one instruction into `op`. Returns false after decode_error.
typedef bool decode_family(struct decoder *d, const struct ptx_instruction *in, struct op *op);

// The functions down to decode_temporary return the offset of a place in the frame, or OP_NO_REGISTER after
// decode_error. For a sink as the destination they also return OP_NO_REGISTER, so callers check
// decode_failed.
//
// A source is a register, an immediate (a constant of the type's width, the same in all
// lanes), a special register (an op before the present one reads it) or the address of a symbol.
uint32_t decode_source(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type);
uint32_t decode_destination(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type);
// A predicate as a source. !p is allowed when negated != NULL.
uint32_t decode_predicate(struct decoder *d, const struct ptx_operand *operand, bool *negated);
// A constant of 4 or 8 bytes, the same in all lanes.
uint32_t decode_constant(struct decoder *d, uint64_t value, size_t bytes);
// A scratch register of 4 or 8 bytes per lane; 0: a scratch predicate.
uint32_t decode_temporary(struct decoder *d, size_t bytes_per_lane);
// Decodes [base + offset] into *base and *offset. The base is made 64 bits wide. The exception is a 32-bit
// register with an address in shared memory: the base stays 32 bits wide and *narrow is set to true.
bool decode_address(struct decoder *d, const struct ptx_operand *operand, enum ptx_space space, struct op *op,
                    uint32_t *base, int64_t *offset, bool *narrow);
// Allocates in the module's arena.
void *decode_allocate(struct decoder *d, size_t bytes);
// Records an error with the line and the text of the instruction. Always returns false.
bool decode_error(struct decoder *d, const struct ptx_instruction *in, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns the nth type modifier; PTX_TYPE_NONE when it is absent.
enum ptx_type decode_type(const struct ptx_instruction *in, unsigned nth);
// Adds an op without a guard before the present one. The pointer is valid until the next op is emitted.
struct op *decode_emit(struct decoder *d);
// Returns the declared type of a register; PTX_TYPE_NONE: the operand is not a register.
enum ptx_type decode_register_type(struct decoder *d, const struct ptx_operand *operand);
// True when decode_error was called for the present instruction.
bool decode_failed(const struct decoder *d);
// Returns true when every modifier is a type or is in the list, which ends with NULL. Otherwise returns false
// after decode_error.
bool decode_allowed(struct decoder *d, const struct ptx_instruction *in, const char *const allowed[]);

// The families. The table in decode/families.c says which opcodes each family decodes.
decode_family decode_integer, decode_float, decode_half, decode_logic, decode_move, decode_compare,
    decode_convert; // arithmetic
decode_family decode_branch, decode_call, decode_memory, decode_atomic, decode_barrier, decode_warp,
    decode_special, decode_fence, decode_cp_async, decode_matrix, decode_mma; // core
decode_family decode_wgmma;
decode_family decode_wmma;
decode_family decode_texture;
decode_family decode_mbarrier, decode_bulk, decode_tensor, decode_tensormap; // asynchronous

#endif
