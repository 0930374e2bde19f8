// In: an op. Out: the places in the frame that its executor reads or writes, with their widths. One idea:
// most executors use the op's fields d, a, b, c, target and immediate; a short text describes these. A few
// keep lists of places in op->extra. Arithmetic is described by its tables (footprint-arithmetic.c).
#include <pthread.h>
#include <string.h>

#include "virtual-hopper/execute/atomic.h"
#include "virtual-hopper/execute/barrier.h"
#include "virtual-hopper/execute/child.h"
#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/compare.h"
#include "virtual-hopper/execute/convert.h"
#include "virtual-hopper/execute/cp-async.h"
#include "virtual-hopper/execute/discard.h"
#include "virtual-hopper/execute/fence.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/footprint-visitor.h"
#include "virtual-hopper/execute/logic.h"
#include "virtual-hopper/execute/matrix.h"
#include "virtual-hopper/execute/mbarrier.h"
#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/execute/register-pool.h"
#include "virtual-hopper/execute/special.h"
#include "virtual-hopper/execute/system.h"
#include "virtual-hopper/execute/tensor.h"
#include "virtual-hopper/execute/tensormap.h"
#include "virtual-hopper/execute/texture.h"
#include "virtual-hopper/execute/video.h"
#include "virtual-hopper/execute/wgmma.h"
#include "virtual-hopper/execute/wmma.h"

static void needs_address(const struct footprint_visitor *v, const struct async_address *a) {
  needs(v, a->base, a->narrow ? 4 : 8);
}
// ---- executors that keep places in op->extra --------------------------------------------------------------

static void visit_access(const struct footprint_visitor *v, const struct op *op,
                         const struct access_plan *plan, uint32_t count) {
  for (uint32_t n = 0; n < count; n++)
    may_use(v, plan->registers[n], plan->storage);
  if (!plan->is_call_slot) needs(v, op->a, plan->narrow ? 4 : 8);
}

static void visit_load(const struct footprint_visitor *v, const struct op *op) {
  const struct access_plan *plan = op->extra;
  for (uint32_t i = 0; i < plan->condition_count; i++)
    needs(v, plan->conditions[i].predicate, 0);
  visit_access(v, op, plan, op->count);
}

static void visit_load_parameter(const struct footprint_visitor *v, const struct op *op) {
  const struct access_plan *plan = op->extra;
  for (uint32_t n = 0; n < op->count; n++)
    may_use(v, plan->registers[n], plan->storage);
}

static void visit_store(const struct footprint_visitor *v, const struct op *op) {
  const struct access_plan *plan = op->extra;
  for (uint32_t n = 0; n < op->count; n++)
    needs(v, plan->registers[n], plan->storage);
  visit_access(v, op, plan, 0);
}

static void visit_atomic(const struct footprint_visitor *v, const struct op *op) {
  const struct atomic_plan *plan = op->extra;
  visit_access(v, op, &plan->access, 0);
  for (uint32_t n = 0; n < op->count; n++) {
    needs(v, plan->access.registers[n], plan->access.storage);
    if (plan->has_result) may_use(v, plan->destinations[n], plan->access.storage);
  }
  if (plan->operation == ATOMIC_COMPARE_AND_SWAP) needs(v, plan->swap, plan->access.storage);
}

static void visit_rows(const struct footprint_visitor *v, const struct op *op) {
  const struct matrix_plan *plan = op->extra;
  visit_access(v, op, &plan->rows, 0);
  for (uint32_t m = 0; m < plan->count; m++) {
    if (op->execute == matrix_load)
      may_use(v, plan->rows.registers[m], 4);
    else
      needs(v, plan->rows.registers[m], 4);
  }
  needs(v, op->target, 4);
}

static void visit_mma(const struct footprint_visitor *v, const struct op *op) {
  const struct mma_plan *plan = op->extra;
  const uint32_t bits = mma_element_bits(plan->a_type), in_register = bits >= 32 ? 1 : 32 / bits;
  const uint32_t width = plan->a_type == MMA_F64 ? 8 : 4, sum_width = plan->sum_type == MMA_F64 ? 8 : 4;
  const uint32_t steps = plan->depth / (4 * in_register), halves = plan->rows / MMA_COLUMNS;
  const uint32_t sums = plan->sum_type == MMA_F16 ? halves : 2 * halves;
  for (uint32_t i = 0; i < (plan->sparse.is_sparse ? steps / 2 : steps) * halves; i++)
    needs(v, plan->a[i], width);
  if (plan->sparse.is_sparse) needs(v, plan->sparse.metadata, 4);
  for (uint32_t i = 0; i < steps; i++)
    needs(v, plan->b[i], width);
  for (uint32_t i = 0; i < sums; i++) {
    needs(v, plan->c[i], sum_width);
    may_use(v, plan->d[i], sum_width);
  }
  needs(v, op->target, 4);
}

