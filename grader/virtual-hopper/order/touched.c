// The bytes that a launch touches (touched.h).
#include "virtual-hopper/order/touched.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/machine/copy.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/ptx/ptx.h"

enum {
  PAGE_BYTES = 4096,
  CHUNK_BYTES = 64,
  PAGE_CHUNKS = PAGE_BYTES / CHUNK_BYTES,
  GROUP_PAGES = 16,
  BUCKETS = 4096,
  LOCKS = 64
};
enum { MOST_MAPS = 64, MAP_BYTES = 128 };
// bytes of notes; beyond them accesses are forgotten, never misjudged
#define PAGE_LIMIT ((size_t)256 << 20)

// The bytes of a page that are read, or written. Most often whole chunks are, by one instruction alone.
struct touched_bytes {
  uint64_t chunks;     // touched whole by `op`: one bit each; meaningless where there is an `each`
  const struct op *op; // NULL: nothing has been touched
  struct each_chunk {
    uint64_t bits[PAGE_CHUNKS]; // one a byte
    const struct op *op[PAGE_CHUNKS];
  } * each; // NULL: `chunks` says it all
};

struct touched_page {
  struct touched_bytes read, written;
  uint64_t *strong; // bits of PAGE_CHUNKS chunks, one a byte; NULL: none
  uint8_t *before;  // the page before its first write; NULL: not kept
};

// Pages in a row.
struct touched_group {
  uint64_t number; // its first page's over GROUP_PAGES
  struct touched_group *next;
  struct touched_page pages[GROUP_PAGES];
};

struct touched {
  atomic_bool is_ordered; // fences, or strong accesses to memory that the host shares
  const struct memory *memory;
  struct budget_part held;
  bool keeps_values;
  struct lone_lock locks[LOCKS];
  _Atomic(struct touched_group *) groups[BUCKETS];
  pthread_mutex_t map_lock;
  uint64_t maps[MOST_MAPS];
  uint32_t map_count;
};

struct touched *touched_create(const struct memory *memory, struct budget *budget, bool keeps_values) {
  struct touched *t = aligned_alloc(alignof(struct touched), sizeof *t);
  if (!t) die("out of memory for the order engine");
  memset(t, 0, sizeof *t);
  t->memory = memory;
  budget_part_begin(&t->held, budget, BUDGET_ORDER);
  t->keeps_values = keeps_values;
  pthread_mutex_init(&t->map_lock, NULL);
  return t;
}

static void free_page(struct touched_page *page) {
  free(page->read.each);
  free(page->written.each);
  free(page->strong);
  free(page->before);
}

void touched_destroy(struct touched *t) {
  if (!t) return;
  for (int i = 0; i < BUCKETS; i++) {
    struct touched_group *group = atomic_load(&t->groups[i]);
    while (group) {
      struct touched_group *next = group->next;
      for (int j = 0; j < GROUP_PAGES; j++)
        free_page(&group->pages[j]);
      free(group);
      group = next;
    }
  }
  pthread_mutex_destroy(&t->map_lock);
  budget_part_end(&t->held);
  free(t);
}

// ---- notes ------------------------------------------------------------------------------------------------

static size_t bucket_of(uint64_t group) {
  return (group * 0x9e3779b97f4a7c15ull) >> 52;
}

static struct touched_group *find_group(const struct touched *t, uint64_t number) {
  struct touched_group *group = atomic_load(&t->groups[bucket_of(number)]);
  while (group && group->number != number)
    group = group->next;
  return group;
}

// Page number `number`, or NULL: nothing is noted near it.
static struct touched_page *find_page(const struct touched *t, uint64_t number) {
  struct touched_group *group = find_group(t, number / GROUP_PAGES);
  return group ? &group->pages[number % GROUP_PAGES] : NULL;
}

static bool take(struct touched *t, size_t bytes) {
  if (atomic_load(&t->held.held) + bytes > PAGE_LIMIT || budget_left(t->held.budget) < bytes) return false;
  budget_part_count(&t->held, bytes);
  return true;
}

static void *take_zeroed(struct touched *t, size_t bytes) { // NULL: no room for more notes
  if (!take(t, bytes)) return NULL;
  void *place = calloc(1, bytes);
  if (!place) die("out of memory for the order engine");
  return place;
}

