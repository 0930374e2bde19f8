// In: a launch's record. Out: its time. One idea: all processors do alike, so one is played. The memory
// belongs to all: the longer its requests wait, the fewer come, and the model looks for the wait at which the
// queue that so many requests make is just as long.
#include "virtual-hopper/time/predict.h"

#include "virtual-hopper/time/replay.h"

#include <math.h>
#include <stdio.h>

enum {
  ROUNDS = 18,
  LEAST_CLUSTERS = 24,
  CLUSTERS_A_PLACE = 5,
  MOST_WAIT_NS = 40000,
  LEAST_DRIFTING = 40 << 10,
  FEW_WAVES = 4
};

static const double BUILDS_UP_FROM = 0.97; // of its rate: then a queue is longer than chance makes it
static const double LEAST_LINES = 0.25;    // half a line, squared
static const double TURNS_FROM = 0.7;      // of its rate: then the memory writes something at any time

struct search {
  const struct time_launch *launch;
  struct replay_input input;
  double groups;       // of processors that play alike at the same time
  double clusters;     // that each of them runs, as a mean
  double all_bytes;    // that each of them moves
  double memory_share; // of these through the memory
  double written;      // of the bytes through the memory, 0 to 1
  double capacity;     // bytes in a cycle that the memory has for each of them
  bool whole;          // all of a processor's clusters are played
};

static bool any_full(const struct time_launch *t) {
  for (uint32_t i = 0; i < t->sample_count; i++)
    if (t->samples[i].full) return true;
  return false;
}

// Groups of processors that run a cluster each. A cluster's blocks lie in one part of the chip, whose parts
// have no whole number of clusters.
static double groups_of(const struct time_launch *t) {
  const struct chip *c = t->chip;
  const double size = t->blocks_per_cluster, all = floor(c->processors / size);
  const double large = size <= 8 ? c->clusters_of_8 : c->clusters_of_16;
  const double fit = size <= 2 ? all : size <= 4 ? c->clusters_of_4 : large;
  return fit < all ? fit : all;
}

// What more is lost by drifting apart where the rows of boxes are short: they leave parts of lines for
// others, who come at another time.
static double short_rows(const struct chip *c, const struct time_totals *n) {
  if (!n->pieces) return 0;
  const double lines = (double)(n->read + n->written) / (double)n->pieces / CACHE_LINE;
  return c->short_row_loss / fmax(lines * lines, LEAST_LINES);
}

// Blocks that stay, and go through the tiles each at its own pace: their places drift apart, and the memory
// turns around more often, and opens more rows. Those that draw their tiles from a counter stay together.
static bool drifts(const struct time_launch *t) {
  const double together = groups_of(t) * t->blocks_on_processor;
  const double each = (double)(t->totals.missed + t->totals.flushed) / (double)t->cluster_count;
  return (double)t->cluster_count <= together && t->totals.atomics_on_one < t->cluster_count &&
         each >= LEAST_DRIFTING;
}

// How much longer bytes take that lie in many parts of the memory: these are opened one after another, too.
static double by_opening(const struct chip *c, uint64_t opened, double per_ns, double bytes) {
  if (!(bytes > 0)) return 1;
  const double share = (double)opened / per_ns / (bytes / c->memory_gbs), squared = share * share;
  return sqrt(sqrt(1 + squared * squared));
}

// And where warps that drift apart share lines, or sectors: a part comes when the other has left the memory's
// open rows. Blocks whose threads meet once in a while don't drift.
static double shared_lines(const struct time_launch *t) {
  const struct time_totals *n = &t->totals;
  const double bytes = (double)(n->read + n->written), each = bytes / (double)t->cluster_count;
  uint32_t meetings = 0;
  for (uint32_t i = 0; i < t->samples[0].phase_count; i++)
    meetings += t->samples[0].phases[i].offset == 0;
  if (!(bytes > 0) || meetings * (double)LEAST_DRIFTING >= each) return 0;
  const double lines = bytes / CACHE_LINE;
  return t->chip->torn_line_loss * (double)n->torn / lines +
         t->chip->torn_part_loss * (double)n->torn_parts / lines;
}

