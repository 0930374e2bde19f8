// In: events of sampled clusters. Out: when each ended. One idea: every shared part of a processor (issue
// slots, shared memory, copy engine, port to the L2 cache) is a queue that is free again at some moment; a
// warp's event takes the part from there. Warps run in the order of their clocks, so the queues fill in time.
#include "virtual-hopper/time/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/time/replay-state.h"

enum { PORT_BACKLOG = 2000, ARRIVAL = 8, ATOMIC_SENT = 4 };
enum { PRODUCT_END = 32 };         // cycles from a product's end until its wait sees it
enum { MEMORY_BURST = 64 };        // bytes that the memory gives at a time
enum { KEPT_FOR_CLUSTERS = 1024 }; // of the moments
enum { STARTS_AHEAD = 16 };        // that a processor may take while the others take none

// A later cluster in the same place has nothing to do with it.
static void push(struct replay *r, double when, uint32_t place, uint32_t warp, uint32_t phase,
                 uint32_t count) {
  event_queue_push(&r->queue,
                   &(struct queued_event){when, 0, place, warp, phase, count, r->places[place].number});
}

// ---- clusters ---------------------------------------------------------------------------------------------

static void *some(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory) die("out of memory for the time model");
  return memory;
}

// When a cluster's first block starts that could from `when` on. One part of the chip starts the blocks of
// all processors, at a pace: one processor is held up by it only where all together want more.
static double start_of(struct replay *r, double when) {
  const struct chip *c = r->chip;
  struct processor *on = &r->processors[0];
  const double pace = chip_cycles(c, c->block_start_ns), ahead = STARTS_AHEAD * pace;
  if (r->started == 0) on->starts = ahead;
  const double taken = fmax(fmax(when, on->launches), on->starts - ahead);
  on->starts = fmax(on->starts, taken) + pace;
  on->launches = taken + chip_cycles(c, c->block_warp_ns * r->in->launch->warps_per_block);
  return taken;
}

static void start_cluster(struct replay *r, uint32_t place, double when) {
  const struct time_launch *l = r->in->launch;
  const double taken = start_of(r, when);
  const uint64_t number = r->started++;
  // neighbours in time come from neighbouring places of the grid
  const struct time_cluster *s = &l->samples[(r->in->first + number) % l->sample_count];
  struct running *c = &r->places[place];
  *c = (struct running){.sample = s, .number = (uint32_t)number, .left = s->warp_count, .looks = -1};
  c->players = some(s->warp_count, sizeof *c->players);
  c->next_waiter = some(s->warp_count, sizeof *c->next_waiter);
  c->phases = some(s->phase_count, sizeof *c->phases);
  for (uint32_t i = 0; i < s->phase_count; i++) {
    c->phases[i].owed = s->phases[i].needs;
    c->phases[i].first_waiter = -1;
  }
  // the pace of starts holds up the next block, not this one's first instruction
  const double first = r->chip->block_first_ns + (l->blocks_per_cluster > 1 ? r->chip->cluster_first_ns : 0);
  c->begins = taken + (number < r->place_count ? 0 : chip_cycles(r->chip, first));
  c->ends = c->begins;
  for (uint32_t i = 0; i < s->warp_count; i++) {
    struct player *p = &c->players[i];
    p->loads = some(s->warps[i].loads, sizeof *p->loads);
    p->products = some(s->warps[i].products, sizeof *p->products);
    // A processor's warps have its schedulers in turn, whichever block they are of.
    p->scheduler = (place * l->warps_per_block + i % l->warps_per_block) % SCHEDULERS;
    p->read = some(s->warps[i].stores, sizeof *p->read);
    p->written = some(s->warps[i].stores, sizeof *p->written);
    // its warps start one after another
    p->clock = c->begins + i % l->warps_per_block * chip_cycles(r->chip, r->chip->block_warp_ns);
    push(r, p->clock, place, i, 0, 0);
  }
}

