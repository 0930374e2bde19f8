// Arithmetic on sums that a compiler has moved before the wait. To a compiler the wait and the sums have
// nothing to do with each other, so it may put arithmetic on sums before the wait that the source has behind
// it; what writes memory, or multiplies, stays behind. ptxas puts it right.
#ifndef VIRTUAL_HOPPER_EXECUTE_WGMMA_MOVED_H
#define VIRTUAL_HOPPER_EXECUTE_WGMMA_MOVED_H

#include "virtual-hopper/execute/wgmma.h"

struct program;

// Whether what the op makes of a sum goes to memory, or into a product, before the next wait of the text.
bool wgmma_is_used(const struct program *program, const struct function *function, const struct op *op);

// Whether the op is arithmetic on a sum that the source can have behind the wait for it: a wait for the sum
// follows in the text before anything is done with the result, and the op's line isn't before that wait's.
// is_sum: by place, what any product of the function adds to. Fills in moved, all but its op.
bool wgmma_is_moved(const struct program *program, const struct function *function, const struct op *op,
                    const uint8_t *is_sum, struct wgmma_moved *moved);

#endif
