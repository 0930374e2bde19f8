// From a conflict to a fault. In: conflicts. Out: one fault record for each rule and pair of instructions,
// its repeats counted. Of the epoch in which it was met first, the occurrence in the lowest block is recorded
// when that epoch ends, with its places; the others are counted, and the count is recorded when the launch
// ends.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/rules/fault-causes.h"

// A barrier's wrong count is one mistake, wherever it shows.
static const struct op *second_of(const struct conflict *k) {
  return k->facts.kind == CONFLICT_COUNT_TOO_SMALL ? NULL : k->later.op;
}

// NULL: there is no room for another one. A new one has no rule yet. Nearly all launches need none, and each
// has kilobytes, so they are made one by one.
static struct report_slot *slot_for(struct order_launch *l, const struct conflict *k) {
  const enum rule_id rule = conflict_rule(k->facts.kind);
  const struct op *first = k->earlier.op, *second = second_of(k);
  uintptr_t hash = (uintptr_t)rule * 31 + (((uintptr_t)first >> 5) + ((uintptr_t)second >> 5)) * 17;
  for (uint32_t probe = 0; probe < REPORT_SLOTS; probe++) {
    struct report_slot **at = &l->reports[(hash + probe) % REPORT_SLOTS], *s = *at;
    if (!s) {
      if (l->report_count >= REPORT_SLOTS / 2) return NULL;
      *at = calloc(1, sizeof **at);
      if (!*at) die("out of memory for a report");
      return *at;
    }
    if (s->rule != rule) continue;
    if (s->first == first && s->second == second) return s;
    if (s->first == second && s->second == first) return s; // met the other way round: the same mistake
  }
  return NULL;
}

static bool came(const struct order_block *b, uint32_t thread) {
  return b->partial.lanes[thread / WARP_LANES] >> thread % WARP_LANES & 1;
}

static void place_of(struct fault_place *place, const struct deed *deed) {
  machine_place(place, deed->block, deed->op, deed->thread);
}

static bool is_race_within_block(const struct conflict *k) {
  return conflict_rule(k->facts.kind) == RULE_SHARED_RACE && k->earlier.block == k->later.block;
}

// Two lanes of one warp, neither of which came to the barrier, though other lanes of the warp did.
static bool both_stayed_away(const struct conflict *k, const struct order_block *b) {
  const uint32_t warp = k->later.thread / WARP_LANES;
  return !b->partial.counted && k->earlier.thread / WARP_LANES == warp && b->partial.lanes[warp] &&
         !came(b, k->earlier.thread) && !came(b, k->later.thread);
}

// True when one of the two threads came through a barrier of the block that the other one never reached, or
// when a branch has led both past it, though not their whole warp. That is why nothing orders them.
static bool find_partial_barrier(const struct conflict *k, struct deed *barrier) {
  const struct order_block *b = k->later.block->order;
  *barrier = (struct deed){b ? b->partial.op : NULL, k->later.block, k->later.thread};
  if (b && b->partial.counted && !b->partial.lanes[k->earlier.thread / WARP_LANES]) return false;
  if (!is_race_within_block(k) || !barrier->op) return false;
  if (both_stayed_away(k, b)) return true;
  const bool later_came = came(b, k->later.thread);
  return later_came != came(b, k->earlier.thread) && (later_came || !b->partial.counted);
}

// The place of a wait for the load: every thread that touches the tile should wait there, or be told.
static void relate_wait(struct fault *fault, const struct deed *wait) {
  place_of(&conflict_add_wait(fault)->place, wait);
}

static void relate_other_wait(struct fault *fault, const struct conflict *k) {
  if (!k->other_wait || fault->related_count != 1) return;
  const struct deed wait = {k->other_wait, k->later.block, k->later.thread};
  place_of(&conflict_add_other_wait(fault)->place, &wait);
}

// The conflict is the example of its slot. Adds who waited for the load; if nobody has yet, whoever will.
static void find_wait(struct report_slot *slot, const struct conflict *k) {
  if (k->load_agent == NO_AGENT || slot->fault.related_count > 1) return; // told: it waits with .relaxed
  const struct load_wait wait = order_load_wait(k->later.block->cluster->order, k->load_agent, k->load_epoch);
  if (!wait.barrier || wait.deed.block != k->later.block) return;
  if (wait.deed.op) {
    relate_wait(&slot->fault, &wait.deed);
  } else {
    wait.barrier->unawaited = slot;
    wait.barrier->unawaited_epoch = k->load_epoch;
  }
}