static struct search prepare(const struct time_launch *t, uint64_t seed) {
  const struct chip *chip = t->chip;
  const struct time_totals *n = &t->totals;
  struct search s = {.launch = t, .input = {.launch = t, .seed = seed}};
  s.groups = groups_of(t);
  if (s.groups > (double)t->cluster_count) s.groups = (double)t->cluster_count;
  s.clusters = (double)t->cluster_count / s.groups;
  const double bytes = (double)n->read + (double)n->written, memory = (double)n->missed + (double)n->flushed;
  s.all_bytes = bytes / s.groups;
  s.memory_share = bytes > 0 ? memory / bytes : 0;
  s.written = memory > 0 ? (double)n->flushed / memory : 0;
  const double mixed = 4 * s.written * (1 - s.written);
  const double reads = (1 - s.written) * (1 - mixed) * (1 - chip->read_drift_share);
  const double lost = mixed * (1 - chip->drift_share + short_rows(chip, n) + shared_lines(t)) + reads;
  const double drift = drifts(t) ? 1 - lost : 1;
  const double reduced = memory > 0 ? (double)n->reduced / memory : 0;
  const double rate =
      chip_memory_rate(chip, s.written) * fmin(drift, 1 - reduced * (1 - chip->reduced_share));
  const double longer =
      (1 - s.written) * by_opening(chip, n->opened[0], chip->read_opens_ns, (double)n->missed) +
      s.written * by_opening(chip, n->opened[1], chip->write_opens_ns, (double)n->flushed);
  s.capacity = rate / longer * 1000 / chip->clock_mhz / s.groups;
  const uint64_t most = LEAST_CLUSTERS + CLUSTERS_A_PLACE * (uint64_t)t->blocks_on_processor;
  const uint64_t each = (uint64_t)(s.clusters + 0.999);
  s.input.clusters = any_full(t) && each > t->blocks_on_processor ? t->blocks_on_processor
                     : each < most                                ? each
                                                                  : most;
  s.whole = s.input.clusters == each && !any_full(t);
  return s;
}

// The share of the memory's rate that the kernel asks for when its requests wait so long. Where samples stand
// for all clusters, which of the bytes go through the memory is known of all: of neighbours that share lines,
// one asks for them first.
static double busy(const struct search *s, const struct replay_result *r) {
  const bool all = s->launch->sample_count == s->launch->cluster_count;
  const double memory = all ? r->window_memory : r->window_bytes * s->memory_share;
  return r->window > 0 ? memory / r->window / s->capacity : 0;
}

// Cycles that a request waits when the memory is busy for such a share of the time: in its queue, and, where
// `written` of the bytes are writes, for the memory to turn around.
static double queue_of(const struct chip *chip, double share, double written) {
  const double least = 0.0005, left = 1 - share > least ? 1 - share : least;
  const double power = share * share * share * share, often = share < TURNS_FROM ? share / TURNS_FROM : 1;
  const double turning = chip->turn_ns * 4 * written * (1 - written) * often;
  return chip_cycles(chip, chip->queue_ns * power / left + chip->flow_ns * share + turning);
}

static struct replay_result find_wait(struct search *s) {
  double low = 0, high = chip_cycles(s->launch->chip, MOST_WAIT_NS);
  s->input.capacity = s->capacity;
  if (s->launch->totals.looked) { // all blocks load at about the same time, and wait for what is before them
    s->input.wait = high;
    s->input.burst = true;
    return replay_run(&s->input);
  }
  s->input.least = queue_of(s->launch->chip, BUILDS_UP_FROM, s->written);
  s->input.wait = 0;
  struct replay_result r = replay_run(&s->input);
  if (!(busy(s, &r) > 0.05)) return r; // it hardly uses the memory
  s->input.wait = high;
  r = replay_run(&s->input);
  s->input.burst = busy(s, &r) > 1; // all is asked for at once, however long it takes
  if (s->input.burst) return replay_run(&s->input);
  for (int i = 0; i < ROUNDS; i++) {
    s->input.wait = (low + high) / 2;
    r = replay_run(&s->input);
    if (queue_of(s->launch->chip, busy(s, &r), s->written) > s->input.wait)
      low = s->input.wait;
    else
      high = s->input.wait;
  }
  return r;
}

