// Helpers for decoding the families of asynchronous instructions: address operands, spaces, refused
// modifiers.
#ifndef VIRTUAL_HOPPER_DECODE_ASYNC_OPERAND_H
#define VIRTUAL_HOPPER_DECODE_ASYNC_OPERAND_H

#include "virtual-hopper/decode/decode.h"
#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/execute/async-place.h"

bool async_address_decode(struct decoder *d, const struct ptx_instruction *in,
                          const struct ptx_operand *operand, enum ptx_space space,
                          struct async_address *address);
// Takes .shared, .shared::cta or .shared::cluster. Returns PTX_SHARED when the instruction has one of them,
// otherwise PTX_SPACE_NONE: the address is generic.
enum ptx_space async_take_shared(struct modifiers *m);

struct async_refusal {
  const char *modifier, *reason;
};
// Returns true after decode_error when the instruction has one of these modifiers. The table ends with NULL.
bool async_refuse(struct decoder *d, const struct ptx_instruction *in, const struct async_refusal *refusals);
bool async_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t wanted);
// Takes the modifier that names an operation. Returns an enum async_operation; 0: there is no such modifier.
int async_take_operation(struct modifiers *m);

#endif