static void free_cluster(struct running *c) {
  for (uint32_t i = 0; c->sample && i < c->sample->warp_count; i++) {
    free(c->players[i].loads);
    free(c->players[i].products);
    free(c->players[i].read);
    free(c->players[i].written);
  }
  free(c->players);
  free(c->next_waiter);
  free(c->phases);
  *c = (struct running){0};
}

static void note(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *event,
                 double begin, double end) {
  const struct replay_input *in = r->in;
  const struct running *c = &r->places[place];
  if (!in->moments) return;
  // A range that began before the moments that are wanted may last until then.
  const bool mark = event && event->kind == TIME_MARK;
  const bool wanted = mark ? r->result.marks++ < in->most_moments / 2 : end >= in->from && begin <= in->to;
  if ((event && !wanted) || r->result.moment_count + (event ? KEPT_FOR_CLUSTERS : 0) >= in->most_moments)
    return;
  in->moments[r->result.moment_count++] = (struct time_moment){.begin = begin,
                                                               .end = end,
                                                               .read = end,
                                                               .cluster = c->number,
                                                               .place = place,
                                                               .warp = warp,
                                                               .sample = c->sample,
                                                               .event = event};
}

// ---- phases -----------------------------------------------------------------------------------------------

static void count_phase(struct replay *r, uint32_t place, uint32_t phase, uint32_t arrivals, double when) {
  struct running *c = &r->places[place];
  if (when > c->phases[phase].when) c->phases[phase].when = when;
  c->phases[phase].owed -= arrivals < c->phases[phase].owed ? arrivals : c->phases[phase].owed;
  if (c->phases[phase].owed) return;
  for (int32_t i = c->phases[phase].first_waiter, next; i >= 0; i = next) {
    next = c->next_waiter[i];
    push(r, c->phases[phase].when, place, (uint32_t)i, 0, 0);
  }
  c->phases[phase].first_waiter = -1;
}

// When a wait that began at `from` sees a phase end. Lanes that wait while others of their warp are elsewhere
// are not woken: they look again and again.
static double seen_at(const struct chip *c, const struct time_event *e, double from, double when) {
  if (e->flag || e->b == e->c) return when;
  return from + ceil((when + c->poll_sees_cycles - from) / c->poll_cycles) * c->poll_cycles;
}

// False: the warp has to wait, and is woken.
static bool pass_phase(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct running *c = &r->places[place];
  struct player *p = &c->players[warp];
  if (c->phases[e->a].owed) {
    c->next_waiter[warp] = c->phases[e->a].first_waiter;
    c->phases[e->a].first_waiter = (int32_t)warp;
    return false;
  }
  const double meet = e->lines ? r->chip->cluster_barrier_cycles - ARRIVAL : r->chip->barrier_cycles;
  const double wake = e->flag ? meet : r->chip->wake_cycles;
  const double ends = c->phases[e->a].when;
  const double when = ends > p->clock ? seen_at(r->chip, e, p->clock, ends) : ends;
  if (when > p->clock) {
    note(r, place, warp, e, p->clock, when);
    *(e->flag ? &r->result.waited_barrier : &r->result.waited_memory) += when - p->clock;
    p->clock = when + wake;
  } else {
    note(r, place, warp, e, p->clock, p->clock);
    p->clock += e->flag ? wake : 4;
  }
  return true;
}

// ---- the parts of a processor -----------------------------------------------------------------------------

static void settle_at(struct processor *on, double when) {
  if (when > on->settled) on->settled = when;
}

static double jitter(struct replay *r) {
  return 1 + r->chip->jitter * (2 * (double)(machine_random(&r->random) >> 11) / (double)(1ull << 53) - 1);
}

// Cycles that a request of so many bytes to the memory waits there.
static double wait_of(struct replay *r, double when, double bytes) {
  const struct replay_input *in = r->in;
  const double before = r->memory - when;
  take(&r->memory, when, bytes / in->capacity);
  if (in->wait <= in->least || before >= in->wait) return in->wait;
  return before > in->least ? before : in->least;
}