// Cycles of a processor for all its clusters, from those that were played.
static double extrapolate(const struct search *s, const struct replay_result *r) {
  const double left = s->all_bytes - r->bytes;
  // A block that draws its tiles from a counter takes more or fewer here than on a chip, where all end at
  // about the same time.
  const bool draws = s->launch->totals.atomics_on_one >= s->launch->cluster_count;
  if (s->whole && draws && r->window_bytes > 0 && r->window > 0)
    return r->cycles + left * r->window / r->window_bytes;
  if (s->whole) return r->cycles;
  if (r->window_bytes > 0 && r->window > 0 && s->all_bytes > 0)
    return left > 0 ? r->cycles + left * r->window / r->window_bytes : r->cycles;
  return r->cycles * s->clusters / (double)s->input.clusters;
}

// Cycles in which the L2 cache is busy with a launch: what it gives to the processors, and stores that
// leave parts of sectors to others.
static double cache_cycles(const struct time_launch *t) {
  const struct chip *c = t->chip;
  const double given = chip_cycles(c, (double)(t->totals.missed + t->totals.flushed) / c->l2_gbs);
  const double asked = chip_cycles(c, t->totals.asked / c->l2_asked_ns);
  const double changed = chip_cycles(c, (double)t->totals.changed / c->l2_changed_ns);
  const double far = t->totals.far * c->l2_sector_cycles + t->totals.far_lines * c->l2_line_cycles;
  return fmax(fmax(changed, far / c->processors), fmax(given, asked)) +
         (double)t->totals.partial * c->partial_cycles / c->processors;
}

// Cycles of the memory and of the L2 cache. Parts of sectors, which are written to the cache, and the memory
// hold each other up: together they take nearly as long as one after the other.
static double memory_and_cache(const struct time_launch *t, double memory) {
  const double parts = (double)t->totals.partial * t->chip->partial_cycles / t->chip->processors;
  const double power = 1.75, both = pow(pow(memory, power) + pow(parts, power), 1 / power);
  return fmax(both, cache_cycles(t));
}

// Cycles in which bulk reductions into the same sums come one after another.
static double adding_cycles(const struct time_launch *t) {
  const struct chip *c = t->chip;
  const double lines = (double)t->totals.added[1] * c->added_line_ns;
  return chip_cycles(c, (double)t->totals.added[0] * c->added_ns + lines);
}

// Together with everything else, which goes on in between but also wants the L2 cache.
static double with_adding(const struct time_launch *t, double cycles) {
  const double adding = adding_cycles(t), power = 4;
  return adding > 0 ? pow(pow(cycles, power) + pow(adding, power), 1 / power) : cycles;
}

// Cycles of atomics on one address. What is read from the memory meanwhile holds them up, the more, the
// denser it comes: each takes atomic_same_ns * (1 + the rate of the reads / atomic_beside_gbs).
static double counter_cycles(const struct time_launch *t) {
  const struct chip *c = t->chip;
  const double alone = chip_cycles(c, (double)t->totals.atomics_on_one * c->atomic_same_ns);
  const double beside = chip_cycles(c, (double)t->totals.missed / c->atomic_beside_gbs);
  return (alone + sqrt(alone * alone + 4 * alone * beside)) / 2;
}

// Cycles that as many bytes take without start and end. `all`: with them.
static double steady_cycles(const struct search *s, const struct replay_result *r, double all) {
  if (!(r->window_bytes > 0) || !(r->window > 0) || !(s->all_bytes > 0)) return all;
  const double played = s->all_bytes * r->window / r->window_bytes;
  const double memory = s->all_bytes * s->memory_share / s->capacity;
  const struct chip *chip = s->launch->chip;
  const double draws = s->all_bytes / r->window_bytes * r->window_draws * s->groups;
  const double counter = draws * chip_cycles(chip, chip->counter_ns);
  const double chain = chip_cycles(chip, (double)s->launch->totals.chained * chip->flag_ns);
  const double both = memory_and_cache(s->launch, memory);
  const double steady = fmax(fmax(played, both), fmax(fmax(counter, counter_cycles(s->launch)), chain));
  return fmin(with_adding(s->launch, steady), all);
}

