// In: products as the warps of a warpgroup issue them. Out: faults. One idea: what each of the four warps
// brings along is compared with what the first one brought.
#include "virtual-hopper/execute/wgmma-check.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/machine/machine.h"
#include "virtual-hopper/rules/fault-causes.h"

// ---- the same for all four --------------------------------------------------------------------------------

static bool same_product(const struct wgmma_plan *a, const struct wgmma_plan *b) {
  return a->columns == b->columns && a->depth == b->depth && a->a_type == b->a_type &&
         a->b_type == b->b_type && a->sum_type == b->sum_type && a->a_in_registers == b->a_in_registers &&
         a->a_transposed == b->a_transposed && a->b_transposed == b->b_transposed &&
         a->a_negated == b->a_negated && a->b_negated == b->b_negated && a->saturates == b->saturates &&
         a->sparse.is_sparse == b->sparse.is_sparse && a->sparse.selector == b->sparse.selector;
}

void wgmma_check_same(struct warp *w, const struct wgmma_issue *mine, const struct wgmma_issue *first,
                      uint32_t first_warp) {
  const struct wgmma_plan *plan = mine->op->extra;
  const bool same = same_product(plan, first->op->extra);
  const bool a_differs = !plan->a_in_registers && mine->a != first->a, b_differs = mine->b != first->b;
  if (same && !a_differs && !b_differs) return;
  struct fault f = {.rule = RULE_WGMMA_WARPGROUP, .severity = FAULT_ERROR, .related_count = 1};
  snprintf(f.role, sizeof f.role, "multiplies, as do the other threads of warp %u", w->index);
  if (!same)
    snprintf(f.message, sizeof f.message,
             "Warps %u and %u of one warpgroup multiply together, but execute different products here. All "
             "four warps must execute the same wgmma.mma_async; what happens else is undefined.",
             first_warp, w->index);
  else
    snprintf(f.message, sizeof f.message,
             "The four warps of a warpgroup make one product, so they need the same descriptors. For %s "
             "warp %u gives 0x%llx and warp %u 0x%llx.",
             a_differs ? "A" : "B", first_warp, (unsigned long long)(a_differs ? first->a : first->b),
             w->index, (unsigned long long)(a_differs ? mine->a : mine->b));
  if (same)
    snprintf(f.remedy, sizeof f.remedy,
             "Compute descriptors from what all 128 threads have in common, the warpgroup's number for "
             "example: each warp finds its 16 rows of A by itself.");
  machine_place(&f.related[0].place, w->block, first->op,
                w->index / WARPGROUP_WARPS * WARPGROUP_WARPS * WARP_LANES +
                    first_warp % WARPGROUP_WARPS * WARP_LANES);
  snprintf(f.related[0].role, sizeof f.related[0].role, "has begun the product");
  warp_fault(w, mine->op, 0, &f);
}

// ---- all four come ----------------------------------------------------------------------------------------

void wgmma_missing_words(struct fault *f, uint32_t warp, enum wgmma_absence absence) {
  static const char *const instead[] = {
      [WGMMA_ENDED_BEFORE] = "has ended before",
      [WGMMA_NO_SUCH_WARP] = "doesn't exist: the block is too small",
      [WGMMA_NEVER_COMES] = "never comes to it",
      [WGMMA_ENDED_WITHOUT] = "has ended without it",
      [WGMMA_AT_BARRIER] = "waits at a barrier of the block instead",
      [WGMMA_AWAITS_IT] = "waits for it without having come to it",
  };
  f->rule = RULE_WGMMA_WARPGROUP;
  snprintf(f->role, sizeof f->role, "waits for a product of its warpgroup");
  snprintf(f->message, sizeof f->message,
           "A product takes all four warps of a warpgroup, warps %u to %u here, but warp %u %s. What happens "
           "then is undefined.",
           warp / WARPGROUP_WARPS * WARPGROUP_WARPS, warp / WARPGROUP_WARPS * WARPGROUP_WARPS + 3, warp,
           instead[absence]);
  snprintf(f->remedy, sizeof f->remedy,
           "Let all 128 threads of the warpgroup execute wgmma.mma_async; give branches conditions that "
           "don't depend on the warp.");
}

static void report(struct warp *w, const struct op *op, uint32_t missing, int device_error,
                   enum wgmma_absence absence) {
  struct fault f = {.severity = device_error ? FAULT_FATAL : FAULT_ERROR, .device_error = device_error};
  wgmma_missing_words(&f, missing, absence);
  snprintf(f.role, sizeof f.role, "multiplies, as do the other threads of warp %u", w->index);
  warp_fault(w, op, 0, &f);
}

bool wgmma_check_whole(struct warp *w, const struct op *op, uint32_t came) {
  const struct block *b = w->block;
  const uint32_t first = w->index / WARPGROUP_WARPS * WARPGROUP_WARPS;
  for (uint32_t i = 0; i < WARPGROUP_WARPS; i++) {
    if (came >> i & 1 || first + i == w->index) continue;
    const bool exists = first + i < b->warp_count;
    if (exists && b->warps[first + i].alive) continue;
    report(w, op, first + i, ERROR_ILLEGAL_INSTRUCTION, exists ? WGMMA_ENDED_BEFORE : WGMMA_NO_SUCH_WARP);
    return false;
  }
  return true;
}

