// In: who moves which bytes. Out: how often a page is opened. One idea: a warp's own bytes are its clock.
// All that run together move on at about the same pace, so the difference of two clocks, times the number of
// those who move something, is what the memory has moved in between.
#include "virtual-hopper/time/pages.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "virtual-hopper/base/arena.h"

enum { PAGE_SHIFT = 10, PART_SHIFT = 8, PAGES = 1 << 21, MOVERS = 1 << 14, WARP_BITS = 6 };
// Of the host: one of its large pages, and touches of a launch that is worth some.
enum { LARGE_PAGE = 2 << 20, MANY_TOUCHES = 2000 };
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
static const double KEPT_OPEN = 1 << 20; // bytes that the memory moves meanwhile
static const double AT_ONCE = 512;       // that one warp does
static const double PART = 0.8;          // of a page: what another part of an open one takes
static const double DRIFT = 0.1;         // of its bytes: so much a warp may be ahead of others, or behind

struct time_pages {
  uint64_t blocks, resident;
  double longest; // that a warp has moved
  uint64_t movers, of_blocks, newest_block, touches;
  double opened[2];
  double asked, through; // bytes of all movers; of these, through the memory
  struct mover {
    uint64_t who; // plus one; 0: nobody
    double moved;
  } of[MOVERS];
  struct page {
    uint32_t number, by; // plus one, and to be read or written; the warp that was there
    float when;
  } * pages;    // PAGES of them
  void *mapped; // MAPPED bytes, in which they begin at a large page
};
#define MAPPED (PAGES * sizeof(struct page) + LARGE_PAGE)

struct time_pages *time_pages_make(uint64_t blocks, uint64_t resident) {
  struct time_pages *p = calloc(1, sizeof *p);
  if (p) p->mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!p || p->mapped == MAP_FAILED) die("out of memory for the time model");
  const uintptr_t at = (uintptr_t)p->mapped, past = at % LARGE_PAGE;
  p->pages = (struct page *)(void *)((char *)p->mapped + (past ? LARGE_PAGE - past : 0));
  p->blocks = blocks;
  p->resident = resident ? resident : 1;
  p->newest_block = UINT64_MAX;
  return p;
}

void time_pages_free(struct time_pages *p) {
  munmap(p->mapped, MAPPED);
  free(p);
}

// Pages are noted all over the table. Those of many touches find it sooner in a few large pages of the host;
// where it has none, nothing changes.
static void use_large_pages(struct time_pages *p) {
  (void)madvise(p->pages, PAGES * sizeof *p->pages / LARGE_PAGE * LARGE_PAGE, MADV_COLLAPSE);
}

static uint32_t hash(uint64_t v) {
  return (uint32_t)((v * 0x9e3779b97f4a7c15ull) >> 32);
}

static struct mover *mover_of(struct time_pages *p, uint64_t block, uint32_t warp) {
  const uint64_t who = (block << WARP_BITS | warp) + 1;
  struct mover *m = &p->of[hash(who) & (MOVERS - 1)];
  if (m->who == who) return m;
  *m = (struct mover){.who = who};
  p->movers++;
  p->of_blocks += block != p->newest_block;
  p->newest_block = block;
  return m;
}

static uint64_t page_number(uint64_t address, bool write) {
  return (address >> PAGE_SHIFT) * 4 + write;
}
static uint64_t part_number(uint64_t address, bool write) {
  return (address >> PART_SHIFT) * 4 + 2 + write;
}
static size_t place_of(uint64_t number) {
  return hash(number) & (PAGES - 1);
}

void time_pages_expect(const struct time_pages *p, uint64_t address, bool write) {
  __builtin_prefetch(&p->pages[place_of(page_number(address, write))], 1);
  __builtin_prefetch(&p->pages[place_of(part_number(address, write))], 1);
}

static bool opens(struct time_pages *p, const struct mover *m, double when, uint64_t number) {
  struct page *page = &p->pages[place_of(number)];
  // Written before it is read: a page of the host that is read first faults twice.
  const uint32_t known = __atomic_exchange_n(&page->number, (uint32_t)number + 1, __ATOMIC_RELAXED);
  const double together = (double)p->resident * (double)p->movers / (double)p->of_blocks;
  const double share = p->through < p->asked ? p->through / p->asked : 1;
  const double between = fabs(when - page->when);
  const bool near =
      between * share * together <= KEPT_OPEN || (page->by == (uint32_t)m->who && between <= AT_ONCE);
  const bool opened = known != (uint32_t)number + 1 || !near;
  *page = (struct page){(uint32_t)number + 1, (uint32_t)m->who, (float)when};
  return opened;
}

// Where all blocks run from the launch's begin to its end, each warp goes at its own pace.
static double when_of(const struct time_pages *p, const struct mover *m, uint64_t block, bool thread) {
  if (p->blocks > p->resident) return (double)block / (double)p->resident * p->longest + m->moved;
  const double pace = 2 * (double)hash(m->who) / (double)UINT32_MAX - 1;
  return m->moved * (thread ? 1 + DRIFT * pace : 1);
}

void time_pages_touch(struct time_pages *p, uint64_t block, uint32_t warp, uint64_t address, bool write,
                      bool thread) {
  if (++p->touches == MANY_TOUCHES) use_large_pages(p);
  const struct mover *m = mover_of(p, block, warp);
  const double when = when_of(p, m, block, thread);
  const bool page = opens(p, m, when, page_number(address, write));
  const bool part = opens(p, m, when, part_number(address, write));
  p->opened[write] += page ? 1 : part ? PART : 0;
}

void time_pages_move(struct time_pages *p, uint64_t block, uint32_t warp, uint64_t bytes, uint64_t missed) {
  struct mover *m = mover_of(p, block, warp);
  m->moved += (double)bytes;
  p->asked += (double)bytes;
  p->through += (double)missed;
  if (m->moved > p->longest) p->longest = m->moved;
}

uint64_t time_pages_opened(const struct time_pages *p, bool write) {
  return (uint64_t)p->opened[write];
}
