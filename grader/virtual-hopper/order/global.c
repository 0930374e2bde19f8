// Shadow of global memory, for accesses by threads against accesses by copies. In: writes by threads (when
// some copy may read them) and by bulk stores (when somebody may read the result). Out: conflicts. One idea:
// the clocks decide within a cluster; between-clusters.c judges the rest.
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/order/touched.h"

enum { PAGE_BYTES = 4096, GRANULE_BYTES = 4, PAGE_GRANULES = PAGE_BYTES / GRANULE_BYTES };
// bytes of shadow; beyond them accesses are forgotten, never misjudged
#define PAGE_LIMIT ((size_t)512 << 20)

// While index is NULL: the note of all granules, since tiles often cover whole pages; then rows on top of it,
// a later one over an earlier one. Where nobody looks at the page, as at a result, it stays so.
enum { MOST_ROWS = 60 }; // of a page
struct global_row {
  uint16_t first, end, note; // granules; of notes
};
struct global_page {
  struct page_link link; // first
  uint32_t note_count, note_capacity;
  struct global_write *notes; // [0] is "nothing"
  uint16_t whole, row_count;
  struct global_row *rows; // [MOST_ROWS]
  uint16_t *index;         // [PAGE_GRANULES] into notes
};

struct global_shadow *global_create(struct launch *launch) {
  struct global_shadow *s = aligned_alloc(alignof(struct global_shadow), sizeof *s);
  if (!s) die("out of memory for the order engine");
  memset(s, 0, sizeof *s);
  s->launch = s->now = launch;
  s->launch_index = launch->launch_index;
  budget_part_begin(&s->memory, launch->budget, BUDGET_ORDER);
  for (size_t i = 0; i < GLOBAL_LOCKS; i++)
    s->pieces[i].set.store = launch->chunks;
  return s;
}

void global_free(struct global_shadow *s) {
  for (size_t i = 0; s && i < GLOBAL_LOCKS; i++)
    pieces_end(&s->pieces[i].set);
  if (s) budget_part_end(&s->memory);
  if (s) global_free(s->late_reads);
  free(s);
}

static struct lone_lock *lock_of(struct global_shadow *s, uint64_t number) {
  return &s->page_locks[page_lock(number, GLOBAL_LOCKS)];
}

// The lock of a page, taken; NULL: none is needed, since no other worker runs. Whoever takes one waits until
// all that was written before has reached the cache.
static struct lone_lock *lock_page(struct global_shadow *s, uint64_t number) {
  struct lone_lock *lock = s->now && s->now->one_worker ? NULL : lock_of(s, number);
  if (lock) lone_lock_take(lock);
  return lock;
}

static void unlock_page(struct lone_lock *lock) {
  if (lock) lone_lock_give(lock);
}

// Used with the page's lock held, like all of these.
static struct global_pieces *pieces_of(struct global_shadow *s, uint64_t number) {
  return &s->pieces[page_lock(number, GLOBAL_LOCKS)];
}

// Memory with any contents, for the page. It must not be missing quietly: rules would not be judged.
static void *take_any(struct global_shadow *s, uint64_t number, size_t bytes) {
  struct global_pieces *pieces = pieces_of(s, number);
  const bool counts = pieces->share.left < bytes;
  budget_share_count(&s->memory, &pieces->share, bytes);
  if (counts && !budget_left(s->memory.budget)) launch_budget_spent(s->launch);
  return pieces_take_any(&pieces->set, bytes);
}

static void give(struct global_shadow *s, uint64_t number, void *taken, size_t bytes) {
  struct global_pieces *pieces = pieces_of(s, number);
  if (!taken) return;
  pieces_give(&pieces->set, taken, bytes);
  budget_share_give(&pieces->share, bytes);
}

static void make_room(struct global_shadow *s, struct page_table *table, uint64_t number) {
  const size_t room = page_table_wants(table), before = table->room;
  if (!room) return;
  struct page_link **old = table->heads, **heads = take_any(s, number, room * sizeof *heads);
  page_table_move(table, memset(heads, 0, room * sizeof *heads), room);
  give(s, number, old, before * sizeof *old);
}

