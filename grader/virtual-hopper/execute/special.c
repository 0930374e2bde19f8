// Special registers and time. One idea: time is virtual. Time grows with the instructions that a cluster
// executes, and jumps forward when all threads can only wait. So loops with time-outs end, and results don't
// depend on the speed of the host. All clocks of a kernel tell this one time.
#include "virtual-hopper/execute/special.h"

#include <stdio.h>

#include "virtual-hopper/machine/program.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/time/clocks.h"

enum { NANOSECONDS_PER_MILLISECOND = 1000000 };
// An H100's boost clock, 1980 MHz, which is also what its attributes say: cycles of %clock per nanosecond.
enum { CLOCK_CYCLES = 99, CLOCK_NANOSECONDS = 50 };

uint64_t cluster_time(const struct cluster *c) {
  return c->launch->start_time + c->instructions / c->issue_width + c->time_offset;
}

static struct vhopper_dim thread_index(const struct warp *w, uint32_t lane) {
  uint32_t t = warp_thread(w, lane);
  const struct vhopper_dim *n = &w->launch->block;
  return (struct vhopper_dim){t % n->x, t / n->x % n->y, t / (n->x * n->y)};
}

static uint32_t axis(const struct vhopper_dim *dim, int i) {
  return i == 0 ? dim->x : i == 1 ? dim->y : dim->z;
}

// Index of the cluster in the grid of clusters, and of the block in its cluster, PTX ISA 10.14 to 10.21.
static uint64_t cluster_register(const struct warp *w, enum special_register which) {
  const struct launch *l = w->launch;
  const struct vhopper_dim *size = &l->cluster, *block = &w->block->index;
  switch (which) {
  case SPECIAL_CLUSTERID_X: return block->x / size->x;
  case SPECIAL_CLUSTERID_Y: return block->y / size->y;
  case SPECIAL_CLUSTERID_Z: return block->z / size->z;
  case SPECIAL_NCLUSTERID_X: return l->grid.x / size->x;
  case SPECIAL_NCLUSTERID_Y: return l->grid.y / size->y;
  case SPECIAL_NCLUSTERID_Z: return l->grid.z / size->z;
  case SPECIAL_CLUSTER_CTAID_X: return block->x % size->x;
  case SPECIAL_CLUSTER_CTAID_Y: return block->y % size->y;
  case SPECIAL_CLUSTER_CTAID_Z: return block->z % size->z;
  case SPECIAL_CLUSTER_NCTAID_X: return size->x;
  case SPECIAL_CLUSTER_NCTAID_Y: return size->y;
  case SPECIAL_CLUSTER_NCTAID_Z: return size->z;
  case SPECIAL_CLUSTER_CTARANK: return w->block->rank;
  case SPECIAL_CLUSTER_NCTARANK: return l->blocks_per_cluster;
  default: return l->explicit_cluster; // SPECIAL_IS_EXPLICIT_CLUSTER
  }
}

// Virtual nanoseconds that a clock shows now: by the time model, or those to execute. Where the model's table
// ends, time goes on from its last entry with what is executed.
static double shown_time(struct warp *w) {
  const struct cluster *c = w->block->cluster;
  struct time_clocks *clocks = w->launch->clocks;
  const double executed = (double)cluster_time(c);
  if (!clocks) return executed;
  const uint32_t warp = w->block->rank * w->launch->warps_per_block + w->index;
  const double model = time_clocks_show(clocks, c->index, warp, w->clock_reads);
  if (model >= 0) w->clock_ahead = model - executed;
  time_clocks_shown(clocks, executed + w->clock_ahead);
  return executed + w->clock_ahead;
}

static uint64_t time_register(struct warp *w, enum special_register which) {
  w->splits[0].read_clock = true;
  w->block->cluster->time_offset++; // two readings always differ
  if (w->launch->time) time_clock(w);
  const double now = shown_time(w);
  w->clock_reads++;
  const uint64_t timer = w->launch->timer_origin + (uint64_t)now,
                 cycles = (uint64_t)(now * CLOCK_CYCLES / CLOCK_NANOSECONDS);
  switch (which) {
  case SPECIAL_CLOCK: return (uint32_t)cycles;
  case SPECIAL_CLOCK_HI: return cycles >> 32;
  case SPECIAL_CLOCK64: return cycles;
  case SPECIAL_GLOBALTIMER_LO: return (uint32_t)timer;
  case SPECIAL_GLOBALTIMER_HI: return timer >> 32;
  default: return timer;
  }
}

static uint64_t place_register(const struct warp *w, enum special_register which) {
  const struct launch *l = w->launch;
  switch (which) {
  case SPECIAL_CTAID_X:
  case SPECIAL_CTAID_Y:
  case SPECIAL_CTAID_Z: return axis(&w->block->index, (int)(which - SPECIAL_CTAID_X));
  case SPECIAL_NTID_X:
  case SPECIAL_NTID_Y:
  case SPECIAL_NTID_Z: return axis(&l->block, (int)(which - SPECIAL_NTID_X));
  case SPECIAL_NCTAID_X:
  case SPECIAL_NCTAID_Y:
  case SPECIAL_NCTAID_Z: return axis(&l->grid, (int)(which - SPECIAL_NCTAID_X));
  case SPECIAL_WARPID: return w->index;
  case SPECIAL_NWARPID: return BLOCK_MAX_WARPS * 2; // 64 warps on a multiprocessor
  case SPECIAL_SMID: return w->block->linear_index % l->processors;
  case SPECIAL_NSMID: return l->processors;
  case SPECIAL_GRIDID: return l->launch_index;
  case SPECIAL_TOTAL_SMEM_SIZE: return l->shared_bytes - l->shared_of_groups;
  case SPECIAL_AGGR_SMEM_SIZE: return l->shared_bytes - l->shared_of_groups + SHARED_FIRST_OFFSET;
  case SPECIAL_DYNAMIC_SMEM_SIZE: return l->dynamic_shared_bytes;
  case SPECIAL_GRID_WORKSPACE_HI: return l->grid_workspace >> 32;
  case SPECIAL_GRID_WORKSPACE_LO: return (uint32_t)l->grid_workspace;
  case SPECIAL_SHARED_OF_GROUPS: return SHARED_FIRST_OFFSET + l->shared_bytes - l->shared_of_groups;
  case SPECIAL_SHARED_BEGIN: return SHARED_FIRST_OFFSET;
  default: return 0; // SPECIAL_ZERO
  }
}

