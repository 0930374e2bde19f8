// Finds out whether a cluster repeats its states (watch.h), by Brent's cycle detection: a snapshot of all
// warps is taken after 8, 16, 32 .. rounds, and the following rounds are compared with it. Only hashes are
// kept.
#include "virtual-hopper/schedule/watch.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/execute/special.h"
#include "virtual-hopper/machine/program.h"
#include "virtual-hopper/schedule/live.h"
#include "virtual-hopper/schedule/loop.h"

enum { MOST_MISSES = 8 }; // clock reads in one turn of a loop
// No loop is looked for in a thread so deep in calls: a kernel that calls itself without end would have all
// its frames read again in each round.
enum { DEEPEST_CALL = 64, MOST_LOCAL_BYTES = 1 << 20 }; // and so for large local memory of a warp
enum { FIRST_PICTURE = 8, COMPARED_AT_LEAST = 64, COMPARED_SHARE = 16, PLACES = 7 };
// A thread that reads the clock and returns to an earlier state, whatever the time is, does not wait for
// time. A thread that polls for a shorter time than this is assumed to wait for time.
enum { ROUNDS_OF_LONGEST_WAIT = 2048 };

struct warp_picture {
  uint64_t state, instructions, clock_reads;
  uint64_t matters; // the same hash, but only of registers that may still be read
  uint64_t decides; // and that decide how the loop goes on
  bool repeats;     // the warp has been in this state again
  bool returns;     // the same for `matters`, and the warp has read the clock in between
};

struct watch {
  uint64_t rounds;                                      // since anything changed
  uint64_t taken_at;                                    // the round of the snapshot; 0: there is none
  uint64_t pictures;                                    // snapshots taken so far
  uint64_t changes, events, version, looks, host_looks; // when the window began
  uint64_t passes, barriers;                            // when the snapshot was taken
  enum watch_finding finding;                           // a proof holds until something changes
  struct live **live;   // of the program's functions, as far as they were needed
  struct loops **loops; // the same
  bool closed;
  uint64_t began;  // virtual time at which the cluster itself was last seen to change anything
  uint32_t misses; // in a row, of watch_spins_for_time: looks at all states, none of which is in the picture
  bool marked;     // by watch_was_on
  struct warp_picture warps[]; // [cluster->warp_count], in the order of turns
};

// ---- hashes -----------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9fb21c651e98df25ull;
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9ull;
  return hash ^ hash >> 32;
}

// Two independent sums, because the processor multiplies two numbers at a time.
static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  uint64_t even = hash, odd = 0x94d049bb133111ebull, words[2];
  for (; count >= sizeof words; at += sizeof words, count -= sizeof words) {
    memcpy(words, at, sizeof words);
    even = mix(even, words[0]);
    odd = mix(odd, words[1]);
  }
  words[0] = words[1] = 0;
  if (count) memcpy(words, at, count);
  return mix(mix(mix(even, words[0]), words[1]), odd);
}

// Where the lanes of a split are and what they wait for. Leaves out the number of a barrier's phase, and the
// time until which they sleep.
static uint64_t split_place(const struct split *s) {
  uint64_t hash = mix(s->lanes, (uint64_t)s->pc << 8 | s->wait);
  if (s->refused_by) // by it a try_wait decides whether it answers or waits
    hash = mix(mix(mix(hash, (uintptr_t)s->refused_by), s->refused_object), s->refused_detail);
  if (s->wait == WAIT_MBARRIER || s->wait == WAIT_WARP_SYNC) hash = mix(hash, s->wait_detail);
  return s->wait == WAIT_NONE || s->wait == WAIT_SLEEP ? hash : mix(hash, s->wait_object);
}

// The state from which the lanes of a split go on: their place, and the registers of all their calls.
static uint64_t split_state(const struct split *s) {
  uint64_t hash = split_place(s);
  for (const struct frame *f = s->frame; f; f = f->caller) {
    const struct function *function = f->function;
    hash = mix(mix(hash, function->index), (uint64_t)f->lanes << 32 | f->return_pc);
    // Only the places of the frame: the gaps between them are unused.
    for (uint32_t i = 0; i < function->place_count; i++)
      hash = mix_bytes(hash, f->registers + function->places[i].offset, function->places[i].bytes);
    if (f->parameters) hash = mix_bytes(hash, f->parameters, (size_t)WARP_LANES * function->call_area_bytes);
  }
  return hash;
}

