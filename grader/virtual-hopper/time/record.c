// In: what the functional machine did. Out: a list of events for each warp of the sampled clusters, and
// bytes. One idea: a wait is kept as what it was for (a phase, a load, so many stores), so the replay needs
// no values: the graph of who waited for whom is the same at any speed.
#include "virtual-hopper/time/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/mbarrier-table.h"
#include "virtual-hopper/time/pages.h"
#include "virtual-hopper/time/reuse.h"

enum {
  MOST_SAMPLES = 48,
  MOST_BLOCKS = 64,          // in all samples
  MOST_EVENTS = 40000,       // of a cluster; more are like those before
  MOST_ALL_EVENTS = 1000000, // of all samples
  MOST_BEHIND = 24,          // events of a warp
  RANK_SHIFT = 56,
  KIND_SHIFT = 48,
  PLACE_SHIFT = 24,
  MBARRIER = 1, // kinds of phases
  MEETING = 2
};

static void *grow(void *old, uint32_t *room, size_t size) {
  *room = *room ? 2 * *room : 64;
  void *new = realloc(old, *room * size);
  if (!new) die("out of memory for what the time model keeps");
  return new;
}

// The clusters that are samples: one of each of so many equal parts of the grid, at another place of each.
// At equal distances all of them would lie in one column of a grid whose width divides the distance.
static uint64_t sample_at(uint64_t clusters, uint64_t samples, uint64_t number) {
  const double golden = 0.6180339887498949, turns = golden * (double)number;
  const uint64_t begin = clusters * number / samples, end = clusters * (number + 1) / samples;
  return begin + (uint64_t)((double)(end - begin) * (turns - floor(turns)));
}

struct time_launch *time_launch_begin(const struct chip *chip, struct cache *cache, const struct launch *l,
                                      uint32_t blocks_on_processor) {
  struct time_launch *t = calloc(1, sizeof *t);
  if (!t) die("out of memory for the time model");
  t->chip = chip;
  t->cache = cache;
  t->function = l->function;
  t->cluster_count = l->cluster_count;
  t->blocks_per_cluster = l->blocks_per_cluster;
  t->warps_per_block = l->warps_per_block;
  const double share = (double)l->cluster_count * l->blocks_per_cluster / chip->processors;
  t->blocks_on_processor = share < blocks_on_processor ? (uint32_t)(share + 0.999) : blocks_on_processor;
  if (!t->blocks_on_processor) t->blocks_on_processor = 1;
  t->pages = time_pages_make(l->cluster_count * l->blocks_per_cluster,
                             t->blocks_on_processor * (uint64_t)chip->processors);
  t->blocks_fit = blocks_on_processor > t->blocks_on_processor ? blocks_on_processor : t->blocks_on_processor;
  uint64_t most = MOST_BLOCKS / l->blocks_per_cluster;
  if (most > MOST_SAMPLES) most = MOST_SAMPLES;
  t->sample_count = (uint32_t)(l->cluster_count < most ? l->cluster_count : most);
  t->samples = calloc(t->sample_count, sizeof *t->samples);
  if (!t->samples) die("out of memory for the time model");
  for (uint32_t i = 0; i < t->sample_count; i++)
    t->samples[i].index = sample_at(l->cluster_count, t->sample_count, i);
  return t;
}

struct time_cluster *time_cluster_begin(struct time_launch *t, uint64_t index) {
  uint32_t part = (uint32_t)(index * t->sample_count / t->cluster_count);
  if (part + 1 < t->sample_count && t->samples[part + 1].index == index) part++;
  if (t->samples[part].index != index) return NULL;
  struct time_cluster *c = &t->samples[part];
  if (c->began) return NULL;
  c->began = true;
  c->warp_count = t->blocks_per_cluster * t->warps_per_block;
  c->warps = calloc(c->warp_count, sizeof *c->warps);
  if (!c->warps) die("out of memory for the time model");
  return c;
}

void time_launch_end(struct time_launch *t) {
  if (!t) return;
  for (uint32_t i = 0; i < t->sample_count; i++) {
    struct time_cluster *c = &t->samples[i];
    for (uint32_t k = 0; k < c->warp_count; k++) {
      free(c->warps[k].events);
      free(c->warps[k].results);
      time_reuse_free(c->warps[k].reuse);
      time_parts_free(c->warps[k].parts);
    }
    time_lines_free(c->lines);
    free(c->warps);
    free(c->phases);
    free(c->buckets);
  }
  time_near_free(t->near);
  time_chain_free(t->chain);
  time_pages_free(t->pages);
  free(t->samples);
  free(t);
}

