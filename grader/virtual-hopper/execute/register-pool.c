// The register pool of a block. In: setmaxnreg of its warps. Out: waits, faults. One idea: counts alone. A
// frame is always as large as its function needs, but a warp that asks for more registers than are free
// waits, as it does on the chip, where it may wait for ever.
#include "virtual-hopper/execute/register-pool.h"

#include <stdio.h>

#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/matrix.h"
#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/machine/machine.h"

static uint32_t held(const struct warp *w) {
  return w->pool_op ? w->pool_registers : w->launch->pool_registers;
}

// A warp that has ended keeps what it held: an H100 hangs where others wait for it.
uint32_t register_pool_free(const struct block *b) {
  const uint32_t all = b->warp_count * b->launch->pool_registers;
  uint32_t taken = 0;
  for (uint32_t i = 0; i < b->warp_count; i++)
    taken += held(&b->warps[i]);
  return all > taken ? all - taken : 0;
}

// inc to fewer registers than the warp has, or dec to more.
static void report_direction(struct warp *w, const struct op *op) {
  const bool more = op->kind == REGISTER_POOL_INC;
  const uint32_t asked = (uint32_t)op->immediate;
  struct fault f = {.rule = RULE_REGISTER_POOL, .severity = FAULT_ERROR};
  snprintf(f.role, sizeof f.role, "executes this with %u registers", held(w));
  snprintf(
      f.message, sizeof f.message,
      "setmaxnreg.%s goes %s to %u registers, but each thread of warp %u has %u here%s. What happens then "
      "is undefined.",
      more ? "inc" : "dec", more ? "up" : "down", asked, w->index, held(w),
      w->pool_op ? "" : ", as many as the kernel began with");
  snprintf(f.remedy, sizeof f.remedy, "Call setmaxnreg.%s for %u registers; or give this warpgroup %s.",
           more ? "dec" : "inc", asked, more ? "more" : "fewer");
  if (w->pool_op) {
    snprintf(f.related[0].role, sizeof f.related[0].role, "has set them to %u here", held(w));
    machine_place(&f.related[0].place, w->block, w->pool_op, warp_thread(w, 0));
    f.related_count = 1;
  }
  warp_fault(w, op, 0, &f);
}

static void set(struct warp *w, const struct op *op, uint32_t lanes) {
  const uint32_t asked = (uint32_t)op->immediate, has = held(w);
  if (!matrix_whole_warp(w, op, lanes) || !w->launch->pool_registers) return;
  const bool wrong = op->kind == REGISTER_POOL_INC ? asked < has : asked > has;
  if (wrong && w->launch->check) report_direction(w, op);
  if (!wrong && asked > has && asked - has > register_pool_free(w->block))
    return warp_wait(w, WAIT_REGISTERS, asked, 0);
  w->pool_registers = asked;
  w->pool_op = op;
  w->pool_changes++;
  w->block->cluster->events++; // others may wait for what is free now
}

void register_pool_set(struct warp *w, const struct op *op) {
  collective_meeting(w, op, set);
}

// `other` is a warp of the same warpgroup that did not do what w did.
static void report_alone(struct warp *w, const struct warp *other) {
  struct fault f = {.rule = RULE_REGISTER_POOL, .severity = FAULT_ERROR};
  snprintf(f.role, sizeof f.role, "executes this, as do the other threads of warp %u", w->index);
  if (other->pool_changes < w->pool_changes)
    snprintf(f.message, sizeof f.message,
             "Warp %u executes setmaxnreg %u time%s, and warp %u of the same warpgroup %u time%s. All four "
             "warps of a warpgroup must execute the same setmaxnreg; what happens else is undefined.",
             w->index, w->pool_changes, w->pool_changes == 1 ? "" : "s", other->index, other->pool_changes,
             other->pool_changes == 1 ? "" : "s");
  else
    snprintf(f.message, sizeof f.message,
             "Warp %u has %u registers at its end, and warp %u of the same warpgroup %u. All four warps of a "
             "warpgroup must execute the same setmaxnreg; what happens else is undefined.",
             w->index, held(w), other->index, held(other));
  snprintf(f.remedy, sizeof f.remedy,
           "Put setmaxnreg where all 128 threads of the warpgroup come by, before the branch that picks one "
           "of its warps.");
  warp_fault(w, w->pool_op, 0, &f);
}

// Reports the first warp of a warpgroup that differs from the one that has changed its registers most often.
// `stuck`: somebody waits for registers, so only warps count that have ended and changed theirs less often.
static bool judge_group(struct block *b, uint32_t first, bool stuck) {
  struct warp *most = &b->warps[first];
  for (uint32_t i = 1; i < WARPGROUP_WARPS; i++)
    if (b->warps[first + i].pool_changes > most->pool_changes) most = &b->warps[first + i];
  for (uint32_t i = 0; i < WARPGROUP_WARPS; i++) {
    const struct warp *other = &b->warps[first + i];
    if (other->pool_changes == most->pool_changes && (stuck || held(other) == held(most))) continue;
    if (stuck && other->alive) continue;
    report_alone(most, other);
    return true;
  }
  return false;
}

static bool judge_groups(struct block *b, bool stuck) {
  bool found = false;
  if (!b->launch->pool_registers || !b->launch->check) return false;
  for (uint32_t first = 0; first + WARPGROUP_WARPS <= b->warp_count; first += WARPGROUP_WARPS)
    found |= judge_group(b, first, stuck);
  return found;
}

void register_pool_end(struct block *b) {
  judge_groups(b, false);
}

bool register_pool_explains(struct block *b) {
  return judge_groups(b, true);
}
