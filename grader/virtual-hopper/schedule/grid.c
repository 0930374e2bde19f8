// A grid: its clusters over the workers, epoch by epoch (schedule.h tells why). In: a launch; out: all clusters run, or the launch's device_error.
// One idea: which clusters run in an epoch, and the order in which they get the turn, follow from what they did, never from when.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/schedule.h"

enum {
  MULTIPROCESSORS = 132,
  THREADS_PER_MULTIPROCESSOR = 2048,
  BLOCKS_PER_MULTIPROCESSOR = 32,
  ERROR_LAUNCH_TIMEOUT = 702
};
enum { SHARED_PER_MULTIPROCESSOR = 228 << 10, MOST_WORKERS = 256 };

struct resident {
  struct cluster *cluster;
  enum cluster_state state;
};

struct worker {
  struct grid *grid;
  struct cluster **idle; // cluster objects to use again
  uint32_t idle_count, idle_capacity;
  pthread_t thread;
};

struct grid {
  struct launch *launch;
  struct worker *workers;
  unsigned worker_count;
  uint64_t next_slot; // clusters started so far
  // of the present epoch:
  struct resident *residents; // [resident_count] from before, then [fresh_count] new ones
  uint32_t resident_count, fresh_count, most_residents;
  atomic_uint next; // index of the next one to run
  uint64_t news;    // what changed: events, starts and ends of clusters
  bool over;
  pthread_barrier_t begin, end;
};

uint32_t grid_most_resident_blocks(uint32_t threads, uint32_t shared_bytes) {
  uint32_t rounded = (threads + WARP_LANES - 1) / WARP_LANES * WARP_LANES;
  uint32_t by_threads = THREADS_PER_MULTIPROCESSOR / rounded;
  uint32_t by_shared = SHARED_PER_MULTIPROCESSOR / (shared_bytes + SHARED_FIRST_OFFSET);
  uint32_t blocks = by_threads < by_shared ? by_threads : by_shared;
  return MULTIPROCESSORS * (blocks < BLOCKS_PER_MULTIPROCESSOR ? blocks : BLOCKS_PER_MULTIPROCESSOR);
}

// ---- cluster objects ------------------------------------------------------------------------------------------------

static struct cluster *take_cluster(struct worker *w) {
  return w->idle_count ? w->idle[--w->idle_count] : cluster_make(w->grid->launch);
}

static void retire_cluster(struct worker *w, struct cluster *c) {
  cluster_end(c);
  if (w->idle_count == w->idle_capacity) {
    w->idle_capacity = w->idle_capacity ? 2 * w->idle_capacity : 8;
    w->idle = realloc(w->idle, w->idle_capacity * sizeof *w->idle);
    if (!w->idle) die("out of memory for clusters");
  }
  w->idle[w->idle_count++] = c;
}

// ---- the first part of an epoch: every worker --------------------------------------------------------------------------

static void run_one(struct worker *w, struct resident *r) {
  r->state = cluster_run(r->cluster);
  if (r->state != CLUSTER_FINISHED) return;
  retire_cluster(w, r->cluster);
  r->cluster = NULL;
}

static void run_share(struct worker *w) {
  struct grid *g = w->grid;
  uint32_t total = g->resident_count + g->fresh_count;
  for (;;) {
    uint32_t i = atomic_fetch_add_explicit(&g->next, 1, memory_order_relaxed);
    if (i >= total || atomic_load_explicit(&g->launch->device_error, memory_order_relaxed)) return;
    struct resident *r = &g->residents[i];
    if (launch_out_of_time(g->launch))
      return; // one op may take long: what a cluster runs at once has no other bound
    if (i >= g->resident_count) {
      r->cluster = take_cluster(w);
      cluster_begin(r->cluster, g->next_slot + i - g->resident_count);
    }
    run_one(w, r);
  }
}

static void *worker_main(void *argument) {
  struct worker *w = argument;
  for (;;) {
    pthread_barrier_wait(&w->grid->begin);
    if (w->grid->over) return NULL;
    run_share(w);
    pthread_barrier_wait(&w->grid->end);
  }
}

// ---- the second part, and between epochs: one thread -------------------------------------------------------------------

