// In: metadata registers. Out: places along K, faults. The layout of the metadata is in sparse.h.
#include "virtual-hopper/execute/sparse.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/execute/move.h"
#include "virtual-hopper/machine/machine.h"

enum { CHUNK_BITS = 4, TF32_FIRST = 0x4, TF32_SECOND = 0xe };

uint32_t sparse_chunk(enum mma_element type) {
  const uint32_t bits = mma_element_bits(type);
  return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

static bool is_narrow(enum mma_element type) {
  return mma_element_bits(type) <= 8;
}

uint32_t sparse_selectors(enum mma_element type, uint32_t depth) {
  const uint32_t chunks = depth / sparse_chunk(type);
  return 16 / chunks; // 4 chunks of two rows are 32 bits: any lane has them; 16 chunks take all four lanes
}

// The four bits of one chunk. Of wide elements a lane has four chunks of both rows, of narrow ones eight
// chunks of one row.
static uint32_t chunk_bits(const struct sparse_plan *sparse, enum mma_element type, uint32_t chunks,
                           const uint32_t words[SPARSE_GROUP_LANES], uint32_t half, uint32_t chunk) {
  uint32_t lane, place;
  if (is_narrow(type)) {
    lane = 2 * (chunks == 16 ? chunk / 8 : sparse->selector) + half;
    place = chunk % 8;
  } else {
    lane = chunks == 4 ? sparse->selector : 2 * sparse->selector + chunk / 4;
    place = chunk % 4 + 4 * half;
  }
  return words[lane % SPARSE_GROUP_LANES] >> place * CHUNK_BITS & 15;
}

int sparse_row(const struct sparse_plan *sparse, enum mma_element type, uint32_t depth,
               const uint32_t words[SPARSE_GROUP_LANES], uint32_t half, uint8_t at[SPARSE_MOST_STORED]) {
  const uint32_t size = sparse_chunk(type), chunks = depth / size;
  int wrong = -1;
  for (uint32_t chunk = 0, n = 0; chunk < chunks; chunk++) {
    const uint32_t bits = chunk_bits(sparse, type, chunks, words, half, chunk);
    const uint32_t first = bits & 3, second = bits >> 2, from = chunk * size;
    bool valid = sparse->ordered ? first < second : first != second;
    if (size == 2) {
      at[n++] = (uint8_t)(from + first / 2);
      valid = bits == TF32_FIRST || bits == TF32_SECOND;
    } else {
      const uint32_t together = size / 4; // elements of one index
      for (uint32_t i = 0; i < together; i++) {
        at[n + i] = (uint8_t)(from + first * together + i);
        at[n + together + i] = (uint8_t)(from + second * together + i);
      }
      n += 2 * together;
    }
    if (!valid && wrong < 0) wrong = (int)chunk;
  }
  return wrong;
}

static void report(struct warp *w, const struct op *op, const struct sparse_plan *sparse,
                   enum mma_element type, uint32_t row, uint32_t chunk, uint32_t bits) {
  const uint32_t size = sparse_chunk(type);
  struct fault f = {.rule = RULE_SPARSE_METADATA, .severity = FAULT_ERROR};
  snprintf(f.role, sizeof f.role, "multiplies, as do the other threads of warp %u", w->index);
  int n = snprintf(f.message, sizeof f.message,
                   "The metadata of row %u of the warp's 16 rows of A, elements %u to %u along K, are 0x%x: ",
                   row, chunk * size, chunk * size + size - 1, bits);
  char *end = f.message + n;
  const size_t left = sizeof f.message - (size_t)n;
  if (size == 2)
    snprintf(end, left,
             "for tf32 only 0x4 (the first of two elements is stored) and 0xe (the second one) mean "
             "something.");
  else if ((bits & 3) == bits >> 2)
    snprintf(end, left, "both stored %s would belong to place %u.", size == 8 ? "pairs" : "elements",
             bits & 3);
  else
    snprintf(end, left,
             "place %u stands before place %u, but .sp::ordered_metadata wants the lower place first.",
             bits & 3, bits >> 2);
  snprintf(f.remedy, sizeof f.remedy,
           "Bits 0 and 1 are the place of the first stored element, bits 2 and 3 that of the second%s. The "
           "selector is %u here: look at which threads provide the metadata then.",
           sparse->ordered ? ", which must be greater" : "", sparse->selector);
  warp_fault(w, op, row % 8 * SPARSE_GROUP_LANES, &f);
}

void sparse_check(struct warp *w, const struct op *op, const struct sparse_plan *sparse,
                  enum mma_element type, uint32_t depth) {
  const uint32_t *metadata = warp_register32(w, sparse->metadata);
  for (uint32_t row = 0; row < MMA_MOST_ROWS; row++) {
    uint8_t at[SPARSE_MOST_STORED];
    const uint32_t *words = metadata + row % 8 * SPARSE_GROUP_LANES;
    const int wrong = sparse_row(sparse, type, depth, words, row / 8, at);
    if (wrong < 0) continue;
    const uint32_t chunks = depth / sparse_chunk(type), chunk = (uint32_t)wrong;
    report(w, op, sparse, type, row, chunk, chunk_bits(sparse, type, chunks, words, row / 8, chunk));
    return; // one report for the warp
  }
}

void sparse_select(const struct tensor_factor *b, uint32_t block, const uint8_t *at, uint32_t count,
                   struct tensor_factor *to) {
  to->depth = count;
  to->has_special = b->has_special;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t from = tensor_place(b, block * TENSOR_LANES, at[k]), place = k * TENSOR_LANES;
    memcpy(&to->significand[place], &b->significand[from], TENSOR_LANES * sizeof *b->significand);
    if (b->exponent) {
      memcpy(&to->exponent[place], &b->exponent[from], TENSOR_LANES * sizeof *b->exponent);
      memcpy(&to->sign[place], &b->sign[from], TENSOR_LANES * sizeof *b->sign);
      memcpy(&to->special[place], &b->special[from], TENSOR_LANES);
    }
  }
}
