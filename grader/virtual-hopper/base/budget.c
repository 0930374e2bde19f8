// In: bytes that a room is about to hold for a program. Out: whether the program may have them. The one idea:
// one sum decides; the sums of each kind are for the message.
#include "virtual-hopper/base/budget.h"

#include <stdint.h>
#include <stdio.h>

static void add(struct budget *budget, enum budget_kind kind, size_t bytes) {
  atomic_fetch_add_explicit(&budget->used_by[kind], bytes, memory_order_relaxed);
}

// A program may allocate all its memory, and must still be able to load its modules and run. So device memory
// and page-locked memory may fill at most three quarters of the budget.
static size_t most_for(const struct budget *budget, enum budget_kind kind) {
  const bool is_memory = kind == BUDGET_MEMORY || kind == BUDGET_PINNED;
  return is_memory ? budget->limit - budget->limit / 4 : budget->limit;
}

bool budget_take(struct budget *budget, enum budget_kind kind, size_t bytes) {
  if (!budget) return true;
  size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed), most = most_for(budget, kind);
  do {
    if (budget->limit && (used > most || bytes > most - used)) return false;
  } while (!atomic_compare_exchange_weak(&budget->used, &used, used + bytes));
  add(budget, kind, bytes);
  return true;
}

void budget_count(struct budget *budget, enum budget_kind kind, size_t bytes) {
  if (!budget) return;
  atomic_fetch_add(&budget->used, bytes);
  add(budget, kind, bytes);
}

void budget_give(struct budget *budget, enum budget_kind kind, size_t bytes) {
  if (!budget) return;
  atomic_fetch_sub(&budget->used, bytes);
  atomic_fetch_sub_explicit(&budget->used_by[kind], bytes, memory_order_relaxed);
}

enum { PIECE = 64 << 10 }; // bytes

void budget_part_begin(struct budget_part *part, struct budget *budget, enum budget_kind kind) {
  part->budget = budget;
  part->kind = kind;
  atomic_init(&part->held, 0);
  atomic_init(&part->counted, 0);
}

void budget_part_count(struct budget_part *part, size_t bytes) {
  const size_t held = atomic_fetch_add(&part->held, bytes) + bytes;
  size_t counted = atomic_load(&part->counted);
  while (counted < held) {
    const size_t piece = held - counted > PIECE ? held - counted : PIECE;
    if (!atomic_compare_exchange_weak(&part->counted, &counted, counted + piece)) continue;
    budget_count(part->budget, part->kind, piece);
    return;
  }
}

enum { SHARE = 8 << 10 }; // bytes

void budget_share_count(struct budget_part *part, struct budget_share *share, size_t bytes) {
  if (share->left < bytes) {
    const size_t more = bytes > SHARE ? bytes : SHARE;
    budget_part_count(part, more);
    share->left += more;
  }
  share->left -= bytes;
}

void budget_part_end(struct budget_part *part) {
  budget_give(part->budget, part->kind, atomic_load(&part->counted));
}

size_t budget_left(const struct budget *budget) {
  if (!budget || !budget->limit) return SIZE_MAX;
  size_t used = atomic_load(&((struct budget *)(uintptr_t)budget)->used);
  return used < budget->limit ? budget->limit - used : 0;
}

void budget_describe(const struct budget *budget, char *text, size_t size) {
  static const char *const names[BUDGET_KINDS] = {
#define BUDGET(id, name) [id] = name,
#include "virtual-hopper/base/budget.def"
  };
  int length = snprintf(
      text, size, "The program asks for more memory than it may make the virtual Hopper hold, %zu MiB in all",
      budget->limit >> 20);
  const char *separator = ". It has ";
  for (int kind = 0; kind < BUDGET_KINDS && length >= 0 && (size_t)length < size; kind++) {
    size_t bytes = atomic_load(&((struct budget *)(uintptr_t)budget)->used_by[kind]);
    if (bytes < (1 << 20)) continue;
    length += snprintf(text + length, size - (size_t)length, "%s%zu MiB of %s", separator, bytes >> 20,
                       names[kind]);
    separator = ", ";
  }
  if (length >= 0 && (size_t)length < size) snprintf(text + length, size - (size_t)length, ".");
}