static struct global_page *page_find(struct global_shadow *s, uint64_t number, bool create) {
  if (!create && !page_range_has(&s->range, number)) return NULL;
  struct page_table *table = &pieces_of(s, number)->table;
  struct page_link *found = page_table_find(table, number);
  if (found || !create) return (struct global_page *)found;
  if (atomic_load_explicit(&s->memory.held, memory_order_relaxed) > PAGE_LIMIT) return NULL;
  if (!budget_left(s->memory.budget)) {
    launch_budget_spent(s->launch);
    return NULL;
  }
  make_room(s, table, number);
  struct global_page *page = memset(take_any(s, number, sizeof *page), 0, sizeof *page);
  page->link.number = number;
  page->note_count = 1;
  page_range_add(&s->range, number);
  page_table_add(table, &page->link);
  return page;
}

static bool same_note(const struct global_write *a, const struct global_write *b) {
  // notes of a warp differ in the agent, and those of loads in the cluster
  return a->agent == b->agent && a->cluster == b->cluster && memcmp(a, b, sizeof *a) == 0;
}

// Drops notes to which no granule refers any more.
static void compact(struct global_page *page) {
  uint16_t *renamed = calloc(page->note_count, sizeof *renamed);
  if (!renamed) return;
  for (uint32_t g = 0; g < PAGE_GRANULES; g++)
    renamed[page->index[g]] = 1;
  uint32_t used = 1;
  for (uint32_t n = 1; n < page->note_count; n++) {
    if (!renamed[n]) continue;
    page->notes[used] = page->notes[n];
    renamed[n] = (uint16_t)used++;
  }
  renamed[0] = 0;
  for (uint32_t g = 0; g < PAGE_GRANULES; g++)
    page->index[g] = renamed[page->index[g]];
  page->note_count = used;
  free(renamed);
}

static uint16_t note_index(struct global_shadow *s, struct global_page *page,
                           const struct global_write *write) {
  const uint32_t recent = write->state & NOTE_ROW ? 0 : 40; // the lanes of one warp come together
  for (uint32_t n = page->note_count; n-- > 1 && page->note_count - n < recent;) {
    if (same_note(&page->notes[n], write)) return (uint16_t)n;
  }
  if (page->note_count >= page->note_capacity) {
    if (page->note_count > PAGE_GRANULES) compact(page);
    if (page->note_count * 2 > page->note_capacity) {
      uint32_t capacity = page->note_capacity ? page->note_capacity * 2 : 4;
      struct global_write *grown = take_any(s, page->link.number, capacity * sizeof *grown);
      memset(grown, 0, sizeof *grown); // [0] is "nothing"
      if (page->notes) memcpy(grown, page->notes, page->note_count * sizeof *grown);
      give(s, page->link.number, page->notes, page->note_capacity * sizeof *grown);
      page->notes = grown;
      page->note_capacity = capacity;
    }
  }
  if (page->note_count >= UINT16_MAX) return 0;
  page->notes[page->note_count] = *write;
  return (uint16_t)page->note_count++;
}

static void note_all(struct global_shadow *s, struct global_page *page, const struct global_write *write) {
  give(s, page->link.number, page->index, PAGE_GRANULES * sizeof *page->index);
  give(s, page->link.number, page->rows, MOST_ROWS * sizeof *page->rows);
  page->index = NULL;
  page->rows = NULL;
  page->row_count = 0;
  page->note_count = 1; // the others are overwritten
  page->whole = note_index(s, page, write);
}

OVER_ALL_AGENTS static void fill(uint16_t *index, uint32_t first, uint32_t end, uint16_t note) {
  for (uint32_t g = first; g < end; g++)
    index[g] = note;
}

