// Moves 8x8 matrices of 16-bit elements between shared memory and the registers of a warp. One idea: bounds
// and alignment are checked row by row, as an access of 16 bytes by the lane that provides the address. But
// four threads load or store a row together, each its own fragment (PTX ISA 9.7.14.5.15, .16), so order is
// judged by fragments. The ISA calls the instruction a weak memory operation: it waits for all lanes, but it
// doesn't order their earlier accesses.
#include "virtual-hopper/execute/matrix.h"

#include <string.h>

#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/memory.h"

bool matrix_whole_warp(struct warp *w, const struct op *op, uint32_t lanes) {
  if (lanes == UINT32_MAX) return true;
  struct fault f = {.rule = RULE_WARP_SYNC_MASK,
                    .severity = FAULT_FATAL,
                    .device_error = ERROR_ILLEGAL_INSTRUCTION,
                    .role = "executes this"};
  snprintf(
      f.message, sizeof f.message,
      "%s is carried out by all 32 lanes of a warp, and undefined without any of them; lanes 0x%08x of warp "
      "%u have left the kernel, or never were: the block has %u threads.",
      op->source->opcode, ~lanes, w->index, w->launch->threads_per_block);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Let every thread of the warp come by here before it returns, and launch blocks of a multiple of 32 "
      "threads.");
  warp_fault(w, op, (uint32_t)__builtin_ctz(lanes), &f);
  return false;
}

// Returns false after a fault: a row is in another block's shared memory, or in no shared memory at all. A
// generic address makes both possible.
static bool all_rows_are_own(struct warp *w, const struct op *op, const struct access *a) {
  if (a->where == ACCESS_SHARED && a->owner == w->block) return true;
  for (uint32_t left = a->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    bool own = a->where == ACCESS_MIXED && a->places[lane].kind == MEMORY_SHARED &&
               a->places[lane].owner == w->block;
    if (own) continue;
    warp_faultf(
        w, op, lane, RULE_OUT_OF_BOUNDS, ERROR_ILLEGAL_ADDRESS,
        "The row that this thread names lies at address 0x%llx, outside the shared memory of its own block: "
        "%s reaches nothing else.",
        (unsigned long long)a->address[lane], op->source->opcode);
    return false;
  }
  return true;
}

// The row and the column of each of the two elements in a lane's register.
struct halves {
  uint32_t row[2], column[2];
};

static struct halves fragment_of(uint32_t lane, bool transposed) {
  uint32_t group = lane / 4, pair = lane % 4 * 2;
  return transposed ? (struct halves){{pair, pair + 1}, {group, group}}
                    : (struct halves){{group, group}, {pair, pair + 1}};
}

// Each lane's access to its fragment: a word; of a transposed matrix two halves, in two rows. A load takes
// the words that the halves are in, unless something narrower was met in this block: order_shared_access
// would judge the whole block by bytes from then on. Whatever comes after is the same for both, since the
// meeting puts all lanes' loads before it.
static void order_fragments(struct warp *w, const struct op *op, const struct access *a,
                            enum order_kind kind) {
  const struct matrix_plan *plan = op->extra;
  const bool by_words = !plan->transposed || (kind == ORDER_READ && !order_is_by_bytes(w->block));
  const uint32_t bytes = by_words ? 4 : 2;
  for (uint32_t m = 0; m < plan->count; m++) {
    for (uint32_t half = 0; half < (plan->transposed ? 2 : 1); half++) {
      uint32_t offset[WARP_LANES];
      for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        const struct halves h = fragment_of(lane, plan->transposed);
        offset[lane] = a->offset[m * MATRIX_ROWS + h.row[half]] + (2 * h.column[half] & ~(bytes - 1));
      }
      order_shared_access(w, op, UINT32_MAX, w->block, offset, bytes, kind, ORDER_WEAK, NULL);
    }
  }
}

static bool resolve_rows(struct warp *w, const struct op *op, bool write, struct access *a) {
  const struct matrix_plan *plan = op->extra;
  const uint32_t all = w->lanes;
  w->lanes = plan->count == MATRIX_MOST ? UINT32_MAX : (1u << plan->count * MATRIX_ROWS) - 1;
  const bool found = access_resolve(w, op, &plan->rows, write, a) && all_rows_are_own(w, op, a);
  w->lanes = all;
  if (found && w->launch->check) order_fragments(w, op, a, write ? ORDER_WRITE : ORDER_READ);
  return found;
}

static uint16_t *element_at(const struct access *a, uint32_t matrix, uint32_t row, uint32_t column) {
  // rows are aligned to 16 bytes
  return (uint16_t *)(void *)(a->host[matrix * MATRIX_ROWS + row] + 2 * (size_t)column);
}

static void load(struct warp *w, const struct op *op, uint32_t lanes) {
  const struct matrix_plan *plan = op->extra;
  struct access a;
  if (!matrix_whole_warp(w, op, lanes) || !resolve_rows(w, op, false, &a)) return;
  uint32_t result[MATRIX_MOST][WARP_LANES];
  for (uint32_t m = 0; m < plan->count; m++) {
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
      struct halves h = fragment_of(lane, plan->transposed);
      result[m][lane] = *element_at(&a, m, h.row[0], h.column[0]) |
                        (uint32_t)*element_at(&a, m, h.row[1], h.column[1]) << 16;
    }
  }
  for (uint32_t m = 0; m < plan->count; m++)
    if (plan->rows.registers[m] != OP_NO_REGISTER)
      memcpy(warp_register32(w, plan->rows.registers[m]), result[m], sizeof result[m]);
  memory_count_bytes(w, op, &a, MATRIX_ROW_BYTES, false);
}

static void store(struct warp *w, const struct op *op, uint32_t lanes) {
  const struct matrix_plan *plan = op->extra;
  struct access a;
  if (!matrix_whole_warp(w, op, lanes) || !resolve_rows(w, op, true, &a)) return;
  for (uint32_t m = 0; m < plan->count; m++) {
    const uint32_t *from = warp_register32(w, plan->rows.registers[m]);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
      struct halves h = fragment_of(lane, plan->transposed);
      *element_at(&a, m, h.row[0], h.column[0]) = (uint16_t)from[lane];
      *element_at(&a, m, h.row[1], h.column[1]) = (uint16_t)(from[lane] >> 16);
    }
  }
  access_barriers_overwritten(w, op, &a, MATRIX_ROW_BYTES);
  memory_count_bytes(w, op, &a, MATRIX_ROW_BYTES, true);
}

static void transpose(struct warp *w, const struct op *op, uint32_t lanes) {
  if (!matrix_whole_warp(w, op, lanes)) return;
  const uint32_t *a = warp_register32(w, op->a);
  uint16_t matrix[MATRIX_ROWS][MATRIX_ROWS];
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    struct halves h = fragment_of(lane, false);
    matrix[h.row[0]][h.column[0]] = (uint16_t)a[lane];
    matrix[h.row[1]][h.column[1]] = (uint16_t)(a[lane] >> 16);
  }
  if (op->d == OP_NO_REGISTER) return;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    struct halves h = fragment_of(lane, true);
    warp_register32(w, op->d)[lane] = matrix[h.row[0]][h.column[0]] | (uint32_t)matrix[h.row[1]][h.column[1]]
                                                                          << 16;
  }
}

void matrix_load(struct warp *w, const struct op *op) {
  collective_meeting(w, op, load);
}
void matrix_store(struct warp *w, const struct op *op) {
  collective_write(w, op, store);
}
void matrix_move(struct warp *w, const struct op *op) {
  collective_meeting(w, op, transpose);
}
