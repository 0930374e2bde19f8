// A grid: distributes its clusters over the workers, epoch by epoch (see schedule.h). In: a launch; out: all
// clusters have run, or the launch's device_error. One idea: which clusters run in an epoch, and the order in
// which they get the turn, depend on what they did, never on the time.
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "monotonic.h"
#include "virtual-hopper/schedule/schedule.h"

#include "virtual-hopper/diagnose/stuck.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/schedule/crew.h"
#include "virtual-hopper/schedule/meeting.h"
#include "virtual-hopper/schedule/watch.h"

enum {
  MULTIPROCESSORS = 132,
  THREADS_PER_MULTIPROCESSOR = 2048,
  BLOCKS_PER_MULTIPROCESSOR = 32,
};
enum { SHARED_PER_MULTIPROCESSOR = 228 << 10, LEAST_SHARE = 10000, RUN_COST = 200 };
enum { REGISTER_UNIT = 256, REGISTERS_PER_SCHEDULER = 16384, SCHEDULERS = 4 };
enum { NANOSECONDS = 1000000000, LONGEST_PAUSE = 1000000 };
static const double HOST_PATIENCE = 20; // seconds that a grid waits for what the host does
// Many short clusters are taken several at a time, but of what is left a worker takes a part of its share
// only. So at the end, when cores are not equally quick, no worker waits for another one's many clusters.
enum { PARTS_OF_A_SHARE = 8, MOST_AT_ONCE = 16 };
// An epoch after one of so little work is begun by one worker alone: where clusters only poll or sleep, to
// meet takes the others longer than the work. They are called once it has turned out to be more.
enum { LITTLE_WORK = 4000 };
enum { LATE_OPS = 16000000, HELD_EPOCHS = 8, RACING_GRABS = 4, TURNS_TO_DOUBLE = 64 };

struct resident {
  struct cluster *cluster;
  enum cluster_state state;
};

struct worker {
  struct grid *grid;
  struct cluster **idle; // cluster objects to use again
  uint32_t idle_count, idle_capacity;
  uint64_t ops;          // instructions that it has executed
  uint64_t ended_ops;    // instructions of the warps of clusters that have ended here
  uint64_t ended_time;   // virtual time at the end of the last of them
  uint64_t executed;     // by threads of clusters that have ended here
  char apart[HOST_LINE]; // no two workers write to one line of the host's caches
};

struct grid {
  struct launch *launch;
  struct worker *workers;
  unsigned worker_count;
  uint64_t next_slot;    // clusters started so far
  uint64_t runs;         // of a cluster in an epoch, so far: each costs work, too
  uint64_t planned_runs; // those of the present epoch
  // While the grid waits for what the host writes to memory that both reach, its time is the host's:
  double host_since;      // CLOCK_MONOTONIC seconds; 0: it doesn't wait
  uint64_t virtual_since; // the grid's clock then
  uint64_t host_looks;    // of all clusters, up to the last epoch
  // of the present epoch:
  struct resident *residents; // [resident_count] from before, then [fresh_count] new ones
  uint32_t resident_count, fresh_count, most_residents;
  bool together;                       // the other workers take part
  alignas(HOST_LINE) atomic_uint next; // index of the next one to run
  alignas(HOST_LINE) uint64_t epoch, random;
  uint64_t used_ops;     // of all clusters, before this epoch
  uint64_t used_before;  // and before the last one
  uint64_t special;      // slot of the cluster that races ahead or is held back
  bool busy;             // in the last epoch a cluster that isn't held back had something to do
  uint32_t *order;       // [most_residents] in which they get the turn
  uint64_t news;         // what changed: events, changes of memory, starts and ends of clusters
  size_t resident_bytes; // of the program's budget
  bool over;
  struct meeting begin, end; // of the first part
};