static const char *bound_by(const struct search *s, const struct replay_result *r, const double *cycles) {
  const double of = r->cycles > 0 ? r->cycles : 1, most = 0.85;
  const double others = fmax(cycles[0], cycles[1]);
  if (cycles[3] > others && cycles[3] > cycles[2]) return "blocks that wait for one another in a chain";
  if (cycles[2] > others) return "atomics on one address";
  if (cycles[5] > others) return "reductions into the same sums";
  if (cycles[4] > others) return "L2 cache";
  // A kernel that loads all at first and then computes keeps the memory busy for a while alone.
  const bool long_enough = cycles[1] > 0.4 * cycles[0];
  if ((busy(s, r) > 0.93 && long_enough) || cycles[1] >= cycles[0]) return "memory";
  if (s->launch->totals.looked) return "blocks that wait for all before them";
  if (r->tensor_busy / of > most) return "tensor cores";
  if (r->issue_busy / of > most) return "issue slots";
  if (r->special_busy / of > most) return "special functions";
  if (r->shared_busy / of > most) return "shared memory";
  if (r->copy_in_busy / of > most || r->copy_out_busy / of > most) return "copy engine";
  if (r->port_busy / of > most) return "L2 cache";
  if (!(r->waited_store + r->waited_memory + r->waited_product > 0)) return "latency of its instructions";
  if (r->waited_product > r->waited_store + r->waited_memory)
    return r->waited_newest > r->waited_product / 2 ? "waiting for each product" : "waiting for products";
  return r->waited_store > r->waited_memory ? "waiting for stores" : "waiting for loads";
}

static struct time_prediction predict_together(const struct time_launch *t, uint64_t seed) {
  struct search s = prepare(t, seed);
  const struct chip *chip = t->chip;
  const struct replay_result r = find_wait(&s);
  const double memory_cycles = s.all_bytes * s.memory_share / s.capacity;
  const double chain_cycles = chip_cycles(chip, (double)t->totals.chained * chip->flag_ns);
  const double cycles[] = {extrapolate(&s, &r), memory_cycles,   counter_cycles(t),
                           chain_cycles,        cache_cycles(t), adding_cycles(t)};
  double longest = fmax(cycles[0], memory_and_cache(t, memory_cycles));
  for (int i = 2; i < 4; i++)
    if (cycles[i] > longest) longest = cycles[i];
  longest = with_adding(t, longest);
  struct time_prediction p = {.read_bytes = t->totals.read,
                              .write_bytes = t->totals.written,
                              .memory_bytes = (double)(t->totals.missed + t->totals.flushed),
                              .bound_by = bound_by(&s, &r, cycles),
                              .shared_busy = r.cycles > 0 ? r.shared_busy / r.cycles : 0,
                              .wait_ns = chip_nanoseconds(chip, s.input.wait),
                              .least_wait_ns = chip_nanoseconds(chip, s.input.least),
                              .burst = s.input.burst,
                              .blocks_on_processor = t->blocks_on_processor,
                              .cycles = r.cycles,
                              .clusters = s.input.clusters,
                              .capacity = s.capacity * chip->clock_mhz / 1000};
  snprintf(p.kernel, sizeof p.kernel, "%s", t->function->name);
  p.us = chip_nanoseconds(chip, longest) / 1000 + chip->launch_us;
  p.steady_us = chip_nanoseconds(chip, steady_cycles(&s, &r, longest)) / 1000;
  p.gb_per_s = (double)(p.read_bytes + p.write_bytes) / p.us / 1000;
  p.memory_busy = longest > 0 ? memory_cycles / longest : 0;
  return p;
}

