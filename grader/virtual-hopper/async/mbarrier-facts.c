// What is known of a barrier, for its faults. In: the barrier's record. Out: the facts that
// rules/mbarrier-words.c puts into words, and the other places that belong to a fault: who initialised it,
// who arrived, announced or copied last.
#include "virtual-hopper/async/mbarrier-facts.h"

#include <stdio.h>

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"

struct mbarrier_facts mbarrier_facts_of(enum mbarrier_fault_kind kind, const struct block *owner,
                                        const struct mbarrier *m, uint32_t offset) {
  struct mbarrier_facts f = {
      .kind = kind, .offset = offset, .block_rank = owner->rank, .limit = MBARRIER_MAX_COUNT};
  shared_name_barrier(owner->launch, offset, f.name, sizeof f.name);
  if (!m) return f;
  f.phase = m->phase;
  f.expected_arrivals = m->expected_arrivals;
  f.pending_arrivals = m->pending_arrivals;
  f.arrivals = m->arrivals;
  f.copies_pending = m->copies_pending;
  f.tx_count = m->tx_count;
  f.expected_bytes = m->expected_bytes;
  f.completed_bytes = m->completed_bytes;
  f.cluster_blocks = owner->launch->blocks_per_cluster;
  f.arrived_ranks = m->arrived_ranks;
  return f;
}

void mbarrier_fill(struct fault *f, const struct mbarrier_facts *facts, int device_error) {
  mbarrier_words(facts, f);
  f->device_error = device_error;
  if (device_error) f->severity = FAULT_FATAL;
}

void fault_add_related(struct fault *f, const struct block *b, const struct op *op, uint32_t thread,
                       const char *role) {
  if (!op || f->related_count == FAULT_MAX_RELATED) return;
  struct fault_related *r = &f->related[f->related_count++];
  snprintf(r->role, sizeof r->role, "%s", role);
  machine_place(&r->place, b, op, thread);
}

void mbarrier_relate(struct fault *f, const struct mbarrier_facts *facts, enum mbarrier_relation relation,
                     const struct block *b, const struct op *op, uint32_t thread) {
  char role[sizeof f->role];
  mbarrier_relation_words(relation, facts, role, sizeof role);
  fault_add_related(f, b, op, thread, role);
}

void mbarrier_relate_init(struct fault *f, const struct mbarrier_facts *facts, const struct block *owner,
                          const struct mbarrier *m) {
  if (m) mbarrier_relate(f, facts, RELATED_INIT, owner, m->initialised_by, m->initialised_thread);
}

void mbarrier_relate_arrival(struct fault *f, const struct mbarrier_facts *facts,
                             enum mbarrier_relation relation, const struct block *owner,
                             const struct mbarrier *m) {
  const struct block *b = m->last_arrive_block ? m->last_arrive_block : owner;
  mbarrier_relate(f, facts, relation, b, m->last_arrive_by, m->last_arrive_thread);
}

void mbarrier_relate_announcement(struct fault *f, const struct mbarrier_facts *facts,
                                  enum mbarrier_relation relation, const struct block *owner,
                                  const struct mbarrier *m) {
  mbarrier_relate(f, facts, relation, owner, m->last_expect_by, m->last_expect_thread);
}

void mbarrier_relate_copy(struct fault *f, const struct mbarrier_facts *facts,
                          enum mbarrier_relation relation, const struct block *owner,
                          const struct mbarrier *m) {
  const struct block *b = m->last_copy_block ? m->last_copy_block : owner;
  mbarrier_relate(f, facts, relation, b, m->last_copy_by, m->last_copy_thread);
}

void mbarrier_describe(const struct block *b, const struct mbarrier *m, char *text, size_t size) {
  const struct mbarrier_facts facts = mbarrier_facts_of(MBARRIER_FAULT_KINDS, b, m, m->offset);
  struct fault_place place = {0};
  char init[128] = "";
  if (m->initialised_by) machine_place(&place, b, m->initialised_by, m->initialised_thread);
  struct source_line at = place_line(&place);
  if (at.caller) at = (struct source_line){.line = at.caller, .file = at.caller_file}; // whose count it is
  if (at.line) place_line_words(at, at.file, init, sizeof init);
  mbarrier_state_words(&facts, init, text, size);
}
