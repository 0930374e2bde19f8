// In: ops before they run, and what loads have read. Out: faults. One idea: fresh memory is filled with a
// pattern that no program writes, in blocks of 16 bytes. So nothing has to watch the writes: a block that
// still holds the pattern was written by nobody. What is loaded from it is followed through registers, as far
// as plain arithmetic goes; beyond that it is forgotten. So nobody is accused of what might be written. What
// a shuffle reads from a lane that takes no part in it is followed in the same way.
#include "virtual-hopper/execute/unwritten.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/compare.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/footprint.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/machine/program.h"

enum { BLOCK = 16, MOST_DOUBTS = 64 };

// As floats and halves: NaN; as addresses: nowhere.
static const uint32_t pattern[BLOCK / 4] = {0xffb1fe6d, 0xffa7fd39, 0xff9dfc8b, 0xff8efe57};

struct unwritten_launch {
  bool reads; // are looked for
};

// A register that holds, in some lanes, what was loaded from memory that nobody wrote, or what a shuffle has
// read from a lane that takes no part.
struct doubt {
  const uint8_t *registers; // of the frame
  uint32_t place, bytes;    // in the frame
  uint32_t lanes;
  bool computed; // by arithmetic, and not only copied
  const struct op *load;
  uint64_t address; // of one lane
  bool is_global;
  bool of_shuffle; // `load` is a shuffle
  uint32_t group;  // of a shuffle: the lanes that take part, and from which lane each one reads
  uint8_t source[WARP_LANES];
};

struct doubts { // of a warp
  uint32_t count;
  struct doubt all[MOST_DOUBTS];
};

// ---- the launch -------------------------------------------------------------------------------------------

struct unwritten_launch *unwritten_begin(void) {
  struct unwritten_launch *unwritten = calloc(1, sizeof *unwritten);
  if (!unwritten) die("out of memory for a launch");
  unwritten->reads = true;
  return unwritten;
}

void unwritten_end(struct unwritten_launch *unwritten) {
  free(unwritten);
}

void unwritten_fill(void *memory, size_t bytes) {
  for (size_t at = 0; at + BLOCK <= bytes; at += BLOCK)
    memcpy((char *)memory + at, pattern, BLOCK);
}

uint32_t unwritten_word(size_t offset) {
  return pattern[offset % BLOCK / sizeof pattern[0]];
}

void unwritten_forget(struct warp *w) {
  free(w->doubts);
  w->doubts = NULL;
}

static bool is_unwritten(const uint8_t *host, uint32_t bytes) {
  const uint8_t *block = (const uint8_t *)((uintptr_t)host & ~(uintptr_t)(BLOCK - 1));
  for (; block < host + bytes; block += BLOCK)
    if (memcmp(block, pattern, BLOCK) != 0) return false;
  return true;
}

// ---- registers in doubt -----------------------------------------------------------------------------------

static void clear(struct warp *w, uint32_t place, uint32_t bytes, uint32_t lanes) {
  struct doubts *doubts = w->doubts;
  for (uint32_t i = doubts ? doubts->count : 0; i-- > 0;) {
    struct doubt *one = &doubts->all[i];
    if (one->registers != w->registers || place >= one->place + one->bytes || one->place >= place + bytes)
      continue;
    one->lanes &= ~lanes;
    if (!one->lanes) *one = doubts->all[--doubts->count];
  }
}

static void add(struct warp *w, const struct doubt *doubt) {
  if (!doubt->lanes) return;
  if (!w->doubts) w->doubts = calloc(1, sizeof *w->doubts);
  if (w->doubts && w->doubts->count < MOST_DOUBTS) w->doubts->all[w->doubts->count++] = *doubt;
}

// The first doubt about the place in any of the lanes, or NULL.
static const struct doubt *find(const struct warp *w, uint32_t place, uint32_t lanes) {
  for (uint32_t i = 0; place != OP_NO_REGISTER && i < w->doubts->count; i++) {
    const struct doubt *one = &w->doubts->all[i];
    if (one->registers == w->registers && one->place == place && one->lanes & lanes) return one;
  }
  return NULL;
}

