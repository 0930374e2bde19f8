// Faults of barriers. In: an operation and the barrier's record. Out: what is wrong, with the other places
// that belong to it. A fault is fatal where the chip would stop, or hang for ever (a launch timeout here); it
// is an error where the chip would go on with undefined results. The words are in rules/mbarrier-words.c.
#include "virtual-hopper/async/mbarrier-fault.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/internal.h"
#include "virtual-hopper/async/mbarrier-facts.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/rules/copy-words.h"
#include "virtual-hopper/rules/fault-causes.h"
#include "virtual-hopper/rules/mbarrier-words.h"

// ---- operations -------------------------------------------------------------------------------------------

struct init_search {
  const struct op *op;
  bool used;
};

static void look_for_init(struct mbarrier *m, void *context) {
  struct init_search *search = context;
  search->used |= m->initialised_by == search->op;
}

// True for an instruction that initialises barriers and has initialised none in this block so far.
static bool will_initialise(struct block *b, const struct op *op) {
  struct init_search search = {.op = op};
  if (!op->source || strcmp(op->source->opcode, "mbarrier") != 0 || !ptx_has_modifier(op->source, "init"))
    return false;
  mbarrier_each(b, look_for_init, &search);
  return !search.used;
}

// Finds the lines that will yet initialise barriers. The missing one may be among them.
static void find_inits(const struct warp *w, struct mbarrier_facts *facts) {
  const struct function *kernel = w->launch->function;
  uint32_t last = 0;
  for (uint32_t i = 0; kernel && i < kernel->op_count && facts->init_line_count < MBARRIER_INIT_LINES; i++) {
    struct fault_place place = {0};
    if (!will_initialise(w->block, &kernel->ops[i])) continue;
    machine_place(&place, w->block, &kernel->ops[i], 0);
    if (!place.line || place.line == last) continue;
    facts->init_lines[facts->init_line_count++] = last = place.line;
  }
}

struct array_search {
  const struct launch *launch;
  uint32_t offset;
  const char *name; // of the array before `offset` in which barriers were initialised
  uint32_t begin;
  bool inside;                    // barriers were initialised in the variable at `offset` itself
  const struct mbarrier *sibling; // the first of them
};

static void look_for_array(struct mbarrier *m, void *context) {
  struct array_search *search = context;
  uint32_t begin, next;
  const char *name = shared_variable_at(search->launch, m->offset, &begin, &next);
  if (!name) return;
  if (search->offset >= begin && search->offset < next) {
    search->inside = true;
    if (!search->sibling || m->offset < search->sibling->offset) search->sibling = m;
  }
  if (search->offset < next || (search->name && begin < search->begin)) return;
  search->name = name;
  search->begin = begin;
}

// An index beyond the last barrier leads into the variable behind the array, or to its end. Returns a barrier
// that was initialised in the very array; NULL: none was.
static const struct mbarrier *find_array(struct block *b, uint32_t offset, struct mbarrier_facts *facts) {
  enum { NEAR = 512 }; // bytes
  struct array_search search = {.launch = b->launch, .offset = offset};
  mbarrier_each(b, look_for_array, &search);
  if (search.sibling)
    shared_name_barrier(b->launch, search.sibling->offset, facts->other_name, MBARRIER_NAME);
  if (search.inside || !search.name || offset - search.begin > NEAR) return search.sibling;
  shared_variable_name(search.name, facts->past_end_of, sizeof facts->past_end_of);
  return NULL;
}

static void look_for_first(struct mbarrier *m, void *context) {
  const struct mbarrier **first = context;
  if (!*first || m->offset < (*first)->offset) *first = m;
}

// Another barrier of the block; NULL: none was initialised.
static const struct mbarrier *find_other(struct block *b, struct mbarrier_facts *facts) {
  const struct mbarrier *first = NULL;
  mbarrier_each(b, look_for_first, &first);
  if (!first) return NULL;
  shared_name_barrier(b->launch, first->offset, facts->other_name, MBARRIER_NAME);
  facts->other_apart = true;
  facts->other_offset = first->offset;
  return first;
}

void mbarrier_fault_unusable(struct actor by, const struct block *owner, const struct mbarrier *m,
                             uint32_t offset) {
  struct fault f;
  struct mbarrier_facts facts =
      mbarrier_facts_of(m ? BARRIER_INVALIDATED : BARRIER_NOT_INITIALISED, owner, m, offset);
  facts.thread = actor_thread(by);
  facts.from_other_block = by.w->block != owner;
  facts.user_rank = by.w->block->rank;
  const struct mbarrier *sibling = NULL;
  if (!m && !facts.from_other_block) find_inits(by.w, &facts);
  if (!m && !facts.from_other_block && !facts.init_line_count)
    sibling = find_array(by.w->block, offset, &facts);
  if (!m && !facts.from_other_block && !facts.init_line_count && !sibling && !facts.past_end_of[0])
    sibling = find_other(by.w->block, &facts);
  mbarrier_fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  mbarrier_relate_init(&f, &facts, owner, m);
  if (sibling) {
    mbarrier_relate(&f, &facts, RELATED_INIT_OF_SIBLING, owner, sibling->initialised_by,
                    sibling->initialised_thread);
    f.edit = (int)f.related_count;
  }
  actor_fault(by, &f);
}

