// Which places in the frame of its function an op's executor reads or writes, and how wide they are. The
// decoder assigns the places and the executors use them. This table describes both, so that every op can be
// checked once, before it runs (decode/verify.c). A new executor needs an entry here.
#ifndef VIRTUAL_HOPPER_EXECUTE_FOOTPRINT_H
#define VIRTUAL_HOPPER_EXECUTE_FOOTPRINT_H

#include "virtual-hopper/base/name-index.h"
#include "virtual-hopper/machine/op.h"

// An executor's address -> its number in the table. Any thread may ask.
const struct name_index *footprint_index(void);

// Plain arithmetic: each lane's result depends on that lane's sources alone, and on all of their bits. Logic
// and shifts, which often take words apart, don't count.
struct footprint_sources {
  uint32_t count, places[4];
  uint32_t result_bytes; // of op->d, per lane; 0: predicates in op->d and op->target, which may be absent
};
// Returns false for any other op.
bool footprint_plain(const struct name_index *executors, const struct op *op,
                     struct footprint_sources *sources);

// Called for each place. `lane_bytes`: 4, 8 or 16 bytes per lane; 0: a predicate, one word for the warp.
typedef void footprint_visit(void *context, uint32_t place, uint32_t lane_bytes);
// Visits every place that the op may read or write when it runs. Returns false when the executor isn't in the
// table.
bool footprint_visit_op(const struct name_index *executors, const struct op *op, footprint_visit *visit,
                        void *context);

#endif