// Afterwards the page has an index, if it has rows.
static void spell_rows(struct global_shadow *s, struct global_page *page) {
  if (!page->rows) return;
  page->index = take_any(s, page->link.number, PAGE_GRANULES * sizeof *page->index);
  fill(page->index, 0, PAGE_GRANULES, page->whole);
  for (uint32_t i = 0; i < page->row_count; i++)
    fill(page->index, page->rows[i].first, page->rows[i].end, page->rows[i].note);
  give(s, page->link.number, page->rows, MOST_ROWS * sizeof *page->rows);
  page->rows = NULL;
  page->row_count = 0;
}

// False: there are too many.
static bool note_row(struct global_shadow *s, struct global_page *page, uint32_t first, uint32_t end,
                     const struct global_write *write) {
  const struct global_row *last = page->row_count ? &page->rows[page->row_count - 1] : NULL;
  if (last && last->first == first && last->end == end && same_note(&page->notes[last->note], write))
    return true; // of the same row once more, as in a loop
  if (page->row_count == MOST_ROWS) return false;
  if (!page->rows) page->rows = take_any(s, page->link.number, MOST_ROWS * sizeof *page->rows);
  page->rows[page->row_count++] =
      (struct global_row){(uint16_t)first, (uint16_t)end, note_index(s, page, write)};
  return true;
}

static void note_some(struct global_shadow *s, struct global_page *page, uint32_t first, uint32_t end,
                      const struct global_write *write) {
  if (!page->index && write->state & NOTE_ROW && note_row(s, page, first, end, write)) return;
  spell_rows(s, page);
  if (!page->index) {
    page->index = take_any(s, page->link.number, PAGE_GRANULES * sizeof *page->index);
    fill(page->index, 0, PAGE_GRANULES, page->whole);
  }
  const uint16_t here = page->index[first]; // of the same row once more, as in a loop
  const uint16_t index = here && same_note(&page->notes[here], write)
                             ? here
                             : note_index(s, page, write); // may rename the others
  fill(page->index, first, end, index);
}

void global_note(struct global_shadow *s, uint64_t address, uint64_t bytes,
                 const struct global_write *write) {
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t number = address / PAGE_BYTES, page_end = (number + 1) * PAGE_BYTES,
             stop = end < page_end ? end : page_end;
    struct lone_lock *lock = lock_page(s, number);
    struct global_page *page = page_find(s, number, true);
    uint32_t first = (uint32_t)(address % PAGE_BYTES / GRANULE_BYTES),
             end_granule = (uint32_t)((stop - number * PAGE_BYTES + GRANULE_BYTES - 1) / GRANULE_BYTES);
    if (page && end_granule - first == PAGE_GRANULES)
      note_all(s, page, write);
    else if (page)
      note_some(s, page, first, end_granule, write);
    unlock_page(lock);
    address = stop;
  }
}

// Which lane of a row has written the granule. A row is shorter than a page, and may end in the next one.
static uint32_t row_lane(const struct global_write *row, uint32_t granule) {
  const uint32_t first = (uint32_t)(row->state >> NOTE_ROW_FIRST) % PAGE_GRANULES;
  return (granule - first) % PAGE_GRANULES >> (row->state >> NOTE_ROW_SIZE & 15);
}

struct visit_place { // the last note that was visited; index 0: none
  uint16_t index;
  uint32_t lane;
};

static void visit_granule(const struct global_page *page, uint64_t address, struct visit_place *last,
                          void (*visit)(const struct global_write *, uint64_t, void *), void *context) {
  const uint32_t granule = (uint32_t)(address % PAGE_BYTES / GRANULE_BYTES);
  const uint16_t index = page->index[granule];
  const struct global_write *note = &page->notes[index];
  const uint32_t lane = index && note->state & NOTE_ROW ? row_lane(note, granule) : 0;
  if (index && (index != last->index || lane != last->lane)) {
    struct global_write one = *note;
    one.agent += lane;
    one.thread += lane;
    visit(&one, address, context);
  }
  *last = (struct visit_place){index, lane};
}

