// In: each op, before and after it runs. Out: the time room's events. One idea: what an op waits for follows
// from the places in the frame that it uses; time-cost.c says what it costs. ptxas gives the instructions of
// a basic block a new order: loads first, so that one is on its way while another is waited for. So an op of
// a basic block is issued when its operands are there; the block ends when all of its ops are.
#include "virtual-hopper/execute/time-op.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/banks.h"
#include "virtual-hopper/execute/time-cost.h"

enum { SHARED_LATENCY = 30, LONG_RUN = 256, UNROLLED_TURNS = 4 }; // turns that have one jump
enum { REMOTE_LATENCY = 180, RANK_SHIFT = 24, NUMBER_LATENCY = 25, MATCH_ALONE = 110 };
// Of the reciprocal of a divisor that its loop doesn't change, which is taken when the loop begins.
enum { RECIPROCAL_QUARTERS = 44, RECIPROCAL_LATENCY = 100 };
// Of a remainder whose quotient is known: the number less a product.
enum { PRODUCT_QUARTERS = 8, PRODUCT_LATENCY = 10 };

// ---- what it waits for ------------------------------------------------------------------------------------

static void begin_frame(struct time_warp *record, const struct frame *frame) {
  const uint32_t count = frame->function->register_bytes / PLACE_UNIT + 1;
  if (record->result_count < count) {
    free(record->results);
    record->results = calloc(count, sizeof *record->results);
    if (!record->results) die("out of memory for the time model");
    record->result_count = count;
  } else {
    memset(record->results, 0, record->result_count * sizeof *record->results);
  }
  record->frame = frame;
  record->owed_count = record->behind = 0;
  record->block++;
}

static bool is_pending(const struct time_warp *record, const struct time_result *r) {
  return r->load && (!r->block || r->block == record->block);
}

// A move or the like: its result comes when its source comes.
static bool passes_on(struct time_warp *record, const struct op_cost *cost) {
  if (cost->class != OP_FREE || cost->result_count != 1) return false;
  struct time_result from = {0};
  for (uint32_t i = 0; i < cost->place_count; i++) {
    const struct time_result *r = &record->results[cost->places[i]];
    if (cost->places[i] != cost->results[0] && (is_pending(record, r) || r->run == record->run)) from = *r;
  }
  record->results[cost->results[0]] = from;
  return true;
}

// ptxas reads a number once, before the loops that want it.
static void read_number(struct time_warp *record, const struct op_cost *cost, const struct op *op) {
  for (uint32_t i = 0; i < record->number_count; i++)
    if (record->numbers[i] == op) return;
  if (record->number_count < TIME_NUMBERS) record->numbers[record->number_count++] = op;
  record->reads++;
  record->results[cost->results[0]] =
      (struct time_result){.ready = record->block_begin + NUMBER_LATENCY, .run = record->run};
}

// What an op's operands are made of: the newest load that may still be on its way, plus one (0: of none), and
// how many cycles behind it they are there.
struct behind {
  uint32_t load, cycles;
};

// Notes which loads these are.
static struct behind owe_loads(struct time_warp *record, const struct op_cost *cost, const struct op *op) {
  struct behind newest = {0};
  for (uint32_t i = 0; i < cost->place_count; i++) {
    struct time_result *r = &record->results[cost->places[i]];
    if (!is_pending(record, r)) continue;
    const uint32_t behind = r->block ? r->behind : 0;
    if (r->load > newest.load || (r->load == newest.load && behind > newest.cycles))
      newest = (struct behind){r->load, behind};
    if (!r->block && record->owed_count < TIME_MOST_OWED)
      record->owed[record->owed_count++] = (struct time_owed){r->load - 1, op};
    r->block = record->block;
  }
  return newest;
}

static void await_owed(struct warp *w, struct time_warp *record) {
  for (uint32_t i = 0; i < record->owed_count; i++)
    time_emit(w, (struct time_event){.kind = TIME_USE, .a = record->owed[i].load, .op = record->owed[i].op});
  if (record->behind) time_emit(w, (struct time_event){.kind = TIME_RUN, .b = record->behind});
  record->owed_count = record->behind = 0;
  record->block++; // what was made of them is there now
}

static void end_block(struct time_warp *record) {
  record->block_begin = record->longest;
  record->block_slots = 0;
}

// What must have come before the op is waited for: a store to global memory can't pass a load, nor can the
// address of a load be anything but known. Other ops only keep the block open.
static struct behind await_loads(struct warp *w, struct time_warp *record, const struct op_cost *cost,
                                 const struct op *op) {
  const struct behind newest = owe_loads(record, cost, op);
  const bool stores = cost->class == OP_STORE && op->space != PTX_SHARED;
  const bool loads = cost->class == OP_LOAD || (cost->class == OP_ATOMIC && cost->result_count > 0);
  const bool must = cost->ends_block || (newest.load && (stores || loads));
  if (!must && record->owed_count < TIME_MOST_OWED) return newest;
  await_owed(w, record);
  end_block(record);
  return (struct behind){0};
}

