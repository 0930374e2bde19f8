// From a conflict to a fault. In: two deeds and words. Out: one fault record for each pair of instructions, its repeats counted.
// The first occurrence is recorded at once (with its places), the others are only counted and added when the launch ends.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/shared-name.h"

static struct report_slot *slot_for(struct order_launch *l, const struct conflict *k) {
  uintptr_t hash =
      ((uintptr_t)k->rule >> 3) * 31 + (((uintptr_t)k->earlier_op >> 5) + ((uintptr_t)k->later_op >> 5)) * 17;
  for (uint32_t probe = 0; probe < REPORT_SLOTS; probe++) {
    struct report_slot *s = &l->reports[(hash + probe) % REPORT_SLOTS];
    if (!s->rule) return l->report_count < REPORT_SLOTS / 2 ? s : NULL;
    if (strcmp(s->rule, k->rule) != 0) continue;
    if (s->first == k->earlier_op && s->second == k->later_op) return s;
    if (s->first == k->later_op && s->second == k->earlier_op)
      return s; // met the other way round: the same mistake
  }
  return NULL;
}

static void append_place(struct fault *fault, const struct conflict *k, const struct launch *launch) {
  char place[160];
  size_t used = strlen(fault->message);
  if (!k->shared_offset) return;
  shared_name_place(launch, k->shared_offset, place, sizeof place);
  snprintf(fault->message + used, sizeof fault->message - used, " The first byte concerned: %s.", place);
}

static bool came(const struct order_block *b, uint32_t thread) {
  return b->partial.lanes[thread / WARP_LANES] >> thread % WARP_LANES & 1;
}

// The later thread came through a barrier that the earlier one never came to: that is why nothing orders them.
static void blame_partial_barrier(struct fault *fault, const struct conflict *k) {
  const struct order_block *b = k->later_block->order;
  if (strcmp(k->rule, "shared-race") != 0 || k->earlier_block != k->later_block || !b || !b->partial.op ||
      !came(b, k->later_thread) || came(b, k->earlier_thread))
    return;
  struct fault_place barrier = {0};
  machine_place(&barrier, k->later_block, b->partial.op, k->later_thread);
  size_t used = strlen(fault->message);
  snprintf(
      fault->message + used, sizeof fault->message - used,
      " The barrier at line %u, which thread %u came through, was reached by only %u of the block's %u threads: thread %u left without coming to it.",
      barrier.line, k->later_thread, b->partial.threads, k->later_block->launch->threads_per_block,
      k->earlier_thread);
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Every thread of the block has to reach __syncthreads(): move it out of the `if`, and let nobody return before it.");
  struct fault_related *at = &fault->related[fault->related_count++];
  snprintf(at->role, sizeof at->role, "is the barrier that not all threads reach");
  at->place = barrier;
  at->place.has_thread = false;
  fault->edit = (int)fault->related_count;
}

// Where the load is waited for: there every thread should, or pass it on.
static void relate_wait(struct fault *fault, struct block *b, const struct op *op, uint32_t thread) {
  struct fault_related *at = &fault->related[fault->related_count++];
  snprintf(at->role, sizeof at->role, "waits for that load; the thread above has not, and touches the tile");
  machine_place(&at->place, b, op, thread);
  fault->edit = (int)fault->related_count;
}

// The conflict is the example of its slot: who waited for the load, now or as soon as somebody does?
static void find_wait(struct report_slot *slot, const struct conflict *k) {
  if (k->load_agent == NO_AGENT) return;
  const struct load_wait wait = order_load_wait(k->later_block->cluster->order, k->load_agent, k->load_epoch);
  if (!wait.barrier || wait.block != k->later_block) return;
  if (wait.op) {
    relate_wait(&slot->fault, wait.block, wait.op, wait.thread);
  } else {
    wait.barrier->unawaited = slot;
    wait.barrier->unawaited_epoch = k->load_epoch;
  }
}