void global_visit(struct global_shadow *s, uint64_t address, uint64_t bytes,
                  void (*visit)(const struct global_write *, uint64_t, void *), void *context) {
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t number = address / PAGE_BYTES, page_end = (number + 1) * PAGE_BYTES,
             stop = end < page_end ? end : page_end;
    struct lone_lock *lock = lock_page(s, number);
    struct global_page *page = page_find(s, number, false);
    struct visit_place last = {0};
    if (page) spell_rows(s, page);
    if (page && !page->index && page->whole) visit(&page->notes[page->whole], address, context);
    for (; page && page->index && address < stop; address = (address / GRANULE_BYTES + 1) * GRANULE_BYTES)
      visit_granule(page, address, &last, visit, context);
    unlock_page(lock);
    address = stop;
  }
}

void global_each_run(struct global_shadow *s, uint64_t address, uint64_t bytes, global_change *change,
                     void *context) {
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t number = address / PAGE_BYTES, page_end = (number + 1) * PAGE_BYTES,
             stop = end < page_end ? end : page_end;
    struct lone_lock *lock = lock_page(s, number);
    struct global_page *page = page_find(s, number, false);
    if (page) spell_rows(s, page);
    if (page && !page->index && page->whole)
      change(&page->notes[page->whole], address, stop - address, context);
    while (page && page->index && address < stop) {
      uint64_t next = address;
      uint16_t index = page->index[address % PAGE_BYTES / GRANULE_BYTES];
      while (next < stop && page->index[next % PAGE_BYTES / GRANULE_BYTES] == index)
        next = (next / GRANULE_BYTES + 1) * GRANULE_BYTES;
      if (next > stop) next = stop;
      if (index) change(&page->notes[index], address, next - address, context);
      address = next;
    }
    unlock_page(lock);
    address = stop;
  }
}

struct reader { // who reads, or writes, while the notes of others are visited
  struct actor by;
  uint32_t self;
  struct order_cluster *cluster;
  const struct order_thread *thread;
  enum deed_kind deed;
};

static struct reader reader_of(struct actor by, enum deed_kind deed) {
  return (struct reader){.by = by,
                         .self = order_agent_of(by.w, by.lane),
                         .cluster = by.w->block->order->cluster,
                         .thread = order_view_of(by.w, by.lane),
                         .deed = deed};
}

static void report(const struct reader *r, const struct global_write *g, enum conflict_kind kind,
                   enum deed_kind earlier) {
  struct conflict k = {.facts = {.kind = kind,
                                 .earlier = earlier,
                                 .later = r->deed,
                                 .beyond_edge = g->state & NOTE_BEYOND_EDGE},
                       .earlier = {.op = g->op},
                       .later = order_actor_deed(r->by)};
  if (g->owner == r->cluster) {
    k.earlier = order_thread_deed(r->cluster, g->thread, g->op);
    if (earlier == DEED_STORE) k.earlier_epoch = g->epoch;
  }
  order_report(r->by.w->launch->order, &k);
}

static void check_store_result(const struct reader *r, const struct global_write *g) {
  if (order_seen(r->thread, r->self, g->agent) >= g->epoch) return;
  bool read_wait = order_seen(r->thread, r->self, g->read_agent) >= g->epoch;
  report(r, g, read_wait ? CONFLICT_READ_WAIT_THEN_ACCESS : CONFLICT_STORE_NOT_AWAITED, DEED_STORE);
}

// True for a write of this very cluster: its clocks decide.
static bool is_of_cluster(const struct global_write *g, const struct order_cluster *c) {
  return g->owner == c && g->cluster == c->cluster->index + 1;
}

static void check_note(const struct global_write *g, uint64_t address, void *context) {
  const struct reader *r = context;
  (void)address;
  if (!is_of_cluster(g, r->cluster)) {
    if (r->deed == DEED_LOAD && between_is_unfenced(r->cluster, g))
      report(r, g, CONFLICT_UNFENCED_GLOBAL_SOURCE, DEED_WRITE);
    return;
  }
  if (g->read_agent != NO_AGENT) {
    check_store_result(r, g);
    return;
  }
  if (r->deed != DEED_LOAD) return; // threads against threads are not judged in global memory
  if (order_seen(r->thread, r->self, g->agent) < g->epoch)
    report(r, g, CONFLICT_GLOBAL_WRITE_THEN_LOAD, DEED_WRITE);
  else if (order_made_visible(r->thread, r->self, PROXY_GLOBAL, g->agent) < g->epoch)
    report(r, g, CONFLICT_UNFENCED_GLOBAL_SOURCE, DEED_WRITE);
}

