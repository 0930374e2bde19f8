// Sparse matrices A of mma.sp and wgmma.mma_async.sp: half of each row's elements are stored, and metadata in
// registers say where they belong. PTX ISA 9.1, 9.7.14.6.1, 9.7.14.6.2, 9.7.15.6.1, 9.7.15.6.2.
//
// A row consists of chunks, of 2 elements for tf32, 8 for four-bit integers, 4 for all other types. Each
// chunk has four bits of metadata: of two indices for the stored elements, the lower one first; for tf32 one
// of two patterns; for four-bit integers the indices count pairs.
#ifndef VIRTUAL_HOPPER_EXECUTE_SPARSE_H
#define VIRTUAL_HOPPER_EXECUTE_SPARSE_H

#include "virtual-hopper/execute/tensor-core.h"

enum { SPARSE_MOST_STORED = 64, SPARSE_GROUP_LANES = 4 };

uint32_t sparse_chunk(enum mma_element type);
// How many selectors are allowed for `depth` elements along K: they count from 0.
uint32_t sparse_selectors(enum mma_element type, uint32_t depth);
// Where the stored elements of one row belong, along K. words: the metadata of the four lanes with the row's
// fragment; half: 1 for rows 8 to 15 of a fragment. Returns the number of the first chunk whose metadata
// means nothing, or -1; places are valid anyway.
int sparse_row(const struct sparse_plan *sparse, enum mma_element type, uint32_t depth,
               const uint32_t words[SPARSE_GROUP_LANES], uint32_t half, uint8_t at[SPARSE_MOST_STORED]);
// Judges the metadata of all 32 lanes and reports those that mean nothing.
void sparse_check(struct warp *w, const struct op *op, const struct sparse_plan *sparse,
                  enum mma_element type, uint32_t depth);
// Copies, of eight columns of b, the `count` elements that a row's stored elements are multiplied with.
void sparse_select(const struct tensor_factor *b, uint32_t block, const uint8_t *at, uint32_t count,
                   struct tensor_factor *to);

#endif