static uint32_t place_bytes(uint32_t lane_bytes) {
  return lane_bytes ? lane_bytes * WARP_LANES : sizeof(uint32_t);
}

// What the sources of an op hand on. It is collected first, since the destination may be a source.
struct handed {
  uint32_t count;
  struct doubt all[8];
};

static void hand_on(struct warp *w, struct handed *into, uint32_t from, uint32_t lanes, bool computed) {
  for (uint32_t i = 0; i < w->doubts->count && into->count < 8; i++) {
    const struct doubt *one = &w->doubts->all[i];
    if (one->registers != w->registers || one->place != from || !(one->lanes & lanes)) continue;
    into->all[into->count] = *one;
    into->all[into->count].lanes &= lanes;
    into->all[into->count++].computed |= computed;
  }
}

static void settle(struct warp *w, const struct handed *handed, uint32_t place, uint32_t lane_bytes) {
  for (uint32_t i = 0; i < handed->count; i++) {
    struct doubt doubt = handed->all[i];
    doubt.place = place;
    doubt.bytes = place_bytes(lane_bytes);
    add(w, &doubt);
  }
}

// ---- faults -----------------------------------------------------------------------------------------------

static void describe(const struct warp *w, const struct doubt *doubt, char *text, size_t size) {
  char where[160];
  if (doubt->is_global) {
    memory_describe(w->launch->memory, doubt->address, where, sizeof where);
    snprintf(text, size, "at address 0x%" PRIx64 ": that is %s", doubt->address, where);
  } else if (doubt->load->space == PTX_LOCAL) {
    snprintf(text, size, "in the thread's local memory (an array of its own)");
  } else {
    snprintf(text, size, "in shared memory, %u bytes from its beginning",
             (unsigned)(doubt->address & ((1u << SHARED_RANK_SHIFT) - 1)) - SHARED_FIRST_OFFSET);
  }
}

// Much right code reads such a lane and throws the value away; and what follows here may do so, too, in a way
// that is not understood. So it is a warning.
static void report_shuffle(struct warp *w, const struct doubt *doubt, const struct op *use, uint32_t lanes,
                           const char *role) {
  const uint32_t lane = (uint32_t)__builtin_ctz(doubt->lanes & lanes);
  const uint32_t source = doubt->source[lane];
  const bool is_gone = !(w->alive >> source & 1);
  struct fault fault = {.rule = RULE_WARP_SYNC_MASK, .severity = FAULT_WARNING};
  snprintf(fault.role, sizeof fault.role, "reads a register of lane %u, which takes no part", source);
  snprintf(
      fault.message, sizeof fault.message,
      "The lanes 0x%08x of warp %u execute this shuffle together, and lane %u %s. What is read from it is "
      "undefined.",
      doubt->group, w->index, source, is_gone ? "has ended or never was" : "is not among them");
  snprintf(
      fault.remedy, sizeof fault.remedy,
      "Let all lanes that are read execute the shuffle, too, and name them in the mask; or read only those "
      "that do: a sum over fewer lanes begins with a smaller offset.");
  fault.related_count = 1;
  machine_place(&fault.related[0].place, w->block, use, warp_thread(w, lane));
  snprintf(fault.related[0].role, sizeof fault.related[0].role, "%s", role);
  warp_fault(w, doubt->load, lane, &fault);
}