// What a request asks for has come when the last of its lines has, and each waits for its own part of the
// memory: the longest of so many waits, which are exponentially distributed and have a mean of 1. Threads
// ask by many small requests, and go on with the last. Of a copy, which is few and large, the mean.
static double longest_of(uint64_t *random, double lines, bool mean) {
  if (mean) return lines > 1 ? log(lines) + 0.577 + 0.5 / lines : 1;
  const double chance = ((double)(machine_random(random) >> 11) + 0.5) / (double)(1ull << 53);
  return -log(1 - pow(chance, lines > 1 ? 1 / lines : 1));
}

// Cycles that a request waits in the memory, when the longest of its lines' waits is so many times the mean.
// Of a burst, chance adds nothing to what is before it in the queue.
static double spread_wait(const struct replay *r, double wait, double longest) {
  const struct chip *c = r->chip;
  const double queued = r->in->burst && wait > r->in->least ? wait - r->in->least : 0;
  return queued + (wait - queued) * (c->wait_least + c->wait_spread * longest);
}

// Cycles from a request at the L2 cache to its first bytes. Bytes in a row are what streams ask for: others
// have opened their row of the memory. Single sectors, and parts of many lines, are asked for by who jumps
// about.
static double latency(struct replay *r, const struct time_event *e, double when) {
  const struct chip *c = r->chip;
  if (!e->c) return chip_cycles(c, e->kind == TIME_LOAD && e->place == e->b ? c->l1_ns : c->l2_ns);
  const uint32_t lines = e->lines ? e->lines : 1;
  const bool copy = e->kind == TIME_COPY_IN;
  const bool in_a_row = !copy && e->b > CACHE_LINE * (lines - 1) && e->c >= MEMORY_BURST;
  const bool whole = in_a_row || e->c >= CACHE_LINE * lines;
  const double longest = longest_of(&r->random, copy ? (double)e->c / CACHE_LINE : lines, copy);
  const double waits = spread_wait(r, wait_of(r, when, e->c), longest);
  const double more = copy ? chip_cycles(c, c->line_spread_ns * (longest - 1)) : 0;
  return (chip_cycles(c, whole ? c->stream_ns : c->dram_ns) + more + waits) * jitter(r);
}

// Cycles more until a store of threads is seen by the whole chip: the cache makes room for it by writing what
// is older, so its lines wait for the memory as those of a load do. Nobody but a wide fence waits for that.
static double store_waits(struct replay *r, double when, const struct time_event *e) {
  const double wait = wait_of(r, when, e->c), lines = e->lines ? e->lines : 1;
  if (!e->c) return 0;
  return spread_wait(r, wait, longest_of(&r->stored, lines, false));
}

static void play_access(struct replay *r, struct processor *on, uint32_t place, uint32_t warp,
                        const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  const bool write = e->kind == TIME_STORE;
  double *port = write ? &on->port_out : &on->port_in;
  // What a warp stores passes the same part of the processor as its loads, and holds up those behind it.
  const double bytes = write ? e->b / r->chip->store_bytes_cycle : 0;
  const double issued = take(&on->shared, p->clock, bytes > e->cycles ? bytes : e->cycles);
  double pace = (write ? e->b : e->b - e->place) / r->chip->port_bytes_cycle;
  const double parts = e->place * r->chip->part_cycles;
  if (write && parts > pace) pace = parts;
  const double moved = take(port, issued, pace);
  r->result.shared_busy += e->cycles;
  r->result.port_busy += write ? 0 : pace;
  r->result.bytes += e->b;
  r->result.memory += e->c;
  p->clock += e->cycles > 1 ? e->cycles : 1;
  if (write && moved - PORT_BACKLOG > p->clock) p->clock = moved - PORT_BACKLOG;
  if (write) {
    const double waits = store_waits(r, p->clock, e);
    settle_at(on, moved + chip_cycles(r->chip, r->chip->store_written_ns) + waits);
    return;
  }
  p->loads[e->a] = moved + latency(r, e, p->clock);
  note(r, place, warp, e, issued, p->loads[e->a]);
}