// Called with the group's lock held.
static struct touched_group *make_group(struct touched *t, uint64_t number) {
  struct touched_group *group = find_group(t, number);
  if (group || !(group = take_zeroed(t, sizeof *group))) return group;
  const size_t bucket = bucket_of(number);
  group->number = number;
  group->next = atomic_load(&t->groups[bucket]);
  atomic_store(&t->groups[bucket], group);
  return group;
}

// What of the chunk is there: an allocation may end, or page-locked memory begin, within it.
static void copy_chunk(const struct touched *t, uint64_t address, uint8_t *to) {
  const uint8_t *whole = memory_host(t->memory, address, CHUNK_BYTES);
  memset(to, 0, CHUNK_BYTES);
  if (whole) memcpy(to, whole, CHUNK_BYTES);
  for (uint32_t i = 0; !whole && i < CHUNK_BYTES; i++) {
    const uint8_t *byte = memory_host(t->memory, address + i, 1);
    if (byte) to[i] = *byte;
  }
}

static void keep_page(struct touched *t, struct touched_page *page, uint64_t number) {
  page->before = take_zeroed(t, PAGE_BYTES);
  if (!page->before) return;
  for (uint32_t at = 0; at < PAGE_BYTES; at += CHUNK_BYTES)
    copy_chunk(t, number * PAGE_BYTES + at, page->before + at);
}

// The first in the program, so that the number of workers makes no difference.
static void keep_first(const struct op **kept, const struct op *op) {
  if (!*kept || (op->source && (*kept)->source && op->source->ptx_line < (*kept)->source->ptx_line))
    *kept = op;
}

static uint64_t bits_of(uint64_t first, uint64_t end) { // of a chunk; end <= CHUNK_BYTES
  const uint64_t below = end == CHUNK_BYTES ? UINT64_MAX : (1ull << end) - 1;
  return below & ~((1ull << first) - 1);
}

static uint64_t bits_in(const struct touched_bytes *b, uint32_t chunk) {
  return b->each ? b->each->bits[chunk] : b->chunks >> chunk & 1 ? UINT64_MAX : 0;
}

static const struct op *op_of(const struct touched_bytes *b, uint32_t chunk) {
  return b->each ? b->each->op[chunk] : b->op;
}

static uint64_t strong_in(const struct touched_page *page, uint32_t chunk) {
  return page->strong ? page->strong[chunk] : 0;
}

// Chunk by chunk from now on. False: no room.
static bool spell_out(struct touched *t, struct touched_bytes *b) {
  if (b->each) return true;
  struct each_chunk *each = take_zeroed(t, sizeof *each);
  if (!each) return false;
  for (uint32_t c = 0; c < PAGE_CHUNKS; c++) {
    each->bits[c] = bits_in(b, c);
    if (each->bits[c]) each->op[c] = b->op;
  }
  b->each = each;
  return true;
}

static void note_bytes(struct touched *t, struct touched_bytes *b, uint64_t from, uint64_t to,
                       const struct op *op) {
  const bool whole = from % CHUNK_BYTES == 0 && to % CHUNK_BYTES == 0;
  if (whole && !b->each && (!b->op || b->op == op)) {
    b->op = op;
    b->chunks |= bits_of(from / CHUNK_BYTES, to / CHUNK_BYTES);
    return;
  }
  if (!spell_out(t, b)) return;
  b->op = op;
  while (from < to) {
    const uint64_t c = from / CHUNK_BYTES, chunk_end = (c + 1) * CHUNK_BYTES,
                   stop = to < chunk_end ? to : chunk_end;
    b->each->bits[c] |= bits_of(from % CHUNK_BYTES, stop - c * CHUNK_BYTES);
    keep_first(&b->each->op[c], op);
    from = stop;
  }
}

static void note_strong(struct touched *t, struct touched_page *page, uint64_t from, uint64_t to) {
  if (!page->strong) page->strong = take_zeroed(t, PAGE_CHUNKS * sizeof *page->strong);
  for (uint64_t at = from; page->strong && at < to; at++)
    page->strong[at / CHUNK_BYTES] |= 1ull << at % CHUNK_BYTES;
}

struct deed {
  unsigned how;
  const struct op *op;
};