void wgmma_report_missing(struct warp *w, const struct op *op, uint32_t came) {
  const uint32_t first = w->index / WARPGROUP_WARPS * WARPGROUP_WARPS;
  for (uint32_t i = 0; i < WARPGROUP_WARPS; i++) {
    if (came >> i & 1) continue;
    report(w, op, first + i, 0, WGMMA_NEVER_COMES);
    return;
  }
}

void wgmma_report_uncommitted(struct warp *w, const struct op *op) {
  struct fault f = {.rule = RULE_REGISTER_IN_FLIGHT, .severity = FAULT_ERROR};
  snprintf(f.role, sizeof f.role, "multiplies, as do the other threads of warp %u", w->index);
  snprintf(f.message, sizeof f.message,
           "The block has ended, and this product belongs to no group: no wgmma.wait_group has waited for "
           "it. Whatever was read of its accumulators may be the sum, or a part of it, or what was there "
           "before.");
  snprintf(f.remedy, sizeof f.remedy,
           "Call wgmma.commit_group after the last wgmma.mma_async, and before the wait.");
  f.cause = fault_cause(SUBJECT_GROUP, "", 0);
  f.names_culprit = true;
  warp_fault(w, op, 0, &f);
}

// ---- where the matrices lie -------------------------------------------------------------------------------

// Types of 16 bits may lie the other way round, and the instruction says so: a likely mistake.
static const char *direction(const struct wgmma_matrix *m, bool is_a) {
  static const char *const says[2][2] = {
      {" The instruction takes B's lines along K (imm-trans-b 0). If the tile's lines run along N, it is 1.",
       " The instruction takes B's lines along N (imm-trans-b 1). If the tile's lines run along K, it is 0."},
      {" The instruction takes A's lines along K (imm-trans-a 0). If the tile's lines run along M, it is 1.",
       " The instruction takes A's lines along M (imm-trans-a 1). If the tile's lines run along K, it is "
       "0."}};
  return mma_element_bits(m->type) == 16 ? says[is_a][m->transposed] : "";
}

bool wgmma_check_place(struct warp *w, const struct op *op, const struct wgmma_matrix *m, const char *name) {
  const uint32_t most = w->launch->shared_bytes, bytes = 16;
  const uint32_t in_chunk = bytes * 8 / mma_element_bits(m->type);
  const uint32_t line_step = m->transposed ? in_chunk : 1, k_step = m->transposed ? 1 : in_chunk;
  for (uint32_t line = 0; line < m->lines; line += line_step) {
    for (uint32_t k = 0; k < m->depth; k += k_step) {
      const uint32_t address = wgmma_chunk_address(m, line, k);
      if (address >= SHARED_FIRST_OFFSET && address - SHARED_FIRST_OFFSET + bytes <= most) continue;
      struct fault f = {.rule = RULE_WGMMA_DESCRIPTOR, .severity = FAULT_ERROR};
      snprintf(f.role, sizeof f.role, "reads %s, which begins at shared address 0x%x", name, m->at.start);
      snprintf(f.message, sizeof f.message,
               "By its descriptor %s reaches beyond the block's shared memory: %s %u, from element %u along "
               "K on, would lie at shared address 0x%x, and the memory ends at 0x%x. The descriptor says: "
               "leading offset %u bytes, stride offset %u bytes.%s",
               name, *name == 'A' ? "row" : "column", line, k, address, SHARED_FIRST_OFFSET + most,
               m->at.leading, m->at.stride, direction(m, *name == 'A'));
      warp_fault_each(w, op, &f);
      return false;
    }
  }
  return true;
}

// All sums of all lanes hold what a fresh frame does: so no single number that happens to be that one is
// taken for it.
static bool are_never_set(const struct warp *w, const struct wgmma_plan *plan) {
  for (uint32_t i = 0; i < wgmma_sum_registers(plan); i++) {
    const uint8_t *bytes = (const uint8_t *)warp_register32(w, plan->d[i]);
    for (uint32_t k = 0; k < WARP_LANES * sizeof(uint32_t); k++)
      if (bytes[k] != REGISTER_UNWRITTEN_BYTE) return false;
  }
  return true;
}

void wgmma_check_set(struct warp *w, const struct op *op) {
  if (!are_never_set(w, op->extra)) return;
  struct fault f = {.rule = RULE_UNWRITTEN_READ,
                    .severity = FAULT_ERROR,
                    .role = "adds a product to sums that nobody has set"};
  snprintf(f.message, sizeof f.message,
           "The sums are %u registers of each thread. Nothing has been written to them so far, and this "
           "adds to what they hold (scale-d is 1): that is whatever was there before.",
           wgmma_sum_registers(op->extra));
  snprintf(
      f.remedy, sizeof f.remedy,
      "Let the first product of each tile set the sums, scale-d 0, and all others add to them; or set every "
      "sum to zero before it, and then call wgmma_fence().");
  warp_fault(w, op, 0, &f);
}