void mbarrier_fault_invalidated_twice(struct actor by, const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_INVALIDATED_TWICE, owner, m, m->offset);
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_misaligned(struct actor by, uint32_t offset) {
  struct fault f;
  const struct mbarrier_facts facts = {.kind = BARRIER_MISALIGNED, .offset = offset};
  mbarrier_fill(&f, &facts, ERROR_MISALIGNED_ADDRESS);
  actor_fault(by, &f);
}

void mbarrier_fault_count(struct actor by, uint32_t count) {
  struct fault f;
  const struct mbarrier_facts facts = {.kind = BARRIER_COUNT, .count = count, .limit = MBARRIER_MAX_COUNT};
  mbarrier_fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  actor_fault(by, &f);
}

void mbarrier_fault_parity(struct actor by, const struct block *owner, uint32_t offset, uint32_t parity) {
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_PARITY, owner, NULL, offset);
  facts.parity = parity;
  mbarrier_fill(&f, &facts, 0);
  actor_fault(by, &f);
}

void mbarrier_fault_token(struct actor by, struct block *owner, struct mbarrier *m, uint64_t token) {
  struct fault f;
  const struct mbarrier *other = mbarrier_find(owner, mbarrier_token_offset(token));
  const bool of_it = mbarrier_token_is_of(m, token);
  const enum order_token whose =
      of_it ? order_mbarrier_token(by, owner, m, mbarrier_token_phase(token)) : ORDER_TOKEN_OLD;
  if (whose == ORDER_TOKEN_COUNT) return;
  struct mbarrier_facts facts = mbarrier_facts_of(!of_it                     ? BARRIER_TOKEN_OTHER
                                                  : whose == ORDER_TOKEN_OWN ? BARRIER_TOKEN_OUTRUN
                                                                             : BARRIER_TOKEN_OLD,
                                                  owner, m, m->offset);
  facts.thread = actor_thread(by);
  facts.token_age = mbarrier_token_age(m, token);
  if (!of_it && other) {
    const struct mbarrier_facts its = mbarrier_facts_of(BARRIER_TOKEN_OTHER, owner, other, other->offset);
    memcpy(facts.other_name, its.name, sizeof facts.other_name);
  }
  mbarrier_fill(&f, &facts, 0);
  if (facts.kind == BARRIER_TOKEN_OLD) f.cause = fault_cause(SUBJECT_TOKEN, facts.name, 0);
  actor_fault(by, &f);
}

void mbarrier_fault_reinit(struct actor by, const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_REINITIALISED, owner, m, m->offset);
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_tx(struct actor by, const struct block *owner, const struct mbarrier *m, int64_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_BYTES, owner, m, m->offset);
  facts.bytes = bytes;
  mbarrier_fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  mbarrier_relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_late_bytes(struct actor by, const struct block *owner, const struct mbarrier *m,
                               uint32_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_LATE_BYTES, owner, m, m->offset);
  facts.bytes = bytes;
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_arrival(&f, &facts, RELATED_LAST_ARRIVAL, owner, m);
  actor_fault(by, &f);
}

static bool in_one_line(const struct block *b, const struct op *one, const struct op *other) {
  struct fault_place first = {0}, second = {0};
  if (one == other) return true;
  machine_place(&first, b, one, 0);
  machine_place(&second, b, other, 0);
  return first.line && first.line == second.line && strcmp(first.file, second.file) == 0;
}