void global_check_plain_read(struct actor by, uint64_t address, uint32_t bytes) {
  struct reader r = reader_of(by, DEED_READ);
  global_visit(by.w->launch->order->global, address, bytes, check_note, &r);
}

static void check_overwritten(const struct global_write *g, uint64_t address, void *context) {
  const struct reader *writer = context;
  (void)address;
  if (g->read_agent != NO_AGENT && is_of_cluster(g, writer->cluster) &&
      order_seen(writer->thread, writer->self, g->agent) < g->epoch)
    report(writer, g, CONFLICT_STORE_THEN_GLOBAL_WRITE, DEED_STORE);
}

void global_check_plain_write(struct actor by, uint64_t address, uint32_t bytes) {
  struct reader writer = reader_of(by, DEED_WRITE);
  global_visit(by.w->launch->order->global, address, bytes, check_overwritten, &writer);
}

// The lanes from `lane` on that write one after the other, at one epoch.
static uint32_t row_length(struct order_lanes threads, uint32_t lanes, uint32_t lane,
                           const uint64_t address[WARP_LANES], uint32_t bytes) {
  uint32_t length = 1;
  if (lane == 0 && !threads.step && bytes % GRANULE_BYTES == 0 && order_is_row(lanes, address, bytes))
    return WARP_LANES;
  while (bytes % GRANULE_BYTES == 0 && lane + length < WARP_LANES && lanes >> (lane + length) & 1 &&
         address[lane + length] == address[lane] + (uint64_t)length * bytes &&
         order_lane(threads, lane + length)->epoch == order_lane(threads, lane)->epoch)
    length++;
  return length;
}

void global_plain_writes(struct warp *w, const struct op *op, uint32_t lanes,
                         const uint64_t address[WARP_LANES], uint32_t bytes) {
  struct order_cluster *c = w->block->order->cluster;
  order_mark_dirty(w, lanes);
  const struct order_lanes threads = order_lanes_of(w);
  struct global_write write;
  memset(&write, 0, sizeof write); // notes are compared as bytes
  write.cluster = c->cluster->index + 1;
  write.owner = c;
  write.op = op;
  write.time = between_now(c->launch);
  for (uint32_t lane = 0, length = 1; lane < WARP_LANES; lane += length, length = 1) {
    if (!(lanes >> lane & 1)) continue;
    length = row_length(threads, lanes, lane, address, bytes);
    for (uint32_t i = lane; i < lane + length && c->launch->tracks_global_stores; i++)
      global_check_plain_write(actor_of(w, op, i), address[i], bytes);
    write.agent = order_agent_of(w, lane);
    write.thread = write.agent - 1;
    write.epoch = order_lane(threads, lane)->epoch;
    write.state = 0;
    if (length > 1)
      write.state = NOTE_ROW | (uint64_t)__builtin_ctz(bytes / GRANULE_BYTES) << NOTE_ROW_SIZE |
                    address[lane] % PAGE_BYTES / GRANULE_BYTES << NOTE_ROW_FIRST;
    global_note(c->launch->global, address[lane], (uint64_t)length * bytes, &write);
  }
}

static void check_span(const struct copy_span *span, void *context) {
  struct reader *r = context;
  global_visit(r->by.w->launch->order->global, span->address, span->bytes, check_note, r);
}

void global_check_copy_read(struct actor by, const struct async_copy *copy) {
  struct reader r = reader_of(by, DEED_LOAD);
  copy_each_global_span(copy, check_span, &r);
}

// ---- reads by threads, for stores that come later ----
//
// A read is noted for its warp: one note for all lanes at once. A store conflicts with it when its thread has
// seen none of the lanes since.