static void visit_wmma_address(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->a, ((const struct wmma_element *)op->extra)->narrow ? 4 : 8);
}

static void visit_wmma(const struct footprint_visitor *v, const struct op *op) {
  const struct wmma_plan *plan = op->extra;
  const uint32_t width = plan->sum_type == MMA_F64 ? 8 : 4;
  for (uint32_t i = 0; i < plan->a_count; i++)
    needs(v, plan->a[i], width);
  for (uint32_t i = 0; i < plan->b_count; i++)
    needs(v, plan->b[i], width);
  for (uint32_t i = 0; i < plan->c_count; i++)
    needs(v, plan->c[i], width);
  for (uint32_t i = 0; i < plan->sum_count; i++)
    may_use(v, plan->d[i], width);
}

static void visit_wgmma(const struct footprint_visitor *v, const struct op *op) {
  const struct wgmma_plan *plan = op->extra;
  for (uint32_t i = 0; i < wgmma_sum_registers(plan); i++)
    needs(v, plan->d[i], 4);
  for (uint32_t i = 0; plan->a_in_registers && i < WGMMA_A_REGISTERS; i++)
    needs(v, plan->a[i], 4);
  if (plan->sparse.is_sparse) needs(v, plan->sparse.metadata, 4);
  if (!plan->a_in_registers) needs(v, plan->a_descriptor, 8);
  needs(v, plan->b_descriptor, 8);
}

static void visit_texture(const struct footprint_visitor *v, const struct op *op) {
  const struct texture_plan *plan = op->extra;
  needs(v, plan->object.base, plan->object.narrow ? 4 : 8);
  if (plan->layered) needs(v, plan->layer, 4);
  for (uint32_t i = 0; i < texture_coordinates(plan); i++)
    needs(v, plan->coordinates[i], 4);
  for (uint32_t i = 0; i < TEXTURE_ELEMENTS; i++)
    may_use(v, plan->d[i], 4);
}

static void visit_surface(const struct footprint_visitor *v, const struct op *op) {
  const struct surface_plan *plan = op->extra;
  needs(v, plan->object.base, plan->object.narrow ? 4 : 8);
  if (plan->layered) needs(v, plan->layer, 4);
  for (uint32_t i = 0; i < plan->axes; i++)
    needs(v, plan->coordinates[i], 4);
  for (uint32_t i = 0; i < plan->count; i++)
    may_use(v, plan->elements[i], plan->element_bytes == 8 ? 8 : 4);
}

static void visit_pack(const struct footprint_visitor *v, const struct op *op) {
  const struct move_vector *m = op->extra;
  bool packs = op->execute == warp_pack;
  for (uint32_t n = 0; n < m->count; n++) {
    if (packs)
      needs(v, m->elements[n], storage_of(m->element_bytes));
    else
      may_use(v, m->elements[n], storage_of(m->element_bytes));
  }
  needs(v, packs ? op->d : op->a, storage_of(m->scalar_bytes));
}

static void visit_bulk_copy(const struct footprint_visitor *v, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  needs_address(v, &x->source);
  needs_address(v, &x->destination);
  if (!async_is_to_global(x->kind)) needs_address(v, &x->barrier);
  needs(v, x->size, 4);
  may_use(v, x->mask, 4);
}

static void visit_bulk_prefetch(const struct footprint_visitor *v, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  needs_address(v, &x->source);
  needs(v, x->size, 4);
}

static void visit_bulk_remote(const struct footprint_visitor *v, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  needs_address(v, &x->destination);
  needs_address(v, &x->barrier);
  for (uint32_t i = 0; i < x->value_count; i++)
    needs(v, x->values[i], x->value_bytes);
}

static void visit_tensor(const struct footprint_visitor *v, const struct op *op) {
  const struct tensor_extra *x = op->extra;
  needs_address(v, &x->map);
  for (uint32_t i = 0; i < x->rank; i++)
    needs(v, x->coordinates[i], 4);
  if (op->execute == execute_tensor_prefetch) return;
  needs_address(v, &x->tile);
  if (x->kind == ASYNC_TENSOR_LOAD) needs_address(v, &x->barrier);
  may_use(v, x->mask, 4);
}

