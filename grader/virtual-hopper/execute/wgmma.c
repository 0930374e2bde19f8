// Products of warpgroups: issue, groups, completion. In: wgmma instructions of four warps. Out: accumulators,
// written when a wait asks for them. The theory of operation is in wgmma.h. PTX ISA 9.1, 9.7.15.5, 9.7.15.7.
#include "virtual-hopper/execute/wgmma.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/execute/sparse.h"
#include "virtual-hopper/execute/tiles.h"
#include "virtual-hopper/execute/wgmma-check.h"
#include "virtual-hopper/execute/wgmma-registers.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/time/record.h"

enum { ALL_WARPS = (1 << WARPGROUP_WARPS) - 1, MOST_PENDING = 128 };
enum { CHUNK_BYTES = 16, MOST_CHUNKS = (SHARED_MAX_BYTES + SHARED_OF_GROUPS) / CHUNK_BYTES + 1 };

struct product {
  const struct op *op; // of the first warp that came
  uint64_t a, b;       // descriptors
  bool accumulates;    // scale-d
  uint32_t arrived;    // one bit for each warp
  uint32_t first;      // the warp that came first
  uint64_t group;      // commits of the first warp before it
  uint8_t *registers[WARPGROUP_WARPS];
  uint32_t metadata[WARPGROUP_WARPS][WARP_LANES]; // of a sparse A
};

struct warpgroup {
  struct product pending[MOST_PENDING]; // product n at n % MOST_PENDING
  uint64_t done, issued;                // products computed; begun by some warp
  uint64_t came[WARPGROUP_WARPS], commits[WARPGROUP_WARPS];
  struct tensor_factor a, b;     // of the last product
  struct tensor_factor selected; // of B: what a row of a sparse A is multiplied with
  // groups whose reads are noted, when the first warp has committed; and judged, when all warps have come
  uint64_t noted, judged;
  // of shared memory, 16 bytes each, by the group that is being visited: which warps read them; else 0
  uint8_t read[MOST_CHUNKS];
};

static struct warpgroup *warpgroup_of(const struct warp *w) {
  struct block *b = w->block;
  if (!b->warpgroups) {
    const uint32_t count = (b->warp_count + WARPGROUP_WARPS - 1) / WARPGROUP_WARPS;
    b->warpgroups = calloc(count, sizeof *b->warpgroups);
    if (!b->warpgroups) die("out of memory for a block's warpgroups");
  }
  return &b->warpgroups[w->index / WARPGROUP_WARPS];
}

void wgmma_forget(struct block *b) {
  tiles_forget(b);
  if (!b->warpgroups) return;
  for (uint32_t i = 0; i < (b->warp_count + WARPGROUP_WARPS - 1) / WARPGROUP_WARPS; i++) {
    tensor_factor_free(&b->warpgroups[i].a);
    tensor_factor_free(&b->warpgroups[i].b);
    tensor_factor_free(&b->warpgroups[i].selected);
  }
  free(b->warpgroups);
  b->warpgroups = NULL;
}

// ---- computing --------------------------------------------------------------------------------------------

// A from registers, 9.7.15.5.1.1: lane 4 g + m of warp w holds, in register r, the elements of row
// 16 w + g + 8 (r % 2) from e (4 (r / 2) + m) on; a register has e elements.
static void read_fragments(const struct product *p, struct tensor_factor *to) {
  const struct wgmma_plan *plan = p->op->extra;
  const uint32_t bits = mma_element_bits(plan->a_type), width = bits < 8 ? 32 : bits;
  const uint32_t in_register = 32 / width;
  for (uint32_t thread = 0; thread < WARPGROUP_WARPS * WARP_LANES; thread++) {
    const uint32_t warp = thread / WARP_LANES, lane = thread % WARP_LANES;
    for (uint32_t r = 0; r < WGMMA_A_REGISTERS; r++) {
      const uint32_t row = 16 * warp + lane / 4 + 8 * (r % 2), k = in_register * (4 * (r / 2) + lane % 4);
      const uint32_t value = ((const uint32_t *)(void *)(p->registers[warp] + plan->a[r]))[lane];
      for (uint32_t i = 0; i < in_register; i++)
        tensor_unpack(to, row, k + i, plan->a_type,
                      width == 32 ? value : value >> i * width & ((1u << width) - 1), plan->a_negated);
    }
  }
}

