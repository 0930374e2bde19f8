// What a warpgroup must do together, and where its matrices may lie. PTX ISA 9.1, 9.7.15.1, 9.7.15.5.1.2,
// 9.7.15.5.2.
#ifndef VIRTUAL_HOPPER_EXECUTE_WGMMA_CHECK_H
#define VIRTUAL_HOPPER_EXECUTE_WGMMA_CHECK_H

#include "virtual-hopper/execute/wgmma.h"

// One product as a warp issues it.
struct wgmma_issue {
  const struct op *op;
  uint64_t a, b; // descriptors
};
// `w` comes to a product that another warp of its warpgroup has begun. Reports whatever they don't have in
// common.
void wgmma_check_same(struct warp *w, const struct wgmma_issue *mine, const struct wgmma_issue *first,
                      uint32_t first_warp);
// `w` begins a product. came: a bit for each of the four warps that have come to it. Reports a warp that has
// ended, or that the block never had, and returns false then: the launch ends.
bool wgmma_check_whole(struct warp *w, const struct op *op, uint32_t came);
// The block has ended: a product to which only these warps came.
void wgmma_report_missing(struct warp *w, const struct op *op, uint32_t came);
// What the missing warp does instead.
enum wgmma_absence {
  WGMMA_ENDED_BEFORE,
  WGMMA_NO_SUCH_WARP,
  WGMMA_NEVER_COMES,
  // while others wait for the product:
  WGMMA_ENDED_WITHOUT,
  WGMMA_AT_BARRIER,
  WGMMA_AWAITS_IT
};
// The rule, message, remedy, and the role of a thread that waits for the product.
void wgmma_missing_words(struct fault *f, uint32_t warp, enum wgmma_absence absence);
// The block has ended, and the warp has never committed this product.
void wgmma_report_uncommitted(struct warp *w, const struct op *op);
// Reports sums that a product adds to, and that nobody has ever set. `w` begins it while no product is
// pending.
void wgmma_check_set(struct warp *w, const struct op *op);
// Reports a matrix that doesn't lie in the block's shared memory. name: "A" or "B".
bool wgmma_check_place(struct warp *w, const struct op *op, const struct wgmma_matrix *m, const char *name);

#endif
