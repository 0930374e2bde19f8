// The single count of the memory that this process holds for a program: device memory, modules, registers and
// local memory, copies in flight, printed text, records of who observed what. One limit applies to the sum,
// so no program gets a second share from another room.
#ifndef VIRTUAL_HOPPER_BASE_BUDGET_H
#define VIRTUAL_HOPPER_BASE_BUDGET_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "virtual-hopper/base/lone-lock.h"

enum budget_kind {
#define BUDGET(id, name) id,
#include "virtual-hopper/base/budget.def"
  BUDGET_KINDS
};

// Any thread may call these.
struct budget {
  size_t limit; // bytes; 0: no limit. Fixed before the first use
  atomic_size_t used, used_by[BUDGET_KINDS];
};

// What one part holds of a budget, for parts of which many threads take a little, often. It is counted in
// large pieces, and given back when the part ends.
struct budget_part {
  struct budget *budget; // may be NULL
  enum budget_kind kind;
  alignas(HOST_LINE) atomic_size_t held; // bytes
  atomic_size_t counted;                 // of the budget, at least `held`
  alignas(HOST_LINE) char apart;         // what stands behind it is on another line of the host's caches
};

// What has been counted of a part, and is not in use: one of these for each lock of the part, so that threads
// meet at the part's numbers now and then only. Zeroed, it is empty.
struct budget_share {
  size_t left; // bytes
};

// Takes all `bytes` or nothing. Returns false when `bytes` would exceed the limit. For device memory and
// page-locked memory that limit is three quarters of the whole budget. A NULL budget has no limit.
bool budget_take(struct budget *budget, enum budget_kind kind, size_t bytes);
// Counts bytes that are already held. The sum may exceed the limit; then the next budget_take fails.
void budget_count(struct budget *budget, enum budget_kind kind, size_t bytes);
void budget_give(struct budget *budget, enum budget_kind kind, size_t bytes);
void budget_part_begin(struct budget_part *part, struct budget *budget, enum budget_kind kind);
void budget_part_count(struct budget_part *part, size_t bytes);
void budget_part_end(struct budget_part *part);
// Of one thread at a time for each share. What is given stays with the share, as its memory does.
void budget_share_count(struct budget_part *part, struct budget_share *share, size_t bytes);
static inline void budget_share_give(struct budget_share *share, size_t bytes) {
  share->left += bytes;
}
// Returns the bytes that are left, or SIZE_MAX without a limit.
size_t budget_left(const struct budget *budget);
// "The program asks for more memory than .., 2048 MiB in all. It has 1900 MiB of device memory, 147 MiB of
// modules."
void budget_describe(const struct budget *budget, char *text, size_t size);

#endif
