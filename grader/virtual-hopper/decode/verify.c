// In: the finished ops of a function. Out: nothing. When the decoder has made an invalid op, the process ends
// and names the instruction and its line. The idea: an executor trusts its op, so everything that the op can
// touch is checked once, here. Every operand has a place in the frame that is at least as wide as the access.
// Every slot of a call lies in the call area. Every branch stays in the function.
#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/footprint.h"
#include "virtual-hopper/execute/memory.h"

struct check {
  const struct decoder *d;
  const struct op *op;
};

_Noreturn static void broken(const struct check *c, const char *what, uint64_t value) {
  const struct ptx_instruction *in = c->op->source;
  die("decoding `%s` (line %u of the PTX) broke a promise: %s (%llu)", in ? in->text : c->d->source->name,
      in ? in->ptx_line : c->d->source->line, what, (unsigned long long)value);
}

// Returns the size of the place that begins at `offset`; 0: no place begins there.
static uint32_t place_bytes(const struct decoder *d, uint32_t offset) {
  uint32_t low = 0, high = d->place_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (d->places[middle].offset < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < d->place_count && d->places[low].offset == offset ? d->places[low].bytes : 0;
}

static void check_place(void *context, uint32_t place, uint32_t lane_bytes) {
  const struct check *c = context;
  uint32_t bytes = place_bytes(c->d, place), wanted = lane_bytes ? lane_bytes * WARP_LANES : 4;
  if (!bytes) broken(c, "an operand has no place in the frame", place);
  if (bytes < wanted) broken(c, "the place of an operand is narrower than the access", lane_bytes);
}

static void check_slot(const struct check *c, uint64_t offset, uint64_t bytes) {
  if (!checked_inside((int64_t)offset, bytes, c->d->function->call_area_bytes))
    broken(c, "a parameter lies outside the area of calls", offset);
}

static void check_target(const struct check *c, uint32_t target) {
  if (target >= c->d->op_count) broken(c, "a branch leaves the function", target);
}

static void check_flow(const struct check *c) {
  const struct op *op = c->op;
  if (op->execute == flow_branch) check_target(c, op->target);
  bool plain = op->execute == memory_load || op->execute == memory_store;
  const struct access_plan *plan = op->extra;
  if (plain && plan->is_call_slot) check_slot(c, (uint64_t)op->immediate, plan->bytes);
  if (op->execute != flow_call) return;
  const struct call_site *site = op->extra;
  for (uint32_t i = 0; i < site->argument_count; i++)
    check_slot(c, site->arguments[i].offset, site->arguments[i].bytes);
  for (uint32_t i = 0; i < site->result_count; i++)
    check_slot(c, site->results[i].offset, site->results[i].bytes);
}

// Many branches may share a table, so each table is checked once.
static void check_tables(const struct decoder *d) {
  const struct ptx_function *f = d->source;
  for (uint32_t t = 0; t < f->target_count; t++)
    for (uint32_t i = 0; d->table_targets[t] && i < f->targets[t].count; i++)
      if (d->table_targets[t][i] >= d->op_count)
        die("decoding `%s` (line %u of the PTX) broke a promise: a table of branch targets leads out of it",
            f->name, f->line);
}

void decode_verify(const struct decoder *d) {
  check_tables(d);
  for (uint32_t i = 0; i < d->op_count; i++) {
    struct check c = {d, &d->ops[i]};
    if (!footprint_visit_op(&d->program->executors, c.op, check_place, &c))
      broken(&c, "no footprint is known of its executor", i);
    check_flow(&c);
  }
}