static void visit_tensormap(const struct footprint_visitor *v, const struct op *op) {
  const struct tensormap_extra *x = op->extra;
  needs_address(v, &x->map);
  if (op->execute == execute_tensormap_copy_fence) needs_address(v, &x->source);
  if (op->execute == execute_tensormap_replace) needs(v, x->value, x->wide ? 8 : 4);
}

static void visit_mbarrier(const struct footprint_visitor *v, const struct op *op) {
  const struct mbarrier_extra *x = op->extra;
  needs_address(v, &x->address);
  may_use(v, x->count, 4);
  may_use(v, x->expect, 4);
  if (op->execute == execute_mbarrier_arrive) may_use(v, op->d, 8);
  if (op->execute != execute_mbarrier_wait) return;
  needs(v, op->d, 0);
  needs(v, op->b, x->parity ? 4 : 8);
  may_use(v, x->limit, 4);
}

static void visit_cp_async(const struct footprint_visitor *v, const struct op *op) {
  const struct cp_async_extra *x = op->extra;
  if (op->execute == execute_cp_async_arrive) return needs_address(v, &x->barrier);
  needs_address(v, &x->source);
  needs_address(v, &x->destination);
  may_use(v, x->source_bytes, 4);
  may_use(v, x->ignore, 0);
}

static void visit_call(const struct footprint_visitor *v, const struct op *op) {
  const struct call_site *site = op->extra;
  if (site->callee < 0) needs(v, op->a, 8);
}

static void visit_barrier(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->a, 4);
  may_use(v, op->b, 4);
  if (op->kind < BARRIER_RED_POPC) return;
  needs(v, op->c, 0);
  may_use(v, op->d, op->kind == BARRIER_RED_POPC ? 4 : 0);
}

static void visit_fence(const struct footprint_visitor *v, const struct op *op) {
  if (op->kind == FENCE_TENSORMAP_ACQUIRE) needs(v, op->a, 8);
}

static void visit_vote(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->a, 0);
  needs(v, op->target, 4);
  may_use(v, op->d, op->kind == VOTE_BALLOT ? 4 : 0);
}

static void visit_match(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->a, op->width == 8 ? 8 : 4);
  needs(v, op->target, 4);
  may_use(v, op->d, 4);
  if (op->immediate >= 0) needs(v, (uint32_t)op->immediate, 0);
}

static void visit_special(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->d, op->width);
}

static void visit_saturate(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->d, storage_of(ptx_type_size((enum ptx_type)op->flags)));
  needs(v, op->a, storage_of(ptx_type_size((enum ptx_type)op->kind)));
}

static void visit_small(const struct footprint_visitor *v, const struct op *op) {
  needs(v, op->d, 4);
  needs(v, op->a, storage_of(ptx_type_size((enum ptx_type)op->kind)));
}

// ---- the table --------------------------------------------------------------------------------------------