static void play_atomic(struct replay *r, struct processor *on, struct player *p,
                        const struct time_event *e) {
  const struct chip *c = r->chip;
  const double sent = take(&on->changes, p->clock, e->lines > ATOMIC_SENT ? e->lines : ATOMIC_SENT);
  if (e->a < UINT32_MAX) p->loads[e->a] = sent - ATOMIC_SENT + chip_cycles(c, c->atomic_ns) * jitter(r);
  r->result.draws += e->flag && e->a < UINT32_MAX;
  p->clock += ATOMIC_SENT;
  if (sent - PORT_BACKLOG > p->clock) p->clock = sent - PORT_BACKLOG;
}

// A copy to several blocks is one request, and its bytes are read once. They go through each block's port.
static void play_copy_in(struct replay *r, struct processor *on, uint32_t place, uint32_t warp,
                         const struct time_event *e) {
  const struct chip *c = r->chip;
  struct player *p = &r->places[place].players[warp];
  struct processor *to = &r->processors[r->places[place].sample->phases[e->a].rank];
  const double through = e->b / c->bulk_bytes_cycle; // reading `bulk load pace 65536`, into one processor
  double pace = through;
  if (e->lines > 1 && e->lines * c->box_row_cycles > pace) pace = e->lines * c->box_row_cycles;
  if (!e->flag) {
    p->copy.sent = take(&on->engine, p->clock, c->bulk_request_cycles + pace);
    p->copy.waits = chip_cycles(c, c->bulk_ns) + latency(r, e, p->clock);
    r->result.copy_in_busy += c->bulk_request_cycles + pace;
    r->result.port_busy += through;
    r->result.bytes += e->b;
    r->result.memory += e->c;
  }
  const double moved = take(&to->port_in, p->copy.sent - pace, through);
  const double landed = (p->copy.sent > moved ? p->copy.sent : moved) + p->copy.waits;
  settle_at(on, landed);
  note(r, place, warp, e, p->clock, landed);
  push(r, landed, place, NO_WARP, e->a, 1);
  if (!e->flag) p->clock += c->load_issue_cycles;
}

// To another block's shared memory: through the cluster's network, not the L2 cache.
static void play_copy_across(struct replay *r, struct processor *on, uint32_t place, uint32_t warp,
                             const struct time_event *e) {
  const struct chip *c = r->chip;
  struct player *p = &r->places[place].players[warp];
  const double sent = take(&on->remote, p->clock, e->b / c->remote_bytes_cycle);
  const double landed = sent + c->remote_copy_cycles;
  settle_at(on, landed);
  note(r, place, warp, e, p->clock, landed);
  push(r, landed, place, NO_WARP, e->a, 1);
  p->clock += c->load_issue_cycles;
}

// A processor's threads have its network to other blocks' shared memory in turns. Stores are not waited for.
static void play_remote(struct replay *r, struct processor *on, struct player *p,
                        const struct time_event *e) {
  const double moved = take(&on->remote, p->clock, e->b / r->chip->remote_bytes_cycle);
  if (e->flag)
    settle_at(on, moved + r->chip->remote_copy_cycles);
  else if (moved > p->clock)
    p->clock = moved;
}

static void play_copy_out(struct replay *r, struct processor *on, uint32_t place, uint32_t warp,
                          const struct time_event *e) {
  const struct chip *c = r->chip;
  struct running *at = &r->places[place];
  struct player *p = &at->players[warp];
  double pace = e->b / c->store_bytes_cycle;
  if (e->lines > 1 && e->lines * c->store_line_cycles > pace) pace = e->lines * c->store_line_cycles;
  const double sent = take(&on->engine, p->clock, c->bulk_request_cycles + pace);
  const double through = take(&on->port_out, sent - pace, e->b / c->port_bytes_cycle);
  take(&r->memory, p->clock, e->c / r->in->capacity);
  const double read = (sent > through ? sent : through) + chip_cycles(c, c->store_read_ns);
  const double written = read + (chip_cycles(c, c->store_written_ns - c->store_read_ns)) * jitter(r);
  const uint32_t n = p->stores++;
  p->read[n] = n && p->read[n - 1] > read ? p->read[n - 1] : read;
  p->written[n] = n && p->written[n - 1] > written ? p->written[n - 1] : written;
  if (written > at->ends) at->ends = written;
  settle_at(on, written);
  r->result.copy_out_busy += c->bulk_request_cycles + pace;
  r->result.bytes += e->b;
  r->result.memory += e->c;
  const uint32_t noted = r->result.moment_count;
  note(r, place, warp, e, p->clock, written);
  if (r->result.moment_count > noted) r->in->moments[noted].read = read;
  p->clock += c->store_issue_cycles;
}