static void report(struct warp *w, const struct doubt *doubt, const struct op *use, uint32_t lanes,
                   enum fault_severity severity, const char *role) {
  char where[320];
  const struct op *load = doubt->load;
  if (doubt->of_shuffle) {
    report_shuffle(w, doubt, use, lanes, role);
    return;
  }
  const uint32_t lane = (uint32_t)__builtin_ctz(doubt->lanes & lanes);
  const unsigned bytes = (unsigned)load->width * load->count;
  struct fault fault = {.rule = RULE_UNWRITTEN_READ, .severity = severity};
  describe(w, doubt, where, sizeof where);
  snprintf(fault.role, sizeof fault.role, "reads %u bytes that nobody has written", bytes);
  snprintf(fault.message, sizeof fault.message,
           "The bytes lie %s. Neither they nor the others of their 16-byte block were ever written: by no "
           "thread, no copy and no fill. So the value is whatever was there before, and the program depends "
           "on it.",
           where);
  if (use != load) {
    fault.related_count = 1;
    machine_place(&fault.related[0].place, w->block, use, warp_thread(w, lane));
    snprintf(fault.related[0].role, sizeof fault.related[0].role, "%s", role);
  }
  warp_fault(w, load, lane, &fault);
}

static void report_place(struct warp *w, const struct op *op, uint32_t place, uint32_t lanes,
                         enum fault_severity severity, const char *role) {
  const struct doubt *doubt = find(w, place, lanes);
  if (doubt) report(w, doubt, op, lanes, severity, role);
}

static bool decides(const struct op *op) {
  return op->execute == flow_branch || op->execute == flow_return || op->execute == flow_exit ||
         op->execute == flow_call || op->execute == memory_store || op->execute == atomic_run;
}

static void judge_store(struct warp *w, const struct op *op, uint32_t lanes) {
  const struct access_plan *plan = op->extra;
  for (uint32_t n = 0; n < op->count && op->space == PTX_GLOBAL; n++) {
    const struct doubt *doubt = find(w, plan->registers[n], lanes);
    if (!doubt || !(doubt->computed || doubt->of_shuffle)) continue;
    report(w, doubt, op, lanes, FAULT_WARNING,
           doubt->of_shuffle ? "stores what came of it" : "stores what it has computed from them");
    return;
  }
}

static void judge_uses(struct warp *w, const struct op *op, uint32_t split_lanes, uint32_t lanes) {
  if (op->guard != OP_NO_REGISTER && decides(op))
    report_place(w, op, op->guard, split_lanes, FAULT_ERROR, "does this or not, as they say");
  if (op->execute == flow_branch_table)
    report_place(w, op, op->a, lanes, FAULT_ERROR, "branches to where they say");
  const bool store = op->execute == memory_store, atomic = op->execute == atomic_run;
  if (!store && !atomic && op->execute != memory_load) return;
  if (!((const struct access_plan *)op->extra)->is_call_slot)
    report_place(w, op, op->a, lanes, FAULT_ERROR, "takes an address from them");
  if (store) judge_store(w, op, lanes);
  const struct atomic_plan *plan = op->extra;
  if (atomic && plan->operation != ATOMIC_EXCHANGE)
    report_place(w, op, plan->access.registers[0], lanes, FAULT_ERROR, "changes memory by them");
}

// ---- ops --------------------------------------------------------------------------------------------------

struct clearing {
  struct warp *w;
  uint32_t lanes;
};

static void clear_visited(void *context, uint32_t place, uint32_t lane_bytes) {
  const struct clearing *c = context;
  clear(c->w, place, place_bytes(lane_bytes), c->lanes);
}

static void forget_all_of(struct warp *w, const struct op *op, uint32_t lanes) {
  struct clearing c = {w, lanes};
  (void)footprint_visit_op(&w->launch->program->executors, op, clear_visited, &c);
}