// ---- events -----------------------------------------------------------------------------------------------

static void append(struct time_cluster *c, struct time_warp *w, const struct time_event *event) {
  if (w->count == w->room) w->events = grow(w->events, &w->room, sizeof *w->events);
  w->events[w->count++] = *event;
  if (++c->events >= MOST_EVENTS) c->full = true;
}

void time_split_run(struct warp *warp) {
  struct time_warp *w = time_warp_of(warp);
  if (!w || (!w->slots && !w->shared_cycles)) return;
  const struct time_event run = {.kind = TIME_RUN,
                                 .a = w->slots,
                                 .b = w->longest - w->split,
                                 .c = w->shared_cycles,
                                 .lines = (uint16_t)w->reads,
                                 .place = w->special_cycles};
  struct time_cluster *c = warp->block->cluster->time;
  c->slots += w->slots;
  append(c, w, &run);
  w->slots = w->shared_cycles = w->special_cycles = w->reads = 0;
  w->split = w->longest;
}

void time_close_run(struct warp *warp) {
  time_split_run(warp);
  struct time_warp *w = time_warp_of(warp);
  if (!w || !w->split) return;
  w->longest = w->split = w->block_begin = w->block_slots = 0;
  w->run++;
}

void time_emit(struct warp *warp, struct time_event event) {
  time_close_run(warp);
  struct time_warp *w = time_warp_of(warp);
  if (w) append(warp->block->cluster->time, w, &event);
}

// ---- phases -----------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t v) {
  v = (v ^ v >> 31) * 0x9e3779b97f4a7c15ull;
  return v ^ v >> 29;
}

static void index_phases(struct time_cluster *c) {
  c->bucket_count = c->bucket_count ? 2 * c->bucket_count : 256;
  free(c->buckets);
  c->buckets = calloc(c->bucket_count, sizeof *c->buckets);
  if (!c->buckets) die("out of memory for the time model");
  for (uint32_t i = 0; i < c->phase_count; i++) {
    uint32_t at = (uint32_t)mix(c->phases[i].name) & (c->bucket_count - 1);
    while (c->buckets[at])
      at = (at + 1) & (c->bucket_count - 1);
    c->buckets[at] = i + 1;
  }
}

static uint32_t phase_of(struct time_cluster *c, uint32_t rank, uint32_t kind, uint32_t place,
                         uint64_t number) {
  const uint64_t name =
      ((uint64_t)rank << RANK_SHIFT | (uint64_t)kind << KIND_SHIFT | (uint64_t)place << PLACE_SHIFT) ^
      mix(number + 1) >> 8;
  if (2 * (c->phase_count + 1) > c->bucket_count) index_phases(c);
  uint32_t at = (uint32_t)mix(name) & (c->bucket_count - 1);
  for (; c->buckets[at]; at = (at + 1) & (c->bucket_count - 1))
    if (c->phases[c->buckets[at] - 1].name == name) return c->buckets[at] - 1;
  if (c->phase_count == c->phase_room) c->phases = grow(c->phases, &c->phase_room, sizeof *c->phases);
  c->phases[c->phase_count] =
      (struct time_phase){.name = name, .offset = kind == MBARRIER ? place : 0, .rank = (uint8_t)rank};
  c->buckets[at] = ++c->phase_count;
  return c->phase_count - 1;
}

static uint32_t mbarrier_phase(struct warp *w, const struct block *owner, uint32_t offset, uint64_t number) {
  return phase_of(w->block->cluster->time, owner->rank, MBARRIER, offset, number);
}

void time_mbarrier_arrive(struct warp *w, const struct block *owner, uint32_t offset, uint64_t number,
                          const struct op *op) {
  if (!time_warp_of(w)) return;
  const uint32_t phase = mbarrier_phase(w, owner, offset, number);
  w->block->cluster->time->phases[phase].needs++;
  struct time_warp *record = time_warp_of(w);
  struct time_event *last = record->count && !record->slots ? &record->events[record->count - 1] : NULL;
  const bool remote = owner != w->block;
  if (last && last->kind == TIME_ARRIVE && last->a == phase)
    last->b++; // another lane
  else
    time_emit(w, (struct time_event){.kind = TIME_ARRIVE, .lines = remote, .a = phase, .b = 1, .op = op});
}