// So many of the launch's clusters as a launch of their own.
static struct time_launch part_of(const struct time_launch *t, uint64_t clusters) {
  struct time_launch part = *t;
  const double share = (double)clusters / (double)t->cluster_count;
  part.cluster_count = clusters;
  const struct time_totals n = t->totals;
  part.totals = (struct time_totals){
      .read = (uint64_t)((double)n.read * share),
      .written = (uint64_t)((double)n.written * share),
      .missed = (uint64_t)((double)n.missed * share),
      .flushed = (uint64_t)((double)n.flushed * share),
      .pieces = (uint64_t)((double)n.pieces * share),
      .reduced = (uint64_t)((double)n.reduced * share),
      .slots = (uint64_t)((double)n.slots * share),
      .changed = (uint64_t)((double)n.changed * share),
      .atomics_on_one = (uint64_t)((double)n.atomics_on_one * share),
      .chained = (uint64_t)((double)n.chained * share),
      .asked = n.asked * share,
      .far = n.far * share,
      .far_lines = n.far_lines * share,
      .partial = (uint64_t)((double)n.partial * share),
      .added = {(uint64_t)((double)n.added[0] * share), (uint64_t)((double)n.added[1] * share)},
      .opened = {(uint64_t)((double)n.opened[0] * share), (uint64_t)((double)n.opened[1] * share)},
      .looked = n.looked,
      .shared = n.shared,
      .lost = n.lost};
  return part;
}

// Clusters that come in few waves: the last wave has the memory for itself.
struct time_prediction time_predict(const struct time_launch *t, uint64_t seed) {
  const uint64_t places = (uint64_t)groups_of(t) * t->blocks_on_processor;
  const uint64_t last = places ? t->cluster_count % places : 0, full = t->cluster_count - last;
  const double waves = (double)t->cluster_count / (groups_of(t) * t->blocks_fit);
  if (!last || !full || full >= FEW_WAVES * places) {
    struct time_prediction whole = predict_together(t, seed);
    whole.waves = waves;
    return whole;
  }
  const struct time_launch first = part_of(t, full), rest = part_of(t, last);
  struct time_prediction p = predict_together(&first, seed);
  const struct time_prediction q = predict_together(&rest, seed);
  p.us += q.us - t->chip->launch_us;
  p.steady_us += q.steady_us;
  p.waves = waves;
  p.read_bytes = t->totals.read;
  p.write_bytes = t->totals.written;
  p.memory_bytes = (double)(t->totals.missed + t->totals.flushed);
  p.gb_per_s = (double)(p.read_bytes + p.write_bytes) / p.us / 1000;
  p.memory_busy = (p.memory_busy * (double)full + q.memory_busy * (double)last) / (double)t->cluster_count;
  return p;
}

struct replay_input time_replay_of(const struct time_launch *t, const struct time_prediction *p,
                                   uint64_t seed) {
  return (struct replay_input){.launch = t,
                               .wait = chip_cycles(t->chip, p->wait_ns),
                               .least = chip_cycles(t->chip, p->least_wait_ns),
                               .burst = p->burst,
                               .capacity = p->capacity * 1000 / t->chip->clock_mhz,
                               .seed = seed,
                               .clusters = p->clusters};
}

double time_bytes_wanted(const struct time_launch *t, const struct time_prediction *p) {
  const struct chip *c = t->chip;
  const double target = 0.93, memory = (double)(t->totals.missed + t->totals.flushed);
  const double reads = memory > 0 ? (double)t->totals.missed / memory : 0;
  const double longest = 4.7; // of as many waits as a copy of 8 KiB has lines
  const double waits = queue_of(c, target, 1 - reads) * (c->wait_least + c->wait_spread * longest);
  const double takes = c->stream_ns + c->bulk_ns + chip_nanoseconds(c, waits);
  return p->capacity * reads * target * takes;
}

double time_of_yardstick(const struct chip *chip, bool reads_only, double bytes) {
  const double share = reads_only ? chip->plain_read_share : chip->memcpy_share;
  return chip->launch_us + bytes / (chip->memory_gbs * share) / 1000;
}

double time_of_product(const struct chip *chip, double operations) {
  return chip->launch_us + operations / chip->product_tflops / 1e6;
}

double time_of_copy(const struct chip *chip, uint64_t bytes) {
  return chip->launch_us + 2 * (double)bytes / (chip->memory_gbs * chip->memcpy_share) / 1000;
}
double time_of_fill(const struct chip *chip, uint64_t bytes) {
  return chip->launch_us + (double)bytes / (chip->memory_gbs * chip->write_share) / 1000;
}