void mbarrier_fault_unobserved(struct actor by, const struct block *owner, const struct mbarrier *m,
                               uint32_t count) {
  struct fault f;
  // Arrivals with a count, and another thread than those that had come before the phase was over.
  const bool twice = count > 1 && !order_mbarrier_fits(by, owner, m);
  struct mbarrier_facts facts =
      mbarrier_facts_of(twice ? BARRIER_COUNTED_TWICE : BARRIER_UNOBSERVED, owner, m, m->offset);
  facts.block_threads = owner->launch->threads_per_block;
  facts.count = count;
  facts.arrived_ranks = m->arrived_ranks_before | 1u << by.w->block->rank;
  facts.thread = actor_thread(by);
  facts.arrives_in_line_again =
      m->expected_arrivals == 1 && m->last_arrive_by && m->last_arrive_thread == facts.thread &&
      m->last_arrive_block == by.w->block && m->last_expect_by == m->last_arrive_by &&
      in_one_line(by.w->block, by.op, m->last_arrive_by);
  facts.asked = m->asked_by != NULL;
  facts.block_rank = owner->rank;
  // The very arrival of the phase before: none was one too many, but nobody has seen that phase.
  const bool same = m->last_arrive_thread == facts.thread && m->last_arrive_block == by.w->block &&
                    m->last_arrive_by == by.op && m->expected_arrivals == 1;
  facts.arrives_elsewhere = !facts.arrives_in_line_again && m->last_arrive_by && !m->last_expect_by &&
                            !in_one_line(owner, by.op, m->last_arrive_by);
  facts.comes_again = !twice && !facts.arrives_in_line_again && !facts.arrives_elsewhere &&
                      !m->last_expect_by && (same || order_mbarrier_fits(by, owner, m));
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_init(&f, &facts, owner, m);
  mbarrier_relate_arrival(&f, &facts, RELATED_LAST_ARRIVAL_OF_PHASE, owner, m);
  // One lane of each warp arrives, in several blocks: most likely the count stands for those of one block.
  if (owner->launch->blocks_per_cluster > 1 && (facts.arrived_ranks & (facts.arrived_ranks - 1)) &&
      actor_thread(by) % 32 == 0 && m->last_arrive_thread % 32 == 0)
    f.edit = 1; // the initialisation
  if (facts.comes_again || !facts.asked) f.edit = FAULT_EDIT_PLACE;
  mbarrier_relate(&f, &facts, RELATED_WAIT, owner, m->asked_by, m->asked_thread);
  f.names_culprit = !m->asked_by;
  actor_fault(by, &f);
}

// Who arrives once too often, on a barrier that counts one arrival, and who has arrived before.
static void compare_arrivals(struct actor by, const struct mbarrier *m, struct mbarrier_facts *facts) {
  const bool same_thread = m->last_arrive_thread == actor_thread(by) && m->last_arrive_block == by.w->block;
  facts->thread = actor_thread(by);
  if (m->expected_arrivals != 1 || !m->last_arrive_by) return;
  facts->many_threads_arrive = m->last_arrive_by == by.op && !same_thread;
  if (same_thread) {
    facts->arrives_in_line_again = in_one_line(by.w->block, by.op, m->last_arrive_by);
    facts->same_thread_arrives = !facts->arrives_in_line_again;
  } else if (m->last_arrive_by == m->last_expect_by && m->expected_bytes > 0 && by.op->source &&
             !ptx_has_modifier(by.op->source, "expect_tx")) {
    facts->arrives_at_load = true;
    facts->loader = m->last_arrive_thread;
  }
}