void global_note_reads(struct warp *w, const struct op *op, uint32_t lanes,
                       const uint64_t address[WARP_LANES], uint32_t bytes) {
  struct order_cluster *c = w->block->order->cluster;
  const uint32_t first = (uint32_t)__builtin_ctz(lanes);
  order_mark_dirty(w, lanes);
  const struct order_lanes threads = order_lanes_of(w);
  struct global_write read;
  memset(&read, 0, sizeof read); // notes are compared as bytes
  read.cluster = c->cluster->index + 1;
  read.owner = c;
  read.op = op;
  read.agent = order_agent_of(w, 0);
  read.epoch = order_lane(threads, first)->epoch;
  read.thread = read.agent - 1 + first;
  // lanes at the first one's epoch; of these, those in a row of addresses
  uint32_t same = threads.step ? 0 : lanes, neighbours = 1;
  for (uint32_t left = threads.step ? lanes : 0; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (order_lane(threads, lane)->epoch == read.epoch) same |= 1u << lane;
  }
  read.state = (uint64_t)same << NOTE_LANES_SHIFT;
  for (uint32_t left = same; left;) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const bool row = order_is_row(left, address, bytes);
    for (neighbours = row ? (uint32_t)WARP_LANES : 1;
         lane + neighbours < WARP_LANES && left >> (lane + neighbours) & 1 &&
         address[lane + neighbours] == address[lane] + (uint64_t)neighbours * bytes;)
      neighbours++;
    global_note(w->launch->order->global_reads, address[lane], (uint64_t)neighbours * bytes, &read);
    left &= neighbours == WARP_LANES ? 0 : ~(((1u << neighbours) - 1) << lane);
  }
}

// ---- what bulk loads read, for writes that come later ----
//
// "Modifying the source" of a copy that is under way is undefined (PTX ISA 9.7.9.25). Whoever has seen the
// phase that the load completes on knows that it has been read. A load into several blocks reads its source
// once, and each of their barriers shows that: it is not noted.

struct noted_load {
  struct global_shadow *shadow;
  struct global_write load;
};

static void note_load_span(const struct copy_span *span, void *context) {
  struct noted_load *n = context;
  global_note(n->shadow, span->address, span->bytes, &n->load);
}

void global_note_load(struct actor by, const struct async_copy *copy) {
  struct order_cluster *c = by.w->block->order->cluster;
  const struct mbarrier *m =
      copy->destination_count == 1 ? mbarrier_find(copy->destination[0], copy->mbarrier_offset) : NULL;
  struct noted_load n = {.shadow = c->launch->global_loads};
  if (!m || !m->order) return;
  memset(&n.load, 0, sizeof n.load); // notes are compared as bytes
  n.load.cluster = c->cluster->index + 1;
  n.load.owner = c;
  n.load.op = by.op;
  n.load.agent = m->order->agent;
  n.load.epoch = (uint32_t)m->phase + 1;
  n.load.thread = order_agent_of(by.w, by.lane) - 1;
  copy_each_global_span(copy, note_load_span, &n);
}

static void check_load_note(const struct global_write *g, uint64_t address, void *context) {
  const struct reader *writer = context;
  (void)address;
  if (is_of_cluster(g, writer->cluster) && order_seen(writer->thread, writer->self, g->agent) < g->epoch)
    report(writer, g, CONFLICT_LOAD_THEN_GLOBAL_WRITE, DEED_LOAD);
}

void global_check_load_source(struct actor by, uint64_t address, uint32_t bytes) {
  struct reader writer = reader_of(by, DEED_WRITE);
  global_visit(by.w->launch->order->global_loads, address, bytes, check_load_note, &writer);
}

uint32_t global_loaded_lanes(struct order_launch *l, uint32_t lanes, const uint64_t address[WARP_LANES],
                             uint32_t bytes) {
  uint64_t number = UINT64_MAX; // of the page that was looked for last
  if (order_is_row(lanes, address, bytes) && address[0] / PAGE_BYTES == address[WARP_LANES - 1] / PAGE_BYTES)
    return page_find(l->global_loads, address[0] / PAGE_BYTES, false) ? lanes : 0;
  bool loaded = false;
  uint32_t found = 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (address[lane] / PAGE_BYTES != number) {
      number = address[lane] / PAGE_BYTES;
      loaded = page_find(l->global_loads, number, false) != NULL; // pages are only added, in front
    }
    found |= (uint32_t)loaded << lane;
  }
  return found;
}