// Different values that the lanes of a match bring.
static uint32_t values_of(const struct warp *w, const struct op *op) {
  const uint32_t *value = warp_register32(w, op->a);
  uint32_t count = 0;
  for (uint32_t left = w->lanes; left; count++) {
    const uint32_t first = value[__builtin_ctz(left)];
    for (uint32_t i = left; i; i &= i - 1)
      if (value[__builtin_ctz(i)] == first) left &= ~(i & -i);
  }
  return count;
}

// What a division by the same adds to its multiplications. ptxas takes the reciprocal of a divisor once, when
// the loop begins: more was executed since the last division by it than the loop has. A quotient and a
// remainder of the same numbers share the division.
enum division { DIVIDES, TAKES_RECIPROCAL, HAS_QUOTIENT };

static enum division division_of(struct time_warp *record, const struct op_cost *cost, const struct op *op) {
  struct time_divided *last = &record->divided[op->b / PLACE_UNIT % TIME_DIVISIONS];
  const bool first = !last->op || last->divisor != op->b || record->executed - last->when > cost->loop;
  if (!first && last->op != op && last->number == op->a) return HAS_QUOTIENT;
  *last = (struct time_divided){op, op->a, op->b, record->executed};
  return first ? TAKES_RECIPROCAL : DIVIDES;
}

static void add_to_run(struct warp *w, struct time_warp *record, const struct op_cost *cost,
                       const struct op *op, struct behind newest) {
  if (record->slots >= 4 * LONG_RUN || record->shared_cycles >= LONG_RUN ||
      record->special_cycles >= LONG_RUN)
    time_split_run(w);
  uint32_t issue = record->block_begin + record->block_slots / 4;
  for (uint32_t i = 0; i < cost->place_count && !newest.load; i++) {
    const struct time_result *r = &record->results[cost->places[i]];
    if (r->run == record->run && r->ready > issue) issue = r->ready;
  }
  const enum division division = cost->loop ? division_of(record, cost, op) : DIVIDES;
  const bool reciprocal = division == TAKES_RECIPROCAL, known = division == HAS_QUOTIENT;
  const uint32_t quarters =
      known ? PRODUCT_QUARTERS : cost->quarters + (reciprocal ? RECIPROCAL_QUARTERS : 0);
  record->slots += quarters;
  record->block_slots += quarters;
  record->all_slots += quarters;
  record->lane_slots += (uint64_t)quarters * (uint32_t)__builtin_popcount(w->lanes);
  record->shared_cycles += cost->shared;
  const uint32_t values = cost->matches ? values_of(w, op) : 0, matching = values * SPECIAL;
  record->special_cycles += (cost->loop && !reciprocal ? 0 : cost->special) + matching;
  const uint32_t latency = (known ? PRODUCT_LATENCY : cost->latency) +
                           (matching ? MATCH_ALONE + matching : 0) + (reciprocal ? RECIPROCAL_LATENCY : 0);
  const uint32_t fence = cost->class == OP_FENCE ? (uint32_t)w->launch->time->chip->fence_cycles : 0;
  uint32_t end = issue + (quarters + 3) / 4 + fence;
  // What is made of a load comes behind it, and not beside it.
  if (newest.load && newest.cycles + latency > record->behind) record->behind = newest.cycles + latency;
  // Instructions issue in order: a jump after all of its block, and what comes next after the jump.
  if (cost->jumps) end = (end > record->longest ? end : record->longest) + cost->latency;
  record->issued = issue;
  if (end > record->longest) record->longest = end;
  // Stores, atomics and loads of shared memory may be of the same word.
  if (cost->ends_block || cost->class == OP_STORE || cost->class == OP_ATOMIC) end_block(record);
  const uint32_t ready = newest.load ? 0 : issue + latency, behind = newest.cycles + latency;
  for (uint32_t i = 0; i < cost->result_count; i++)
    record->results[cost->results[i]] =
        (struct time_result){newest.load, record->block, ready, record->run, behind};
}

// ---- memory -----------------------------------------------------------------------------------------------

static bool in_shared(const struct op *op, uint64_t address) {
  return op->space == PTX_SHARED || address - SHARED_WINDOW < WINDOW_BYTES;
}
static bool in_global(const struct op *op, uint64_t address) {
  return op->space == PTX_GLOBAL || (op->space == PTX_SPACE_NONE && address >= GLOBAL_BASE);
}

static void gather(struct time_op_table *t, const struct warp *w, const struct op *op,
                   const struct access_plan *plan) {
  t->lanes = w->lanes;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const uint64_t base = plan->narrow ? warp_register32(w, op->a)[lane] : warp_register64(w, op->a)[lane];
    t->addresses[lane] = base + (uint64_t)op->immediate;
  }
}

