// wgmma: products of a warpgroup, which end later than their instruction. PTX ISA 9.1, section 9.7.15.
//
// Theory of operation. The four warps of a warpgroup come to the same wgmma.mma_async one by one; together
// they make one product. Nothing is computed then. commit_group closes a group. When a warp waits for a
// group, the products up to it are computed, in order: only now shared memory is read, as it is then, and the
// accumulators are written. A warp that waits for a product to which another warp hasn't come yet waits for
// that warp. A group's reads of shared memory are noted when the first warp commits it, and judged when all
// warps have come to it.
#ifndef VIRTUAL_HOPPER_EXECUTE_WGMMA_H
#define VIRTUAL_HOPPER_EXECUTE_WGMMA_H

#include "virtual-hopper/execute/tensor-core.h"

enum {
  WARPGROUP_WARPS = 4,
  WGMMA_ROWS = 64,
  WGMMA_MOST_SUMS = 128, // registers of the accumulator
  WGMMA_A_REGISTERS = 4
};

// For each of these, op->target is the register of the full mask.
op_execute wgmma_multiply; // extra: struct wgmma_plan; b: the predicate scale-d
op_execute wgmma_fence, wgmma_commit;
// d = a, where a is a sum. Compilers put such moves behind a product, though the source has none, and ptxas
// takes them away again: two names of one register. So whoever moves a sum gets it complete: what this warp
// has begun is computed first. It is never reported.
op_execute wgmma_move_sum;
// extra: struct wgmma_moved. The sums that the op touches are computed first, and nothing is reported.
op_execute wgmma_run_moved;
op_execute wgmma_wait; // immediate: the number of groups that may stay pending

enum { WGMMA_MOST_MOVED = 8 };
struct wgmma_moved { // an op that a compiler has put before the wait for a sum (wgmma-moved.h)
  struct op op;
  uint32_t count, sums[WGMMA_MOST_MOVED]; // the places of sums that it touches
};

struct wgmma_plan {
  uint32_t columns, depth;                   // N, K
  enum mma_element a_type, b_type, sum_type; // sum: of the accumulator
  bool a_in_registers;
  bool a_transposed, b_transposed; // A is M-major, B is N-major
  bool a_negated, b_negated, saturates;
  struct sparse_plan sparse; // of A: then only half of its elements are stored
  uint32_t a_descriptor, b_descriptor;
  uint32_t a[WGMMA_A_REGISTERS], d[WGMMA_MOST_SUMS];
};
static inline uint32_t wgmma_sum_registers(const struct wgmma_plan *p) {
  return p->columns / (p->sum_type == MMA_F16 ? 4 : 2);
}

// How many elements of a row of A are stored.
static inline uint32_t wgmma_depth_of_a(const struct wgmma_plan *p) {
  return p->sparse.is_sparse ? p->depth / 2 : p->depth;
}

enum wgmma_swizzle { WGMMA_SWIZZLE_NONE, WGMMA_SWIZZLE_128, WGMMA_SWIZZLE_64, WGMMA_SWIZZLE_32 };
struct wgmma_descriptor { // 9.7.15.5.1.2.2, in bytes
  uint32_t start, leading, stride, base_offset;
  enum wgmma_swizzle swizzle;
};
struct wgmma_descriptor wgmma_descriptor_of(uint64_t bits);
// A matrix in shared memory: `lines` rows of A or columns of B, each of `depth_bytes` along K.
struct wgmma_matrix {
  struct wgmma_descriptor at;
  uint32_t lines, depth; // in elements
  enum mma_element type;
  bool transposed; // the lines' direction is the contiguous one
};
struct wgmma_matrix wgmma_matrix_a(const struct wgmma_plan *p, uint64_t descriptor);
struct wgmma_matrix wgmma_matrix_b(const struct wgmma_plan *p, uint64_t descriptor);
// The shared address of 16 bytes of the matrix: of line and element (k) that are the first ones in them.
uint32_t wgmma_chunk_address(const struct wgmma_matrix *m, uint32_t line, uint32_t k);
// Marks the 16-byte chunks of shared memory that the matrix lies in, one byte each: chunks[0] is the first.
// The byte gets a bit for each warp of the warpgroup that reads the chunk: by_rows, as for A, the one of four
// that has this row; or else all.
void wgmma_mark_matrix(const struct wgmma_matrix *m, bool by_rows, uint8_t *chunks, uint32_t count);
// Reads the matrix as it is now. Bytes outside the block's shared memory are zero.
void wgmma_read_matrix(const struct block *b, const struct wgmma_matrix *m, bool negate,
                       struct tensor_factor *to);

// All threads have left the block: judges whether all warps came to each product.
void wgmma_end(struct block *b);
// How many groups this warp has closed.
uint64_t wgmma_closed_groups(const struct warp *w);
// A warp of this warp's warpgroup that hasn't come to the product with this number; -1: none.
int wgmma_missing(const struct block *b, uint32_t warp, uint64_t product);
// At the end of a block.
void wgmma_forget(struct block *b);

#endif