// The file that both deeds stand in; "": they stand in two.
static const char *file_of(const struct conflict *k) {
  struct fault_place earlier = {0}, later = {0};
  place_of(&later, &k->later);
  if (!k->earlier.op || !later.file) return later.file;
  machine_place(&earlier, k->earlier.block ? k->earlier.block : k->later.block, k->earlier.op,
                k->earlier.thread);
  return earlier.file && strcmp(earlier.file, later.file) == 0 ? later.file : "";
}

// What a wait has not been passed on to is all that the later thread does there.
static void note_cause(struct fault *fault, const struct conflict_facts *facts) {
  const struct fault_place *at = &fault->related[0].place;
  if (facts->culprit.kind == WAIT_NOT_PASSED_ON)
    fault->cause = fault_cause(SUBJECT_LINE, at->file ? at->file : "", at->line);
}

// The variables of the first byte, and before it: an index too large may have led there.
static void name_variables(struct fault *fault, const struct launch *launch, uint32_t offset) {
  uint32_t begin, next, before;
  const char *name = shared_variable_at(launch, offset, &begin, &next);
  if (!name) return;
  shared_variable_name(name, fault->touched, sizeof fault->touched);
  name = begin ? shared_variable_at(launch, begin - 1, &before, &next) : NULL;
  if (name && before < begin) shared_variable_name(name, fault->before, sizeof fault->before);
}

static void name_first_byte(struct conflict_facts *facts, const struct conflict *k,
                            const struct launch *launch) {
  if (k->shared_offset) shared_name_place(launch, k->shared_offset, facts->place, sizeof facts->place);
  if (k->global_address)
    memory_describe(launch->memory, k->global_address, facts->place, sizeof facts->place);
}

static bool is_ordinary(const struct op *op) {
  const char *opcode = op && op->source ? op->source->opcode : "";
  return strcmp(opcode, "ld") == 0 || strcmp(opcode, "st") == 0;
}

// Threads of two blocks read and write in one line: x[i] += y, perhaps, without an atomic.
static bool counts_in_one_line(const struct conflict *k) {
  if (k->facts.kind != CONFLICT_GLOBAL_WRITE_THEN_READ && k->facts.kind != CONFLICT_GLOBAL_READ_THEN_WRITE)
    return false;
  if (!is_ordinary(k->earlier.op) || !is_ordinary(k->later.op)) return false;
  const struct source_line earlier = machine_line(k->earlier.op), later = machine_line(k->later.op);
  return earlier.line && earlier.line == later.line &&
         (earlier.file == later.file || strcmp(earlier.file, later.file) == 0);
}

static void note_partial_barrier(struct conflict_facts *facts, const struct conflict *k,
                                 const struct launch *launch, struct fault_place *barrier) {
  struct deed partial;
  if (!find_partial_barrier(k, &partial)) return;
  const struct order_block *b = k->later.block->order;
  place_of(barrier, &partial);
  barrier->has_thread = false;
  facts->has_partial_barrier = true;
  facts->partial.at = place_line(barrier);
  facts->partial.threads = b->partial.threads;
  facts->partial.block_threads = launch->threads_per_block;
  facts->partial.by_earlier = came(b, k->earlier.thread);
  const uint32_t absent = facts->partial.by_earlier ? k->later.thread : k->earlier.thread;
  facts->partial.by_neither = both_stayed_away(k, b);
  facts->partial.divides_warp = !b->partial.counted && b->partial.lanes[absent / WARP_LANES] != 0;
  if (b->partial.counted)
    facts->partial.warp_lanes =
        (uint32_t)__builtin_popcount(b->partial.lanes[k->earlier.thread / WARP_LANES]);
}

static bool is_in_pipeline(const struct conflict *k) {
  struct fault_place later = {0};
  place_of(&later, &k->later);
  return fault_is_within(&later, "/cuda/pipeline");
}