// The same, but only with registers that some thread of the split may still read.
struct matter {
  uint64_t hash;
  const uint8_t *registers;
  uint32_t lanes;
};

static void mix_register(void *context, uint32_t offset, uint32_t bytes) {
  struct matter *m = context;
  const uint8_t *at = m->registers + offset;
  if (!bytes) {
    uint32_t mask;
    memcpy(&mask, at, sizeof mask);
    m->hash = mix(m->hash, mask & m->lanes);
    return;
  }
  const uint32_t part = bytes < 8 ? bytes : 8; // of a 128-bit register the low halves come first
  for (uint32_t half = 0; half < bytes / part; half++, at += (size_t)part * WARP_LANES)
    for (uint32_t left = m->lanes; left; left &= left - 1)
      m->hash = mix_bytes(m->hash, at + (size_t)part * (uint32_t)__builtin_ctz(left), part);
}

// A thread that is about to read a clock has done nothing of the instruction yet.
static bool is_within_instruction(const struct function *f, uint32_t pc) {
  return pc && pc < f->op_count && f->ops[pc - 1].source == f->ops[pc].source &&
         f->ops[pc - 1].execute != special_settle;
}

// Of the innermost call; the others rest meanwhile.
static const uint64_t *find_deciding(struct watch *watch, const struct split *s) {
  struct loops **loops = &watch->loops[s->frame->function->index];
  if (!*loops) *loops = loops_find(s->frame->function);
  return loops_decide(*loops, s->pc);
}

static uint64_t split_matters(struct watch *watch, const struct warp *w, const struct split *s,
                              const uint64_t *among) {
  struct matter m = {.lanes = s->lanes, .hash = split_place(s)};
  uint32_t pc = s->pc;
  for (const struct frame *f = s->frame; f; pc = f->return_pc, f = f->caller) {
    const struct function *function = f->function;
    struct live **live = &watch->live[function->index];
    if (!*live) *live = live_find(function);
    if (is_within_instruction(function, pc)) m.hash = mix(m.hash, w->instructions); // never the same
    m.registers = f->registers;
    m.hash = mix(mix(m.hash, function->index), f->return_pc);
    live_each(*live, pc, f == s->frame ? among : NULL, mix_register, &m);
    if (f->parameters)
      m.hash = mix_bytes(m.hash, f->parameters, (size_t)WARP_LANES * function->call_area_bytes);
  }
  return m.hash;
}

// watch: NULL for the whole state, else only for the part that matters, or decides.
static uint64_t warp_state(struct watch *watch, const struct warp *w, bool decides) {
  uint64_t hash = mix(w->alive, w->carry);
  const size_t local = w->local ? (size_t)w->launch->function->local_bytes_per_thread * WARP_LANES : 0;
  if (local > MOST_LOCAL_BYTES) return mix(hash, w->instructions); // no two states are equal
  for (uint32_t i = 0; i < w->split_count; i++) { // a sum, because the splits are in no order
    const struct split *s = &w->splits[i];
    if (s->frame->depth > DEEPEST_CALL) return mix(hash, w->instructions); // no two states are equal
    hash += watch ? split_matters(watch, w, s, decides ? find_deciding(watch, s) : NULL) : split_state(s);
  }
  hash = mix(hash, (uint64_t)w->cluster_arrived << 32 | w->cluster_parity);
  return mix_bytes(hash, w->local, local);
}

// The state of the barriers of blocks and cluster.
static uint64_t barrier_state(const struct cluster *c) {
  uint64_t hash = c->cluster_arrived;
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    const struct block *b = c->blocks[rank];
    for (uint32_t used = b->barriers_used; used; used &= used - 1) {
      const struct cta_barrier *barrier = &b->barriers[__builtin_ctz(used)];
      hash = mix(hash, (uint64_t)barrier->expected_threads << 32 | barrier->arrived_threads);
      hash = mix(hash, (uint64_t)barrier->reduction_population << 32 | barrier->reduction_and << 1 |
                           barrier->reduction_or);
      hash = mix_bytes(hash, barrier->arrived_lanes, sizeof barrier->arrived_lanes);
    }
  }
  return hash;
}

// ---- snapshots --------------------------------------------------------------------------------------------

