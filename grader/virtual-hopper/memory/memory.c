// Device memory. In: allocations and device addresses. Out: host pointers and words for messages. The one
// idea: one reserved range of host addresses, cut into 64 KiB granules. An allocation owns whole granules,
// and the granule behind it stays unmapped. So a table of granules finds an address's allocation in one step,
// and an access just outside an allocation is always caught. Page-locked host memory (pinned.h) lies anywhere
// else, where the program has it: the ordered table finds it.
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/base/poison.h"
#include "virtual-hopper/rules/place-words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtual-hopper/memory/pinned.h"

enum { GRANULE_SHIFT = 16 };
#define GRANULE ((size_t)1 << GRANULE_SHIFT)

struct memory {
  // fixed from create to destroy:
  uint8_t *host; // host address of GLOBAL_BASE
  size_t span;   // reserved bytes, a multiple of GRANULE
  size_t capacity;
  struct budget *budget;
  // change when memory is allocated or freed, never during a launch:
  struct memory_allocation **ordered; // live and freed, by address; a record's own address never changes
  size_t count, room;
  size_t bump;      // first offset that was never allocated
  size_t used;      // bytes of the program's own live allocations
  bool has_managed; // or had
  uint64_t next_id;
  struct memory_allocation **granules; // [span >> GRANULE_SHIFT]: the live allocation that owns the granule
  struct pinned pinned;                // pages of all live page-locked allocations
};

static size_t whole_granules(size_t bytes) {
  return (bytes + GRANULE - 1) & ~(GRANULE - 1);
}

// An allocation begins with a granule; one that was handed may begin a little later, until it is freed.
static size_t lead_of(const struct memory_allocation *a) {
  return a->handed ? a->address % GRANULE : 0;
}

// Returns the bytes of the range that an allocation takes: its granules and one more that stays unmapped.
static size_t footprint(size_t bytes) {
  return whole_granules(bytes ? bytes : 1) + GRANULE;
}

// Returns the host bytes that an allocation costs the program's budget. The pages of a handed allocation are
// free, because the program did not ask for them. Those of page-locked memory are counted by pinned.c.
static size_t charge_of(const struct memory_allocation *a) {
  return sizeof *a + sizeof a + (a->freed || a->handed || a->pinned ? 0 : whole_granules(a->bytes)) +
         (a->freed_by ? MEMORY_FREED_TEXT : 0);
}