uint32_t grid_most_resident_blocks(uint32_t threads, uint32_t shared_bytes, uint32_t registers) {
  uint32_t rounded = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
  uint32_t by_threads = THREADS_PER_MULTIPROCESSOR / rounded;
  uint32_t by_shared = SHARED_PER_MULTIPROCESSOR / (shared_bytes + SHARED_FIRST_OFFSET);
  uint32_t blocks = by_threads < by_shared ? by_threads : by_shared;
  // Registers are given to warps in units, from one of four parts of the file.
  uint32_t per_warp = (registers * WARP_LANES + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  uint32_t warps = per_warp ? REGISTERS_PER_SCHEDULER / per_warp * SCHEDULERS : UINT32_MAX;
  if (warps / (rounded / WARP_LANES) < blocks) blocks = warps / (rounded / WARP_LANES);
  return MULTIPROCESSORS * (blocks < BLOCKS_PER_MULTIPROCESSOR ? blocks : BLOCKS_PER_MULTIPROCESSOR);
}

// ---- cluster objects --------------------------------------------------------------------------------------

static struct cluster *take_cluster(struct worker *w) {
  return w->idle_count ? w->idle[--w->idle_count] : cluster_make(w->grid->launch);
}

static void retire_cluster(struct worker *w, struct cluster *c) {
  w->executed += cluster_end(c);
  if (w->idle_count == w->idle_capacity) {
    w->idle_capacity = w->idle_capacity ? 2 * w->idle_capacity : 8;
    w->idle = realloc(w->idle, w->idle_capacity * sizeof *w->idle);
    if (!w->idle) die("out of memory for clusters");
  }
  w->idle[w->idle_count++] = c;
}

// ---- the first part of an epoch: every worker -------------------------------------------------------------

static bool is_special(const struct grid *g, const struct cluster *c) {
  return g->launch->schedule == SCHEDULE_FIRST_LATE ? c->index == 0 : c->slot == g->special;
}

// A cluster that is held back still runs now and then, and when all others wait. One that begins late waits
// for as much work as a launch of moderate size is.
static bool is_held_back(const struct grid *g, const struct cluster *c) {
  if (g->launch->schedule == SCHEDULE_FIRST_LATE)
    return is_special(g, c) && g->busy && g->used_ops < LATE_OPS;
  return g->launch->schedule == SCHEDULE_HELD_BACK && is_special(g, c) && g->busy &&
         g->epoch % HELD_EPOCHS != 0;
}

// Nothing can happen in it before the grid's clock has come so far, or before another cluster changes
// something.
static bool is_asleep(const struct grid *g, const struct resident *r) {
  if (r->cluster && r->cluster->sleeps_until_news && !g->launch->idle_epochs) return false;
  return r->state == CLUSTER_SLEEPING && r->cluster->wakes_at > g->launch->now;
}

static void run_one(struct worker *w, struct resident *r) {
  if (is_held_back(w->grid, r->cluster)) {
    r->state = CLUSTER_RUNNING;
    return;
  }
  const uint64_t before = r->cluster->instructions;
  r->state = cluster_run(r->cluster);
  w->ops += r->cluster->instructions - before;
  if (r->state != CLUSTER_FINISHED) return;
  w->ended_ops += r->cluster->instructions;
  const uint64_t time = cluster_time(r->cluster);
  if (time > w->ended_time) w->ended_time = time;
  retire_cluster(w, r->cluster);
  r->cluster = NULL;
}

static void call_others(struct grid *g) {
  g->together = true;
  meeting_wait(&g->begin);
}

// The next clusters for a worker: [return value, *end), or none of `total`.
static uint32_t take_some(struct grid *g, uint32_t total, uint32_t *end) {
  const uint32_t gone = atomic_load_explicit(&g->next, memory_order_relaxed);
  const uint32_t each = gone < total ? (total - gone) / g->worker_count / PARTS_OF_A_SHARE : 0;
  const uint32_t count = each < 1 ? 1 : each < MOST_AT_ONCE ? each : MOST_AT_ONCE;
  const uint32_t first = atomic_fetch_add_explicit(&g->next, count, memory_order_relaxed);
  *end = first + count < total ? first + count : total;
  return first;
}

static void run_share(struct worker *w) {
  struct grid *g = w->grid;
  uint32_t total = g->resident_count + g->fresh_count;
  const uint64_t before = w->ops;
  for (;;) {
    if (!g->together && g->worker_count > 1 && w->ops - before > LITTLE_WORK) call_others(g);
    uint32_t end, i = take_some(g, total, &end);
    if (i >= end) return;
    for (; i < end; i++) {
      if (atomic_load_explicit(&g->launch->device_error, memory_order_relaxed)) return;
      struct resident *r = &g->residents[i];
      // one op may take long, and nothing else limits the time between these checks
      if (launch_out_of_time(g->launch)) return;
      if (i >= g->resident_count) {
        r->cluster = take_cluster(w);
        cluster_begin(r->cluster, g->next_slot + i - g->resident_count);
      }
      if (!is_asleep(g, r)) run_one(w, r);
    }
  }
}

static void help(struct worker *w) {
  for (;;) {
    meeting_wait(&w->grid->begin);
    if (w->grid->over) return;
    run_share(w);
    meeting_wait(&w->grid->end);
  }
}

// ---- the second part, and between epochs: one thread ------------------------------------------------------

static void order_turns(struct grid *g, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    g->order[i] = g->launch->schedule == SCHEDULE_REVERSED ? count - 1 - i : i;
  for (uint32_t i = count; g->launch->schedule == SCHEDULE_RANDOM && i > 1; i--) {
    uint32_t with = (uint32_t)(machine_random(&g->random) % i), swap = g->order[i - 1];
    g->order[i - 1] = g->order[with];
    g->order[with] = swap;
  }
}

// How many tiles or the like a cluster may take in this turn: one at first, so that little work is shared by
// all clusters; later more, because every turn costs time.
static uint32_t allow_grabs(struct grid *g, struct cluster *c) {
  uint32_t doubled = c->turns_taken++ / TURNS_TO_DOUBLE, grabs = 1u << (doubled < 20 ? doubled : 20);
  if (g->launch->schedule == SCHEDULE_RACING && c->slot == g->special) return RACING_GRABS * grabs;
  if (g->launch->schedule == SCHEDULE_RANDOM) return grabs * (1 + (uint32_t)(machine_random(&g->random) % 3));
  return grabs;
}

static void give_turns(struct grid *g) {
  const uint32_t count = g->resident_count + g->fresh_count;
  order_turns(g, count);
  for (uint32_t i = 0; i < count; i++) {
    struct resident *r = &g->residents[g->order[i]];
    if (!r->cluster || r->state != CLUSTER_WANTS_TURN) continue;
    if (launch_out_of_time(g->launch)) return;
    struct cluster *c = r->cluster;
    c->grabs_allowed = allow_grabs(g, c);
    c->turn = true;
    c->wants_turn = false;
    run_one(&g->workers[0], r);
    if (!c->alone) c->turn = false;
    if (r->state == CLUSTER_WANTS_TURN) r->state = CLUSTER_RUNNING;
  }
}

static void plan_epoch(struct grid *g) {
  uint64_t left = g->launch->cluster_count - g->next_slot, room = g->most_residents - g->resident_count;
  g->fresh_count = (uint32_t)(left < room ? left : room);
  memset(&g->residents[g->resident_count], 0, g->fresh_count * sizeof *g->residents);
  atomic_store_explicit(&g->next, 0, memory_order_relaxed);
}

// As far as is known, no cluster changed anything in the epoch. Then what each polling cluster has found out
// about itself holds for all of them together.
static void judge_silence(struct grid *g, bool silent, uint64_t news) {
  struct launch *l = g->launch;
  silent = silent && news == g->news;
  l->idle_epochs = silent ? l->idle_epochs + 1 : 0;
  if (!silent) l->news_version++;
  g->news = news;
  l->all_repeat = silent;
  for (uint32_t i = 0; i < g->resident_count; i++)
    l->all_repeat = l->all_repeat && watch_finding(g->residents[i].cluster) != WATCH_NOTHING;
}

static bool only_waits(const struct resident *r) {
  return r->state == CLUSTER_POLLING || r->state == CLUSTER_SLEEPING;
}

// Sets all clocks to the latest. Where all clusters can only wait, some of them for time, time passes
// until the first of these goes on.
static void pass_time(struct grid *g) {
  struct launch *l = g->launch;
  uint64_t latest = l->now, wakes = UINT64_MAX;
  for (unsigned i = 0; i < g->worker_count; i++)
    if (g->workers[i].ended_time > latest) latest = g->workers[i].ended_time;
  bool all_wait = true;
  for (uint32_t i = 0; i < g->resident_count; i++) {
    const struct resident *r = &g->residents[i];
    const uint64_t time = cluster_time(r->cluster);
    if (time > latest) latest = time;
    if (r->cluster->wakes_at < wakes) wakes = r->cluster->wakes_at;
    all_wait = all_wait && only_waits(r);
  }
  if (all_wait && wakes != UINT64_MAX && wakes > latest) latest = wakes;
  l->now = latest;
  for (uint32_t i = 0; i < g->resident_count; i++)
    cluster_pass_time(g->residents[i].cluster, latest);
}

// Keeps the clusters that have not finished, in order. The first failure in this order is the grid's. True: a
// cluster is proved to be stuck, or all clusters are stuck.
static bool take_stock(struct grid *g) {
  uint32_t kept = 0, proved = 0, total = g->resident_count + g->fresh_count;
  bool stuck = false, silent = true, busy = false;
  uint64_t news = g->next_slot + g->fresh_count;
  for (uint32_t i = 0; i < total; i++) {
    struct resident r = g->residents[i];
    if (!r.cluster) busy = true;
    if (!r.cluster) continue;
    busy = busy || (!only_waits(&r) && !is_special(g, r.cluster));
    int none = 0;
    if (r.state == CLUSTER_FAILED)
      atomic_compare_exchange_strong(&g->launch->device_error, &none, r.cluster->device_error);
    stuck = stuck || r.state == CLUSTER_STUCK;
    bool known = watch_was_on(r.cluster);
    silent = silent && known;
    proved += watch_finding(r.cluster) == WATCH_PROVED;
    news += r.cluster->events - r.cluster->passes + r.cluster->changes;
    g->residents[kept++] = r;
  }
  g->busy = busy;
  g->epoch++;
  g->next_slot += g->fresh_count;
  g->resident_count = kept;
  g->fresh_count = 0;
  judge_silence(g, silent && kept == total, news + total - kept);
  return stuck || (g->launch->idle_epochs > 0 && proved == kept);
}

static void stop_launch(struct grid *g) {
  int none = 0;
  atomic_compare_exchange_strong(&g->launch->device_error, &none, ERROR_LAUNCH_TIMEOUT);
}

static void report_stuck(struct grid *g, enum stuck_reason reason) {
  struct cluster **clusters = calloc(g->resident_count + 1, sizeof *clusters);
  if (!clusters) die("out of memory for a report");
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->resident_count; i++)
    if (reason == STUCK_BUDGET || g->residents[i].state == CLUSTER_STUCK ||
        g->residents[i].state == CLUSTER_POLLING ||
        watch_finding(g->residents[i].cluster) == WATCH_PROVED) // it may sleep: others were to leap with it
      clusters[count++] = g->residents[i].cluster;
  if (reason == STUCK_PROVED)
    for (uint32_t i = 0; i < count; i++)
      if (g->launch->others_may_act && !g->launch->host_rests && watch_looks_outside(clusters[i]))
        reason = STUCK_ALONE;
  stuck_report(g->launch, clusters, count, g->launch->cluster_count - g->next_slot, reason);
  free(clusters);
  stop_launch(g);
}

