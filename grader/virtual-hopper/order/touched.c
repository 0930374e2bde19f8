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
  BUCKETS = 4096,
  LOCKS = 64
};
enum { MOST_MAPS = 64, MAP_BYTES = 128 };
// bytes of notes; beyond them accesses are forgotten, never misjudged
#define PAGE_LIMIT ((size_t)256 << 20)

struct touched_page {
  uint64_t number;
  struct touched_page *next;
  uint64_t read[PAGE_CHUNKS], written[PAGE_CHUNKS], strong[PAGE_CHUNKS]; // one bit a byte
  const struct op *reader[PAGE_CHUNKS], *writer[PAGE_CHUNKS];
  uint8_t *before; // the page before its first write; NULL: not kept
};

struct touched {
  atomic_bool is_ordered; // fences, or strong accesses to memory that the host shares
  const struct memory *memory;
  struct budget_part held;
  bool keeps_values;
  struct lone_lock locks[LOCKS];
  _Atomic(struct touched_page *) pages[BUCKETS];
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

void touched_destroy(struct touched *t) {
  if (!t) return;
  for (int i = 0; i < BUCKETS; i++) {
    struct touched_page *page = atomic_load(&t->pages[i]);
    while (page) {
      struct touched_page *next = page->next;
      free(page->before);
      free(page);
      page = next;
    }
  }
  pthread_mutex_destroy(&t->map_lock);
  budget_part_end(&t->held);
  free(t);
}

// ---- notes ------------------------------------------------------------------------------------------------

static size_t bucket_of(uint64_t number) {
  return (number * 0x9e3779b97f4a7c15ull) >> 52;
}

static struct touched_page *find_page(const struct touched *t, uint64_t number) {
  struct touched_page *page = atomic_load(&t->pages[bucket_of(number)]);
  while (page && page->number != number)
    page = page->next;
  return page;
}

static bool take(struct touched *t, size_t bytes) {
  if (atomic_load(&t->held.held) + bytes > PAGE_LIMIT || budget_left(t->held.budget) < bytes) return false;
  budget_part_count(&t->held, bytes);
  return true;
}

// Called with the page's lock held.
static struct touched_page *make_page(struct touched *t, uint64_t number) {
  struct touched_page *page = find_page(t, number);
  if (page || !take(t, sizeof *page)) return page;
  page = calloc(1, sizeof *page);
  if (!page) die("out of memory for the order engine");
  const size_t bucket = bucket_of(number);
  page->number = number;
  page->next = atomic_load(&t->pages[bucket]);
  atomic_store(&t->pages[bucket], page);
  return page;
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

static void keep_page(struct touched *t, struct touched_page *page) {
  if (!take(t, PAGE_BYTES)) return;
  page->before = calloc(1, PAGE_BYTES);
  if (!page->before) die("out of memory for the order engine");
  for (uint32_t at = 0; at < PAGE_BYTES; at += CHUNK_BYTES)
    copy_chunk(t, page->number * PAGE_BYTES + at, page->before + at);
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

static void note_in_page(struct touched *t, struct touched_page *page, uint64_t from, uint64_t to,
                         unsigned how, const struct op *op) {
  if (how & TOUCH_WRITES && t->keeps_values && !page->before) keep_page(t, page);
  while (from < to) {
    const uint64_t c = from / CHUNK_BYTES, chunk_end = (c + 1) * CHUNK_BYTES,
                   stop = to < chunk_end ? to : chunk_end;
    const uint64_t bits = bits_of(from % CHUNK_BYTES, stop - c * CHUNK_BYTES);
    if (how & TOUCH_READS) page->read[c] |= bits, keep_first(&page->reader[c], op);
    if (how & TOUCH_WRITES) page->written[c] |= bits, keep_first(&page->writer[c], op);
    if (how & TOUCH_STRONG) page->strong[c] |= bits;
    from = stop;
  }
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
    use |= (found->read[c] ? (unsigned)TOUCH_READS : 0) | (found->written[c] ? (unsigned)TOUCH_WRITES : 0);
  return use;
}

void touched_note(struct touched *t, uint64_t address, uint64_t bytes, unsigned how, const struct op *op) {
  if (how & TOUCH_STRONG && memory_is_the_hosts(t->memory, address)) touched_note_fence(t);
  for (const uint64_t end = address + bytes; address < end;) {
    const uint64_t number = address / PAGE_BYTES, page_end = (number + 1) * PAGE_BYTES,
                   stop = end < page_end ? end : page_end;
    struct lone_lock *lock = &t->locks[bucket_of(number) % LOCKS];
    lone_lock_take(lock);
    struct touched_page *page = make_page(t, number);
    if (page) note_in_page(t, page, address - number * PAGE_BYTES, stop - number * PAGE_BYTES, how, op);
    lone_lock_give(lock);
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

void touched_forget(struct touched *t, uint64_t address, uint64_t bytes) {
  for (const uint64_t end = address + bytes; address < end; address++) {
    struct touched_page *page = find_page(t, address / PAGE_BYTES);
    const uint64_t chunk = address % PAGE_BYTES / CHUNK_BYTES, bit = 1ull << address % CHUNK_BYTES;
    if (!page) continue;
    page->read[chunk] &= ~bit;
    page->written[chunk] &= ~bit;
    page->strong[chunk] &= ~bit;
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

static bool are_synchronised(const struct touched *earlier, const struct touched *later) {
  for (int i = 0; i < BUCKETS; i++) {
    for (const struct touched_page *b = atomic_load(&later->pages[i]); b; b = b->next) {
      const struct touched_page *a = find_page(earlier, b->number);
      for (uint32_t c = 0; a && c < PAGE_CHUNKS; c++)
        if (a->strong[c] & a->written[c] & b->strong[c]) return true;
    }
  }
  return false;
}

static uint64_t changed_bits(const struct touched *t, const struct touched_page *page, uint32_t chunk) {
  const size_t from = (size_t)chunk * CHUNK_BYTES;
  uint8_t now[CHUNK_BYTES];
  uint64_t bits = 0;
  copy_chunk(t, page->number * PAGE_BYTES + from, now);
  for (uint32_t i = 0; page->before && i < CHUNK_BYTES; i++)
    bits |= (uint64_t)(now[i] != page->before[from + i]) << i;
  return bits;
}

static void take_lower(const struct touched *earlier, const struct touched *later,
                       const struct touched_page *a, const struct touched_page *b,
                       struct touch_conflict *found) {
  for (uint32_t c = 0; c < PAGE_CHUNKS; c++) {
    const uint64_t both_strong = a->strong[c] & b->strong[c];
    uint64_t bits = ((a->written[c] & b->read[c]) | (a->read[c] & b->written[c])) & ~both_strong;
    const uint64_t twice = a->written[c] & b->written[c] & ~both_strong;
    if (twice) bits |= twice & changed_bits(later, b, c);
    for (; bits; bits &= bits - 1) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(bits);
      const uint64_t address = b->number * PAGE_BYTES + (uint64_t)c * CHUNK_BYTES + bit;
      if (address >= found->address || !is_shared_memory(later, address)) continue;
      const bool earlier_writes = a->written[c] >> bit & 1, later_writes = b->written[c] >> bit & 1;
      *found = (struct touch_conflict){.address = address,
                                       .earlier_writes = earlier_writes,
                                       .later_writes = later_writes,
                                       .earlier = earlier_writes ? a->writer[c] : a->reader[c],
                                       .later = later_writes ? b->writer[c] : b->reader[c],
                                       .earlier_map = !earlier_writes && is_map(earlier, address),
                                       .later_map = !later_writes && is_map(later, address)};
      break;
    }
  }
}

bool touched_meet(const struct touched *earlier, const struct touched *later, struct touch_conflict *found) {
  *found = (struct touch_conflict){.address = UINT64_MAX};
  for (int i = 0; i < BUCKETS; i++) {
    for (const struct touched_page *b = atomic_load(&later->pages[i]); b; b = b->next) {
      const struct touched_page *a = find_page(earlier, b->number);
      if (a) take_lower(earlier, later, a, b, found);
    }
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

static void look_in_page(const struct touched *t, const struct touched_page *page,
                         const struct stream_region *region, bool region_writes,
                         struct touch_conflict *found) {
  for (uint32_t c = 0; c < PAGE_CHUNKS; c++) {
    const uint64_t base = page->number * PAGE_BYTES + (uint64_t)c * CHUNK_BYTES;
    for (uint64_t bits = page->written[c] | (region_writes ? page->read[c] : 0); bits; bits &= bits - 1) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(bits);
      const uint64_t at = base + bit;
      const bool writes = page->written[c] >> bit & 1;
      uint64_t next;
      if (at >= found->address) return;
      if (!next_in_region(region, at, at + 1, &next) || !is_shared_memory(t, at)) continue;
      *found = (struct touch_conflict){.address = at,
                                       .earlier_writes = writes,
                                       .later_writes = region_writes,
                                       .earlier = writes ? page->writer[c] : page->reader[c],
                                       .earlier_map = !writes && is_map(t, at)};
      return;
    }
  }
}

bool touched_meet_region(const struct touched *t, const struct stream_region *region, bool region_writes,
                         struct touch_conflict *found) {
  *found = (struct touch_conflict){.address = UINT64_MAX};
  for (int i = 0; i < BUCKETS; i++)
    for (const struct touched_page *page = atomic_load(&t->pages[i]); page; page = page->next)
      look_in_page(t, page, region, region_writes, found);
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