static void fill(struct fault *fault, const struct conflict *k, const struct launch *launch) {
  struct conflict_facts facts = k->facts;
  facts.in_pipeline = k->facts.later == DEED_LOAD && is_in_pipeline(k);
  facts.file = file_of(k);
  struct fault_place barrier = {0}, culprit = {0};
  struct deed cause;
  facts.earlier_thread = k->earlier.thread;
  facts.later_thread = k->later.thread;
  facts.between_blocks = k->earlier.block && k->earlier.block != k->later.block;
  facts.counts_in_one_line = counts_in_one_line(k);
  name_first_byte(&facts, k, launch);
  note_partial_barrier(&facts, k, launch, &barrier);
  if (!facts.has_partial_barrier && order_find_culprit(k, &facts, &cause)) {
    place_of(&culprit, &cause);
    if (facts.culprit.kind == CLUSTER_LEFT_EARLY) culprit.has_thread = false;
    facts.culprit.at = place_line(&culprit);
  }
  if (k->teller) {
    const struct deed teller = {k->teller, k->later.block, 0};
    place_of(&culprit, &teller);
    culprit.has_thread = false;
    facts.culprit.kind = TOLD_BY_STRANGER;
    facts.culprit.for_later = k->told_for_later;
    facts.culprit.at = place_line(&culprit);
  }
  conflict_words(&facts, fault);
  if (facts.culprit.kind == CLUSTER_NOT_AWAITED)
    fault->cause = fault_cause(SUBJECT_LINE, culprit.file ? culprit.file : "", culprit.line);
  if (k->shared_offset) name_variables(fault, launch, k->shared_offset);
  snprintf(fault->kernel, sizeof fault->kernel, "%s", launch->function->name);
  fault->launch_blocks = launch->cluster_count * launch->blocks_per_cluster;
  fault->launch_threads = launch->threads_per_block;
  if (facts.earlier == DEED_NONE) {
    place_of(&fault->place, &k->later);
    if (facts.culprit.kind) fault->related[0].place = culprit;
    return;
  }
  machine_place(&fault->place, k->earlier.block ? k->earlier.block : k->later.block, k->earlier.op,
                k->earlier.thread);
  if (!k->earlier.block) conflict_leave_out_thread(fault);
  place_of(&fault->related[0].place, &k->later);
  if (facts.culprit.kind) fault->related[1].place = culprit;
  note_cause(fault, &facts);
  relate_other_wait(fault, k);
  if (facts.has_partial_barrier) fault->related[1].place = barrier;
}

static void count_places(struct report_slot *slot, const struct conflict *k) {
  uint64_t block = k->later.block->linear_index % 4096;
  slot->blocks[block / 64] |= 1ull << block % 64;
  if (k->earlier.block) slot->earlier_threads[k->earlier.thread / 64] |= 1ull << k->earlier.thread % 64;
  slot->later_threads[k->later.thread / 64] |= 1ull << k->later.thread % 64;
}

static uint32_t bits_in(const uint64_t *words, uint32_t count) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; i++)
    bits += (uint32_t)__builtin_popcountll(words[i]);
  return bits;
}

// Whoever mends the race moves a meeting of the cluster; whether one is missing at the end is seen then.
static void note_race(const struct conflict *k) {
  if (conflict_rule(k->facts.kind) == RULE_SHARED_RACE && k->earlier.block &&
      k->earlier.block != k->later.block && k->later.block->cluster->order)
    k->later.block->cluster->order->raced = true;
}

// How often the block has met at its __syncthreads().
static uint64_t meetings_of(const struct block *b) {
  return b->barriers_used & 1 ? b->barriers[0].generation : 0;
}

static void take_example(struct order_launch *l, struct report_slot *slot, const struct conflict *k) {
  fill(&slot->fault, k, l->launch);
  slot->fault.ticket = fault_ticket(l->launch->report);
  find_wait(slot, k);
  slot->example_block = k->later.block->linear_index;
  slot->open = NULL;
  if (!is_race_within_block(k) || !k->later.block->order) return;
  slot->race = *k;
  slot->open = k->later.block;
  slot->meetings = meetings_of(k->later.block);
  k->later.block->order->raced = true;
}

void order_report(struct order_launch *l, const struct conflict *k) {
  note_race(k);
  pthread_mutex_lock(&l->lock);
  struct report_slot *slot = slot_for(l, k);
  if (slot && slot->rule) {
    slot->count++;
    if (slot->stage == l->stage && k->later.block->linear_index < slot->example_block)
      take_example(l, slot, k);
  } else if (slot) {
    l->report_count++;
    l->fresh_reports++;
    slot->rule = conflict_rule(k->facts.kind);
    slot->first = k->earlier.op;
    slot->second = second_of(k);
    slot->stage = l->stage;
    take_example(l, slot, k);
  }
  if (slot) count_places(slot, k);
  pthread_mutex_unlock(&l->lock);
}

static int compare_examples(const void *a, const void *b) {
  const struct report_slot *x = *(struct report_slot *const *)a, *y = *(struct report_slot *const *)b;
  if (x->example_block != y->example_block) return x->example_block < y->example_block ? -1 : 1;
  return x->fault.ticket < y->fault.ticket ? -1 : 1;
}

void order_stage_end(struct launch *launch) {
  struct order_launch *l = launch->order;
  struct report_slot *fresh[REPORT_SLOTS];
  uint32_t count = 0;
  for (uint32_t i = 0; l->fresh_reports && i < REPORT_SLOTS; i++)
    if (l->reports[i] && l->reports[i]->stage == l->stage) fresh[count++] = l->reports[i];
  if (count) qsort(fresh, count, sizeof *fresh, compare_examples);
  for (uint32_t i = 0; i < count; i++)
    fault_record(launch->report, &fresh[i]->fault);
  l->fresh_reports = 0;
  l->stage++;
}