// The rest of the launch's budget, and a cluster's share of it in one epoch.
static uint64_t instructions_left(struct grid *g) {
  uint64_t used = g->runs * RUN_COST;
  for (unsigned i = 0; i < g->worker_count; i++)
    used += g->workers[i].ended_ops;
  for (uint32_t i = 0; i < g->resident_count; i++)
    used += g->residents[i].cluster->instructions;
  g->used_ops = used;
  return used < g->launch->most_instructions ? g->launch->most_instructions - used : 0;
}

static void share_budget(struct grid *g) {
  g->planned_runs = g->fresh_count;
  for (uint32_t i = 0; i < g->resident_count; i++)
    g->planned_runs += !is_asleep(g, &g->residents[i]);
  g->runs += g->planned_runs;
  uint64_t share = instructions_left(g) / (g->resident_count + g->fresh_count) + LEAST_SHARE;
  g->launch->epoch_ops = share < EPOCH_MOST_OPS ? (uint32_t)share : EPOCH_MOST_OPS;
}

// ---- the host ---------------------------------------------------------------------------------------------

// True when all clusters wait, and some have looked at memory of the host's and seen nothing new.
static bool host_is_awaited(struct grid *g) {
  uint64_t looks = 0;
  bool all_wait = true;
  for (uint32_t i = 0; i < g->resident_count; i++) {
    looks += g->residents[i].cluster->host_looks;
    all_wait = all_wait && only_waits(&g->residents[i]);
  }
  const bool looked = looks != g->host_looks;
  g->host_looks = looks;
  return looked && all_wait && g->launch->idle_epochs > 0;
}