// Notes bytes [from, to) of page number `number`.
static void note_in_page(struct touched *t, struct touched_page *page, uint64_t number, uint64_t from,
                         uint64_t to, struct deed deed) {
  if (deed.how & TOUCH_WRITES && t->keeps_values && !page->before) keep_page(t, page, number);
  if (deed.how & TOUCH_READS) note_bytes(t, &page->read, from, to, deed.op);
  if (deed.how & TOUCH_WRITES) note_bytes(t, &page->written, from, to, deed.op);
  if (deed.how & TOUCH_STRONG) note_strong(t, page, from, to);
}

// Notes [address, end), which are bytes of one group.
static void note_in_group(struct touched *t, uint64_t address, uint64_t end, struct deed deed) {
  const uint64_t number = address / PAGE_BYTES / GROUP_PAGES;
  struct lone_lock *lock = &t->locks[bucket_of(number) % LOCKS];
  lone_lock_take(lock);
  struct touched_group *group = make_group(t, number);
  while (group && address < end) {
    const uint64_t page = address / PAGE_BYTES, begin = page * PAGE_BYTES,
                   stop = end < begin + PAGE_BYTES ? end : begin + PAGE_BYTES;
    note_in_page(t, &group->pages[page % GROUP_PAGES], page, address - begin, stop - begin, deed);
    address = stop;
  }
  lone_lock_give(lock);
}

void touched_note_fence(struct touched *t) {
  atomic_store(&t->is_ordered, true);
}

bool touched_is_ordered(const struct touched *t) {
  return atomic_load(&t->is_ordered);
}

unsigned touched_page_use(const struct touched *t, uint64_t page) {
  const struct touched_page *found = find_page(t, page);
  unsigned use = 0;
  for (uint32_t c = 0; found && c < PAGE_CHUNKS; c++)
    use |= (bits_in(&found->read, c) ? (unsigned)TOUCH_READS : 0) |
           (bits_in(&found->written, c) ? (unsigned)TOUCH_WRITES : 0);
  return use;
}

void touched_note(struct touched *t, uint64_t address, uint64_t bytes, unsigned how, const struct op *op) {
  if (how & TOUCH_STRONG && memory_is_the_hosts(t->memory, address)) touched_note_fence(t);
  const uint64_t end = address + bytes, group = PAGE_BYTES * GROUP_PAGES;
  while (address < end) {
    const uint64_t next = (address / group + 1) * group, stop = end < next ? end : next;
    note_in_group(t, address, stop, (struct deed){how, op});
    address = stop;
  }
}

struct noted_copy {
  struct touched *t;
  const struct op *op;
  unsigned how;
};

static void note_span(const struct copy_span *span, void *context) {
  const struct noted_copy *n = context;
  touched_note(n->t, span->address, span->bytes, n->how, n->op);
}

void touched_note_copy(struct touched *t, const struct async_copy *copy) {
  struct noted_copy n = {.t = t, .op = copy->op};
  switch (copy->kind) {
  case ASYNC_BULK_LOAD:
  case ASYNC_TENSOR_LOAD:
  case ASYNC_CP_ASYNC: n.how = TOUCH_READS; break;
  case ASYNC_BULK_STORE:
  case ASYNC_TENSOR_STORE: n.how = TOUCH_WRITES; break;
  case ASYNC_BULK_REDUCE:
  case ASYNC_TENSOR_REDUCE: n.how = TOUCH_WRITES | TOUCH_STRONG; break;
  default: return; // within the cluster
  }
  copy_each_global_span(copy, note_span, &n);
}

void touched_note_map(struct touched *t, uint64_t address, const struct op *op) {
  touched_note(t, address, MAP_BYTES, TOUCH_READS, op);
  pthread_mutex_lock(&t->map_lock);
  uint32_t at = 0;
  while (at < t->map_count && t->maps[at] != address)
    at++;
  if (at == t->map_count && at < MOST_MAPS) t->maps[t->map_count++] = address;
  pthread_mutex_unlock(&t->map_lock);
}

// Where there is no room to spell out what else is known, that is forgotten as well.
static void forget_byte(struct touched *t, struct touched_bytes *b, uint64_t chunk, uint64_t bit) {
  if (!(bits_in(b, (uint32_t)chunk) & bit)) return;
  if (spell_out(t, b))
    b->each->bits[chunk] &= ~bit;
  else
    b->chunks &= ~(1ull << chunk);
}

