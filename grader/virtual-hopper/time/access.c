// In: what lanes of a warp load and store. Out: events, and bytes: in sectors, and through the memory. One
// idea: the cache of the launch sees blocks one after another. What would have left a cache while all warps
// of the chip touch their lines in turns is found from the warp's own lines, and asked for again.
#include <math.h>

#include "virtual-hopper/time/near.h"
#include "virtual-hopper/time/pages.h"
#include "virtual-hopper/time/parts.h"
#include "virtual-hopper/time/record.h"
#include "virtual-hopper/time/reuse.h"

struct sector_set {
  uint64_t sectors[4 * WARP_LANES];
  uint32_t count;
};

static void add_sectors(struct sector_set *set, uint64_t address, uint32_t bytes) {
  for (uint64_t s = address / CACHE_SECTOR; s <= (address + bytes - 1) / CACHE_SECTOR; s++) {
    uint32_t at = set->count;
    while (at > 0 && set->sectors[at - 1] != s && set->count - at < WARP_LANES)
      at--; // neighbours are near, and who jumps about comes back within a round of the lanes
    if (at > 0 && set->sectors[at - 1] == s) continue;
    if (set->count < 4 * WARP_LANES) set->sectors[set->count++] = s;
  }
}

// What a launch's caches hold, and how many warps share them at a time.
struct shares {
  double chip_warps, l2, processor_warps, l1;
};

// A processor's shared memory is one of these sizes, and the rest is its L1 cache.
static double l1_bytes(const struct chip *chip, double shared) {
  static const double sizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
  const double kib = 1024;
  uint32_t i = 0;
  while (i + 1 < sizeof sizes / sizeof *sizes && sizes[i] * kib < shared)
    i++;
  return (chip->l1_kib - sizes[i]) * kib;
}

static struct shares shares_of(const struct launch *l) {
  const struct time_launch *t = l->time;
  const double warps = (double)t->blocks_on_processor * t->warps_per_block, mib = 1 << 20;
  const double shared = (double)t->blocks_on_processor * l->shared_bytes;
  return (struct shares){.chip_warps = warps * t->chip->processors,
                         .l2 = t->chip->l2_mib * mib,
                         .processor_warps = warps,
                         .l1 = l1_bytes(t->chip, shared)};
}

static const double LINES_ALONE = 1.5; // time-memory: `write own 128` beside `write own 64`

struct sums {                // of an access
  uint64_t missed;           // bytes that the launch's cache didn't have
  double near, lost, filled; // bytes that the L1 cache has; that the L2 cache has lost; see below
  double asked;              // lines of loads for which the L2 cache is asked
  double far;                // of the newest line, sectors that the L1 cache hasn't
  double all_far, far_lines; // of all lines, and lines with such
  double apart;              // pairs of sectors that are written at a time of their own
  uint32_t lines;
  bool alone;  // each lane has a line for itself
  bool caches; // in the L1 cache what it loads
};

// A part of a sector that has left the cache comes back to be made whole by the other part.
// Lines of which each thread has one for itself leave sooner than others. Those that the processor's warps
// write meanwhile lose nothing while they fit into its L1 cache: `matrices` of held-out set 11, beside
// `own-fill-64`, which has 28 KiB of it.
static void write_again(const struct launch *l, const struct time_again *again, struct sums *sum) {
  const struct shares s = shares_of(l);
  const struct chip *c = l->time->chip;
  const double each = sum->alone ? LINES_ALONE : 1;
  const double bytes = (double)again->writes * CACHE_LINE * s.chip_warps * each;
  const double near = ((double)again->reads + again->writes) * CACHE_LINE * s.processor_warps;
  const double same = __builtin_popcount(again->same), pair = 2,
               lost_near = time_reuse_lost(near, c->l1_share * s.l1, c->l1_spread),
               lost_far = time_reuse_lost(bytes, c->l2_written_share * s.l2, c->l2_written_spread),
               kept_each = 1 - lost_near * lost_far;
  sum->lost += CACHE_SECTOR * same * (1 - kept_each);
  sum->filled += CACHE_SECTOR * same * (1 - kept_each);
  // Two sectors go to the memory as one, if neither is found gone when it is made whole.
  sum->apart += same / pair * (1 - kept_each * kept_each);
}

static void read_again(const struct launch *l, const struct time_again *again, struct sums *sum) {
  const struct shares s = shares_of(l);
  const struct chip *c = l->time->chip;
  const double reads = (double)again->reads * CACHE_LINE, all = reads + (double)again->writes * CACHE_LINE;
  const double same = __builtin_popcount(again->same), pair = 2, pairs = CACHE_LINE / (pair * CACHE_SECTOR);
  const double near =
      same * (1 - time_reuse_lost(reads * s.processor_warps, c->l1_share * s.l1, c->l1_spread));
  sum->near += CACHE_SECTOR * near;
  sum->far -= near;
  if (same > 0) sum->asked += 1 - near / same;
  // the memory gives two sectors at a time
  const double wanted = fmin(same - near + __builtin_popcount(again->beside), pairs);
  sum->lost += pair * CACHE_SECTOR * wanted *
               time_reuse_lost(all * s.chip_warps, c->l2_read_share * s.l2, c->l2_read_spread);
}