struct memory *memory_create(size_t capacity, struct budget *budget) {
  struct memory *m = calloc(1, sizeof *m);
  if (!m) die("out of memory for the device's memory table");
  m->capacity = capacity;
  m->budget = m->pinned.budget = budget;
  // The range is several times larger than the memory that can be held. So addresses are seldom used again,
  // and use after free is caught. The range is not larger than that, so that a process's limit on address
  // space still works.
  const size_t most = budget_left(budget);
  if (most < capacity / 8) capacity = most * 8;
  for (m->span = whole_granules(capacity) * 2;; m->span /= 2) {
    if (m->span < whole_granules(capacity) / 2 || m->span < 2 * GRANULE)
      die("can't reserve %zu bytes of address space for device memory: raise the address-space limit (ulimit "
          "-v)",
          capacity);
    m->span &= ~(GRANULE - 1);
    void *range =
        mmap(NULL, m->span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    m->host = range;
    break;
  }
  m->granules = calloc(m->span >> GRANULE_SHIFT, sizeof(struct memory_allocation *));
  if (!m->granules) die("out of memory for the device's granule table");
  return m;
}

// Under the address sanitizer the first bytes of freed memory are poisoned: host pointers that outlive an
// allocation are found at their use. Not all bytes, because that costs memory where nothing else does.
static size_t poisoned_bytes(const struct memory_allocation *a) {
  enum { POISONED_AT_MOST = 1 << 20 };
  if (!a->freed || a->pinned) return 0;
  return a->bytes < POISONED_AT_MOST ? a->bytes : POISONED_AT_MOST;
}

static void poison(const struct memory *m, const struct memory_allocation *a) {
  const size_t bytes = poisoned_bytes(a);
  if (bytes) POISON(m->host + (a->address - GLOBAL_BASE), bytes);
}

static void drop_record(struct memory *m, struct memory_allocation *a) {
  const size_t poisoned = poisoned_bytes(a);
  if (poisoned) UNPOISON(m->host + (a->address - GLOBAL_BASE), poisoned);
  budget_give(m->budget, BUDGET_MEMORY, charge_of(a));
  free(a->freed_by);
  free(a);
}

void memory_destroy(struct memory *m) {
  if (!m) return;
  for (size_t i = 0; i < m->count; i++)
    drop_record(m, m->ordered[i]);
  munmap(m->host, m->span);
  pinned_destroy(&m->pinned);
  free(m->ordered);
  free(m->granules);
  free(m);
}

// Returns the index in `ordered` of the first allocation whose address is greater than `address`.
static size_t upper_bound(const struct memory *m, uint64_t address) {
  size_t low = 0, high = m->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (m->ordered[middle]->address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Inserts a copy of the record. The caller has already taken its charge from the budget.
static void insert_copy(struct memory *m, const struct memory_allocation *record) {
  struct memory_allocation *a = malloc(sizeof *a);
  if (!a) die("out of memory for an allocation's record");
  *a = *record;
  if (m->count == m->room) {
    m->room = m->room ? m->room * 2 : 64;
    m->ordered = realloc(m->ordered, m->room * sizeof *m->ordered);
    if (!m->ordered) die("out of memory for the table of allocations");
  }
  size_t at = upper_bound(m, a->address);
  memmove(m->ordered + at + 1, m->ordered + at, (m->count - at) * sizeof *m->ordered);
  m->ordered[at] = a;
  m->count++;
}

// True when the freed allocation lies right behind the `span` bytes from `first` on.
static bool continues(const struct memory_allocation *first, size_t span, const struct memory_allocation *a) {
  return a->freed && !a->pinned && a->address - first->address == span;
}

// Finds a run of neighbouring freed allocations with at least `bytes` together. Their records leave the
// table; the bytes that are left over return to the table as one freed record. Returns false when there is no
// such run.
static bool reuse_freed(struct memory *m, size_t bytes, uint64_t *address) {
  for (size_t first = 0; first < m->count; first++) {
    size_t last = first, span = 0;
    while (last < m->count && span < bytes && continues(m->ordered[first], span, m->ordered[last]))
      span += footprint(m->ordered[last++]->bytes);
    if (span < bytes) {
      if (last > first) first = last - 1;
      continue;
    }
    struct memory_allocation rest = {
        .address = m->ordered[first]->address + bytes, .bytes = span - bytes, .freed = true};
    *address = m->ordered[first]->address;
    for (size_t i = first; i < last; i++)
      drop_record(m, m->ordered[i]);
    memmove(m->ordered + first, m->ordered + last, (m->count - last) * sizeof *m->ordered);
    m->count -= last - first;
    if (rest.bytes < 2 * GRANULE) return true;
    rest.bytes -= GRANULE;
    budget_count(m->budget, BUDGET_MEMORY, charge_of(&rest));
    poison(m, &rest);
    insert_copy(m, &rest);
    return true;
  }
  return false;
}

static void set_granules(struct memory *m, uint64_t address, size_t bytes, struct memory_allocation *a) {
  size_t first = (address - GLOBAL_BASE) >> GRANULE_SHIFT, count = whole_granules(bytes) >> GRANULE_SHIFT;
  for (size_t i = 0; i < count; i++)
    m->granules[first + i] = a;
}

// Where the program has page-locked memory, nothing else can lie.
static void skip_pinned(struct memory *m, size_t need) {
  while (need <= m->span - m->bump) {
    uint64_t end = pinned_overlap(&m->pinned, GLOBAL_BASE + m->bump, GLOBAL_BASE + m->bump + need);
    if (!end) return;
    const size_t beyond = whole_granules(end - GLOBAL_BASE);
    m->bump = beyond < m->span ? beyond : m->span;
  }
}

// `lead`: how far behind the beginning of a granule a handed allocation begins.
static int take(struct memory *m, size_t bytes, size_t lead, bool handed, uint64_t *address) {
  if (bytes == 0 || lead >= GRANULE || bytes > SIZE_MAX - lead) return ERROR_INVALID_VALUE;
  if (!handed && (bytes > m->capacity || m->used > m->capacity - bytes)) return ERROR_MEMORY_ALLOCATION;
  struct memory_allocation record = {.bytes = bytes, .handed = handed};
  const size_t need = footprint(lead + bytes), charge = charge_of(&record);
  if (handed)
    budget_count(m->budget, BUDGET_MEMORY, charge);
  else if (!budget_take(m->budget, BUDGET_MEMORY, charge))
    return ERROR_MEMORY_ALLOCATION;
  skip_pinned(m, need);
  if (need <= m->span - m->bump) {
    *address = GLOBAL_BASE + m->bump;
    m->bump += need;
  } else if (!reuse_freed(m, need, address)) {
    budget_give(m->budget, BUDGET_MEMORY, charge);
    return ERROR_MEMORY_ALLOCATION;
  }
  *address += lead;
  record.address = *address;
  record.id = ++m->next_id;
  insert_copy(m, &record);
  set_granules(m, *address - lead, lead + bytes, m->ordered[upper_bound(m, *address) - 1]);
  if (!handed) m->used += bytes;
  return 0;
}

int memory_allocate(struct memory *m, size_t bytes, size_t alignment, uint64_t *address) {
  return alignment > GRANULE ? ERROR_INVALID_VALUE : take(m, bytes, 0, false, address);
}

int memory_hand(struct memory *m, size_t bytes, size_t lead, const char *name, uint64_t *address) {
  int status = take(m, bytes, lead, true, address);
  if (!status) memory_name(m, *address, name);
  return status;
}

int memory_share(struct memory *m, uint64_t address, int file, off_t offset) {
  struct memory_allocation *a = (struct memory_allocation *)memory_find(m, address);
  if (!a || a->address != address || !a->handed) return ERROR_INVALID_VALUE;
  const size_t lead = lead_of(a);
  if ((size_t)offset % GRANULE != lead) return ERROR_INVALID_VALUE;
  void *wanted = m->host + (address - lead - GLOBAL_BASE);
  const int map = MAP_SHARED | MAP_FIXED | MAP_POPULATE; // the file's pages are there already
  if (mmap(wanted, whole_granules(lead + a->bytes), PROT_READ | PROT_WRITE, map, file,
           offset - (off_t)lead) != wanted)
    return ERROR_MEMORY_ALLOCATION;
  a->shared = true;
  return 0;
}

static bool write_whole(int file, const uint8_t *bytes, size_t count) {
  for (size_t done = 0; done < count;) {
    const ssize_t wrote = pwrite(file, bytes + done, count - done, (off_t)done);
    if (wrote <= 0) return false;
    done += (size_t)wrote;
  }
  return true;
}

int memory_make_managed(struct memory *m, uint64_t address, bool keeps, int *file) {
  struct memory_allocation *a = (struct memory_allocation *)memory_find(m, address);
  if (!a || a->address != address || a->handed || a->pinned || a->shared) return ERROR_INVALID_VALUE;
  uint8_t *pages = m->host + (address - GLOBAL_BASE);
  const size_t bytes = whole_granules(a->bytes);
  *file = pinned_make_file(bytes);
  if (*file < 0) return ERROR_MEMORY_ALLOCATION;
  if ((keeps && !write_whole(*file, pages, a->bytes)) ||
      mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *file, 0) != pages) {
    close(*file);
    *file = -1;
    return ERROR_MEMORY_ALLOCATION;
  }
  a->shared = a->managed = m->has_managed = true;
  return 0;
}

// Returns the pages to the host. A later allocation at this address reads zero.
static void give_pages_back(const struct memory *m, const struct memory_allocation *a) {
  void *pages = m->host + (a->address - GLOBAL_BASE);
  const int map = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (a->shared ? mmap(pages, whole_granules(a->bytes), PROT_READ | PROT_WRITE, map, -1, 0) == MAP_FAILED
                : madvise(pages, whole_granules(a->bytes), MADV_DONTNEED) != 0)
    die("can't give freed device memory back to the host");
}

int memory_free(struct memory *m, uint64_t address, const char *by) {
  struct memory_allocation *a = (struct memory_allocation *)memory_find(m, address);
  if (!a || a->address != address || a->pinned) return ERROR_INVALID_VALUE;
  const size_t before = charge_of(a), lead = lead_of(a);
  if (!a->handed) m->used -= a->bytes;
  a->address -= lead; // the record of freed memory covers all of its granules
  a->bytes += lead;
  set_granules(m, a->address, a->bytes, NULL);
  give_pages_back(m, a);
  a->shared = false;
  a->freed = true;
  poison(m, a);
  if (by && asprintf(&a->freed_by, "%.*s", MEMORY_FREED_TEXT - 1, by) < 0) a->freed_by = NULL;
  budget_give(m->budget, BUDGET_MEMORY, before);
  budget_count(m->budget, BUDGET_MEMORY, charge_of(a));
  return 0;
}

// ---- page-locked host memory ------------------------------------------------------------------------------

// Addresses that mean something else to a kernel can't be page-locked memory.
static bool can_be_pinned(const struct memory *m, uint64_t low, uint64_t high) {
  const uint64_t lowest = 1 << 16, highest = 1ull << 47, windows_end = FUNCTION_WINDOW + WINDOW_BYTES;
  return low >= lowest && low < high && high <= highest && (high <= SHARED_WINDOW || low >= windows_end) &&
         (high <= GLOBAL_BASE || low >= GLOBAL_BASE + m->bump);
}

// Drops the records of freed page-locked memory in the range. Returns false when a part of it is in use.
static bool forget_freed_pins(struct memory *m, uint64_t low, uint64_t high) {
  size_t at = upper_bound(m, low);
  if (at > 0 && m->ordered[at - 1]->address + m->ordered[at - 1]->bytes > low) at--;
  size_t end = at;
  for (; end < m->count && m->ordered[end]->address < high; end++)
    if (!m->ordered[end]->freed) return false;
  if (at == end) return true;
  for (size_t i = at; i < end; i++)
    drop_record(m, m->ordered[i]);
  memmove(m->ordered + at, m->ordered + end, (m->count - end) * sizeof *m->ordered);
  m->count -= end - at;
  return true;
}

int memory_pin(struct memory *m, uint64_t address, size_t bytes, struct memory_pages *pages) {
  uint64_t low = address / PINNED_PAGE * PINNED_PAGE, end, high;
  if (!bytes || __builtin_add_overflow(address, bytes, &end) ||
      __builtin_add_overflow(end, PINNED_PAGE - 1, &high))
    return ERROR_INVALID_VALUE;
  high = high / PINNED_PAGE * PINNED_PAGE;
  if (!can_be_pinned(m, low, high)) return ERROR_INVALID_VALUE;
  if (!forget_freed_pins(m, address, end)) return ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  struct memory_allocation record = {.address = address, .bytes = bytes, .pinned = true};
  if (!budget_take(m->budget, BUDGET_MEMORY, charge_of(&record))) return ERROR_MEMORY_ALLOCATION;
  *pages = (struct memory_pages){.address = low, .bytes = high - low};
  pages->file = pinned_map(&m->pinned, &pages->address, &pages->bytes);
  if (pages->file < 0) {
    budget_give(m->budget, BUDGET_MEMORY, charge_of(&record));
    return ERROR_MEMORY_ALLOCATION;
  }
  record.id = ++m->next_id;
  insert_copy(m, &record);
  return 0;
}

// The live page-locked allocation that contains the address, or NULL.
static struct memory_allocation *find_pin(const struct memory *m, uint64_t address) {
  if (!m->pinned.count) return NULL;
  size_t at = upper_bound(m, address);
  struct memory_allocation *a = at > 0 ? m->ordered[at - 1] : NULL;
  return a && a->pinned && !a->freed && address - a->address < a->bytes ? a : NULL;
}

// True while a live allocation has bytes in the run.
static bool run_is_used(const struct memory *m, const struct pinned_run *run) {
  const uint64_t end = run->address + run->bytes;
  size_t at = upper_bound(m, run->address);
  if (at > 0) at--;
  for (; at < m->count && m->ordered[at]->address < end; at++) {
    const struct memory_allocation *a = m->ordered[at];
    if (a->pinned && !a->freed && a->address + a->bytes > run->address) return true;
  }
  return false;
}

int memory_unpin(struct memory *m, uint64_t address, const char *by) {
  struct memory_allocation *a = find_pin(m, address);
  if (!a || a->address != address) return ERROR_INVALID_VALUE;
  a->freed = true;
  if (by && asprintf(&a->freed_by, "%.*s", MEMORY_FREED_TEXT - 1, by) < 0) a->freed_by = NULL;
  budget_count(m->budget, BUDGET_MEMORY, a->freed_by ? MEMORY_FREED_TEXT : 0);
  const struct pinned_run *run = pinned_find(&m->pinned, address);
  if (run && !run_is_used(m, run)) pinned_unmap(&m->pinned, run);
  return 0;
}

bool memory_is_pinned(const struct memory *m, uint64_t address) {
  const struct memory_allocation *a = memory_find(m, address);
  return a && a->pinned;
}

static uint8_t *pinned_host(const struct memory *m, uint64_t address, size_t bytes) {
  const struct memory_allocation *a = find_pin(m, address);
  if (!a || bytes > a->bytes - (address - a->address)) return NULL;
  const struct pinned_run *run = pinned_find(&m->pinned, address);
  return run ? run->host + (address - run->address) : NULL;
}

// ---- finding ----------------------------------------------------------------------------------------------

void memory_name(struct memory *m, uint64_t address, const char *name) {
  struct memory_allocation *a = (struct memory_allocation *)memory_find(m, address);
  if (a) snprintf(a->name, sizeof a->name, "%s", name);
}

void memory_mark_constant(struct memory *m, uint64_t address) {
  struct memory_allocation *a = (struct memory_allocation *)memory_find(m, address);
  if (a) a->constant = true;
}

void memory_mark_heap(struct memory *m, uint64_t address) {
  struct memory_allocation *a = (struct memory_allocation *)memory_find(m, address);
  if (a) a->heap = true;
}

bool memory_is_the_hosts(const struct memory *m, uint64_t address) {
  const struct memory_allocation *a = memory_find(m, address);
  return a && (a->managed || a->pinned);
}

bool memory_has_managed(const struct memory *m) {
  return m->has_managed;
}

size_t memory_used(const struct memory *m) {
  return m->used;
}

const struct memory_allocation *memory_find(const struct memory *m, uint64_t address) {
  uint64_t offset = address - GLOBAL_BASE;
  const struct memory_allocation *a = offset < m->span ? m->granules[offset >> GRANULE_SHIFT] : NULL;
  if (!a) return find_pin(m, address);
  return address - a->address < a->bytes ? a : NULL;
}

const struct memory_allocation *memory_find_lower_half(const struct memory *m, uint32_t half) {
  for (size_t i = 0; i < m->count; i++) {
    const struct memory_allocation *a = m->ordered[i];
    if (!a->freed && (uint32_t)(half - (uint32_t)a->address) < a->bytes) return a;
  }
  return NULL;
}

bool memory_is_handed(const struct memory *m, uint64_t address) {
  const struct memory_allocation *found = memory_find(m, address);
  return found && found->handed;
}

bool memory_was_freed(const struct memory *m, uint64_t address) {
  size_t at = upper_bound(m, address);
  return at > 0 && m->ordered[at - 1]->freed &&
         address - m->ordered[at - 1]->address < m->ordered[at - 1]->bytes;
}

// About as much as a chip has. Near page-locked memory lies other memory of the program.
static uint64_t reach_of(const struct memory_allocation *a) {
  return a->pinned ? PINNED_PAGE : 1ull << 36;
}

bool memory_is_far(const struct memory *m, uint64_t address) {
  const size_t at = upper_bound(m, address);
  for (size_t i = at; i < m->count; i++) {
    if (m->ordered[i]->address - address < reach_of(m->ordered[i])) return false;
    if (!m->ordered[i]->pinned) break;
  }
  for (size_t i = at; i-- > 0;) {
    const struct memory_allocation *a = m->ordered[i];
    if (address - a->address < a->bytes + reach_of(a)) return false;
    if (!a->pinned) break;
  }
  return true;
}

uint8_t *memory_host(const struct memory *m, uint64_t address, size_t bytes) {
  uint64_t offset = address - GLOBAL_BASE;
  if (offset >= m->span) return pinned_host(m, address, bytes);
  if (bytes == 0) return m->host + offset; // no byte is accessed
  const struct memory_allocation *a = m->granules[offset >> GRANULE_SHIFT];
  if (!a) return pinned_host(m, address, bytes);
  uint64_t inside = address - a->address;
  return inside <= a->bytes && bytes <= a->bytes - inside ? m->host + offset : NULL;
}

static struct place_allocation state_allocation(const struct memory_allocation *a) {
  return (struct place_allocation){.name = a->name,
                                   .pinned = a->pinned,
                                   .id = a->id,
                                   .bytes = a->bytes,
                                   .address = a->address,
                                   .freed = a->freed,
                                   .freed_by = a->freed_by};
}

void memory_describe(const struct memory *m, uint64_t address, char *text, size_t size) {
  size_t at = upper_bound(m, address);
  const struct memory_allocation *below = at > 0 ? m->ordered[at - 1] : NULL,
                                 *above = at < m->count ? m->ordered[at] : NULL;
  uint64_t past = below ? address - below->address : 0;
  struct place_facts facts = {.kind = PLACE_BEFORE_ALLOCATION};
  struct place_allocation nearest;
  if (below && (past < below->bytes || !above || past - below->bytes <= above->address - address)) {
    nearest = state_allocation(below);
    facts.kind = past < below->bytes ? PLACE_IN_ALLOCATION : PLACE_PAST_ALLOCATION;
    facts.distance = past < below->bytes ? past : past - below->bytes;
    facts.allocation = &nearest;
  } else if (above) {
    nearest = state_allocation(above);
    facts.distance = above->address - address;
    facts.allocation = &nearest;
  }
  place_words(&facts, text, size);
}

static bool keep_private(uint8_t *pages, size_t bytes) {
  const int map = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, map, -1, 0);
  if (copy == MAP_FAILED) return false;
  memcpy(copy, pages, bytes);
  return mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pages) == pages;
}

bool memory_keep_private(struct memory *m) {
  for (size_t i = 0; i < m->count; i++) {
    const struct memory_allocation *a = m->ordered[i];
    if (!a->shared || a->freed) continue;
    const size_t lead = lead_of(a);
    if (!keep_private(m->host + (a->address - lead - GLOBAL_BASE), whole_granules(lead + a->bytes)))
      return false;
  }
  for (size_t i = 0; i < m->pinned.count; i++)
    if (!keep_private(m->pinned.runs[i].host, m->pinned.runs[i].bytes)) return false;
  return true;
}
