// Which swizzle TMA wrote a tile with, and which one a product reads it with. Only tiles that still are as
// TMA wrote them are judged. PTX ISA 9.1, 5.5.7 and 9.7.15.5.1.2.
#ifndef VIRTUAL_HOPPER_EXECUTE_WGMMA_TILES_H
#define VIRTUAL_HOPPER_EXECUTE_WGMMA_TILES_H

#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/machine/copy.h"

// Both only if launch->products. A load of a tile was issued; a product of matrix `name` ("A") was issued by
// all warps of the warpgroup, `w` the last one. False: a fault was reported.
void wgmma_tile_loaded(const struct async_copy *copy);
bool wgmma_tile_read(struct warp *w, const struct op *op, const struct wgmma_matrix *m, const char *name);
// At the end of a block.
void wgmma_tiles_forget(struct block *b);

#endif
