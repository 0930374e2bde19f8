// In: a record with its prediction. Out: a table of times. One idea: each sampled cluster is played as the
// first on its processor. A cluster that was not sampled reads the clocks of the sample before it, later by
// the time that the clusters before it took.
#include "virtual-hopper/time/clocks.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "virtual-hopper/time/replay.h"

enum { TABLE_BYTES = 32 << 20, MOST_WARPS = 4096 };

struct time_clocks {
  uint64_t cluster_count, at_once; // clusters of the grid; those that are on the chip together
  double begin, turn;              // nanoseconds: of the first instruction; that `at_once` clusters take
  double latest;
  uint32_t sample_count, warp_count; // of a cluster
  uint32_t first[MOST_WARPS + 1];    // into `times`, by sample * warp_count + warp
  double times[];                    // nanoseconds after `begin`
};
enum { MOST_TIMES = (TABLE_BYTES - sizeof(struct time_clocks)) / sizeof(double) };

struct time_clocks *time_clocks_make(void) {
  const int map = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  void *table = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, map, -1, 0);
  return table == MAP_FAILED ? NULL : table;
}

void time_clocks_free(struct time_clocks *clocks) {
  if (clocks) munmap(clocks, TABLE_BYTES);
}

// `cycles`: of the sample's readings, in the order in which they were recorded.
static uint32_t take_times(struct time_clocks *clocks, uint32_t at, const struct chip *chip,
                           const struct time_warp *warp, const double *cycles) {
  for (uint32_t i = 0; i < warp->count && at < MOST_TIMES; i++)
    if (warp->events[i].kind == TIME_CLOCK)
      clocks->times[at++] = chip_nanoseconds(chip, cycles[warp->events[i].a]);
  return at;
}

static uint32_t fill_sample(struct time_clocks *clocks, uint32_t at, const struct time_launch *t,
                            uint32_t sample, const struct replay_input *input) {
  const struct time_cluster *c = &t->samples[sample];
  struct replay_input played = *input;
  played.first = sample;
  played.clocks = c->clocks ? calloc(c->clocks, sizeof *played.clocks) : NULL;
  if (played.clocks) replay_run(&played);
  for (uint32_t w = 0; w < clocks->warp_count; w++) {
    clocks->first[sample * clocks->warp_count + w] = at;
    if (played.clocks && w < c->warp_count) at = take_times(clocks, at, t->chip, &c->warps[w], played.clocks);
  }
  free(played.clocks);
  return at;
}

void time_clocks_fill(struct time_clocks *clocks, const struct time_launch *t,
                      const struct time_prediction *p, uint64_t seed, uint64_t begin) {
  const struct chip *chip = t->chip;
  const uint64_t groups = (uint64_t)chip->processors / t->blocks_per_cluster;
  const struct replay_input input = time_replay_of(t, p, seed);
  clocks->cluster_count = t->cluster_count;
  clocks->at_once = (groups ? groups : 1) * t->blocks_on_processor;
  clocks->begin = (double)begin + chip->launch_us * 1000;
  const uint64_t turns = (t->cluster_count + clocks->at_once - 1) / clocks->at_once;
  clocks->turn = (p->us - chip->launch_us) * 1000 / (double)turns;
  clocks->warp_count = t->blocks_per_cluster * t->warps_per_block;
  clocks->sample_count = t->sample_count;
  while (clocks->sample_count * clocks->warp_count > MOST_WARPS)
    clocks->sample_count--;
  uint32_t at = 0;
  for (uint32_t i = 0; i < clocks->sample_count; i++)
    at = fill_sample(clocks, at, t, i, &input);
  clocks->first[clocks->sample_count * clocks->warp_count] = at;
}

double time_clocks_show(const struct time_clocks *clocks, uint64_t cluster, uint32_t warp, uint64_t number) {
  if (!clocks->sample_count || cluster >= clocks->cluster_count || warp >= clocks->warp_count) return -1;
  const uint64_t sample = cluster * clocks->sample_count / clocks->cluster_count;
  const uint32_t *first = &clocks->first[sample * clocks->warp_count + warp];
  if (number >= first[1] - first[0]) return -1;
  const uint64_t turns = cluster / clocks->at_once;
  return clocks->begin + (double)turns * clocks->turn + clocks->times[first[0] + number];
}

double time_clocks_latest(const struct time_clocks *clocks) {
  return clocks->latest;
}
void time_clocks_shown(struct time_clocks *clocks, double nanoseconds) {
  if (nanoseconds > clocks->latest) clocks->latest = nanoseconds;
}