// A kernel that works on until the host ends it asks for that again and again.
static void let_host_end_it(struct grid *g) {
  enum { ENOUGH_POLLS = 20000 };
  const struct launch *l = g->launch;
  for (uint32_t i = 0; i < g->resident_count && l->host_awaited && !(g->host_since > 0); i++)
    if (g->residents[i].cluster->host_polls > ENOUGH_POLLS) {
      (void)l->host_awaited(l->host_context);
      return;
    }
}

static void give_up_on_host(struct grid *g, double seconds) {
  fault_host_awaited(g->launch->report, g->launch->function->name, seconds);
  stop_launch(g);
}

// Lets the grid's clock and the host's pass alike, so that time-outs are none too early. True: the host
// has had its time.
static bool wait_for_host(struct grid *g) {
  struct launch *l = g->launch;
  if (!host_is_awaited(g)) {
    g->host_since = 0;
    return false;
  }
  const double now = monotonic_seconds();
  if (!(g->host_since > 0)) {
    g->host_since = now;
    g->virtual_since = l->now;
  }
  if (l->host_awaited && !l->host_rests) l->host_rests = l->host_awaited(l->host_context);
  g->runs -= g->planned_runs; // waiting is no work
  const uint64_t real = (uint64_t)((now - g->host_since) * NANOSECONDS), virtual = l->now - g->virtual_since;
  if (virtual > real) {
    const uint64_t left = virtual - real < LONGEST_PAUSE ? virtual - real : LONGEST_PAUSE;
    nanosleep(&(struct timespec){.tv_nsec = (long)left}, NULL);
  } else {
    l->now += real - virtual;
    for (uint32_t i = 0; i < g->resident_count; i++)
      cluster_pass_time(g->residents[i].cluster, l->now);
  }
  return now - g->host_since > HOST_PATIENCE;
}