void mbarrier_fault_arrivals(struct actor by, const struct block *owner, const struct mbarrier *m,
                             uint32_t count, bool would_complete) {
  struct fault f;
  struct mbarrier_facts facts =
      mbarrier_facts_of(would_complete ? BARRIER_NO_COMPLETE : BARRIER_ARRIVALS, owner, m, m->offset);
  facts.count = count;
  compare_arrivals(by, m, &facts);
  facts.arrives_before_end = !facts.same_thread_arrives && order_mbarrier_fits(by, owner, m);
  mbarrier_fill(&f, &facts, would_complete ? ERROR_LAUNCH_FAILURE : ERROR_LAUNCH_TIMEOUT);
  f.comes_again = facts.arrives_in_line_again || facts.arrives_before_end;
  mbarrier_relate_init(&f, &facts, owner, m);
  mbarrier_relate_arrival(&f, &facts, RELATED_ARRIVAL_BEFORE, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_overwritten(struct actor by, const struct block *owner, const struct mbarrier *m,
                                uint32_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_WRITTEN, owner, m, m->offset);
  facts.bytes = bytes;
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_found_overwritten(struct actor by, const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = mbarrier_facts_of(BARRIER_FOUND_WRITTEN, owner, m, m->offset);
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_remote(struct actor by, const struct block *owner) {
  struct fault f;
  const struct mbarrier_facts facts = {.kind = BARRIER_OF_OTHER_BLOCK, .block_rank = owner->rank};
  mbarrier_fill(&f, &facts, ERROR_ILLEGAL_INSTRUCTION);
  actor_fault(by, &f);
}

// ---- a copy that lands ------------------------------------------------------------------------------------

void async_fault(const struct async_copy *copy, struct fault *f) {
  struct launch *launch = copy->block->launch;
  machine_place(&f->place, copy->block, copy->op, copy->thread);
  snprintf(f->kernel, sizeof f->kernel, "%s", launch->function->name);
  fault_record(launch->report, f);
  if (f->device_error) cluster_fail(copy->block->cluster, f->device_error);
}

void async_fault_freed(const struct async_copy *copy) {
  const struct copy_facts facts = {.bytes = copy->bytes,
                                   .to_global = async_is_store(copy->kind),
                                   .by_group = copy->kind == ASYNC_CP_ASYNC};
  struct fault f;
  copy_words_freed(&facts, &f);
  f.severity = FAULT_FATAL;
  f.device_error = ERROR_ILLEGAL_ADDRESS;
  async_fault(copy, &f);
}

void async_fault_no_barrier(const struct async_copy *copy, const struct block *owner,
                            const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(COPY_WITHOUT_BARRIER, owner, m, offset);
  facts.bytes = copy->bytes;
  facts.invalidated = m != NULL;
  mbarrier_fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  mbarrier_relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

void async_fault_tx(const struct async_copy *copy, const struct block *owner, const struct mbarrier *m,
                    uint32_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(COPY_OVERFLOWS, owner, m, m->offset);
  facts.bytes = bytes;
  mbarrier_fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  mbarrier_relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

void async_fault_deferred_arrival(const struct async_copy *copy, const struct block *owner,
                                  const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  bool live = m && m->live;
  const struct mbarrier_facts facts =
      mbarrier_facts_of(live ? DEFERRED_ARRIVAL_TOO_MANY : DEFERRED_ARRIVAL_NOWHERE, owner, m, offset);
  mbarrier_fill(&f, &facts, live ? ERROR_LAUNCH_TIMEOUT : ERROR_LAUNCH_FAILURE);
  f.comes_late = !live && m != NULL;
  mbarrier_relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

// Another barrier of the block for which as many bytes are announced as the copy has, and no copy comes.
struct unfed {
  const struct block *block;
  const struct mbarrier *other, *found;
  uint64_t bytes;
};

static void look_for_unfed(struct mbarrier *m, void *context) {
  struct unfed *u = context;
  if (m == u->other || u->found || !m->expected_bytes) return;
  const uint64_t coming = m->completed_bytes + async_pending_bytes(u->block->cluster, u->block, m->offset);
  if (m->expected_bytes == coming + u->bytes) u->found = m;
}

static const struct mbarrier *find_unfed(const struct block *owner, const struct mbarrier *m,
                                         uint64_t bytes) {
  struct unfed u = {.block = owner, .other = m, .bytes = bytes};
  mbarrier_each((struct block *)(uintptr_t)owner, look_for_unfed, &u);
  return u.found;
}

void async_fault_unannounced(const struct block *owner, const struct mbarrier *m) {
  const struct async_copy *copy = async_pending_copy(owner, m->offset);
  if (!copy) return;
  struct fault f;
  struct mbarrier_facts facts = mbarrier_facts_of(COPY_UNANNOUNCED, owner, m, m->offset);
  facts.pending_bytes = async_pending_bytes(owner->cluster, owner, m->offset);
  if (facts.pending_bytes == 0) return; // whoever goes on misses nothing
  facts.from_other_block = copy->block != owner;
  facts.user_rank = copy->block->rank;
  const struct mbarrier *unfed = facts.from_other_block ? NULL : find_unfed(owner, m, copy->bytes);
  if (unfed) shared_name_barrier(owner->launch, unfed->offset, facts.other_name, sizeof facts.other_name);
  mbarrier_fill(&f, &facts, 0);
  if (m->expected_bytes > 0)
    mbarrier_relate_announcement(&f, &facts, RELATED_ANNOUNCEMENT_OF_SUM, owner, m);
  else
    mbarrier_relate_arrival(&f, &facts, RELATED_ARRIVAL_WITHOUT_BYTES, owner, m);
  f.edit = unfed ? FAULT_EDIT_HERE : (int)f.related_count;
  f.edit_is_guess = facts.from_other_block; // arrivals that hold the other block back may be missing
  mbarrier_relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

void mbarrier_fault_left_over(const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = mbarrier_facts_of(COPY_LEFT_OVER, owner, m, m->offset);
  mbarrier_fill(&f, &facts, 0);
  mbarrier_relate_arrival(&f, &facts, RELATED_LAST_ARRIVAL_AT_ALL, owner, m);
  f.edit = (int)f.related_count;
  mbarrier_relate_init(&f, &facts, owner, m);
  struct async_copy copy = {.op = m->last_copy_by,
                            .block = (struct block *)(uintptr_t)m->last_copy_block,
                            .thread = m->last_copy_thread};
  async_fault(&copy, &f);
}