// Lanes of the warp that are ahead have waited for the phase, and now those that were behind do. On a chip a
// warp's lanes meet before they wait: what those behind did, loads above all, comes first. Returns the lanes
// that were ahead.
static uint32_t wait_together(struct time_warp *w, uint32_t phase) {
  for (uint32_t i = w->count; i > 0 && i + MOST_BEHIND > w->count; i--) {
    struct time_event *e = &w->events[i - 1];
    if (e->kind != TIME_WAIT || e->flag || e->a != phase) continue;
    const uint32_t lanes = e->b;
    *e = (struct time_event){.kind = TIME_RUN};
    return lanes;
  }
  return 0;
}

void time_mbarrier_pass(struct warp *w, const struct block *owner, uint32_t offset, uint64_t number,
                        const struct op *op) {
  if (!time_warp_of(w)) return;
  const uint32_t phase = mbarrier_phase(w, owner, offset, number);
  const uint32_t lanes = w->lanes | wait_together(time_warp_of(w), phase);
  time_emit(w, (struct time_event){.kind = TIME_WAIT, .a = phase, .b = lanes, .c = w->alive, .op = op});
}

static uint32_t meeting(struct warp *w, uint32_t id, uint64_t generation) {
  const uint32_t rank = id == TIME_CLUSTER_BARRIER ? 0 : w->block->rank;
  return phase_of(w->block->cluster->time, rank, MEETING, id, generation);
}

void time_meet_arrive(struct warp *w, uint32_t id, uint64_t generation, const struct op *op) {
  if (!time_warp_of(w)) return;
  const uint32_t phase = meeting(w, id, generation);
  w->block->cluster->time->phases[phase].needs++;
  time_emit(w, (struct time_event){.kind = TIME_ARRIVE,
                                   .flag = true,
                                   .lines = id == TIME_CLUSTER_BARRIER,
                                   .a = phase,
                                   .b = 1,
                                   .op = op});
}

void time_meet_leave(struct warp *w, uint32_t id, uint64_t generation, const struct op *op) {
  const struct time_warp *record = time_warp_of(w);
  if (!record) return;
  const uint32_t phase = meeting(w, id, generation);
  const struct time_event *last = record->count && !record->slots ? &record->events[record->count - 1] : NULL;
  if (last && last->kind == TIME_WAIT && last->a == phase) return; // other lanes, at once
  time_emit(w,
            (struct time_event){
                .kind = TIME_WAIT, .flag = true, .lines = id == TIME_CLUSTER_BARRIER, .a = phase, .op = op});
}

void time_product(struct warp *w, uint32_t cycles, const struct op *op) {
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  time_emit(w, (struct time_event){.kind = TIME_PRODUCT, .a = cycles, .op = op});
  record->products++;
}

void time_await_product(struct warp *w, uint64_t count, const struct op *op) {
  const struct time_warp *record = time_warp_of(w);
  if (!record || count == 0 || count > record->products) return;
  time_emit(w, (struct time_event){.kind = TIME_AWAIT_PRODUCT, .a = (uint32_t)count, .op = op});
}

void time_remote(struct warp *w, const struct op *op, uint32_t bytes, bool stored) {
  time_split_run(w);
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  append(w->block->cluster->time, record,
         &(struct time_event){.kind = TIME_REMOTE, .flag = stored, .b = bytes, .op = op});
}

void time_sleep(struct warp *w, uint64_t nanoseconds) {
  const uint32_t most = UINT32_MAX;
  time_emit(w,
            (struct time_event){.kind = TIME_SLEEP, .a = nanoseconds < most ? (uint32_t)nanoseconds : most});
}

void time_clock(struct warp *w) {
  if (!time_warp_of(w)) return;
  const uint32_t before = w->block->cluster->time->clocks++;
  time_emit(w, (struct time_event){.kind = TIME_CLOCK, .a = before});
}

// The open run stays open: a mark in its middle is kept before it, with the cycles that have passed by then,
// and with the newest load whose result has been used by then.
void time_mark(struct warp *warp, const struct op *op) {
  struct time_warp *w = time_warp_of(warp);
  struct time_cluster *c = warp->block->cluster->time;
  if (!w || c->marks == TIME_MOST_MARKS) return;
  c->marks++;
  c->events--; // which append counts: a cluster keeps as many other events as without marks
  const bool begins = strcmp(op->source->modifiers[0], "begin") == 0;
  uint32_t used = 0;
  for (uint32_t i = 0; i < w->owed_count; i++)
    if (w->owed[i].load >= used) used = w->owed[i].load + 1;
  append(c, w,
         &(struct time_event){.kind = TIME_MARK,
                              .flag = begins,
                              .a = warp->lanes,
                              .b = w->longest - w->split,
                              .c = used,
                              .op = op});
}