static void stop_at_budget(struct grid *g) {
  if (g->launch->puts_off) {
    fault_put_off(g->launch->report);
    stop_launch(g);
  } else if (g->host_looks) {
    give_up_on_host(g, 0);
  } else {
    report_stuck(g, STUCK_BUDGET);
  }
}

static void run_first_part(struct grid *g) {
  g->together = false;
  const bool little = !g->fresh_count && g->used_ops - g->used_before < LITTLE_WORK;
  g->used_before = g->used_ops;
  if (g->worker_count > 1 && !little) call_others(g);
  run_share(&g->workers[0]);
  if (g->together) meeting_wait(&g->end);
}

static void run_epochs(struct grid *g) {
  struct launch *l = g->launch;
  while (g->resident_count || g->next_slot < l->cluster_count) {
    plan_epoch(g);
    share_budget(g);
    run_first_part(g);
    give_turns(g);
    bool stuck = take_stock(g);
    pass_time(g);
    if (l->check) order_stage_end(l);
    fault_report_next_stage(l->report);
    if (atomic_load(&l->device_error)) return;
    if (stuck) {
      report_stuck(g, STUCK_PROVED);
      return;
    }
    if (wait_for_host(g)) {
      give_up_on_host(g, HOST_PATIENCE);
      return;
    }
    let_host_end_it(g);
    if (!instructions_left(g)) {
      stop_at_budget(g);
      return;
    }
    if (launch_out_of_time(l)) {
      fault_time_is_up(l->report, l->function->name, launch_is_stopped(l) ? 0 : l->seconds);
      stop_launch(g);
      return;
    }
  }
}

