// Why a phase of a barrier can't complete. In: the record of a barrier for which threads wait when nothing
// can happen any more. Out: a fault: bytes that differ, a missing arrival, a count that is too large.
#include <string.h>

#include "virtual-hopper/async/mbarrier-facts.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/rules/copy-words.h"

// The factor from announced to delivered bytes, if an element can have that size: then elements were counted
// instead of bytes, most likely. 0: it is no such size.
static uint32_t bytes_of_element(uint64_t announced, uint64_t delivered) {
  for (uint32_t bytes = 2; bytes <= 16; bytes *= 2)
    if (announced && announced * bytes == delivered) return bytes;
  return 0;
}

// Of the last tensor copy's box; 0: the last copy had none.
static uint32_t bytes_of_box_element(const struct mbarrier *m) {
  uint64_t elements = m->last_box.rank > 0;
  for (uint32_t i = 0; i < m->last_box.rank; i++)
    elements *= m->last_box.count[i];
  return elements ? (uint32_t)(m->last_box.bytes / elements) : 0;
}

// Another barrier of the block whose announced bytes are the ones delivered here, and the other way round:
// announced on one, delivered on the other.
struct counterpart {
  const struct mbarrier *lone, *found;
};

static void compare_counterpart(struct mbarrier *m, void *context) {
  struct counterpart *c = context;
  if (!c->found && m != c->lone && m->expected_bytes == c->lone->completed_bytes &&
      m->completed_bytes == c->lone->expected_bytes)
    c->found = m;
}

static const struct mbarrier *counterpart_of(const struct block *b, const struct mbarrier *m) {
  struct counterpart c = {.lone = m};
  if ((m->expected_bytes == 0) != (m->completed_bytes == 0))
    mbarrier_each((struct block *)(uintptr_t)b, compare_counterpart, &c);
  return c.found;
}

static void diagnose_bytes(const struct block *b, const struct mbarrier *m, struct fault *f) {
  struct mbarrier_facts facts = mbarrier_facts_of(PHASE_BYTES_DIFFER, b, m, m->offset);
  if (m->expected_bytes == 0)
    facts.kind = PHASE_NOT_ANNOUNCED;
  else if (m->completed_bytes == 0)
    facts.kind = PHASE_NOT_DELIVERED;
  facts.element_bytes = bytes_of_element(m->expected_bytes, m->completed_bytes);
  // Of a box it is known how large an element is.
  if (m->last_box.rank && facts.element_bytes != bytes_of_box_element(m)) facts.element_bytes = 0;
  for (uint32_t bytes = 4; bytes <= 16 && m->completed_bytes; bytes *= 2)
    if (m->completed_bytes * bytes == m->expected_bytes) facts.copy_elements = bytes;
  facts.box_bytes = m->last_box.bytes;
  facts.gets_words = m->last_copy_by && m->last_copy_by->source &&
                     (strcmp(m->last_copy_by->source->opcode, "st") == 0 ||
                      strcmp(m->last_copy_by->source->opcode, "red") == 0);
  if (m->last_box.rank)
    tensor_box_name(m->last_box.count, m->last_box.rank, m->last_box.type, facts.box, sizeof facts.box);
  const bool left_out = facts.kind != PHASE_NOT_ANNOUNCED && m->left_out.by &&
                        m->left_out.phase == m->phase && m->completed_bytes < m->expected_bytes &&
                        (m->left_out.block == b || !m->completed_bytes);
  if (left_out) facts.left_out_mask = m->left_out.mask;
  if (left_out) facts.user_rank = m->left_out.block->rank;
  const bool peer_missing =
      facts.kind != PHASE_NOT_ANNOUNCED && !left_out && m->peer_copy.by && m->peer_copy.phase + 1 == m->phase;
  if (peer_missing) facts.missing_peer = 1u << m->peer_copy.block->rank;
  mbarrier_fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
  if (peer_missing)
    mbarrier_relate(f, &facts, RELATED_PEER_COPY, m->peer_copy.block, m->peer_copy.by, m->peer_copy.thread);
  if (facts.kind == PHASE_NOT_ANNOUNCED)
    mbarrier_relate_copy(f, &facts, RELATED_COPY, b, m);
  else
    mbarrier_relate_announcement(f, &facts, RELATED_ANNOUNCEMENT, b, m);
  f->edit = peer_missing ? 1 : (int)f->related_count;
  if (left_out) {
    mbarrier_relate(f, &facts, RELATED_LEFT_OUT, m->left_out.block, m->left_out.by, m->left_out.thread);
    f->edit = (int)f->related_count;
    return;
  }
  if (facts.kind != PHASE_BYTES_DIFFER || (m->last_copy_block != b && !facts.gets_words)) return;
  mbarrier_relate_copy(f, &facts, RELATED_LAST_COPY, b, m);
  if (m->other_copy.by && m->last_copy_phase == m->phase && m->other_copy.block == b)
    mbarrier_relate(f, &facts, RELATED_OTHER_COPY, b, m->other_copy.by, m->other_copy.thread);
  if (facts.copy_elements && !m->last_box.rank && !m->other_copy.by) f->edit = (int)f->related_count;
}