static void give_turns(struct grid *g) {
  for (uint32_t i = 0; i < g->resident_count + g->fresh_count; i++) {
    struct resident *r = &g->residents[i];
    if (!r->cluster || r->state != CLUSTER_WANTS_TURN) continue;
    if (launch_out_of_time(g->launch)) return;
    r->cluster->turn = true;
    r->cluster->wants_turn = false;
    struct cluster *c = r->cluster;
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

// Keeps what hasn't finished, in order; the first failure in that order is the grid's. True: somebody is stuck for good.
static bool take_stock(struct grid *g) {
  uint32_t kept = 0, total = g->resident_count + g->fresh_count;
  bool stuck = false, polling_only = true;
  uint64_t news = g->next_slot + g->fresh_count;
  for (uint32_t i = 0; i < total; i++) {
    struct resident r = g->residents[i];
    if (!r.cluster) continue;
    int none = 0;
    if (r.state == CLUSTER_FAILED)
      atomic_compare_exchange_strong(&g->launch->device_error, &none, r.cluster->device_error);
    stuck = stuck || r.state == CLUSTER_STUCK;
    polling_only = polling_only && r.state == CLUSTER_POLLING;
    news += r.cluster->events;
    g->residents[kept++] = r;
  }
  g->next_slot += g->fresh_count;
  g->resident_count = kept;
  g->fresh_count = 0;
  news += total - kept;
  g->launch->idle_epochs = polling_only && news == g->news && kept == total ? g->launch->idle_epochs + 1 : 0;
  g->news = news;
  return stuck;
}

static void report_stuck(struct grid *g, bool out_of_time) {
  struct cluster **clusters = calloc(g->resident_count + 1, sizeof *clusters);
  if (!clusters) die("out of memory for a report");
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->resident_count; i++)
    if (out_of_time || g->residents[i].state == CLUSTER_STUCK || g->residents[i].state == CLUSTER_POLLING)
      clusters[count++] = g->residents[i].cluster;
  stuck_report(g->launch, clusters, count, g->launch->cluster_count - g->next_slot, out_of_time);
  free(clusters);
  int none = 0;
  atomic_compare_exchange_strong(&g->launch->device_error, &none, ERROR_LAUNCH_TIMEOUT);
}

static void run_epochs(struct grid *g) {
  struct launch *l = g->launch;
  while (g->resident_count || g->next_slot < l->cluster_count) {
    plan_epoch(g);
    if (g->worker_count > 1) pthread_barrier_wait(&g->begin);
    run_share(&g->workers[0]);
    if (g->worker_count > 1) pthread_barrier_wait(&g->end);
    give_turns(g);
    bool stuck = take_stock(g);
    fault_report_next_stage(l->report);
    if (atomic_load(&l->device_error)) return;
    if (stuck || l->idle_epochs >= IDLE_EPOCHS_TO_STOP) {
      report_stuck(g, false);
      return;
    }
    if (launch_out_of_time(l)) {
      report_stuck(g, true);
      return;
    }
  }
}

size_t grid_resident_bytes(const struct function *f, uint64_t warps) {
  return warps * ((size_t)f->local_bytes_per_thread * WARP_LANES + f->register_bytes);
}

static void grid_prepare(struct grid *g, struct launch *l, unsigned workers) {
  *g = (struct grid){.launch = l, .worker_count = workers};
  uint32_t blocks = grid_most_resident_blocks(l->threads_per_block, l->shared_bytes);
  g->most_residents = blocks / l->blocks_per_cluster ? blocks / l->blocks_per_cluster : 1;
  size_t each = grid_resident_bytes(l->function, (uint64_t)l->blocks_per_cluster * l->warps_per_block);
  if (each && g->most_residents > LAUNCH_MOST_BYTES / each)
    g->most_residents = LAUNCH_MOST_BYTES / each ? (uint32_t)(LAUNCH_MOST_BYTES / each) : 1;
  if (g->most_residents > l->cluster_count) g->most_residents = (uint32_t)l->cluster_count;
  if (g->worker_count > g->most_residents) g->worker_count = g->most_residents;
  if (g->worker_count > MOST_WORKERS) g->worker_count = MOST_WORKERS;
  g->workers = calloc(g->worker_count, sizeof *g->workers);
  g->residents = calloc(g->most_residents, sizeof *g->residents);
  if (!g->workers || !g->residents) die("out of memory for a grid");
  for (unsigned i = 0; i < g->worker_count; i++)
    g->workers[i].grid = g;
}

static void grid_finish(struct grid *g) {
  for (uint32_t i = 0; i < g->resident_count; i++)
    retire_cluster(&g->workers[0], g->residents[i].cluster);
  for (unsigned i = 0; i < g->worker_count; i++) {
    struct worker *w = &g->workers[i];
    for (uint32_t k = 0; k < w->idle_count; k++)
      cluster_destroy(w->idle[k]);
    free(w->idle);
  }
  free(g->residents);
  free(g->workers);
}

void grid_run(struct launch *l, unsigned workers) {
  struct grid g;
  grid_prepare(&g, l, workers);
  if (g.worker_count > 1) {
    pthread_barrier_init(&g.begin, NULL, g.worker_count);
    pthread_barrier_init(&g.end, NULL, g.worker_count);
    for (unsigned i = 1; i < g.worker_count; i++)
      if (pthread_create(&g.workers[i].thread, NULL, worker_main, &g.workers[i]) != 0)
        die("no thread can be made for a worker");
  }
  run_epochs(&g);
  if (g.worker_count > 1) {
    g.over = true;
    pthread_barrier_wait(&g.begin);
    for (unsigned i = 1; i < g.worker_count; i++)
      pthread_join(g.workers[i].thread, NULL);
    pthread_barrier_destroy(&g.begin);
    pthread_barrier_destroy(&g.end);
  }
  grid_finish(&g);
}
