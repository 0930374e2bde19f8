// Accesses of whole warps whose lanes lie a fixed distance apart: rows, columns, one word for all, and the
// rows of blocks that are 16 threads wide. They need no look at each lane.
#ifndef VIRTUAL_HOPPER_EXECUTE_STRIDED_H
#define VIRTUAL_HOPPER_EXECUTE_STRIDED_H

#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/execute/banks.h"

enum { STRIDED_HALF = WARP_LANES / 2 };

// Like access_resolve, for an access that is strided and allowed: fills *a but for its arrays, and no fault
// is possible. False: nothing is known, and access_resolve must be called.
bool strided_resolve(struct warp *w, const struct op *op, const struct access_plan *plan, struct access *a);
// Fills the arrays of a strided access, or only the one that access_order reads. Others have them already.
void strided_spell_out(struct access *a);
void strided_spell_for_order(struct access *a);
// Where a lane's bytes are, whether or not the arrays are filled.
static inline uint8_t *strided_host(const struct access *a, uint32_t lane) {
  const struct access_stride *s = &a->stride;
  if (!a->is_strided) return a->host[lane];
  return s->host + (lane % STRIDED_HALF * s->step + lane / STRIDED_HALF * s->half);
}

// Cycles in shared memory; false: they depend on more than the distances, and must be counted by lane.
bool strided_bank_cycles(const struct access *a, uint32_t bytes, struct bank_cycles *cycles);
// The least and the greatest of its offsets in shared memory.
void strided_offsets(const struct access *a, uint32_t *low, uint32_t *high);

// Loads or stores words of shared memory as a whole, weakly, judges and counts it, where nobody watches.
// False: nothing is done. It isn't a whole warp's, is no access of words in a row, or may be a fault.
bool strided_load_words(struct warp *w, const struct op *op);
bool strided_store_words(struct warp *w, const struct op *op);

// Moves elements of 4 or 8 bytes, `skip` bytes behind each lane's place, between memory and a register.
void strided_load32(const struct access *a, uint32_t skip, uint32_t *to);
void strided_load64(const struct access *a, uint32_t skip, uint64_t *to);
void strided_store32(const struct access *a, uint32_t skip, const uint32_t *from);
void strided_store64(const struct access *a, uint32_t skip, const uint64_t *from);

#endif