static bool has_seen_a_lane(const struct reader *storer, const struct global_write *read) {
  for (uint32_t left = (uint32_t)(read->state >> NOTE_LANES_SHIFT); left; left &= left - 1)
    if (order_seen(storer->thread, storer->self, read->agent + (uint32_t)__builtin_ctz(left)) >= read->epoch)
      return true;
  return false;
}

static void check_read_note(const struct global_write *g, uint64_t address, void *context) {
  const struct reader *storer = context;
  (void)address;
  if (!is_of_cluster(g, storer->cluster) || has_seen_a_lane(storer, g)) return;
  report(storer, g, CONFLICT_GLOBAL_READ_THEN_STORE, DEED_READ);
}

// What threads wrote to the bytes that a store or a reduction is about to change.
static void check_target_note(const struct global_write *g, uint64_t address, void *context) {
  const struct reader *storer = context;
  (void)address;
  if (g->read_agent != NO_AGENT || !is_of_cluster(g, storer->cluster)) return;
  if (order_seen(storer->thread, storer->self, g->agent) < g->epoch)
    report(storer, g, CONFLICT_GLOBAL_WRITE_THEN_STORE, DEED_WRITE);
  else if (order_made_visible(storer->thread, storer->self, PROXY_GLOBAL, g->agent) < g->epoch)
    report(storer, g, CONFLICT_UNFENCED_GLOBAL_TARGET, DEED_WRITE);
}

static void check_target(const struct copy_span *span, void *context) {
  struct reader *storer = context;
  global_visit(storer->by.w->launch->order->global_reads, span->address, span->bytes, check_read_note,
               storer);
  global_visit(storer->by.w->launch->order->global, span->address, span->bytes, check_target_note, storer);
}

struct noted_store {
  struct global_shadow *shadow;
  struct global_write write;
};

static void note_span(const struct copy_span *span, void *context) {
  struct noted_store *s = context;
  const uint64_t edge = (span->address + span->bytes - span->beyond_edge) / GRANULE_BYTES * GRANULE_BYTES;
  global_note(s->shadow, span->address, span->bytes, &s->write);
  if (!span->beyond_edge) return;
  struct global_write beyond = s->write;
  beyond.state |= NOTE_BEYOND_EDGE;
  global_note(s->shadow, edge, span->address + span->bytes - edge, &beyond);
}

void global_note_copy_write(struct actor by, const struct async_copy *copy, uint32_t sequence) {
  struct order_cluster *c = by.w->block->order->cluster;
  struct order_thread *t = order_thread_of(by.w, by.lane);
  struct noted_store s = {.shadow = by.w->launch->order->global};
  memset(&s.write, 0, sizeof s.write); // notes are compared as bytes
  s.write.cluster = c->cluster->index + 1;
  s.write.owner = c;
  s.write.op = by.op;
  s.write.agent = t->write_agent;
  s.write.read_agent = t->read_agent;
  s.write.epoch = sequence;
  s.write.thread = order_agent_of(by.w, by.lane) - 1;
  s.write.time = between_now(c->launch);
  s.write.state = copy->kind == ASYNC_BULK_REDUCE || copy->kind == ASYNC_TENSOR_REDUCE ? NOTE_REDUCES : 0;
  struct reader storer = reader_of(by, DEED_STORE);
  copy_each_global_span(copy, check_target, &storer);
  struct order_landing rivals;
  const uint64_t locks = order_stores_lock(copy);
  between_find_rivals(by, copy, &rivals);
  copy_each_global_span(copy, note_span, &s);
  between_note_rivals(&s.write, s.shadow, &rivals);
  order_stores_unlock(copy, locks);
}