// Which of order_launch.causes it is: the likeliest come first.
static uint32_t cause_index(const struct conflict *k) {
  switch (k->facts.kind) {
  case CONFLICT_COUNT_TOO_SMALL: return 1;
  case CONFLICT_RING_BEGUN_ANEW: return 2;
  case CONFLICT_ARRIVES_UNAWAITED: return 3;
  default: return 0;
  }
}

// Of a count that is too small the case with most arrivals is told; else the one in the lowest block.
static bool is_better_cause(const struct possible_cause *cause, const struct conflict *k) {
  if (!cause->fault || cause->arrivers < k->facts.arrivers) return true;
  return cause->arrivers == k->facts.arrivers && k->later.block->linear_index < cause->block;
}

void order_report_if_explained(struct order_launch *l, const struct conflict *k) {
  pthread_mutex_lock(&l->lock);
  struct possible_cause *cause = &l->causes[cause_index(k)];
  if (is_better_cause(cause, k)) {
    if (!cause->fault) cause->fault = calloc(1, sizeof *cause->fault);
    if (!cause->fault) die("out of memory for a report");
    cause->block = k->later.block->linear_index;
    cause->arrivers = k->facts.arrivers;
    fill(cause->fault, k, l->launch);
  }
  pthread_mutex_unlock(&l->lock);
}

// Returns true when it is recorded: some fault comes of it.
static bool record_cause(const struct order_launch *l, const struct fault *cause) {
  struct fault named = *cause;
  bool explains = false;
  fault_demangle(cause->kernel, named.kernel, sizeof named.kernel);
  for (size_t i = 0; i < fault_count(l->launch->report) && !explains; i++) {
    const struct fault *f = fault_at(l->launch->report, i);
    explains = named.is_root ? fault_has_root(&named, f)
                             : rule_explains(named.rule, f->rule) && strcmp(f->kernel, named.kernel) == 0;
  }
  if (explains) fault_record(l->launch->report, cause);
  return explains;
}

static void record_causes(struct order_launch *l) {
  bool recorded = false;
  for (uint32_t i = 0; i < CAUSE_KINDS; i++) {
    struct fault *cause = l->causes[i].fault;
    recorded = recorded || (cause && record_cause(l, cause));
    free(cause);
    l->causes[i].fault = NULL;
  }
}

void order_report_awaited(struct order_launch *l, struct order_mbarrier *o, struct block *b,
                          const struct op *op, uint32_t thread) {
  pthread_mutex_lock(&l->lock);
  struct report_slot *slot = o->unawaited;
  o->unawaited = NULL;
  if (slot->example_block == b->linear_index) {
    const struct deed wait = {op, b, thread};
    relate_wait(&slot->fault, &wait);
    if (slot->stage != l->stage) fault_complete(l->launch->report, &slot->fault);
  }
  pthread_mutex_unlock(&l->lock);
}

// One of a race's threads may come to a barrier after the race, and the other one has left by then.
void order_report_partial(struct order_launch *l, struct block *b) {
  pthread_mutex_lock(&l->lock);
  for (uint32_t i = 0; i < REPORT_SLOTS; i++) {
    struct report_slot *slot = l->reports[i];
    struct deed barrier;
    if (!slot || slot->open != b || slot->meetings != meetings_of(b)) continue;
    if (!find_partial_barrier(&slot->race, &barrier)) continue;
    const uint64_t ticket = slot->fault.ticket;
    fill(&slot->fault, &slot->race, l->launch);
    slot->fault.ticket = ticket;
    slot->open = NULL;
    if (slot->stage != l->stage) fault_complete(l->launch->report, &slot->fault);
  }
  pthread_mutex_unlock(&l->lock);
}

void order_report_flush(struct order_launch *l) {
  order_stage_end(l->launch);
  record_causes(l);
  for (uint32_t i = 0; l->report_count && i < REPORT_SLOTS; i++) {
    struct report_slot *slot = l->reports[i];
    if (!slot || slot->count == 0) continue;
    uint32_t earlier = bits_in(slot->earlier_threads, 16), later = bits_in(slot->later_threads, 16);
    slot->fault.count = slot->count;
    slot->fault.block_count = bits_in(slot->blocks, 64);
    slot->fault.thread_count = earlier > later ? earlier : later;
    fault_record(l->launch->report, &slot->fault);
    slot->count = 0;
  }
}
