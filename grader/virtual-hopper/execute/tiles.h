// Which swizzle TMA wrote a tile with, and which one a product or a store reads it with. Only tiles that
// still are as TMA wrote them are judged. PTX ISA 9.1, 5.5.7 and 9.7.15.5.1.2.
#ifndef VIRTUAL_HOPPER_EXECUTE_TILES_H
#define VIRTUAL_HOPPER_EXECUTE_TILES_H

#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/machine/copy.h"

// All only if launch->check. A load of a tile was issued.
void tiles_loaded(const struct async_copy *copy);
// A store of a tile is about to be issued.
void tiles_stored(struct warp *w, uint32_t lane, const struct async_copy *copy);
// A product of matrix `name` ("A") was issued by all warps of the warpgroup, `w` the last one. False: a fault
// was reported.
bool tiles_read(struct warp *w, const struct op *op, const struct wgmma_matrix *m, const char *name);
// At the end of a block.
void tiles_forget(struct block *b);

#endif