// The accumulator's registers for eight columns of one row, 9.7.15.5.1.1: lane 4 g + m of a warp holds
// columns 2 m and 2 m + 1 of rows g and g + 8.
struct sum_place {
  uint32_t *registers[2]; // f32, s32: of even and odd columns; f16: [0] holds both
  uint32_t lane;
};

static struct sum_place place_of_sums(const struct product *p, uint32_t row, uint32_t block) {
  const struct wgmma_plan *plan = p->op->extra;
  uint8_t *registers = p->registers[row / 16];
  const uint32_t half = row / 8 % 2;
  struct sum_place place = {.lane = row % 8 * 4};
  if (plan->sum_type == MMA_F16) {
    place.registers[0] = (uint32_t *)(void *)(registers + plan->d[2 * block + half]);
    return place;
  }
  for (uint32_t i = 0; i < 2; i++)
    place.registers[i] = (uint32_t *)(void *)(registers + plan->d[4 * block + 2 * half + i]);
  return place;
}

static void load_sums(const struct sum_place *place, bool half, uint32_t c[TENSOR_LANES]) {
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    if (half)
      c[n] = place->registers[0][place->lane + n / 2] >> n % 2 * 16 & 0xffff;
    else
      c[n] = place->registers[n % 2][place->lane + n / 2];
  }
}

static void store_sums(const struct sum_place *place, bool half, const uint32_t c[TENSOR_LANES]) {
  for (uint32_t n = 0; n < TENSOR_LANES; n++) {
    if (!half)
      place->registers[n % 2][place->lane + n / 2] = c[n];
    else if (n % 2)
      place->registers[0][place->lane + n / 2] = c[n - 1] | c[n] << 16;
  }
}

// Factors of this shape, in memory that is used again.
static void shape_factor(struct tensor_factor *f, uint32_t lines, uint32_t depth) {
  if (f->room < lines * depth) {
    tensor_factor_free(f);
    *f = tensor_factor_create(lines, depth);
  }
  f->depth = depth;
  f->has_special = f->is_whole = false;
}

// c += row `row` of A times eight columns of B.
static void multiply_row(struct warpgroup *g, const struct product *p, const struct tensor_sums *sums,
                         uint32_t row, uint32_t block, uint32_t c[TENSOR_LANES]) {
  const struct wgmma_plan *plan = p->op->extra;
  if (!plan->sparse.is_sparse) {
    tensor_multiply(sums, &g->a, row, &g->b, block, c);
    return;
  }
  uint8_t at[SPARSE_MOST_STORED];
  const uint32_t *words = &p->metadata[row / 16][row % 8 * SPARSE_GROUP_LANES];
  sparse_row(&plan->sparse, plan->a_type, plan->depth, words, row / 8 % 2, at);
  sparse_select(&g->b, block, at, g->a.depth, &g->selected);
  tensor_multiply(sums, &g->a, row, &g->selected, 0, c);
}

static void compute(struct block *b, struct warpgroup *g, const struct product *p) {
  const struct wgmma_plan *plan = p->op->extra;
  struct tensor_sums sums = tensor_sums_of_wgmma(plan->a_type, plan->b_type, plan->sum_type);
  sums.saturates = plan->saturates;
  const uint32_t depth = plan->a_type == MMA_B1 ? plan->depth / 32 : plan->depth;
  const bool half = plan->sum_type == MMA_F16;
  shape_factor(&g->a, WGMMA_ROWS, plan->sparse.is_sparse ? depth / 2 : depth);
  shape_factor(&g->b, plan->columns, depth);
  if (plan->sparse.is_sparse) shape_factor(&g->selected, TENSOR_LANES, depth);
  const struct wgmma_matrix of_a = wgmma_matrix_a(plan, p->a), of_b = wgmma_matrix_b(plan, p->b);
  if (plan->a_in_registers)
    read_fragments(p, &g->a);
  else
    wgmma_read_matrix(b, &of_a, plan->a_negated, &g->a);
  wgmma_read_matrix(b, &of_b, plan->b_negated, &g->b);
  if (plan->sum_type == MMA_F32 && !plan->sparse.is_sparse) {
    tensor_look_for_whole(&g->a, WGMMA_ROWS, plan->a_type);
    tensor_look_for_whole(&g->b, plan->columns, plan->b_type);
  }
  for (uint32_t block = 0; block < plan->columns / TENSOR_LANES; block++) {
    for (uint32_t row = 0; row < WGMMA_ROWS; row++) {
      const struct sum_place place = place_of_sums(p, row, block);
      uint32_t c[TENSOR_LANES] = {0};
      if (p->accumulates) load_sums(&place, half, c);
      multiply_row(g, p, &sums, row, block, c);
      store_sums(&place, half, c);
    }
  }
}

