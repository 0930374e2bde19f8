// Bulk copies: what the decoded op carries, its handlers, and what tensor copies share with them.
#ifndef VIRTUAL_HOPPER_EXECUTE_BULK_H
#define VIRTUAL_HOPPER_EXECUTE_BULK_H

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/reduce.h"
#include "virtual-hopper/execute/async-place.h"

struct bulk_extra {
  struct async_address destination, source, barrier;
  uint32_t size, mask; // registers; mask is OP_NO_REGISTER without multicast
  enum async_kind kind;
  uint8_t operation, element;
  uint32_t values[4], value_count, value_bytes; // st.async, red.async
};

op_execute execute_bulk_copy, execute_bulk_prefetch, execute_bulk_remote; // op->extra struct bulk_extra
op_execute execute_bulk_commit;
op_execute execute_bulk_wait; // op->immediate: how many groups may stay pending; op->kind: .read

bool async_is_to_global(enum async_kind kind);

// Fills destination blocks, offset and barrier of a copy that completes on a barrier. Returns false after a
// fault.
bool async_destinations(struct warp *w, const struct op *op, uint32_t lane, struct async_copy *copy,
                        const struct async_shared *to, const struct async_shared *barrier,
                        const uint32_t *mask);
// Reports the live barriers that the copy will write over.
void async_report_overlaps(struct warp *w, const struct op *op, uint32_t lane, const struct async_copy *copy);

#endif