// `places` holds pairs of a field (d, a, b, c, t: target, i: immediate) and a width (p: predicate, 4, 8,
// q: 16). A capital letter means that the place may be absent.
static const struct entry {
  op_execute *execute;
  const char *places;
  void (*visit)(const struct footprint_visitor *v, const struct op *op);
} entries[] = {
    {memory_load, "", visit_load},
    {memory_load_parameter, "", visit_load_parameter},
    {memory_store, "", visit_store},
    {memory_discard, "", visit_store},
    {atomic_run, "", visit_atomic},
    {matrix_load, "", visit_rows},
    {matrix_store, "", visit_rows},
    {matrix_move, "D4a4t4", NULL},
    {wgmma_multiply, "bpt4", visit_wgmma},
    {wgmma_fence, "t4", NULL},
    {wgmma_commit, "t4", NULL},
    {wgmma_wait, "t4", NULL},
    {mma_multiply, "", visit_mma},
    {texture_fetch, "", visit_texture},
    {texture_gather, "", visit_texture},
    {surface_load, "", visit_surface},
    {surface_store, "", visit_surface},
    {wmma_meet, "t4", NULL},
    {wmma_address, "d8b4", visit_wmma_address},
    {wmma_join, "d4a4b4", NULL},
    {wmma_part, "d4a4", NULL},
    {wmma_multiply, "t4", visit_wmma},
    {warp_move32, "d4a4", NULL},
    {wgmma_move_sum, "d4a4", NULL},
    {warp_move64, "d8a8", NULL},
    {warp_move128, "dqaq", NULL},
    {warp_narrow, "d4a8", NULL},
    {warp_widen, "d8a4", NULL},
    {warp_pack_2x16, "d4a4b4", NULL},
    {warp_pack_2x32, "d8a4b4", NULL},
    {warp_unpack_2x16, "d4t4a4", NULL},
    {warp_unpack_2x32, "d4t4a8", NULL},
    {warp_pack, "", visit_pack},
    {warp_unpack, "", visit_pack},
    {warp_add_window, "d8a8", NULL},
    {warp_subtract_window, "d8a8", NULL},
    {warp_space_global, "dpa8", NULL},
    {warp_space_window, "dpa8", NULL},
    {warp_space_shared_cta, "dpa8", NULL},
    {warp_space_shared_cluster, "dpa8", NULL},
    {warp_map_shared32, "d4a4b4", NULL},
    {warp_map_shared64, "d8a8b4", NULL},
    {warp_map_generic, "d8a8b4", NULL},
    {warp_rank_shared32, "d4a4", NULL},
    {warp_rank_shared64, "d4a8", NULL},
    {warp_policy_fraction, "d8a4", NULL},
    {warp_policy_range, "d8a8b4c4", NULL},
    {warp_select32, "d4a4b4cp", NULL},
    {warp_select64, "d8a8b8cp", NULL},
    {warp_set, "d4ap", NULL},
    {warp_set_pair, "d4apbp", NULL},
    {warp_slct32_s32, "d4a4b4c4", NULL},
    {warp_slct64_s32, "d8a8b8c4", NULL},
    {warp_slct32_f32, "d4a4b4c4", NULL},
    {warp_slct64_f32, "d8a8b8c4", NULL},
    {warp_slct32_f32_ftz, "d4a4b4c4", NULL},
    {warp_slct64_f32_ftz, "d8a8b8c4", NULL},
    {warp_predicate_and, "dpapbp", NULL},
    {warp_predicate_or, "dpapbp", NULL},
    {warp_predicate_xor, "dpapbp", NULL},
    {warp_predicate_move, "dpap", NULL},
    {warp_lop3_predicate, "dpa4bp", NULL},
    {warp_video, "d4a4b4c4", NULL},
    {warp_convert_saturate, "", visit_saturate},
    {warp_convert_small, "", visit_small},
    {warp_convert_small_pair, "d4a4b4", NULL},
    {warp_convert_small_from_f16x2, "d4a4", NULL},
    {warp_convert_small_to_f16x2, "d4a4", NULL},
    {warp_convert_pack, "d4a4b4C4", NULL},
    {special_read, "", visit_special},
    {special_explicit_cluster, "dp", NULL},
    {special_settle, "", NULL},
    {special_nanosleep, "a4", NULL},
    {special_launch_dependents, "", NULL},
    {special_grid_wait, "", NULL},
    {special_mark, "", NULL},
    {special_nothing, "", NULL},
    {special_not_here, "", NULL},
    {register_pool_set, "t4", NULL},
    {flow_branch, "", NULL},
    {flow_branch_table, "a4", NULL},
    {flow_return, "", NULL},
    {flow_exit, "", NULL},
    {flow_trap, "", NULL},
    {flow_breakpoint, "", NULL},
    {flow_call, "", visit_call},
    {system_printf, "", NULL},
    {system_assert_fail, "", NULL},
    {system_malloc, "", NULL},
    {system_set_condition, "", NULL},
    {system_free, "", NULL},
    {child_prepare, "", NULL},
    {child_start, "", NULL},
    {child_copy, "", NULL},
    {child_fill, "", NULL},
    {child_last_error, "", NULL},
    {child_seen_error, "", NULL},
    {child_make_handle, "", NULL},
    {child_nothing, "", NULL},
    {child_device_number, "", NULL},
    {child_device_count, "", NULL},
    {child_allocate, "", NULL},
    {child_free, "", NULL},
    {child_error_name, "", NULL},
    {child_error_text, "", NULL},
    {barrier_cta, "", visit_barrier},
    {barrier_cluster_arrive, "", NULL},
    {barrier_cluster_wait, "", NULL},
    {fence_run, "", visit_fence},
    {collective_sync, "t4", NULL},
    {collective_shuffle, "D4a4b4c4t4Ip", NULL},
    {collective_vote, "", visit_vote},
    {collective_match, "", visit_match},
    {collective_reduce, "D4a4t4", NULL},
    {collective_elect, "D4t4Ip", NULL},
    {collective_active_mask, "D4", NULL},
    {execute_bulk_copy, "", visit_bulk_copy},
    {execute_bulk_prefetch, "", visit_bulk_prefetch},
    {execute_bulk_remote, "", visit_bulk_remote},
    {execute_bulk_commit, "", NULL},
    {execute_bulk_wait, "", NULL},
    {execute_tensor_copy, "", visit_tensor},
    {execute_tensor_prefetch, "", visit_tensor},
    {execute_tensormap_replace, "", visit_tensormap},
    {execute_tensormap_copy_fence, "", visit_tensormap},
    {execute_tensormap_prefetch, "", visit_tensormap},
    {execute_mbarrier_init, "", visit_mbarrier},
    {execute_mbarrier_inval, "", visit_mbarrier},
    {execute_mbarrier_arrive, "", visit_mbarrier},
    {execute_mbarrier_wait, "", visit_mbarrier},
    {execute_mbarrier_tx, "", visit_mbarrier},
    {execute_mbarrier_pending_count, "d4a8", NULL},
    {execute_cp_async_copy, "", visit_cp_async},
    {execute_cp_async_arrive, "", visit_cp_async},
    {execute_cp_async_commit, "", NULL},
    {execute_cp_async_wait, "", NULL},
};
enum { ENTRY_COUNT = sizeof entries / sizeof *entries };

