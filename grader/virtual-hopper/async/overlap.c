// In: a block's loads, stores, waits and phases, as they happen. Out: the counters ring_load_bytes and
// load_bytes_beside_stores. The idea: a ring never runs dry. A stage that is loaded again counts if the block
// has had loads in flight all the time since the stage's last phase completed. A store lets as many bytes of
// loads count as it has itself, so a small one for show counts little.
#include "virtual-hopper/async/overlap.h"

#include "virtual-hopper/async/internal.h"
#include "virtual-hopper/machine/mbarrier-table.h"

enum { DRY = 8 }; // less than one part in so many of the most that ever were in flight is next to nothing

static const uint64_t WAS_DRY = UINT64_MAX;

static struct overlap *overlap_of(const struct cluster *c, uint32_t rank) {
  return &c->async->overlap[rank];
}

static bool is_dry(const struct overlap *o) {
  return o->load_bytes * DRY < o->most_load_bytes;
}

void overlap_issue(struct cluster *c, const struct async_copy *load) {
  struct overlap *o = overlap_of(c, load->block->rank);
  const struct mbarrier *m = mbarrier_find(load->block, load->mbarrier_offset);
  if (m && m->phase > 0 && m->drains == o->drains) c->observed.ring_load_bytes += load->bytes;
  const uint64_t free_bytes = o->store_bytes - o->matched_bytes;
  const uint64_t matched = load->bytes < free_bytes ? load->bytes : free_bytes;
  o->matched_bytes += matched;
  c->observed.load_bytes_beside_stores += matched;
  o->load_bytes += load->bytes;
  if (o->load_bytes > o->most_load_bytes) o->most_load_bytes = o->load_bytes;
}

void overlap_land(struct cluster *c, const struct async_copy *load) {
  struct overlap *o = overlap_of(c, load->block->rank);
  o->load_bytes -= load->bytes;
  o->drains += is_dry(o);
}

void overlap_store(struct cluster *c, uint32_t rank, uint64_t bytes) {
  overlap_of(c, rank)->store_bytes += bytes;
}

void overlap_wait(struct cluster *c, uint32_t rank, uint64_t bytes) {
  struct overlap *o = overlap_of(c, rank);
  o->store_bytes -= bytes;
  o->matched_bytes -= bytes < o->matched_bytes ? bytes : o->matched_bytes;
}

void overlap_phase(struct block *owner, struct mbarrier *m) {
  if (!owner->cluster->async) return;
  const struct overlap *o = overlap_of(owner->cluster, owner->rank);
  m->drains = is_dry(o) ? WAS_DRY : o->drains;
}