static void play_wait_stores(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  if (e->a > p->stores) return;
  const double when = e->flag ? p->read[e->a - 1] : p->written[e->a - 1];
  if (!(when > p->clock)) return;
  note(r, place, warp, e, p->clock, when);
  r->result.waited_store += when - p->clock;
  p->clock = when;
}

static void play_await_product(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  const double when = p->products[e->a - 1] + PRODUCT_END;
  if (!(when > p->clock)) return;
  note(r, place, warp, e, p->clock, when);
  r->result.waited_product += when - p->clock;
  if (e->a == p->product_count) r->result.waited_newest += when - p->clock;
  p->clock = when;
}

// Who comes to the barriers of a processor's blocks is counted, one after another. A thread takes a while for
// each arrival in another block; behind a fence, the fence is what it waits for.
static void play_arrive(struct replay *r, struct processor *on, uint32_t place, uint32_t warp,
                        const struct time_event *e) {
  const struct chip *c = r->chip;
  const struct running *at = &r->places[place];
  struct player *p = &at->players[warp];
  const bool remote = e->lines && !e->flag;
  const bool fenced = p->at > 0 && at->sample->warps[warp].events[p->at - 1].kind == TIME_FENCE;
  double counts = p->clock + (remote ? chip_cycles(c, c->remote_ns) : ARRIVAL);
  if (e->flag && !e->lines) counts = take(&on->meetings, p->clock, c->barrier_warp_cycles);
  note(r, place, warp, e, p->clock, p->clock);
  push(r, counts, place, NO_WARP, e->a, e->b);
  if (remote && !fenced) p->clock += c->remote_issue_cycles;
}

static void play_use(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  if (!(p->loads[e->a] > p->clock)) return;
  note(r, place, warp, e, p->clock, p->loads[e->a]);
  r->result.waited_memory += p->loads[e->a] - p->clock;
  p->clock = p->loads[e->a];
}

// A processor's wide fences go in rounds: those that come while one is under way wait for the next, together.
// A round ends when what the processor had under way when it began has ended: bulk copies and stores, whoever
// asked for them; ordinary loads need not. False: the warp waits for the next round.
static bool play_fence(struct replay *r, struct processor *on, uint32_t place, uint32_t warp,
                       const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  const double round = chip_cycles(r->chip, r->chip->fence_round_ns), from = p->clock;
  const bool joins = on->fences_begin == from && on->fences_end > 0, waits = !joins && on->fences_end > from;
  if (waits) {
    p->clock = on->fences_end;
    push(r, p->clock, place, warp, 0, 0);
  } else {
    if (!joins) on->fences_end = on->settled > from + round ? on->settled : from + round;
    on->fences_begin = from;
    p->clock = on->fences_end + chip_cycles(r->chip, r->chip->wide_fence_ns) - round;
  }
  note(r, place, warp, e, from, p->clock);
  r->result.waited_memory += p->clock - from;
  return !waits;
}

static void play_clock(struct replay *r, uint32_t place, struct player *p, const struct time_event *e) {
  if (r->in->clocks && r->places[place].number == 0) r->in->clocks[e->a] = p->clock;
  p->clock++; // two readings always differ
}

static void play_sleep(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  const double ends = replay_sleep_ends(r->chip, p->clock, e->a);
  note(r, place, warp, e, p->clock, ends);
  p->clock = ends;
}