void touched_forget(struct touched *t, uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end; address++) {
    struct touched_page *page = find_page(t, address / PAGE_BYTES);
    const uint64_t chunk = address % PAGE_BYTES / CHUNK_BYTES, bit = 1ull << address % CHUNK_BYTES;
    if (!page) continue;
    forget_byte(t, &page->read, chunk, bit);
    forget_byte(t, &page->written, chunk, bit);
    if (page->strong) page->strong[chunk] &= ~bit;
  }
}

// ---- conflicts --------------------------------------------------------------------------------------------

static bool is_map(const struct touched *t, uint64_t address) {
  for (uint32_t i = 0; i < t->map_count; i++)
    if (address - t->maps[i] < MAP_BYTES) return true;
  return false;
}

// Memory that is still there, and not from malloc in a kernel, which gives the same bytes to one after the
// other.
static bool is_shared_memory(const struct touched *t, uint64_t address) {
  const struct memory_allocation *in = memory_find(t->memory, address);
  return in && !in->heap;
}

// Through all pages of which something is noted, in no order.
struct page_walk {
  const struct touched *of;
  const struct touched_group *group;
  uint32_t bucket, next; // the page in the group
  uint64_t number;       // of the page that was given last
};

// NULL: that was the last one.
static const struct touched_page *next_page(struct page_walk *walk) {
  const struct touched_page *page;
  do {
    while (!walk->group || walk->next == GROUP_PAGES) {
      walk->group = walk->group ? walk->group->next : NULL;
      if (!walk->group && walk->bucket == BUCKETS) return NULL;
      if (!walk->group) walk->group = atomic_load(&walk->of->groups[walk->bucket++]);
      walk->next = 0;
    }
    walk->number = walk->group->number * GROUP_PAGES + walk->next;
    page = &walk->group->pages[walk->next++];
  } while (!page->read.op && !page->written.op);
  return page;
}

static bool are_synchronised(const struct touched *earlier, const struct touched *later) {
  struct page_walk walk = {.of = later};
  for (const struct touched_page *b; (b = next_page(&walk));) {
    const struct touched_page *a = b->strong ? find_page(earlier, walk.number) : NULL;
    for (uint32_t c = 0; a && c < PAGE_CHUNKS; c++)
      if (strong_in(a, c) & bits_in(&a->written, c) & strong_in(b, c)) return true;
  }
  return false;
}

static uint64_t changed_bits(const struct touched *t, const struct touched_page *page, uint64_t number,
                             uint32_t chunk) {
  const size_t from = (size_t)chunk * CHUNK_BYTES;
  uint8_t now[CHUNK_BYTES];
  uint64_t bits = 0;
  copy_chunk(t, number * PAGE_BYTES + from, now);
  for (uint32_t i = 0; page->before && i < CHUNK_BYTES; i++)
    bits |= (uint64_t)(now[i] != page->before[from + i]) << i;
  return bits;
}

static void take_lower(const struct touched *earlier, const struct touched *later,
                       const struct touched_page *a, const struct touched_page *b, uint64_t number,
                       struct touch_conflict *found) {
  for (uint32_t c = 0; c < PAGE_CHUNKS; c++) {
    const uint64_t both_strong = strong_in(a, c) & strong_in(b, c);
    const uint64_t a_read = bits_in(&a->read, c), a_written = bits_in(&a->written, c),
                   b_read = bits_in(&b->read, c), b_written = bits_in(&b->written, c);
    uint64_t bits = ((a_written & b_read) | (a_read & b_written)) & ~both_strong;
    const uint64_t twice = a_written & b_written & ~both_strong;
    if (twice) bits |= twice & changed_bits(later, b, number, c);
    for (; bits; bits &= bits - 1) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(bits);
      const uint64_t address = number * PAGE_BYTES + (uint64_t)c * CHUNK_BYTES + bit;
      if (address >= found->address || !is_shared_memory(later, address)) continue;
      const bool earlier_writes = a_written >> bit & 1, later_writes = b_written >> bit & 1;
      *found = (struct touch_conflict){.address = address,
                                       .earlier_writes = earlier_writes,
                                       .later_writes = later_writes,
                                       .earlier = op_of(earlier_writes ? &a->written : &a->read, c),
                                       .later = op_of(later_writes ? &b->written : &b->read, c),
                                       .earlier_map = !earlier_writes && is_map(earlier, address),
                                       .later_map = !later_writes && is_map(later, address)};
      break;
    }
  }
}