// There are bytes, but no arrival: neither an announcement nor a copy is one.
static void diagnose_no_arrival(const struct block *b, const struct mbarrier *m, struct fault *f) {
  struct mbarrier_facts facts = mbarrier_facts_of(PHASE_ANNOUNCED_NO_ARRIVAL, b, m, m->offset);
  if (m->expected_bytes > 0) {
    mbarrier_fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
    mbarrier_relate_announcement(f, &facts, RELATED_ANNOUNCEMENT_WITHOUT_ARRIVAL, b, m);
  } else {
    const struct mbarrier *other = counterpart_of(b, m);
    facts.kind = PHASE_LANDED_NO_ARRIVAL;
    if (other) shared_name_barrier(b->launch, other->offset, facts.other_name, sizeof facts.other_name);
    mbarrier_fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
    mbarrier_relate_copy(f, &facts, RELATED_COPY_NOT_ANNOUNCED, b, m);
    if (other) mbarrier_relate_announcement(f, &facts, RELATED_ANNOUNCEMENT_ELSEWHERE, b, other);
  }
  f->edit = (int)f->related_count;
}

// Some have arrived, and nobody is left who would make the other arrivals.
static void diagnose_missing_arrivals(const struct block *b, const struct mbarrier *m, bool may_go_on,
                                      struct fault *f) {
  struct mbarrier_facts facts = mbarrier_facts_of(PHASE_ARRIVALS_MISSING, b, m, m->offset);
  // If several threads have arrived, or the one that announces, the count is too large, most likely. If one
  // other thread has, arrivals are missing.
  facts.count_is_wrong = m->arrivals > 1 || m->last_arrive_by == m->last_expect_by;
  facts.thread = m->last_arrive_thread;
  facts.may_go_on = may_go_on;
  if (mbarrier_lacks_noinc(m))
    facts.added_arrivals = m->added_arrivals;
  else
    facts.arrivals -= m->added_arrivals; // each of them has its own beside it, which the barrier counts
  mbarrier_fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
  mbarrier_relate_arrival(f, &facts, RELATED_LAST_ARRIVAL, b, m);
  f->edit = (int)f->related_count + (facts.count_is_wrong && m->phase == 0 && !facts.added_arrivals &&
                                     !mbarrier_lacks_blocks(&facts)); // the initialisation comes next
}

// No thread has seen the last completed phase, and nobody has begun the next one, for which a thread waits.
static void diagnose_not_begun(const struct block *b, const struct mbarrier *m, struct fault *f) {
  struct mbarrier_facts facts = mbarrier_facts_of(PHASE_NOT_BEGUN, b, m, m->offset);
  facts.parity = (uint32_t)m->phase & 1;
  facts.without_bytes = m->last_expect_by && m->last_arrive_by != m->last_expect_by && !m->expected_before;
  facts.thread = m->last_arrive_thread;
  mbarrier_fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
  mbarrier_relate_arrival(f, &facts, RELATED_LAST_ARRIVAL_OF_PHASE, b, m);
  if (facts.without_bytes) f->edit = (int)f->related_count;
}

bool mbarrier_diagnose(const struct block *b, const struct mbarrier *m, bool may_go_on, struct fault *f) {
  if (m->pending_arrivals == 0 && m->tx_count != 0)
    diagnose_bytes(b, m, f);
  else if (m->arrivals == 0 && (m->expected_bytes > 0 || m->completed_bytes > 0))
    diagnose_no_arrival(b, m, f);
  else if ((m->last_expect_by || m->expected_arrivals == 1) && m->phase > 0 && !m->observed &&
           m->arrivals == 0 && m->tx_count == 0)
    diagnose_not_begun(b, m, f);
  else if (m->pending_arrivals > 0 && m->arrivals > 0)
    diagnose_missing_arrivals(b, m, may_go_on, f);
  else
    return false;
  const struct mbarrier_facts facts = mbarrier_facts_of(PHASE_BYTES_DIFFER, b, m, m->offset);
  mbarrier_relate_init(f, &facts, b, m);
  return true;
}
