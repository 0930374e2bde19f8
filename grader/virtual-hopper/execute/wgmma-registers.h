// The registers of products: an accumulator, or a fragment of A, belongs to its product from wgmma.mma_async
// until its group was waited for, and what threads write into it must lie before a wgmma.fence. PTX ISA 9.1,
// 9.7.15.5 and 9.7.15.7.1. A plain mov is never reported: compilers put such moves anywhere, and ptxas takes
// them away. The register that it writes is the same one under another name: what reads it is reported, and
// what was written into it before it was moved into a product's register.
#ifndef VIRTUAL_HOPPER_EXECUTE_WGMMA_REGISTERS_H
#define VIRTUAL_HOPPER_EXECUTE_WGMMA_REGISTERS_H

#include "virtual-hopper/machine/op.h"

struct program;

// Of a launch: which ops touch registers of products. NULL: its program has none.
struct wgmma_registers *wgmma_registers_begin(const struct program *program);
void wgmma_registers_end(struct wgmma_registers *registers); // NULL is allowed

// All of these only if launch->products. Before each op whose guard holds for a lane.
void wgmma_registers_before(struct warp *w, const struct op *op);
struct wgmma_wait {
  const struct op *op;
  uint64_t closed; // groups that the warp had closed by then
  uint32_t left;   // the newest ones that may be pending
};
// A warp has issued a product, as a part of its group number `group`; has passed a fence; has waited for all
// groups before `end`.
void wgmma_registers_issue(struct warp *w, const struct op *op, uint64_t group);
void wgmma_registers_fence(struct warp *w);
void wgmma_registers_wait(struct warp *w, uint64_t end, const struct wgmma_wait *wait);
// A new block runs on this warp, or none.
void wgmma_registers_forget(struct warp *w);

#endif