// Where the source has it: behind what it has used.
static void play_mark(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  const struct player *p = &r->places[place].players[warp];
  double when = p->clock + e->b;
  if (e->c && p->loads[e->c - 1] > when) when = p->loads[e->c - 1];
  note(r, place, warp, e, when, when);
}

// ---- looking back -----------------------------------------------------------------------------------------

// Who looks back waits for the slowest of all blocks before it that run, on whichever processor. So all of
// them go on at one moment, end and begin at about the same time, and wait for one another again.
static void play_tell(struct replay *r, uint32_t place, double when) {
  struct running *c = &r->places[place];
  if (!r->waves || c->told) return;
  c->told = true;
  const uint32_t number = c->number / r->place_count;
  struct wave *wave = &r->waves[number];
  wave->when = fmax(wave->when, when);
  if (--wave->owed) return;
  for (uint32_t i = 0; i < r->place_count; i++)
    if (r->places[i].sample && r->places[i].looks >= 0 && r->places[i].number / r->place_count == number)
      push(r, wave->when, i, (uint32_t)r->places[i].looks, 0, 0);
}

// False: the warp has to wait, and is woken.
static bool play_look(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct running *c = &r->places[place];
  struct player *p = &c->players[warp];
  if (!r->waves) return true;
  const struct wave *wave = &r->waves[c->number / r->place_count];
  c->looks = (int32_t)warp;
  if (wave->owed) return false;
  const double ends = wave->when + chip_cycles(r->chip, r->chip->flag_ns);
  note(r, place, warp, e, p->clock, ends);
  r->result.waited_memory += ends - p->clock;
  p->clock = ends;
  return true;
}

static void make_waves(struct replay *r) {
  if (!r->in->launch->totals.looked) return;
  const uint64_t count = (r->in->clusters - 1) / r->place_count + 1;
  r->waves = some(count, sizeof *r->waves);
  for (uint64_t i = 0; i < count; i++)
    r->waves[i].owed = i + 1 < count ? r->place_count : (uint32_t)(r->in->clusters - i * r->place_count);
}

// Plays one event. False: the warp waits for a phase, and the event comes again.
static bool play(struct replay *r, uint32_t place, uint32_t warp, const struct time_event *e) {
  struct player *p = &r->places[place].players[warp];
  struct processor *on = &r->processors[warp / r->in->launch->warps_per_block];
  switch (e->kind) {
  case TIME_RUN: replay_run_of(r, on, p, e); break;
  case TIME_LOAD:
  case TIME_STORE: play_access(r, on, place, warp, e); break;
  case TIME_USE: play_use(r, place, warp, e); break;
  case TIME_ATOMIC: play_atomic(r, on, p, e); break;
  case TIME_COPY_IN: (e->lines ? play_copy_in : play_copy_across)(r, on, place, warp, e); break;
  case TIME_COPY_OUT: play_copy_out(r, on, place, warp, e); break;
  case TIME_WAIT_STORES: play_wait_stores(r, place, warp, e); break;
  case TIME_PRODUCT: replay_product(r, on, p, e); break;
  case TIME_AWAIT_PRODUCT: play_await_product(r, place, warp, e); break;
  case TIME_FENCE: return play_fence(r, on, place, warp, e);
  case TIME_REMOTE: play_remote(r, on, p, e); break;
  case TIME_ARRIVE: play_arrive(r, on, place, warp, e); break;
  case TIME_SLEEP: play_sleep(r, place, warp, e); break;
  case TIME_CLOCK: play_clock(r, place, p, e); break;
  case TIME_MARK: play_mark(r, place, warp, e); break;
  case TIME_TELL: play_tell(r, place, p->clock); break;
  case TIME_LOOK: return play_look(r, place, warp, e);
  default: return pass_phase(r, place, warp, e);
  }
  return true;
}

// ---- the run ----------------------------------------------------------------------------------------------