// The L1 cache of one processor, which stands for all. The first processor's blocks fill it.
static struct time_near *near_of(const struct launch *l) {
  struct time_launch *t = l->time;
  if (!t->near) t->near = time_near_make(t->chip->l1_share * shares_of(l).l1);
  return t->near;
}
static bool of_first_processor(const struct warp *w) {
  return w->block->linear_index % (uint64_t)w->launch->time->chip->processors == 0;
}

// What others have brought to the processor's L1 cache: warps of the block, or blocks before it.
static void load_beside(struct warp *w, uint64_t line, uint32_t sectors, uint32_t own, uint64_t loaded,
                        struct sums *sum) {
  struct time_cluster *cluster = w->block->cluster->time;
  const struct shares s = shares_of(w->launch);
  const struct chip *c = w->launch->time->chip;
  if (!cluster->lines) cluster->lines = time_lines_make();
  const struct time_beside by = time_lines_touch(cluster->lines, w->block->rank, line, sectors, loaded);
  const double between = (double)by.apart * CACHE_LINE * s.processor_warps;
  double near = __builtin_popcount(by.same & ~own);
  near *= 1 - time_reuse_lost(between, c->l1_share * s.l1, c->l1_spread);
  near += __builtin_popcount(time_near_touch(near_of(w->launch), line, sectors & ~own & ~by.same, false));
  sum->near += CACHE_SECTOR * near;
  sum->far -= near;
}

static void touch_line(struct warp *w, struct time_warp *record, uint64_t line, uint32_t sectors, bool write,
                       struct sums *sum) {
  struct time_launch *t = w->launch->time;
  uint64_t missed = 0;
  for (uint32_t left = sectors; left; left &= left - 1)
    missed += cache_touch(t->cache, line * CACHE_LINE + (uint32_t)__builtin_ctz(left) * CACHE_SECTOR,
                          CACHE_SECTOR, write);
  sum->missed += missed;
  sum->lines++;
  if (missed)
    time_touch_page(w, line * CACHE_LINE + (uint32_t)__builtin_ctz(sectors) * CACHE_SECTOR, write, true);
  if (record) {
    if (!record->reuse) record->reuse = time_reuse_make();
    const struct time_again again = time_reuse_touch(record->reuse, line, sectors, write, missed > 0);
    if (!write && !again.same) sum->asked += missed > 0 || again.there;
    sum->far = __builtin_popcount(sectors);
    if (again.there) (write ? write_again : read_again)(w->launch, &again, sum);
    if (sum->caches) load_beside(w, line, sectors, again.same, again.loaded, sum);
    sum->all_far += sum->far;
    sum->far_lines += fmin(1, sum->far);
  }
  if (sum->caches && of_first_processor(w)) (void)time_near_touch(near_of(w->launch), line, sectors, true);
}

static uint32_t lines_of(const struct sector_set *set) {
  uint64_t line = UINT64_MAX;
  uint32_t count = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    const uint64_t next = set->sectors[i] / (CACHE_LINE / CACHE_SECTOR);
    count += next != line;
    line = next;
  }
  return count;
}

// Lines of an access that lie in more than 16 parts of 2 MiB: each is asked for by itself, and what comes
// along for others is gone when they ask. `scattered-0-32` says so, and `naive-32-8-1` that nearer ones do
// bring it.
static uint32_t far_apart(const struct sector_set *set) {
  enum { PART_SHIFT = 21, AT_ONCE = 16 };
  uint64_t found[AT_ONCE];
  uint32_t parts = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    const uint64_t part = set->sectors[i] * CACHE_SECTOR >> PART_SHIFT;
    uint32_t at = 0;
    while (at < parts && found[at] != part)
      at++;
    if (at < parts) continue;
    if (parts == AT_ONCE) return lines_of(set);
    found[parts++] = part;
  }
  return 0;
}

// Lines at both ends of bytes in a row that others have the rest of.
static uint32_t torn(const struct sector_set *set) {
  const uint64_t in_line = CACHE_LINE / CACHE_SECTOR, first = set->sectors[0],
                 last = set->sectors[set->count - 1];
  if (set->count < in_line || last - first + 1 != set->count) return 0;
  return (first % in_line != 0) + ((last + 1) % in_line != 0);
}

// Whole sectors of what has come together.
static uint32_t whole(double *sum, double most) {
  const double bytes = floor(fmin(*sum, most) / CACHE_SECTOR) * CACHE_SECTOR;
  *sum -= bytes;
  return (uint32_t)bytes;
}

// Whether what is loaded stays in the L1 cache.
static bool caches(const struct op *op) {
  static const char *const past[] = {"cg", "cv", "L1::no_allocate", "relaxed", "acquire", "volatile"};
  for (uint32_t i = 0; i < sizeof past / sizeof *past; i++)
    if (ptx_has_modifier(op->source, past[i])) return false;
  return true;
}

