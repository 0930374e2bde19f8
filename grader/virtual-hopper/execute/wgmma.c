// wgmma.fence, commit_group and wait_group: the lanes of the warp meet and continue. PTX ISA 9.1, section
// 9.7.15.7. These instructions order registers and groups of asynchronous products. Without products there is
// nothing to order or to wait for.
#include "virtual-hopper/execute/wgmma.h"

#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/matrix.h"

static void met(struct warp *w, const struct op *op, uint32_t lanes) {
  matrix_whole_warp(w, op, lanes);
}

void wgmma_meet(struct warp *w, const struct op *op) {
  collective_meeting(w, op, met);
}
