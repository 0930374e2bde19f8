// What an op costs, for the time model: which part of a processor it keeps busy, and which results it waits
// for. The central loop calls both functions around each op of a launch that keeps time.
#ifndef VIRTUAL_HOPPER_EXECUTE_TIME_OP_H
#define VIRTUAL_HOPPER_EXECUTE_TIME_OP_H

#include "virtual-hopper/machine/op.h"

struct time_op_table;
struct time_op_table *time_ops_make(const struct program *program);
void time_ops_free(struct time_op_table *table);
void time_before_op(struct warp *w, const struct op *op);
// A guarded op that no lane runs.
void time_not_taken(struct warp *w, const struct op *op);
void time_after_op(struct warp *w, const struct op *op);

#endif