bool touched_meet(const struct touched *earlier, const struct touched *later, struct touch_conflict *found) {
  *found = (struct touch_conflict){.address = UINT64_MAX};
  struct page_walk walk = {.of = later};
  for (const struct touched_page *b; (b = next_page(&walk));) {
    const struct touched_page *a = find_page(earlier, walk.number);
    if (a) take_lower(earlier, later, a, b, walk.number, found);
  }
  return found->address != UINT64_MAX && !are_synchronised(earlier, later);
}

// The row of the region that holds the address, or the next one after it. rows: there is none.
static uint64_t row_at(const struct stream_region *r, uint64_t address) {
  if (address < r->address + r->width) return 0;
  if (r->rows < 2 || !r->pitch) return r->rows;
  const uint64_t row = (address - r->address) / r->pitch;
  const bool past = address - r->address - row * r->pitch >= r->width;
  return row + past < r->rows ? row + past : r->rows;
}

// The first address of the region that is not before `address`. False: there is none before `end`.
static bool next_in_region(const struct stream_region *r, uint64_t address, uint64_t end, uint64_t *next) {
  const uint64_t row = row_at(r, address);
  if (row >= r->rows) return false;
  const uint64_t start = r->address + row * r->pitch;
  *next = start > address ? start : address;
  return *next < end;
}

static void look_in_page(const struct touched *t, const struct touched_page *page, uint64_t number,
                         const struct stream_region *region, bool region_writes, bool as_word,
                         struct touch_conflict *found) {
  for (uint32_t c = 0; c < PAGE_CHUNKS; c++) {
    const uint64_t base = number * PAGE_BYTES + (uint64_t)c * CHUNK_BYTES;
    const uint64_t written = bits_in(&page->written, c), polled = as_word ? strong_in(page, c) & ~written : 0,
                   read = region_writes ? bits_in(&page->read, c) & ~polled : 0;
    for (uint64_t bits = written | read; bits; bits &= bits - 1) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(bits);
      const uint64_t at = base + bit;
      const bool writes = written >> bit & 1;
      uint64_t next;
      if (at >= found->address) return;
      if (!next_in_region(region, at, at + 1, &next) || !is_shared_memory(t, at)) continue;
      *found = (struct touch_conflict){.address = at,
                                       .earlier_writes = writes,
                                       .later_writes = region_writes,
                                       .earlier = op_of(writes ? &page->written : &page->read, c),
                                       .earlier_map = !writes && is_map(t, at)};
      return;
    }
  }
}

static bool uses_memory_of_host(const struct touched *t, unsigned how) {
  struct page_walk walk = {.of = t};
  bool uses = false;
  for (const struct touched_page *page; !uses && (page = next_page(&walk));) {
    const uint64_t first = walk.number * PAGE_BYTES;
    uses = touched_page_use(t, walk.number) & how &&
           (memory_is_the_hosts(t->memory, first) || memory_is_the_hosts(t->memory, first + PAGE_BYTES - 1));
  }
  return uses;
}

bool touched_tells_host(const struct touched *t) {
  return touched_is_ordered(t) && uses_memory_of_host(t, TOUCH_WRITES);
}

bool touched_is_told(const struct touched *t) {
  return touched_is_ordered(t) && uses_memory_of_host(t, TOUCH_READS);
}

bool touched_meet_region(const struct touched *t, const struct stream_region *region, bool region_writes,
                         bool as_word, struct touch_conflict *found) {
  *found = (struct touch_conflict){.address = UINT64_MAX};
  struct page_walk walk = {.of = t};
  for (const struct touched_page *page; (page = next_page(&walk));)
    look_in_page(t, page, walk.number, region, region_writes, as_word, found);
  return found->address != UINT64_MAX;
}

bool regions_meet(const struct stream_region *a, const struct stream_region *b, uint64_t *address) {
  const uint64_t end = b->address + (b->rows - 1) * b->pitch + b->width;
  for (uint64_t row = 0; row < a->rows; row++) {
    const uint64_t start = a->address + row * a->pitch;
    if (start >= end) return false;
    if (next_in_region(b, start, start + a->width, address)) return true;
  }
  return false;
}
