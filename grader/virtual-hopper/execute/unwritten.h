// Reads of memory that nobody has written (`vhopper run --unwritten`). A copy of such bytes is no mistake:
// padding, and words that are copied as a whole. One is reported where the program depends on them: a branch,
// an address, an atomic operation, or a result that is stored.
#ifndef VIRTUAL_HOPPER_EXECUTE_UNWRITTEN_H
#define VIRTUAL_HOPPER_EXECUTE_UNWRITTEN_H

#include "virtual-hopper/execute/access.h"

// Of a launch: what all its workers look up.
struct unwritten_launch *unwritten_begin(void);
void unwritten_end(struct unwritten_launch *unwritten); // NULL is allowed
// Marks fresh memory as written by nobody: whole blocks of 16 bytes.
void unwritten_fill(void *memory, size_t bytes);
// The four bytes at this offset of what unwritten_fill leaves.
uint32_t unwritten_word(size_t offset);

// Before each op if launch->unwritten, or if there are doubts in the warp; `lanes`: of the split, guard or no
// guard.
void unwritten_before(struct warp *w, const struct op *op, uint32_t lanes);
// After a load, and before an atomic operation: only if launch->unwritten.
void unwritten_loaded(struct warp *w, const struct op *op, const struct access_plan *plan,
                      const struct access *a);
void unwritten_updates(struct warp *w, const struct op *op, uint32_t bytes, const struct access *a);
// A shuffle, for the lanes `strangers`, has read other lanes than those of `group`, which execute it
// together.
void unwritten_shuffled(struct warp *w, const struct op *op, const uint32_t *sources, uint32_t strangers,
                        uint32_t group);
void unwritten_forget(struct warp *w); // a new block runs on this warp, or none

#endif
