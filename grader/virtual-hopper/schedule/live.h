// Live registers: those that may be read, on some path from a place in the code, before they are written
// again. In a function that is too long for the analysis (some 100 000 instructions), all registers.
#ifndef VIRTUAL_HOPPER_SCHEDULE_LIVE_H
#define VIRTUAL_HOPPER_SCHEDULE_LIVE_H

#include "virtual-hopper/machine/op.h"

struct live; // of one function
struct live *live_find(const struct function *function);
void live_destroy(struct live *live);
struct ptx_instruction;
bool live_writes_first(const struct ptx_instruction *in); // and nothing else, where its guard holds
// Calls visit(context, offset in the frame, bytes per lane; 0: a predicate) for each register that matters at
// the op `pc`, in the same order each time. among: only for those with a bit there; NULL: for all.
typedef void live_visit(void *context, uint32_t offset, uint32_t bytes);
void live_each(const struct live *live, uint32_t pc, const uint64_t *among, live_visit *visit, void *context);

#endif