static struct warp *warp_of(const struct cluster *c, uint32_t turn) {
  return &c->blocks[c->turns[turn] >> 8]->warps[c->turns[turn] & 0xff];
}

// True when only an event lets any of its lanes go on.
static bool is_blocked(const struct warp *w) {
  for (uint32_t i = 0; i < w->split_count; i++) {
    enum wait_reason reason = w->splits[i].wait;
    if (reason == WAIT_NONE || reason == WAIT_SLEEP || reason == WAIT_MBARRIER) return false;
  }
  return true;
}

static void take_picture(struct watch *watch, const struct cluster *c) {
  watch->taken_at = watch->rounds;
  watch->misses = 0;
  watch->passes = c->passes;
  watch->barriers = barrier_state(c);
  for (uint32_t i = 0; i < c->warp_count; i++) {
    const struct warp *w = warp_of(c, i);
    struct warp_picture *p = &watch->warps[i];
    bool timed = p->clock_reads != w->clock_reads; // since the last snapshot
    *p = (struct warp_picture){
        .state = warp_state(NULL, w, false), .instructions = w->instructions, .clock_reads = w->clock_reads};
    if (timed)
      p->matters = warp_state(watch, w, false);
    else if (watch->pictures)
      p->decides = warp_state(watch, w, true);
  }
}

static void compare_warp(struct watch *watch, const struct warp *w, struct warp_picture *p, bool *same) {
  bool moved = w->instructions != p->instructions, timed = w->clock_reads != p->clock_reads;
  *same = moved ? warp_state(NULL, w, false) == p->state : is_blocked(w);
  if (moved && !*same && !timed && p->decides) *same = warp_state(watch, w, true) == p->decides;
  p->repeats = p->repeats || *same;
  if (timed && p->matters && !p->returns) p->returns = warp_state(watch, w, false) == p->matters;
}

static enum watch_finding compare(struct watch *watch, const struct cluster *c, bool long_enough) {
  bool each = true, others = true; // every warp has returned to its state; every warp that reads no clock has
  bool together = true;            // all of them in this round
  for (uint32_t i = 0; i < c->warp_count; i++) {
    const struct warp *w = warp_of(c, i);
    struct warp_picture *p = &watch->warps[i];
    bool same;
    compare_warp(watch, w, p, &same);
    each = each && (p->repeats || (p->returns && long_enough));
    others = others && (p->repeats || w->clock_reads != p->clock_reads);
    together = together && same;
  }
  // Warps that synchronise at barriers must return together: otherwise they may synchronise differently
  // later.
  bool met = c->passes != watch->passes;
  if (met) return together && barrier_state(c) == watch->barriers ? WATCH_PROVED : WATCH_NOTHING;
  return each ? WATCH_PROVED : others ? WATCH_TIME_ONLY : WATCH_NOTHING;
}

// ---- the window in which nothing changes ------------------------------------------------------------------

static uint64_t looks_outside(const struct cluster *c) {
  return c->observed.plain_global_load_bytes + c->observed.atomic_global_bytes;
}

static void begin_window(struct watch *watch, struct cluster *c) {
  c->quiet_since = cluster_time(c);
  watch->rounds = watch->taken_at = watch->pictures = 0;
  watch->finding = WATCH_NOTHING;
  watch->changes = c->changes;
  watch->events = c->events - c->passes;
  watch->version = c->launch->news_version;
  watch->looks = looks_outside(c);
  watch->host_looks = c->host_looks;
}

void watch_begin(struct cluster *c) {
  if (!c->watch) {
    c->watch = calloc(1, sizeof *c->watch + c->warp_count * sizeof *c->watch->warps);
    if (!c->watch) die("out of memory for a watch");
    c->watch->live = calloc(c->launch->program->function_count, sizeof *c->watch->live);
    c->watch->loops = calloc(c->launch->program->function_count, sizeof *c->watch->loops);
    if (!c->watch->live || !c->watch->loops) die("out of memory for a watch");
  }
  c->watching = true;
  c->watch->marked = false;
  c->watch->began = cluster_time(c);
  begin_window(c->watch, c);
}

void watch_end(struct cluster *c) {
  c->watching = false;
}