static uint64_t lane_register(const struct warp *w, enum special_register which, uint32_t lane) {
  uint32_t below = (1u << lane) - 1, own = 1u << lane;
  switch (which) {
  case SPECIAL_LANEID: return lane;
  case SPECIAL_LANEMASK_EQ: return own;
  case SPECIAL_LANEMASK_LE: return below | own;
  case SPECIAL_LANEMASK_LT: return below;
  case SPECIAL_LANEMASK_GE: return ~below;
  case SPECIAL_LANEMASK_GT: return ~(below | own);
  default: {
    struct vhopper_dim t = thread_index(w, lane);
    return axis(&t, (int)(which - SPECIAL_TID_X));
  }
  }
}

static bool differs_by_lane(enum special_register which) {
  return which <= SPECIAL_TID_Z || (which >= SPECIAL_LANEMASK_EQ && which <= SPECIAL_LANEMASK_GT) ||
         which == SPECIAL_LANEID;
}

static uint64_t uniform_register(struct warp *w, enum special_register which) {
  if (which >= SPECIAL_CLOCK && which <= SPECIAL_GLOBALTIMER_HI) return time_register(w, which);
  bool cluster = which >= SPECIAL_IS_EXPLICIT_CLUSTER && which <= SPECIAL_CLUSTER_NCTARANK;
  return cluster ? cluster_register(w, which) : place_register(w, which);
}

void special_settle(struct warp *w, const struct op *op) {
  (void)op;
  w->yield = true; // the run loop counts its instructions when it ends
  // A loop around a clock is seen at the same place in each round.
  if (w->block->cluster->watching) w->splits[0].resting = true;
}

static void broadcast(struct warp *w, const struct op *op, uint64_t value) {
  uint32_t lanes = w->lanes;
  if (op->width == 8) {
    uint64_t *d = warp_register64(w, op->d);
    for (int i = 0; i < WARP_LANES; i++)
      d[i] = lanes >> i & 1 ? value : d[i];
  } else {
    uint32_t *d = warp_register32(w, op->d);
    for (int i = 0; i < WARP_LANES; i++)
      d[i] = lanes >> i & 1 ? (uint32_t)value : d[i];
  }
}

void special_explicit_cluster(struct warp *w, const struct op *op) {
  uint32_t *d = warp_predicate(w, op->d);
  *d = w->launch->explicit_cluster ? *d | w->lanes : *d & ~w->lanes;
}

void special_read(struct warp *w, const struct op *op) {
  enum special_register which = (enum special_register)op->kind;
  if (!differs_by_lane(which)) {
    broadcast(w, op, uniform_register(w, which));
    return;
  }
  const struct vhopper_dim *n = &w->launch->block;
  bool line = which == SPECIAL_TID_X && n->y == 1 && n->z == 1;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    if (!(w->lanes >> lane & 1)) continue;
    uint64_t value = line ? warp_thread(w, lane) : lane_register(w, which, lane);
    if (op->width == 8)
      warp_register64(w, op->d)[lane] = value;
    else
      warp_register32(w, op->d)[lane] = (uint32_t)value;
  }
}

// nanosleep: the lanes continue when this much virtual time has passed. That happens while others run, or at
// once when nothing else can run. PTX ISA 9.7.19.2
void special_nanosleep(struct warp *w, const struct op *op) {
  uint32_t longest = 0;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    uint32_t asked = warp_register32(w, op->a)[lane];
    if ((w->lanes >> lane & 1) && asked > longest) longest = asked;
  }
  if (longest > NANOSECONDS_PER_MILLISECOND) longest = NANOSECONDS_PER_MILLISECOND; // the documented maximum
  warp_sleep(w, longest);
}

void special_launch_dependents(struct warp *w, const struct op *op) {
  (void)op;
  if (w->launch->check) order_launch_dependents(w);
}

void special_grid_wait(struct warp *w, const struct op *op) {
  (void)op;
  if (w->launch->check) order_grid_wait(w, w->lanes);
}

void special_mark(struct warp *w, const struct op *op) {
  if (w->launch->time) time_mark(w, op);
}

void special_not_here(struct warp *w, const struct op *op) {
  struct unsupported u;
  machine_place(&u.place, w->block, op, warp_thread(w, (uint32_t)__builtin_ctz(w->lanes)));
  snprintf(u.what, sizeof u.what, "%s", (const char *)op->extra);
  snprintf(u.kernel, sizeof u.kernel, "%s", w->launch->function->name);
  unsupported_record(w->launch->report, &u);
  cluster_fail(w->block->cluster, ERROR_NO_KERNEL_IMAGE_FOR_DEVICE);
  w->yield = true;
}

void special_nothing(struct warp *w, const struct op *op) {
  (void)w;
  (void)op;
}
