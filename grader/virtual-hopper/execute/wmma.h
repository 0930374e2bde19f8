// wmma: matrices whose fragments only the device knows, PTX ISA 9.1, 9.7.15.3 and .4. Decode makes a load or
// a store of ordinary accesses, one for each register, so that they are checked as all others are.
//
// Where elements lie here: a matrix is cut into units of neighbours, as many as a register holds. Unit u
// stands in register u / 32 of lane u % 32. Neighbours, and the units' order, follow memory: along k for A by
// rows and B by columns; else along m, or n. Units of sums follow the rows, whatever memory does. For f16
// there are more registers of A and B than units: the units are repeated.
#ifndef VIRTUAL_HOPPER_EXECUTE_WMMA_H
#define VIRTUAL_HOPPER_EXECUTE_WMMA_H

#include "virtual-hopper/execute/matrix.h"

enum { WMMA_MOST_REGISTERS = 8, WMMA_MOST_SIDE = 32, WMMA_MOST_DEPTH = 128 };

op_execute wmma_meet;     // all lanes come here; target: the mask of all lanes
op_execute wmma_address;  // extra: struct wmma_element; a, immediate: base; b: stride; d: 64 bits
op_execute wmma_join;     // d = a, b: 16 bits each
op_execute wmma_part;     // d = half `kind` of a
op_execute wmma_multiply; // extra: struct wmma_plan; target as above

struct wmma_element {        // what a lane accesses for one register
  uint32_t unit;             // of lane 0
  uint32_t in_line;          // units in a line
  uint32_t neighbours, bits; // elements of a unit; of an element
  bool across;               // lines are columns in memory, and units are rows here: sums by columns
  uint32_t half;             // then: which element of the unit
  bool narrow;               // the base has 32 bits
};

struct wmma_plan {
  uint32_t m, n, k;
  enum mma_element a_type, b_type, sum_type, c_type; // sum_type: of d; c_type differs for f16 and f32 only
  bool a_by_columns, b_by_rows;                      // in memory, and so here
  bool saturates, exclusive_or;
  enum rounding rounding; // of sums of f64
  uint32_t a_count, b_count, sum_count, c_count;
  uint32_t a[WMMA_MOST_REGISTERS], b[WMMA_MOST_REGISTERS], c[WMMA_MOST_REGISTERS], d[WMMA_MOST_REGISTERS];
};
static inline uint32_t wmma_neighbours(enum mma_element type) {
  const uint32_t bits = mma_element_bits(type);
  return bits < 32 ? 32 / bits : 1;
}

#endif