static void end_player(struct replay *r, uint32_t place, struct player *p) {
  struct running *c = &r->places[place];
  p->over = true;
  if (p->clock > c->ends) c->ends = p->clock;
  if (--c->left) return;
  play_tell(r, place, c->ends);
  r->ends[r->finished++] =
      (struct progress){c->ends, r->result.bytes, r->result.slots, r->result.memory, r->result.draws};
  if (c->ends > r->result.cycles) r->result.cycles = c->ends;
  const double ends = c->ends;
  note(r, place, 0, NULL, c->begins, ends);
  free_cluster(c);
  if (r->started < r->in->clusters) start_cluster(r, place, ends);
}

static void step(struct replay *r, const struct queued_event *item) {
  struct running *c = &r->places[item->place];
  if (!c->sample || c->number != item->cluster) return;
  if (item->warp == NO_WARP) return count_phase(r, item->place, item->phase, item->count, item->when);
  const struct time_warp *w = &c->sample->warps[item->warp];
  struct player *p = &c->players[item->warp];
  const double from = p->clock > item->when ? p->clock : item->when;
  while (p->at < w->count) {
    const struct time_event *e = &w->events[p->at];
    if (!play(r, item->place, item->warp, e)) return;
    p->at++;
    if (p->clock > from && p->at < w->count) {
      push(r, p->clock, item->place, item->warp, 0, 0);
      return;
    }
  }
  end_player(r, item->place, p);
}

static void note_window(struct replay *r, double when, bool *open, bool *shut) {
  struct replay_result *result = &r->result;
  if (!*open && result->bytes + result->slots >= 0.3 * r->total_bytes) {
    *open = true;
    result->window = -when;
    result->window_bytes = -result->bytes;
    result->window_memory = -result->memory;
    result->window_slots = -result->slots;
    result->window_draws = -result->draws;
  } else if (*open && !*shut && result->bytes + result->slots >= 0.85 * r->total_bytes) {
    *shut = true;
    result->window += when;
    result->window_bytes += result->bytes;
    result->window_memory += result->memory;
    result->window_slots += result->slots;
    result->window_draws += result->draws;
  }
}

static void take_whole_turns(struct replay *r) {
  struct progress turns;
  if (!turns_of(r->ends, r->finished, r->place_count, &turns)) return;
  r->result.window = turns.when;
  r->result.window_bytes = turns.bytes;
  r->result.window_slots = turns.slots;
  r->result.window_memory = turns.memory;
  r->result.window_draws = turns.draws;
}

struct replay_result replay_run(const struct replay_input *input) {
  const struct time_launch *l = input->launch;
  struct replay r = {.in = input, .chip = l->chip, .random = input->seed, .stored = input->seed};
  uint64_t places = l->blocks_on_processor;
  if (places > input->clusters) places = input->clusters;
  r.place_count = (uint32_t)places;
  r.places = some(r.place_count, sizeof *r.places);
  r.ends = some(input->clusters, sizeof *r.ends);
  for (uint64_t i = 0; i < input->clusters; i++) {
    const struct time_cluster *s = &l->samples[(input->first + i) % l->sample_count];
    r.total_bytes += (double)s->bytes + (double)s->slots / QUARTERS;
  }
  make_waves(&r);
  for (uint32_t i = 0; i < r.place_count; i++)
    start_cluster(&r, i, 0);
  bool open = false, shut = false;
  while (r.queue.count) {
    const struct queued_event item = event_queue_pop(&r.queue);
    note_window(&r, item.when, &open, &shut);
    step(&r, &item);
    if (item.when > r.result.cycles) r.result.cycles = item.when;
  }
  if (!shut) {
    r.result.window = r.result.cycles;
    r.result.window_bytes = r.result.bytes;
    r.result.window_memory = r.result.memory;
    r.result.window_slots = r.result.slots;
    r.result.window_draws = r.result.draws;
  }
  take_whole_turns(&r);
  free(r.ends);
  free(r.waves);
  for (uint32_t i = 0; i < r.place_count; i++) { // those whose record ended before they did
    if (r.places[i].sample) note(&r, i, 0, NULL, r.places[i].begins, r.result.cycles);
    free_cluster(&r.places[i]);
  }
  free(r.places);
  event_queue_end(&r.queue);
  r.result.finished = r.finished;
  return r.result;
}