size_t grid_resident_bytes(const struct function *f, uint64_t warps) {
  return warps * ((size_t)f->local_bytes_per_thread * WARP_LANES + f->register_bytes);
}

static void grid_prepare(struct grid *g, struct launch *l, unsigned workers) {
  *g = (struct grid){.launch = l, .worker_count = workers};
  uint32_t blocks =
      grid_most_resident_blocks(l->threads_per_block, l->shared_bytes - l->shared_of_groups, l->registers);
  g->most_residents = blocks / l->blocks_per_cluster ? blocks / l->blocks_per_cluster : 1;
  size_t each = grid_resident_bytes(l->function, (uint64_t)l->blocks_per_cluster * l->warps_per_block);
  const size_t most = launch_resident_most(l->budget);
  if (each && g->most_residents > most / each) g->most_residents = most / each ? (uint32_t)(most / each) : 1;
  if (g->most_residents > l->cluster_count) g->most_residents = (uint32_t)l->cluster_count;
  g->resident_bytes = g->most_residents * each;
  budget_count(l->budget, BUDGET_THREADS, g->resident_bytes);
  if (g->worker_count > g->most_residents) g->worker_count = g->most_residents;
  if (g->worker_count > (unsigned)CREW_MOST) g->worker_count = (unsigned)CREW_MOST;
  l->one_worker = g->worker_count == 1;
  g->workers = calloc(g->worker_count, sizeof *g->workers);
  g->residents = calloc(g->most_residents, sizeof *g->residents);
  g->order = calloc(g->most_residents, sizeof *g->order);
  g->random = l->seed * 0x9e3779b97f4a7c15ull + l->launch_index;
  g->special = machine_random(&g->random) % g->most_residents;
  g->busy = g->most_residents > 1;
  if (!g->workers || !g->residents || !g->order) die("out of memory for a grid");
  for (unsigned i = 0; i < g->worker_count; i++)
    g->workers[i].grid = g;
}

static void grid_finish(struct grid *g) {
  for (unsigned i = 0; i < g->worker_count; i++)
    g->launch->instructions += g->workers[i].executed;
  free(g->residents);
  free(g->order);
  free(g->workers);
  budget_give(g->launch->budget, BUDGET_THREADS, g->resident_bytes);
}

// Worker 0 leads the others, and takes back what has not ended. Each gives up its cluster objects.
static void work(void *context, unsigned number) {
  struct grid *g = context;
  struct worker *w = &g->workers[number];
  if (number > 0) {
    help(w);
  } else {
    run_epochs(g);
    for (uint32_t i = 0; i < g->resident_count; i++)
      retire_cluster(w, g->residents[i].cluster);
    g->over = true;
    if (g->worker_count > 1) meeting_wait(&g->begin);
  }
  for (uint32_t k = 0; k < w->idle_count; k++)
    cluster_destroy(w->idle[k]);
  free(w->idle);
}

void grid_run(struct launch *l, struct crew *crew, unsigned workers) {
  struct grid g;
  grid_prepare(&g, l, workers);
  const bool looks = crew_has_processors(crew, g.worker_count);
  meeting_init(&g.begin, g.worker_count, looks);
  meeting_init(&g.end, g.worker_count, looks);
  crew_run(crew, g.worker_count, work, &g);
  grid_finish(&g);
}