// ---- copies -----------------------------------------------------------------------------------------------

void time_touch_page(struct warp *w, uint64_t address, bool write, bool thread) {
  time_pages_touch(w->launch->time->pages, w->block->linear_index, w->index, address, write, thread);
}

void time_move_on(struct warp *w, uint64_t bytes, uint64_t missed) {
  time_pages_move(w->launch->time->pages, w->block->linear_index, w->index, bytes, missed);
}

struct span_sum {
  struct warp *warp;
  struct cache *cache;
  bool write;
  uint64_t sectors, missed, first, newest; // first: where it begins; newest: its newest row
  uint32_t rows;
};

static void expect(const struct span_sum *s, uint64_t address, uint64_t bytes) {
  cache_expect(s->cache, address, bytes);
  time_pages_expect(s->warp->launch->time->pages, address, s->write);
}

// Notes of memory lie scattered, so the host is told early which ones come next: those of a later page, or of
// a row as far behind this one as this one is behind the row before.
static void add_span(const struct copy_span *span, void *context) {
  struct span_sum *s = context;
  const uint64_t first = span->address / CACHE_SECTOR,
                 last = (span->address + span->bytes - 1) / CACHE_SECTOR;
  s->sectors += (last - first + 1) * CACHE_SECTOR;
  if (!s->rows) s->first = s->newest = span->address;
  const uint64_t page = 1024, ahead = 4 * page, end = span->address + span->bytes,
                 row = 2 * span->address - s->newest;
  s->newest = span->address;
  uint64_t all_missed = 0;
  for (uint64_t at = span->address, next; at < end; at = next) {
    next = (at / page + 1) * page < end ? (at / page + 1) * page : end;
    if (at + ahead < end)
      expect(s, at + ahead, page);
    else if (row != span->address)
      expect(s, row + (at - span->address), next - at);
    const uint64_t missed = cache_touch(s->cache, at, next - at, s->write);
    if (missed) time_touch_page(s->warp, at, s->write, false);
    all_missed += missed;
  }
  s->missed += all_missed;
  time_move_on(s->warp, span->bytes, s->write ? span->bytes : all_missed);
  s->rows++;
}

// What comes along with a sector is counted for the launch as a whole: the next one may need it, and not
// get it from the memory.
static uint64_t through(const struct span_sum *s) {
  return s->missed < s->sectors ? s->missed : s->sectors;
}

static bool reads_global(enum async_kind kind) {
  return kind == ASYNC_BULK_LOAD || kind == ASYNC_TENSOR_LOAD;
}
static bool writes_global(enum async_kind kind) {
  return kind == ASYNC_BULK_STORE || kind == ASYNC_TENSOR_STORE || kind == ASYNC_BULK_REDUCE ||
         kind == ASYNC_TENSOR_REDUCE;
}

static void emit_load(struct warp *w, const struct async_copy *copy, struct time_event event) {
  for (uint32_t i = 0; i < copy->destination_count; i++) {
    const struct mbarrier *m = mbarrier_find(copy->destination[i], copy->mbarrier_offset);
    if (!m) continue;
    event.a = mbarrier_phase(w, copy->destination[i], copy->mbarrier_offset, m->phase);
    w->block->cluster->time->phases[event.a].needs++;
    w->block->cluster->time->phases[event.a].loads = true;
    time_emit(w, event);
    event.flag = true; // the bytes of a multicast come once
  }
}

// Blocks that run at the same time add to sums of their own, or wait for one another.
static void count_additions(struct time_launch *t, const struct span_sum *sums) {
  const uint64_t name = sums->first + 1;
  bool again = false;
  for (uint32_t i = 0; i < TIME_SUMS; i++)
    again |= t->newest_sums[i] == name;
  t->totals.added[0] += again;
  t->totals.added[1] += again ? (sums->sectors + CACHE_LINE - 1) / CACHE_LINE : 0;
  for (uint32_t i = TIME_SUMS - 1; i > 0; i--)
    t->newest_sums[i] = t->newest_sums[i - 1];
  t->newest_sums[0] = name;
}

