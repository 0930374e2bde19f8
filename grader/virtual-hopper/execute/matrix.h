// Matrices of a whole warp: ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.5.15 to .17) and mma (9.7.14.5.14).
#ifndef VIRTUAL_HOPPER_EXECUTE_MATRIX_H
#define VIRTUAL_HOPPER_EXECUTE_MATRIX_H

#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/execute/float.h"

// For each of these, op->target is the mask of all 32 lanes.
op_execute matrix_load, matrix_store; // extra: struct matrix_plan
op_execute matrix_move;               // d, a
op_execute mma_multiply;              // extra: struct mma_plan

enum { MATRIX_ROWS = 8, MATRIX_ROW_BYTES = 16, MATRIX_MOST = 4 };

// Matrices of 8x8 elements with 16 bits each. Lane n provides the address of row n % 8 of matrix n / 8.
struct matrix_plan {
  struct access_plan rows; // the access of one row; rows.registers: one register for each matrix
  uint32_t count;
  bool transposed;
};

enum mma_element {
  MMA_F16,
  MMA_BF16,
  MMA_TF32,
  MMA_F32,
  MMA_F64,
  MMA_E4M3,
  MMA_E5M2,
  MMA_S32,
  MMA_S8,
  MMA_U8,
  MMA_S4,
  MMA_U4,
  MMA_B1
};
enum { MMA_MOST_ROWS = 16, MMA_COLUMNS = 8, MMA_MOST_DEPTH = 256, MMA_MOST_REGISTERS = 8 };

struct sparse_plan {       // sparse.h
  bool is_sparse, ordered; // ordered: the second index must be greater than the first
  uint32_t selector;       // which of four neighbouring lanes provide metadata
  uint32_t metadata;       // the register
};

struct mma_plan {
  uint32_t rows, depth;                      // d, c: rows x 8; a: rows x depth; b: depth x 8
  enum mma_element a_type, b_type, sum_type; // sum: of c and d
  bool saturates;                            // integer sums are clamped to s32; otherwise they wrap
  enum rounding rounding;                    // of sums of f64
  bool exclusive_or;                         // bits: counts a ^ b instead of a & b
  struct sparse_plan sparse;                 // of a: then only half of its elements are in registers
  uint32_t a[MMA_MOST_REGISTERS], b[MMA_MOST_REGISTERS / 2], c[4], d[4];
};
uint32_t mma_element_bits(enum mma_element type);

// Returns false after a fault: some lanes of the warp have exited or never existed.
bool matrix_whole_warp(struct warp *w, const struct op *op, uint32_t lanes);

#endif