// Hands on what a plain operation does; false: nothing is known about this one.
static bool follow(struct warp *w, const struct op *op, uint32_t lanes) {
  struct handed handed = {0};
  struct footprint_sources sources;
  uint32_t bytes = 4;
  if (op->execute == warp_move32 || op->execute == wgmma_move_sum || op->execute == warp_move64) {
    bytes = op->execute == warp_move64 ? 8 : 4;
    hand_on(w, &handed, op->a, lanes, false);
  } else if (op->execute == warp_select32 || op->execute == warp_select64) {
    const uint32_t chosen = *warp_predicate(w, op->c);
    bytes = op->execute == warp_select64 ? 8 : 4;
    if (find(w, op->c, lanes)) return false;
    hand_on(w, &handed, op->a, lanes & chosen, false);
    hand_on(w, &handed, op->b, lanes & ~chosen, false);
  } else if (footprint_plain(&w->launch->program->executors, op, &sources)) {
    bytes = sources.result_bytes;
    for (uint32_t i = 0; i < sources.count; i++)
      hand_on(w, &handed, sources.places[i], lanes, true);
  } else {
    return false;
  }
  const uint32_t results[] = {op->d, bytes ? OP_NO_REGISTER : op->target};
  for (int i = 0; i < 2; i++) {
    if (results[i] == OP_NO_REGISTER) continue;
    clear(w, results[i], place_bytes(bytes), lanes);
    settle(w, &handed, results[i], bytes);
  }
  return true;
}

void unwritten_before(struct warp *w, const struct op *op, uint32_t split_lanes) {
  if (!w->doubts || !w->doubts->count) return;
  uint32_t lanes = split_lanes;
  if (op->guard != OP_NO_REGISTER)
    lanes &= op->guard_negated ? ~*warp_predicate(w, op->guard) : *warp_predicate(w, op->guard);
  judge_uses(w, op, split_lanes, lanes);
  if (!lanes || decides(op)) return;
  if (!follow(w, op, lanes)) forget_all_of(w, op, lanes);
  if (!w->doubts->count && !w->launch->unwritten) unwritten_forget(w); // nothing is looked at any more
}

void unwritten_loaded(struct warp *w, const struct op *op, const struct access_plan *plan,
                      const struct access *a) {
  if (plan->is_call_slot ||
      (a->where != ACCESS_GLOBAL && a->where != ACCESS_SHARED && op->space != PTX_LOCAL))
    return;
  if (op->space == PTX_CONST) return;
  for (uint32_t n = 0; n < op->count; n++) {
    struct doubt doubt = {.registers = w->registers,
                          .place = plan->registers[n],
                          .bytes = place_bytes(plan->storage),
                          .load = op,
                          .is_global = a->where == ACCESS_GLOBAL};
    if (doubt.place == OP_NO_REGISTER) continue;
    for (uint32_t left = a->lanes; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      if (!is_unwritten(a->host[lane] + (size_t)n * op->width, op->width)) continue;
      if (!doubt.lanes) doubt.address = a->address[lane] + (uint64_t)n * op->width;
      doubt.lanes |= 1u << lane;
    }
    add(w, &doubt);
  }
}

void unwritten_updates(struct warp *w, const struct op *op, uint32_t bytes, const struct access *a) {
  const struct atomic_plan *plan = op->extra;
  if (plan->operation == ATOMIC_EXCHANGE || (a->where != ACCESS_GLOBAL && a->where != ACCESS_SHARED)) return;
  struct doubt doubt = {.load = op, .is_global = a->where == ACCESS_GLOBAL};
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (!is_unwritten(a->host[lane], bytes)) continue;
    doubt.lanes = 1u << lane;
    doubt.address = a->address[lane];
    report(w, &doubt, op, doubt.lanes, FAULT_ERROR, "");
  }
}

void unwritten_shuffled(struct warp *w, const struct op *op, const uint32_t *sources, uint32_t strangers,
                        uint32_t group) {
  struct doubt doubt = {.registers = w->registers,
                        .place = op->d,
                        .bytes = place_bytes(4),
                        .lanes = strangers,
                        .load = op,
                        .of_shuffle = true,
                        .group = group};
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    doubt.source[lane] = (uint8_t)sources[lane];
  add(w, &doubt);
  w->yield = true; // from the next op on each one is looked at
}