void time_copy(struct warp *w, const struct async_copy *copy) {
  struct time_launch *t = w->launch->time;
  struct span_sum sum = {.warp = w, .cache = t->cache, .write = writes_global(copy->kind)};
  // A reduction reads what it adds to.
  struct span_sum old = {.warp = w, .cache = t->cache};
  if (copy->kind == ASYNC_BULK_REDUCE || copy->kind == ASYNC_TENSOR_REDUCE)
    copy_each_global_span(copy, add_span, &old);
  if (reads_global(copy->kind) || sum.write) copy_each_global_span(copy, add_span, &sum);
  *(sum.write ? &t->totals.written : &t->totals.read) += sum.sectors;
  *(sum.write ? &t->totals.flushed : &t->totals.missed) += sum.missed;
  t->totals.missed += old.missed;
  t->totals.pieces += sum.rows;
  if (old.rows) t->totals.reduced += old.missed + sum.missed;
  if (old.rows) count_additions(t, &old);
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  w->block->cluster->time->bytes += sum.sectors;
  struct time_event event = {.b = sum.sectors ? (uint32_t)sum.sectors : copy->bytes,
                             .c = (uint32_t)(through(&sum) + old.missed),
                             .lines = (uint16_t)(sum.rows < UINT16_MAX ? sum.rows : UINT16_MAX),
                             .place = copy->shared_offset,
                             .op = copy->op};
  if (sum.write) {
    record->newest[record->stores % TIME_RECENT_STORES] =
        (struct time_bulk_store){.thread = copy->thread, .group = copy->group};
    record->stores++;
    event.kind = TIME_COPY_OUT;
    time_emit(w, event);
  } else {
    event.kind = TIME_COPY_IN;
    if (!event.lines) event.lines = reads_global(copy->kind); // 0: from another block's shared memory
    emit_load(w, copy, event);
  }
}

void time_wait_stores(struct warp *w, uint32_t thread, uint64_t end, bool read_only, const struct op *op) {
  struct time_warp *record = time_warp_of(w);
  if (!record) return;
  const uint32_t oldest = record->stores > TIME_RECENT_STORES ? record->stores - TIME_RECENT_STORES : 0;
  for (uint32_t n = record->stores; n > oldest; n--) {
    const struct time_bulk_store *s = &record->newest[(n - 1) % TIME_RECENT_STORES];
    if (s->thread != thread || s->group >= end) continue;
    time_emit(w, (struct time_event){.kind = TIME_WAIT_STORES, .flag = read_only, .a = n, .op = op});
    return;
  }
}

// ---- what threads tell one another ------------------------------------------------------------------------

void time_tell(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes, bool write) {
  struct time_launch *t = w->launch->time;
  const uint64_t block = w->block->linear_index;
  if (!t->chain) t->chain = time_chain_make(t->cluster_count * t->blocks_per_cluster);
  bool before = false;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint64_t address = addresses[__builtin_ctz(left)];
    if (write)
      time_chain_store(t->chain, block, address);
    else
      before |= time_chain_load(t->chain, block, address);
  }
  t->totals.chained = time_chain_length(t->chain);
  struct time_cluster *c = w->block->cluster->time;
  if (!time_warp_of(w)) return;
  if (write && !c->told) {
    c->told = true;
    time_emit(w, (struct time_event){.kind = TIME_TELL, .op = op});
  } else if (before && c->told && !c->looked) {
    c->looked = true;
    t->totals.looked++;
    time_emit(w, (struct time_event){.kind = TIME_LOOK, .op = op});
  }
}

static uint32_t different(const uint64_t *addresses, uint32_t lanes) {
  uint32_t count = 0;
  for (uint32_t left = lanes; left; count++) {
    const uint64_t first = addresses[__builtin_ctz(left)];
    for (uint32_t i = left; i; i &= i - 1)
      if (addresses[__builtin_ctz(i)] == first) left &= ~(i & -i);
  }
  return count;
}

void time_atomic(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes,
                 uint32_t load) {
  struct time_launch *t = w->launch->time;
  const uint64_t address = addresses[__builtin_ctz(lanes)];
  const uint32_t words = different(addresses, lanes);
  const bool same = t->last_atomic == address;
  t->totals.changed += words;
  t->last_atomic = address;
  t->totals.atomics_on_one += same;
  if (time_warp_of(w))
    time_emit(w, (struct time_event){
                     .kind = TIME_ATOMIC, .flag = same, .lines = (uint16_t)words, .a = load, .op = op});
}