static void fill(struct fault *fault, const struct conflict *k, const struct launch *launch) {
  memset(fault, 0, sizeof *fault);
  fault->rule = k->rule;
  fault->severity = FAULT_ERROR;
  snprintf(fault->message, sizeof fault->message, "%s", k->message);
  append_place(fault, k, launch);
  snprintf(fault->remedy, sizeof fault->remedy, "%s", k->remedy);
  fault->edit = k->edit;
  snprintf(fault->kernel, sizeof fault->kernel, "%s", launch->function->name);
  fault->launch_blocks = launch->cluster_count * launch->blocks_per_cluster;
  fault->launch_threads = launch->threads_per_block;
  if (!k->earlier_op) { // one deed only
    snprintf(fault->role, sizeof fault->role, "%s", k->later_role);
    machine_place(&fault->place, k->later_block, k->later_op, k->later_thread);
    return;
  }
  snprintf(fault->role, sizeof fault->role, "%s", k->earlier_role);
  machine_place(&fault->place, k->earlier_block ? k->earlier_block : k->later_block, k->earlier_op,
                k->earlier_thread);
  if (!k->earlier_block) fault->place.has_thread = false;
  fault->related_count = 1;
  snprintf(fault->related[0].role, sizeof fault->related[0].role, "%s", k->later_role);
  machine_place(&fault->related[0].place, k->later_block, k->later_op, k->later_thread);
  blame_partial_barrier(fault, k);
}

static void count_places(struct report_slot *slot, const struct conflict *k) {
  uint64_t block = k->later_block->linear_index % 4096;
  slot->blocks[block / 64] |= 1ull << block % 64;
  if (k->earlier_block) slot->earlier_threads[k->earlier_thread / 64] |= 1ull << k->earlier_thread % 64;
  slot->later_threads[k->later_thread / 64] |= 1ull << k->later_thread % 64;
}

static uint32_t bits_in(const uint64_t *words, uint32_t count) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; i++)
    bits += (uint32_t)__builtin_popcountll(words[i]);
  return bits;
}

void order_report(struct order_launch *l, const struct conflict *k) {
  pthread_mutex_lock(&l->lock);
  struct report_slot *slot = slot_for(l, k);
  if (slot && slot->rule) {
    slot->count++;
    if (k->later_block->linear_index < slot->example_block) {
      fill(&slot->fault, k, l->launch);
      find_wait(slot, k);
      slot->example_block = k->later_block->linear_index;
    }
  } else if (slot) {
    l->report_count++;
    slot->rule = k->rule;
    slot->first = k->earlier_op;
    slot->second = k->later_op;
    fill(&slot->fault, k, l->launch);
    find_wait(slot, k);
    slot->example_block = k->later_block->linear_index;
    fault_record(l->launch->report, &slot->fault);
  }
  if (slot) count_places(slot, k);
  pthread_mutex_unlock(&l->lock);
}

void order_report_awaited(struct order_launch *l, struct order_mbarrier *o, struct block *b,
                          const struct op *op, uint32_t thread) {
  pthread_mutex_lock(&l->lock);
  struct report_slot *slot = o->unawaited;
  o->unawaited = NULL;
  if (slot->example_block == b->linear_index) {
    relate_wait(&slot->fault, b, op, thread);
    fault_complete(l->launch->report, &slot->fault);
  }
  pthread_mutex_unlock(&l->lock);
}

void order_report_flush(struct order_launch *l) {
  for (uint32_t i = 0; i < REPORT_SLOTS; i++) {
    struct report_slot *slot = &l->reports[i];
    if (!slot->rule || slot->count == 0) continue;
    uint32_t earlier = bits_in(slot->earlier_threads, 16), later = bits_in(slot->later_threads, 16);
    slot->fault.count = slot->count;
    slot->fault.block_count = bits_in(slot->blocks, 64);
    slot->fault.thread_count = earlier > later ? earlier : later;
    fault_record(l->launch->report, &slot->fault);
    slot->count = 0;
  }
}