static void set_load(struct time_warp *record, const struct op_cost *cost, uint32_t load) {
  for (uint32_t i = 0; i < cost->result_count; i++)
    record->results[cost->results[i]] = (struct time_result){.load = load + 1};
}

static bool is_remote(const struct time_op_table *t, const struct warp *w) {
  return (uint32_t)t->addresses[__builtin_ctz(t->lanes)] >> RANK_SHIFT != w->block->rank;
}

static void shared_access(struct time_op_table *t, struct warp *w, struct time_warp *record,
                          const struct op_cost *cost, const struct op *op, uint32_t bytes) {
  struct time_totals *totals = &w->launch->time->totals;
  struct bank_cycles banks = bank_cycles(t->addresses, t->lanes, bytes);
  // Lanes that add to one word come one after another, unless all that they do is count.
  if (cost->class == OP_ATOMIC && (!cost->counts || cost->result_count))
    banks.all = bank_atomic_cycles(t->addresses, t->lanes) * (cost->swaps ? 2 : 1);
  const bool remote = is_remote(t, w);
  const uint32_t cycles = banks.all + (remote ? REMOTE_LATENCY : 0);
  totals->shared += banks.all;
  totals->lost += banks.lost;
  record->shared_cycles += banks.all;
  for (uint32_t i = 0; i < cost->result_count; i++)
    record->results[cost->results[i]] =
        (struct time_result){.ready = record->issued + 1 + SHARED_LATENCY + cycles, .run = record->run};
  if (remote) time_remote(w, op, (uint32_t)__builtin_popcount(t->lanes) * bytes, cost->class == OP_STORE);
}

void time_before_op(struct warp *w, const struct op *op) {
  struct time_op_table *t = w->launch->time->ops;
  const struct op_cost *cost = time_cost_of(t, w->splits[0].frame->function, op);
  const bool memory = cost->class >= OP_LOAD && cost->class <= OP_ATOMIC;
  t->lanes = 0;
  if (memory) {
    const bool atomic = op->execute == atomic_run;
    gather(t, w, op, atomic ? &((const struct atomic_plan *)op->extra)->access : op->extra);
  }
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  record->executed++;
  if (record->frame != w->splits[0].frame) begin_frame(record, w->splits[0].frame);
  if (passes_on(record, cost)) {
    if (cost->number) read_number(record, cost, op);
    return;
  }
  if (cost->unrolled && ++record->turns % UNROLLED_TURNS) return; // the block goes on
  add_to_run(w, record, cost, op, await_loads(w, record, cost, op));
  if (cost->publishes) time_emit(w, (struct time_event){.kind = TIME_FENCE, .op = op});
}

// A jump that no lane takes ends its basic block, too: what was computed before it has been waited for.
void time_not_taken(struct warp *w, const struct op *op) {
  const struct op_cost *cost = time_cost_of(w->launch->time->ops, w->splits[0].frame->function, op);
  struct time_warp *record = time_warp_of(w);
  if (!record || !(cost->jumps || cost->unrolled)) return;
  record->turns = 0;
  if (record->frame != w->splits[0].frame) begin_frame(record, w->splits[0].frame);
  struct op_cost falls_through = *cost;
  falls_through.latency = 0;
  add_to_run(w, record, &falls_through, op, await_loads(w, record, cost, op));
}

void time_after_op(struct warp *w, const struct op *op) {
  struct time_op_table *t = w->launch->time->ops;
  if (!t->lanes || w->block->cluster->wants_turn || w->block->cluster->device_error) return;
  const struct op_cost *cost = time_cost_of(t, w->splits[0].frame->function, op);
  const bool atomic = cost->class == OP_ATOMIC;
  const struct access_plan *plan = atomic ? &((const struct atomic_plan *)op->extra)->access : op->extra;
  const uint64_t address = t->addresses[__builtin_ctz(t->lanes)];
  struct time_warp *record = time_warp_of(w);
  if (in_global(op, address)) {
    const uint32_t load = record ? record->loads : 0;
    const bool loads = cost->class != OP_STORE && cost->result_count > 0;
    if (cost->tells && !atomic) time_tell(w, op, t->addresses, t->lanes, cost->class == OP_STORE);
    if (record && loads) record->loads++;
    if (record && loads) set_load(record, cost, load);
    if (atomic)
      time_atomic(w, op, t->addresses, t->lanes, loads ? load : UINT32_MAX);
    else
      time_access(w, op, t->addresses, t->lanes, plan->bytes, cost->class == OP_STORE, load);
  } else if (record && in_shared(op, address)) {
    shared_access(t, w, record, cost, op, plan->bytes);
  } else if (record) {
    record->shared_cycles++;
  }
}