static struct product *product_numbered(struct warpgroup *g, uint64_t n) {
  return &g->pending[n % MOST_PENDING];
}

// ---- issue ------------------------------------------------------------------------------------------------

static void check_tiles(struct warp *w, const struct op *op, const struct product *p) {
  const struct wgmma_plan *plan = op->extra;
  const struct wgmma_matrix a = wgmma_matrix_a(plan, p->a), b = wgmma_matrix_b(plan, p->b);
  if (!plan->a_in_registers && !(tiles_read(w, op, &a, "A") && wgmma_check_place(w, op, &a, "A"))) return;
  if (tiles_read(w, op, &b, "B")) wgmma_check_place(w, op, &b, "B");
}

// Of the four tensor cores, each with its warp's rows: a column takes half a cycle, whatever the type, since
// A is 32 bytes deep in all products. They can't be faster than shared memory hands them the factors.
static uint32_t cycles_of(const struct wgmma_plan *plan) {
  enum { DEPTH_BYTES = 32, SHARED_BYTES_A_CYCLE = 128 };
  const uint32_t lines =
      plan->columns * (plan->sparse.is_sparse ? 2 : 1) + (plan->a_in_registers ? 0 : WGMMA_ROWS);
  const uint32_t shared = lines * DEPTH_BYTES / SHARED_BYTES_A_CYCLE, products = plan->columns / 2;
  return shared > products ? shared : products;
}

static void take_metadata(struct warp *w, const struct op *op, struct product *p) {
  const struct wgmma_plan *plan = op->extra;
  const uint32_t warp = w->index % WARPGROUP_WARPS;
  memcpy(p->metadata[warp], warp_register32(w, plan->sparse.metadata), sizeof p->metadata[warp]);
  if (w->launch->check) sparse_check(w, op, &plan->sparse, plan->a_type, plan->depth);
}

// The warp comes to its next product, p, which it may be the first to begin. False: the launch ends.
static bool arrive(struct warp *w, const struct op *op, struct warpgroup *g, struct product *p) {
  const struct wgmma_plan *plan = op->extra;
  const uint32_t warp = w->index % WARPGROUP_WARPS;
  const struct wgmma_issue mine = {.op = op,
                                   .a = plan->a_in_registers ? 0 : warp_register64(w, plan->a_descriptor)[0],
                                   .b = warp_register64(w, plan->b_descriptor)[0]};
  if (g->came[warp]++ == g->issued) {
    g->issued++;
    *p = (struct product){.op = op,
                          .a = mine.a,
                          .b = mine.b,
                          .first = warp,
                          .group = g->commits[warp],
                          .accumulates = *warp_predicate(w, op->b) & 1};
  } else if (w->launch->products) {
    const struct wgmma_issue first = {.op = p->op, .a = p->a, .b = p->b};
    wgmma_check_same(w, &mine, &first, w->index - warp + p->first);
  }
  return !w->launch->products || wgmma_check_whole(w, op, p->arrived);
}

static void multiply(struct warp *w, const struct op *op, uint32_t lanes) {
  const struct wgmma_plan *plan = op->extra;
  struct warpgroup *g = warpgroup_of(w);
  const uint32_t warp = w->index % WARPGROUP_WARPS;
  if (!matrix_whole_warp(w, op, lanes)) return;
  if (g->came[warp] - g->done == MOST_PENDING) { // computes the oldest one, or waits for who is behind
    if (product_numbered(g, g->done)->arrived != ALL_WARPS) return warp_wait(w, WAIT_WARPGROUP, g->done, 0);
    compute(w->block, g, product_numbered(g, g->done));
    g->done++;
  }
  struct product *p = product_numbered(g, g->came[warp]);
  const bool begins = g->came[warp] == g->issued && g->done == g->issued; // none is pending
  if (!arrive(w, op, g, p)) return;
  if (begins && p->accumulates && w->launch->products) wgmma_check_set(w, op);
  if (w->launch->products) wgmma_registers_issue(w, op, g->commits[warp]);
  if (w->launch->time) time_product(w, cycles_of(plan), op);
  p->arrived |= 1u << warp;
  p->registers[warp] = w->registers;
  if (plan->sparse.is_sparse) take_metadata(w, op, p);
  if (p->arrived != ALL_WARPS) return;
  w->block->cluster->events++;
  w->block->cluster->observed.wgmma_products += (uint64_t)WGMMA_ROWS * plan->columns * wgmma_depth_of_a(plan);
  if (w->launch->products) check_tiles(w, op, p);
}