// Cycles of the L1 cache for a load. It has four banks, and each gives a sector in a cycle: those at the same
// place of different lines come one after another (time-lines: `found in L1`), others don't.
static uint32_t load_cycles(const struct sector_set *set) {
  enum { BANKS = CACHE_LINE / CACHE_SECTOR };
  uint32_t of_bank[BANKS] = {0}, most = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    const uint32_t wanted = ++of_bank[set->sectors[i] % BANKS];
    if (wanted > most) most = wanted;
  }
  return most;
}

static void add_followed(struct time_totals *t, const struct sums *sum, bool write) {
  *(write ? &t->written_again : &t->read_again) += sum->lost;
  t->far += write ? 0 : sum->all_far;
  t->far_lines += write ? 0 : sum->far_lines;
  t->filled += sum->filled;
  t->apart += sum->apart;
}

void time_access(struct warp *w, const struct op *op, const uint64_t *addresses, uint32_t lanes,
                 uint32_t bytes, bool write, uint32_t load) {
  struct time_launch *t = w->launch->time;
  struct time_warp *record = time_warp_of(w);
  struct sector_set set;
  set.count = 0;
  for (uint32_t left = lanes; left; left &= left - 1)
    add_sectors(&set, addresses[__builtin_ctz(left)], bytes);
  struct sums sum = {.alone = lines_of(&set) == (uint32_t)__builtin_popcount(lanes),
                     .caches = !write && (record || of_first_processor(w)) && caches(op)};
  const uint32_t in_line = CACHE_LINE / CACHE_SECTOR;
  for (uint32_t i = 0, next; i < set.count; i = next) {
    uint32_t sectors = 0;
    for (next = i; next < set.count && set.sectors[next] / in_line == set.sectors[i] / in_line; next++)
      sectors |= 1u << set.sectors[next] % in_line;
    touch_line(w, record, set.sectors[i] / in_line, sectors, write, &sum);
  }
  const uint64_t all = (uint64_t)set.count * CACHE_SECTOR;
  time_move_on(w, all, write ? all : sum.missed); // a part of a sector is written, too, some time
  *(write ? &t->totals.written : &t->totals.read) += all;
  *(write ? &t->totals.flushed : &t->totals.missed) += sum.missed;
  const struct time_stored stored = {set.sectors, set.count, addresses, lanes, bytes};
  const uint32_t parts = write ? time_parts_count(&stored) : 0;
  t->totals.partial += parts;
  t->totals.accessed += all;
  const uint32_t ends = torn(&set);
  t->totals.torn += ends;
  if (ends) t->totals.torn_parts += parts;
  if (!record) return;
  t->totals.followed += all;
  add_followed(&t->totals, &sum, write);
  t->totals.parts += parts;
  if (parts) t->totals.joined += time_parts_joined(record, &stored);
  const double lines = write ? 0 : far_apart(&set);
  t->totals.asked += fmax(sum.asked, lines);
  record->near += sum.near;
  record->lost += sum.lost;
  const uint32_t near = write ? 0 : whole(&record->near, (double)all);
  const uint32_t missed = (uint32_t)(sum.missed < all ? sum.missed : all);
  w->block->cluster->time->bytes += all;
  time_emit(w, (struct time_event){.kind = write ? TIME_STORE : TIME_LOAD,
                                   .a = load,
                                   .b = (uint32_t)all,
                                   .c = missed + whole(&record->lost, (double)(all - missed)),
                                   .lines = (uint16_t)sum.lines,
                                   .cycles = (uint16_t)(write ? sum.lines : load_cycles(&set)),
                                   .place = write ? parts : near,
                                   .op = op});
}

void time_access_end(struct time_launch *t) {
  struct time_totals *n = &t->totals;
  const double burst = 64; // of the memory: what comes again comes by itself
  // In a launch of one wave, nobody begins anew when those who looked back end.
  const uint64_t at_once = (uint64_t)t->chip->processors * t->blocks_on_processor;
  if (t->cluster_count * t->blocks_per_cluster <= at_once) n->looked = 0;
  n->opened[0] = time_pages_opened(t->pages, false);
  n->opened[1] = time_pages_opened(t->pages, true);
  if (!n->followed) return;
  const double of_all = (double)n->accessed / (double)n->followed;
  const double read = n->read_again * of_all, written = n->written_again * of_all;
  const double filled = n->filled * of_all;
  n->asked *= of_all;
  n->far *= of_all;
  n->far_lines *= of_all;
  if (n->parts) n->partial -= (uint64_t)((double)n->partial * (double)n->joined / (double)n->parts);
  n->missed += (uint64_t)(read + filled);
  n->flushed += (uint64_t)written;
  n->opened[0] += (uint64_t)(read / burst + filled / burst);
  n->opened[1] += (uint64_t)(written / burst + n->apart * of_all);
}