static void visit_field(const struct footprint_visitor *v, const struct op *op, char field, char width) {
  static const char letters[] = "dabcti";
  const uint32_t places[] = {op->d, op->a,      op->b,
                             op->c, op->target, op->immediate < 0 ? OP_NO_REGISTER : (uint32_t)op->immediate};
  const uint32_t place = places[strchr(letters, field | 0x20) - letters];
  const uint32_t bytes = width == 'p' ? 0 : width == 'q' ? 16 : (uint32_t)(width - '0');
  if (field & 0x20)
    needs(v, place, bytes);
  else
    may_use(v, place, bytes);
}

// ---- look-up ----------------------------------------------------------------------------------------------

// The same for all programs, and made once: it has more entries than a small kernel has instructions.
static struct name_index all_executors;
static struct arena *executors_arena;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void index_executors(void) {
  executors_arena = arena_create();
  for (uint32_t i = 0; i < ENTRY_COUNT; i++)
    name_index_add(&all_executors, executors_arena, footprint_key(entries[i].execute), i);
  footprint_arithmetic_add(&all_executors, executors_arena, ENTRY_COUNT);
}

const struct name_index *footprint_index(void) {
  pthread_once(&once, index_executors);
  return &all_executors;
}

bool footprint_plain(const struct name_index *executors, const struct op *op,
                     struct footprint_sources *sources) {
  op_execute *execute = op->execute;
  uint32_t number;
  if (execute == wgmma_run_moved)
    return footprint_plain(executors, &((const struct wgmma_moved *)op->extra)->op, sources);
  *sources = (struct footprint_sources){0};
  if (execute == warp_rounded) execute = ((const struct rounded *)op->extra)->execute;
  if (!name_index_find(executors, footprint_key(execute), &number) || number < ENTRY_COUNT) return false;
  return footprint_arithmetic_plain(op, number - ENTRY_COUNT, sources);
}

bool footprint_visit_op(const struct name_index *executors, const struct op *op, footprint_visit *visit,
                        void *context) {
  const struct footprint_visitor v = {visit, context};
  op_execute *execute = op->execute;
  uint32_t number;
  if (execute == wgmma_run_moved) // what begins with the op that it runs
    return footprint_visit_op(executors, &((const struct wgmma_moved *)op->extra)->op, visit, context);
  may_use(&v, op->guard, 0);
  if (execute == warp_rounded) execute = ((const struct rounded *)op->extra)->execute;
  if (!name_index_find(executors, footprint_key(execute), &number)) {
    if (execute != warp_lop3((uint8_t)op->immediate)) return false;
    for (const char *at = "d4a4b4c4"; *at; at += 2)
      visit_field(&v, op, at[0], at[1]);
    return true;
  }
  if (number >= ENTRY_COUNT) {
    footprint_arithmetic_visit(&v, op, number - ENTRY_COUNT);
    return true;
  }
  for (const char *at = entries[number].places; *at; at += 2)
    visit_field(&v, op, at[0], at[1]);
  if (entries[number].visit) entries[number].visit(&v, op);
  return true;
}