void wgmma_multiply(struct warp *w, const struct op *op) {
  collective_meeting(w, op, multiply);
}

void wgmma_move_sum(struct warp *w, const struct op *op) {
  struct warpgroup *g = w->block->warpgroups ? warpgroup_of(w) : NULL;
  for (; g && g->done < g->came[w->index % WARPGROUP_WARPS]; g->done++) {
    const struct product *p = product_numbered(g, g->done);
    if (p->arrived != ALL_WARPS) return warp_wait(w, WAIT_WARPGROUP, g->done, 0);
    compute(w->block, g, p);
  }
  warp_move32(w, op);
}

static bool adds_to_any(const struct product *p, const struct wgmma_moved *moved) {
  const struct wgmma_plan *plan = p->op->extra;
  bool found = false;
  for (uint32_t i = 0; i < wgmma_sum_registers(plan); i++)
    for (uint32_t k = 0; k < moved->count; k++)
      found = found || plan->d[i] == moved->sums[k];
  return found;
}

void wgmma_run_moved(struct warp *w, const struct op *op) {
  const struct wgmma_moved *moved = op->extra;
  struct warpgroup *g = w->block->warpgroups ? warpgroup_of(w) : NULL;
  uint64_t end = g ? g->came[w->index % WARPGROUP_WARPS] : 0;
  while (g && end > g->done && !adds_to_any(product_numbered(g, end - 1), moved))
    end--;
  for (; g && g->done < end; g->done++) {
    const struct product *p = product_numbered(g, g->done);
    if (p->arrived != ALL_WARPS) return warp_wait(w, WAIT_WARPGROUP, g->done, 0);
    compute(w->block, g, p);
  }
  moved->op.execute(w, &moved->op);
}

void wgmma_end(struct block *b) {
  if (!b->warpgroups || !b->launch->products) return;
  for (uint32_t i = 0; i < b->warp_count; i += WARPGROUP_WARPS) {
    struct warpgroup *g = &b->warpgroups[i / WARPGROUP_WARPS];
    for (; g->done < g->issued; g->done++) {
      const struct product *p = product_numbered(g, g->done);
      if (p->arrived == ALL_WARPS) continue;
      wgmma_report_missing(&b->warps[i + p->first], p->op, p->arrived);
      break;
    }
    const struct product *last = g->issued ? product_numbered(g, g->issued - 1) : NULL;
    if (last && last->group == g->commits[last->first])
      wgmma_report_uncommitted(&b->warps[i + last->first], last->op);
  }
}

uint64_t wgmma_closed_groups(const struct warp *w) {
  const struct warpgroup *g = &w->block->warpgroups[w->index / WARPGROUP_WARPS];
  return g->commits[w->index % WARPGROUP_WARPS];
}

int wgmma_missing(const struct block *b, uint32_t warp, uint64_t product) {
  const struct warpgroup *g = &b->warpgroups[warp / WARPGROUP_WARPS];
  for (uint32_t i = 0; i < WARPGROUP_WARPS; i++)
    if (g->came[i] <= product) return (int)(warp / WARPGROUP_WARPS * WARPGROUP_WARPS + i);
  return -1;
}

// ---- groups -----------------------------------------------------------------------------------------------

static void fence(struct warp *w, const struct op *op, uint32_t lanes) {
  if (matrix_whole_warp(w, op, lanes) && w->launch->products) wgmma_registers_fence(w);
}

// The lanes come together, but PTX promises nothing of what they have read and written: 9.7.15.7.1.
void wgmma_fence(struct warp *w, const struct op *op) {
  collective_gather(w, op, fence);
}

