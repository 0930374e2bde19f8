// Element-wise reductions in memory, as bulk reductions and red.async do them. PTX ISA 9.7.9.25.4.2,
// 9.7.9.27.1.3, 9.7.13.7.
#ifndef VIRTUAL_HOPPER_ASYNC_REDUCE_H
#define VIRTUAL_HOPPER_ASYNC_REDUCE_H

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/ptx/ptx.h"

// False: no such combination.
bool async_reduce_known(enum async_operation operation, enum ptx_type type);
// True when the order of two such reductions changes the result (sums that round; inc and dec with different
// bounds).
bool async_reduce_ordered(enum async_operation operation, enum ptx_type type);
// destination[i] = destination[i] op source[i]; each element atomically, since other workers may reduce into
// the same memory.
void async_reduce(enum async_operation operation, enum ptx_type type, uint8_t *destination,
                  const uint8_t *source, uint32_t bytes);

#endif
