// Faults of barriers. In: an operation and the barrier's record. Out: what is wrong, with the other places
// that belong to it. A fault is fatal where the chip would stop, or hang for ever (a launch timeout here); it
// is an error where the chip would go on with undefined results. The words are in rules/mbarrier-words.c.
#include "virtual-hopper/async/mbarrier-fault.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/internal.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/rules/copy-words.h"
#include "virtual-hopper/rules/fault-causes.h"
#include "virtual-hopper/rules/mbarrier-words.h"

// The barrier of `owner` at `offset`; m NULL: none was ever initialised there.
static struct mbarrier_facts facts_of(enum mbarrier_fault_kind kind, const struct block *owner,
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

// device_error 0: the device goes on.
static void fill(struct fault *f, const struct mbarrier_facts *facts, int device_error) {
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

static void relate(struct fault *f, const struct mbarrier_facts *facts, enum mbarrier_relation relation,
                   const struct block *b, const struct op *op, uint32_t thread) {
  char role[sizeof f->role];
  mbarrier_relation_words(relation, facts, role, sizeof role);
  fault_add_related(f, b, op, thread, role);
}

static void relate_init(struct fault *f, const struct mbarrier_facts *facts, const struct block *owner,
                        const struct mbarrier *m) {
  if (m) relate(f, facts, RELATED_INIT, owner, m->initialised_by, m->initialised_thread);
}

static void relate_arrival(struct fault *f, const struct mbarrier_facts *facts,
                           enum mbarrier_relation relation, const struct block *owner,
                           const struct mbarrier *m) {
  const struct block *b = m->last_arrive_block ? m->last_arrive_block : owner;
  relate(f, facts, relation, b, m->last_arrive_by, m->last_arrive_thread);
}

static void relate_announcement(struct fault *f, const struct mbarrier_facts *facts,
                                enum mbarrier_relation relation, const struct block *owner,
                                const struct mbarrier *m) {
  relate(f, facts, relation, owner, m->last_expect_by, m->last_expect_thread);
}

static void relate_copy(struct fault *f, const struct mbarrier_facts *facts, enum mbarrier_relation relation,
                        const struct block *owner, const struct mbarrier *m) {
  const struct block *b = m->last_copy_block ? m->last_copy_block : owner;
  relate(f, facts, relation, b, m->last_copy_by, m->last_copy_thread);
}

void mbarrier_describe(const struct block *b, const struct mbarrier *m, char *text, size_t size) {
  const struct mbarrier_facts facts = facts_of(MBARRIER_FAULT_KINDS, b, m, m->offset);
  struct fault_place place = {0};
  char init[128] = "";
  if (m->initialised_by) machine_place(&place, b, m->initialised_by, m->initialised_thread);
  struct source_line at = place_line(&place);
  if (at.caller) at = (struct source_line){.line = at.caller, .file = at.caller_file}; // whose count it is
  if (at.line) place_line_words(at, at.file, init, sizeof init);
  mbarrier_state_words(&facts, init, text, size);
}

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
  struct mbarrier_facts facts = facts_of(m ? BARRIER_INVALIDATED : BARRIER_NOT_INITIALISED, owner, m, offset);
  facts.thread = actor_thread(by);
  facts.from_other_block = by.w->block != owner;
  facts.user_rank = by.w->block->rank;
  const struct mbarrier *sibling = NULL;
  if (!m && !facts.from_other_block) find_inits(by.w, &facts);
  if (!m && !facts.from_other_block && !facts.init_line_count)
    sibling = find_array(by.w->block, offset, &facts);
  if (!m && !facts.from_other_block && !facts.init_line_count && !sibling && !facts.past_end_of[0])
    sibling = find_other(by.w->block, &facts);
  fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  relate_init(&f, &facts, owner, m);
  if (sibling) {
    relate(&f, &facts, RELATED_INIT_OF_SIBLING, owner, sibling->initialised_by, sibling->initialised_thread);
    f.edit = (int)f.related_count;
  }
  actor_fault(by, &f);
}

void mbarrier_fault_invalidated_twice(struct actor by, const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = facts_of(BARRIER_INVALIDATED_TWICE, owner, m, m->offset);
  fill(&f, &facts, 0);
  relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_misaligned(struct actor by, uint32_t offset) {
  struct fault f;
  const struct mbarrier_facts facts = {.kind = BARRIER_MISALIGNED, .offset = offset};
  fill(&f, &facts, ERROR_MISALIGNED_ADDRESS);
  actor_fault(by, &f);
}

void mbarrier_fault_count(struct actor by, uint32_t count) {
  struct fault f;
  const struct mbarrier_facts facts = {.kind = BARRIER_COUNT, .count = count, .limit = MBARRIER_MAX_COUNT};
  fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  actor_fault(by, &f);
}

void mbarrier_fault_parity(struct actor by, const struct block *owner, uint32_t offset, uint32_t parity) {
  struct fault f;
  struct mbarrier_facts facts = facts_of(BARRIER_PARITY, owner, NULL, offset);
  facts.parity = parity;
  fill(&f, &facts, 0);
  actor_fault(by, &f);
}

void mbarrier_fault_token(struct actor by, struct block *owner, struct mbarrier *m, uint64_t token) {
  struct fault f;
  const struct mbarrier *other = mbarrier_find(owner, mbarrier_token_offset(token));
  const bool of_it = mbarrier_token_is_of(m, token);
  const enum order_token whose =
      of_it ? order_mbarrier_token(by, owner, m, mbarrier_token_phase(token)) : ORDER_TOKEN_OLD;
  if (whose == ORDER_TOKEN_COUNT) return;
  struct mbarrier_facts facts = facts_of(!of_it                     ? BARRIER_TOKEN_OTHER
                                         : whose == ORDER_TOKEN_OWN ? BARRIER_TOKEN_OUTRUN
                                                                    : BARRIER_TOKEN_OLD,
                                         owner, m, m->offset);
  facts.thread = actor_thread(by);
  facts.token_age = mbarrier_token_age(m, token);
  if (!of_it && other) {
    const struct mbarrier_facts its = facts_of(BARRIER_TOKEN_OTHER, owner, other, other->offset);
    memcpy(facts.other_name, its.name, sizeof facts.other_name);
  }
  fill(&f, &facts, 0);
  if (facts.kind == BARRIER_TOKEN_OLD) f.cause = fault_cause(SUBJECT_TOKEN, facts.name, 0);
  actor_fault(by, &f);
}

void mbarrier_fault_reinit(struct actor by, const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = facts_of(BARRIER_REINITIALISED, owner, m, m->offset);
  fill(&f, &facts, 0);
  relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_tx(struct actor by, const struct block *owner, const struct mbarrier *m, int64_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = facts_of(BARRIER_BYTES, owner, m, m->offset);
  facts.bytes = bytes;
  fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_late_bytes(struct actor by, const struct block *owner, const struct mbarrier *m,
                               uint32_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = facts_of(BARRIER_LATE_BYTES, owner, m, m->offset);
  facts.bytes = bytes;
  fill(&f, &facts, 0);
  relate_arrival(&f, &facts, RELATED_LAST_ARRIVAL, owner, m);
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
      facts_of(twice ? BARRIER_COUNTED_TWICE : BARRIER_UNOBSERVED, owner, m, m->offset);
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
  fill(&f, &facts, 0);
  relate_init(&f, &facts, owner, m);
  relate_arrival(&f, &facts, RELATED_LAST_ARRIVAL_OF_PHASE, owner, m);
  // One lane of each warp arrives, in several blocks: most likely the count stands for those of one block.
  if (owner->launch->blocks_per_cluster > 1 && (facts.arrived_ranks & (facts.arrived_ranks - 1)) &&
      actor_thread(by) % 32 == 0 && m->last_arrive_thread % 32 == 0)
    f.edit = 1; // the initialisation
  if (facts.comes_again || !facts.asked) f.edit = FAULT_EDIT_PLACE;
  relate(&f, &facts, RELATED_WAIT, owner, m->asked_by, m->asked_thread);
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
      facts_of(would_complete ? BARRIER_NO_COMPLETE : BARRIER_ARRIVALS, owner, m, m->offset);
  facts.count = count;
  compare_arrivals(by, m, &facts);
  facts.arrives_before_end = !facts.same_thread_arrives && order_mbarrier_fits(by, owner, m);
  fill(&f, &facts, would_complete ? ERROR_LAUNCH_FAILURE : ERROR_LAUNCH_TIMEOUT);
  f.comes_again = facts.arrives_in_line_again || facts.arrives_before_end;
  relate_init(&f, &facts, owner, m);
  relate_arrival(&f, &facts, RELATED_ARRIVAL_BEFORE, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_overwritten(struct actor by, const struct block *owner, const struct mbarrier *m,
                                uint32_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = facts_of(BARRIER_WRITTEN, owner, m, m->offset);
  facts.bytes = bytes;
  fill(&f, &facts, 0);
  relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_found_overwritten(struct actor by, const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = facts_of(BARRIER_FOUND_WRITTEN, owner, m, m->offset);
  fill(&f, &facts, 0);
  relate_init(&f, &facts, owner, m);
  actor_fault(by, &f);
}

void mbarrier_fault_remote(struct actor by, const struct block *owner) {
  struct fault f;
  const struct mbarrier_facts facts = {.kind = BARRIER_OF_OTHER_BLOCK, .block_rank = owner->rank};
  fill(&f, &facts, ERROR_ILLEGAL_INSTRUCTION);
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
  struct mbarrier_facts facts = facts_of(COPY_WITHOUT_BARRIER, owner, m, offset);
  facts.bytes = copy->bytes;
  facts.invalidated = m != NULL;
  fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

void async_fault_tx(const struct async_copy *copy, const struct block *owner, const struct mbarrier *m,
                    uint32_t bytes) {
  struct fault f;
  struct mbarrier_facts facts = facts_of(COPY_OVERFLOWS, owner, m, m->offset);
  facts.bytes = bytes;
  fill(&f, &facts, ERROR_LAUNCH_FAILURE);
  relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

void async_fault_deferred_arrival(const struct async_copy *copy, const struct block *owner,
                                  const struct mbarrier *m, uint32_t offset) {
  struct fault f;
  bool live = m && m->live;
  const struct mbarrier_facts facts =
      facts_of(live ? DEFERRED_ARRIVAL_TOO_MANY : DEFERRED_ARRIVAL_NOWHERE, owner, m, offset);
  fill(&f, &facts, live ? ERROR_LAUNCH_TIMEOUT : ERROR_LAUNCH_FAILURE);
  f.comes_late = !live && m != NULL;
  relate_init(&f, &facts, owner, m);
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
  struct mbarrier_facts facts = facts_of(COPY_UNANNOUNCED, owner, m, m->offset);
  facts.pending_bytes = async_pending_bytes(owner->cluster, owner, m->offset);
  if (facts.pending_bytes == 0) return; // whoever goes on misses nothing
  facts.from_other_block = copy->block != owner;
  facts.user_rank = copy->block->rank;
  const struct mbarrier *unfed = facts.from_other_block ? NULL : find_unfed(owner, m, copy->bytes);
  if (unfed) shared_name_barrier(owner->launch, unfed->offset, facts.other_name, sizeof facts.other_name);
  fill(&f, &facts, 0);
  if (m->expected_bytes > 0)
    relate_announcement(&f, &facts, RELATED_ANNOUNCEMENT_OF_SUM, owner, m);
  else
    relate_arrival(&f, &facts, RELATED_ARRIVAL_WITHOUT_BYTES, owner, m);
  f.edit = unfed ? FAULT_EDIT_HERE : (int)f.related_count;
  f.edit_is_guess = facts.from_other_block; // arrivals that hold the other block back may be missing
  relate_init(&f, &facts, owner, m);
  async_fault(copy, &f);
}

void mbarrier_fault_left_over(const struct block *owner, const struct mbarrier *m) {
  struct fault f;
  const struct mbarrier_facts facts = facts_of(COPY_LEFT_OVER, owner, m, m->offset);
  fill(&f, &facts, 0);
  relate_arrival(&f, &facts, RELATED_LAST_ARRIVAL_AT_ALL, owner, m);
  f.edit = (int)f.related_count;
  relate_init(&f, &facts, owner, m);
  struct async_copy copy = {.op = m->last_copy_by,
                            .block = (struct block *)(uintptr_t)m->last_copy_block,
                            .thread = m->last_copy_thread};
  async_fault(&copy, &f);
}

// ---- why a phase can't complete ---------------------------------------------------------------------------

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
  struct mbarrier_facts facts = facts_of(PHASE_BYTES_DIFFER, b, m, m->offset);
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
  fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
  if (peer_missing)
    relate(f, &facts, RELATED_PEER_COPY, m->peer_copy.block, m->peer_copy.by, m->peer_copy.thread);
  if (facts.kind == PHASE_NOT_ANNOUNCED)
    relate_copy(f, &facts, RELATED_COPY, b, m);
  else
    relate_announcement(f, &facts, RELATED_ANNOUNCEMENT, b, m);
  f->edit = peer_missing ? 1 : (int)f->related_count;
  if (left_out) {
    relate(f, &facts, RELATED_LEFT_OUT, m->left_out.block, m->left_out.by, m->left_out.thread);
    f->edit = (int)f->related_count;
    return;
  }
  if (facts.kind != PHASE_BYTES_DIFFER || (m->last_copy_block != b && !facts.gets_words)) return;
  relate_copy(f, &facts, RELATED_LAST_COPY, b, m);
  if (m->other_copy.by && m->last_copy_phase == m->phase && m->other_copy.block == b)
    relate(f, &facts, RELATED_OTHER_COPY, b, m->other_copy.by, m->other_copy.thread);
  if (facts.copy_elements && !m->last_box.rank && !m->other_copy.by) f->edit = (int)f->related_count;
}

// There are bytes, but no arrival: neither an announcement nor a copy is one.
static void diagnose_no_arrival(const struct block *b, const struct mbarrier *m, struct fault *f) {
  struct mbarrier_facts facts = facts_of(PHASE_ANNOUNCED_NO_ARRIVAL, b, m, m->offset);
  if (m->expected_bytes > 0) {
    fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
    relate_announcement(f, &facts, RELATED_ANNOUNCEMENT_WITHOUT_ARRIVAL, b, m);
  } else {
    const struct mbarrier *other = counterpart_of(b, m);
    facts.kind = PHASE_LANDED_NO_ARRIVAL;
    if (other) shared_name_barrier(b->launch, other->offset, facts.other_name, sizeof facts.other_name);
    fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
    relate_copy(f, &facts, RELATED_COPY_NOT_ANNOUNCED, b, m);
    if (other) relate_announcement(f, &facts, RELATED_ANNOUNCEMENT_ELSEWHERE, b, other);
  }
  f->edit = (int)f->related_count;
}

// Some have arrived, and nobody is left who would make the other arrivals.
static void diagnose_missing_arrivals(const struct block *b, const struct mbarrier *m, bool may_go_on,
                                      struct fault *f) {
  struct mbarrier_facts facts = facts_of(PHASE_ARRIVALS_MISSING, b, m, m->offset);
  // If several threads have arrived, or the one that announces, the count is too large, most likely. If one
  // other thread has, arrivals are missing.
  facts.count_is_wrong = m->arrivals > 1 || m->last_arrive_by == m->last_expect_by;
  facts.thread = m->last_arrive_thread;
  facts.may_go_on = may_go_on;
  if (mbarrier_lacks_noinc(m))
    facts.added_arrivals = m->added_arrivals;
  else
    facts.arrivals -= m->added_arrivals; // each of them has its own beside it, which the barrier counts
  fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
  relate_arrival(f, &facts, RELATED_LAST_ARRIVAL, b, m);
  f->edit = (int)f->related_count + (facts.count_is_wrong && m->phase == 0 && !facts.added_arrivals &&
                                     !mbarrier_lacks_blocks(&facts)); // the initialisation comes next
}

// No thread has seen the last completed phase, and nobody has begun the next one, for which a thread waits.
static void diagnose_not_begun(const struct block *b, const struct mbarrier *m, struct fault *f) {
  struct mbarrier_facts facts = facts_of(PHASE_NOT_BEGUN, b, m, m->offset);
  facts.parity = (uint32_t)m->phase & 1;
  facts.without_bytes = m->last_expect_by && m->last_arrive_by != m->last_expect_by && !m->expected_before;
  facts.thread = m->last_arrive_thread;
  fill(f, &facts, ERROR_LAUNCH_TIMEOUT);
  relate_arrival(f, &facts, RELATED_LAST_ARRIVAL_OF_PHASE, b, m);
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
  const struct mbarrier_facts facts = facts_of(PHASE_BYTES_DIFFER, b, m, m->offset);
  relate_init(f, &facts, b, m);
  return true;
}