// Marks what the products of the group read. Returns the first one's op; NULL: there is none.
static const struct op *mark_group(struct warpgroup *g, uint64_t group) {
  const struct op *first = NULL;
  for (uint64_t n = g->issued > MOST_PENDING ? g->issued - MOST_PENDING : 0; n < g->issued; n++) {
    const struct product *p = product_numbered(g, n);
    if (p->group != group) continue;
    if (!first) first = p->op;
    const struct wgmma_plan *plan = p->op->extra;
    const struct wgmma_matrix a = wgmma_matrix_a(plan, p->a), b = wgmma_matrix_b(plan, p->b);
    if (!plan->a_in_registers) wgmma_mark_matrix(&a, true, g->read, MOST_CHUNKS);
    wgmma_mark_matrix(&b, false, g->read, MOST_CHUNKS);
  }
  return first;
}

static void visit_group(struct warp *w, struct warpgroup *g, uint64_t group, order_products *visit) {
  const struct op *op = mark_group(g, group);
  if (!op) return;
  for (uint32_t first = 0, end; first<MOST_CHUNKS; first = end> first ? end : first + 1) {
    const uint8_t warps = g->read[first];
    for (end = first; end < MOST_CHUNKS && warps && g->read[end] == warps; end++)
      g->read[end] = 0;
    if (end > first)
      visit(w, op, SHARED_FIRST_OFFSET + first * CHUNK_BYTES, (end - first) * CHUNK_BYTES,
            (uint32_t)group + 1, warps);
  }
}

// Judges the groups before `end` that all warps have come to.
static void judge_groups(struct warp *w, struct warpgroup *g, uint64_t end) {
  for (; w->launch->check && g->judged < end; g->judged++)
    visit_group(w, g, g->judged, order_products_check);
}

static uint64_t committed_by_all(const struct warpgroup *g) {
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < WARPGROUP_WARPS; i++)
    if (g->commits[i] < least) least = g->commits[i];
  return least;
}

static void commit(struct warp *w, const struct op *op, uint32_t lanes) {
  if (!matrix_whole_warp(w, op, lanes)) return;
  struct warpgroup *g = warpgroup_of(w);
  const uint64_t group = g->commits[w->index % WARPGROUP_WARPS]++;
  if (w->launch->check) order_products_commit(w, (uint32_t)group + 1);
  if (w->launch->check && g->noted == group) {
    g->noted++;
    visit_group(w, g, group, order_products_read);
  }
  judge_groups(w, g, committed_by_all(g));
}

void wgmma_commit(struct warp *w, const struct op *op) {
  collective_meeting(w, op, commit);
}

// How many products this warp has begun in groups before `end`.
static uint64_t products_before(struct warpgroup *g, uint32_t warp, uint64_t end) {
  uint64_t n = g->came[warp];
  const uint64_t oldest = n > MOST_PENDING ? n - MOST_PENDING : 0;
  while (n > oldest && product_numbered(g, n - 1)->group >= end)
    n--;
  return n;
}

static void wait(struct warp *w, const struct op *op, uint32_t lanes) {
  if (!matrix_whole_warp(w, op, lanes)) return;
  struct warpgroup *g = warpgroup_of(w);
  const uint64_t commits = g->commits[w->index % WARPGROUP_WARPS], newest = (uint64_t)op->immediate;
  const uint64_t end = commits > newest ? commits - newest : 0;
  for (; g->done < g->issued && product_numbered(g, g->done)->group < end; g->done++) {
    const struct product *p = product_numbered(g, g->done);
    if (p->arrived != ALL_WARPS) return warp_wait(w, WAIT_WARPGROUP, g->done, 0);
    compute(w->block, g, p);
  }
  judge_groups(w, g, end); // before anybody is told that the tiles are free
  if (w->launch->products) wgmma_registers_wait(w, end, &(struct wgmma_wait){op, commits, (uint32_t)newest});
  if (w->launch->time) time_await_product(w, products_before(g, w->index % WARPGROUP_WARPS, end), op);
  if (w->launch->check) {
    const struct product_wait wait = {op, (uint32_t)commits, (uint32_t)newest};
    order_products_wait(w, (uint32_t)end, &wait);
  }
}

void wgmma_wait(struct warp *w, const struct op *op) {
  collective_meeting(w, op, wait);
}