enum watch_finding watch_round(struct cluster *c) {
  struct watch *watch = c->watch;
  if (watch->changes != c->changes || watch->events != c->events - c->passes) {
    watch_end(c);
    return WATCH_NOTHING;
  }
  if (watch->version != c->launch->news_version) begin_window(watch, c);
  watch->rounds++;
  // What the host writes may let the threads go on at any time.
  if (c->host_looks != watch->host_looks && !c->launch->host_rests) return watch->finding = WATCH_NOTHING;
  if (watch->finding == WATCH_PROVED) return WATCH_PROVED;
  // Not always at multiples of the same numbers: a loop of four rounds would be seen at one place only, and
  // there it may hold a time that it reads later.
  if (watch->rounds >= FIRST_PICTURE && watch->rounds >= 2 * watch->taken_at + watch->pictures % PLACES) {
    take_picture(watch, c);
    watch->pictures++;
    return watch->finding;
  }
  uint64_t compared = watch->taken_at / COMPARED_SHARE;
  if (compared < COMPARED_AT_LEAST) compared = COMPARED_AT_LEAST;
  if (!watch->taken_at || watch->rounds - watch->taken_at > compared) return watch->finding;
  bool long_enough =
      cluster_time(c) - c->quiet_since > LONGEST_WAIT && watch->taken_at >= ROUNDS_OF_LONGEST_WAIT;
  watch->finding = compare(watch, c, long_enough);
  watch->closed = looks_outside(c) == watch->looks;
  return watch->finding;
}

bool watch_looks_outside(const struct cluster *c) {
  return c->watching && looks_outside(c) != c->watch->looks;
}

// A cluster that is held back may not have run since others changed something: then its finding is void.
enum watch_finding watch_finding(const struct cluster *c) {
  const bool current = c->watching && c->watch->version == c->launch->news_version;
  return current ? c->watch->finding : WATCH_NOTHING;
}

static bool counts_on_time(const struct split *s) {
  return (s->wait == WAIT_NONE || s->wait == WAIT_SLEEP) && !s->read_clock;
}

bool watch_may_leap(const struct cluster *c) {
  if (watch_finding(c) == WATCH_NOTHING) return false;
  for (uint32_t i = 0; i < c->warp_count; i++) {
    const struct warp *w = warp_of(c, i);
    for (uint32_t k = 0; k < w->split_count && !c->watch->warps[i].repeats; k++)
      if (counts_on_time(&w->splits[k])) return false;
  }
  return true;
}

bool watch_has_returned(const struct cluster *c) {
  for (uint32_t i = 0; i < c->warp_count; i++) {
    const struct warp_picture *p = &c->watch->warps[i];
    if (!p->repeats && !p->returns && !is_blocked(warp_of(c, i))) return false;
  }
  return true;
}

static bool stands_again(const struct cluster *c) {
  struct watch *watch = c->watch;
  for (uint32_t i = 0; i < c->warp_count; i++) {
    const struct warp *w = warp_of(c, i);
    const struct warp_picture *p = &watch->warps[i];
    if (is_blocked(w) || (p->matters && warp_state(watch, w, false) == p->matters)) continue;
    if (warp_state(NULL, w, false) != p->state) return false;
  }
  return true;
}

bool watch_spins_for_time(const struct cluster *c, uint64_t *since) {
  struct watch *watch = c->watch;
  *since = watch->began;
  if (watch->misses > MOST_MISSES || !watch_may_leap(c) || (!c->alone && !watch->closed)) return false;
  watch->misses = stands_again(c) ? 0 : watch->misses + 1;
  return !watch->misses;
}

void watch_leapt(struct cluster *c) {
  for (uint32_t i = 0; i < c->warp_count; i++) {
    struct warp *w = warp_of(c, i);
    for (uint32_t k = 0; k < w->split_count; k++)
      w->splits[k].read_clock = false;
  }
}

bool watch_was_on(struct cluster *c) {
  bool was = c->watching && c->watch->marked;
  if (c->watching) c->watch->marked = true;
  return was;
}

bool watch_is_closed(const struct cluster *c) {
  return c->watch->closed;
}

uint64_t watch_rounds(const struct cluster *c) {
  return c->watching ? c->watch->rounds : 0;
}

void watch_destroy(struct cluster *c) {
  if (!c->watch) return;
  for (uint32_t i = 0; i < c->launch->program->function_count; i++)
    live_destroy(c->watch->live[i]), loops_destroy(c->watch->loops[i]);
  free(c->watch->live);
  free(c->watch->loops);
  free(c->watch);
  c->watch = NULL;
}
