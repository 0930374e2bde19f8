// In: a block and an offset in its shared memory. Out: the record of the mbarrier object there.
#include "virtual-hopper/machine/mbarrier-table.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/shared-name.h"

void mbarrier_table_create(struct block *b) {
  b->mbarriers = calloc(1, sizeof *b->mbarriers);
  if (!b->mbarriers) die("out of memory for a block's barriers");
}

void mbarrier_note_phases(struct block *b, const struct mbarrier *m) {
  struct observed *o = &b->cluster->observed;
  if (m->phase > o->max_phases) o->max_phases = m->phase;
  if (m->phase < o->min_phases) o->min_phases = m->phase;
}

void mbarrier_table_destroy(struct block *b) {
  struct mbarrier_table *t = b->mbarriers;
  if (!t) return;
  for (uint32_t i = 0; i < MBARRIER_BUCKETS; i++) {
    for (struct mbarrier *m = t->buckets[i], *next; m; m = next) {
      next = m->next;
      if (m->live) mbarrier_note_phases(b, m);
      free(m);
    }
  }
  free(t->live);
  free(t);
  b->mbarriers = NULL;
}

struct mbarrier *mbarrier_find_or_make(struct block *b, uint32_t offset) {
  struct mbarrier *m = mbarrier_find(b, offset);
  if (m) return m;
  if (!b->mbarriers) mbarrier_table_create(b);
  struct mbarrier_table *t = b->mbarriers;
  if (!t->live) t->live = calloc(b->launch->shared_bytes / (MBARRIER_BYTES * 64) + 1, sizeof *t->live);
  m = calloc(1, sizeof *m);
  if (!m || !t->live) die("out of memory for a barrier's record");
  m->offset = offset;
  m->next = t->buckets[mbarrier_bucket(offset)];
  t->buckets[mbarrier_bucket(offset)] = m;
  t->count++;
  return m;
}

void mbarrier_set_live(struct block *b, struct mbarrier *m, bool live) {
  struct mbarrier_table *t = b->mbarriers;
  uint32_t bit = (m->offset - SHARED_FIRST_OFFSET) / MBARRIER_BYTES;
  if (live)
    t->live[bit / 64] |= 1ull << bit % 64;
  else
    t->live[bit / 64] &= ~(1ull << bit % 64);
  if (live != m->live) t->live_count += live ? 1 : -1u;
  m->live = live;
}

void mbarrier_each(struct block *b, void (*visit)(struct mbarrier *, void *), void *context) {
  struct mbarrier_table *t = b->mbarriers;
  if (!t || !t->live) return;
  for (uint32_t word = 0; word <= b->launch->shared_bytes / (MBARRIER_BYTES * 64); word++) {
    for (uint64_t bits = t->live[word]; bits; bits &= bits - 1) {
      uint32_t bit = word * 64 + (uint32_t)__builtin_ctzll(bits);
      visit(mbarrier_find(b, SHARED_FIRST_OFFSET + bit * MBARRIER_BYTES), context);
    }
  }
}

struct mbarrier *mbarrier_overlapped(const struct block *b, uint32_t offset, uint32_t bytes) {
  if (!mbarrier_may_overlap(b, offset, bytes)) return NULL;
  uint32_t at = offset & ~(uint32_t)(MBARRIER_BYTES - 1);
  for (; at < offset + bytes; at += MBARRIER_BYTES) {
    struct mbarrier *m = mbarrier_find(b, at);
    if (m && m->live) return m;
  }
  return NULL;
}

bool mbarrier_have_one_init(const struct mbarrier *a, const struct mbarrier *b) {
  if (!a->initialised_by || !b->initialised_by) return false;
  const struct source_line one = machine_line(a->initialised_by), other = machine_line(b->initialised_by);
  return one.line && one.line == other.line && strcmp(one.file, other.file) == 0;
}

bool mbarrier_of_one_array(const struct launch *l, const struct mbarrier *a, const struct mbarrier *b) {
  uint32_t begin, other, next;
  if (a->expected_arrivals != b->expected_arrivals || !mbarrier_have_one_init(a, b)) return false;
  const char *variable = shared_variable_at(l, a->offset, &begin, &next);
  return variable == shared_variable_at(l, b->offset, &other, &next) && begin == other;
}
