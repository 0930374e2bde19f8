// What the bulk and the tensor family share.
#ifndef VIRTUAL_HOPPER_DECODE_BULK_H
#define VIRTUAL_HOPPER_DECODE_BULK_H

#include "virtual-hopper/async-reduce.h"
#include "virtual-hopper/async.h"
#include "virtual-hopper/decode/async-operand.h"

struct async_refusal {
  const char *modifier, *reason;
};
// True after decode_error: the instruction carries one of these modifiers (table ended by NULL).
bool async_refuse(struct decoder *d, const struct ptx_instruction *in, const struct async_refusal *refusals);
bool async_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t wanted);
int async_take_operation(struct modifiers *m); // enum async_operation; 0: none of them is there
bool async_is_to_global(enum async_kind kind);

// Fills destination blocks, offset and barrier of a copy that completes on a barrier. False after a fault.
bool async_destinations(struct warp *w, const struct op *op, uint32_t lane, struct async_copy *copy,
                        const struct async_shared *to, const struct async_shared *barrier,
                        const uint32_t *mask);
// Reports live barriers that the copy will write over.
void async_report_overlaps(struct warp *w, const struct op *op, uint32_t lane, const struct async_copy *copy);

#endif
