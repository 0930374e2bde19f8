// What an op costs by itself: a fact of the op, found at its first execution. Private to time-op.c.
#ifndef VIRTUAL_HOPPER_EXECUTE_TIME_COST_H
#define VIRTUAL_HOPPER_EXECUTE_TIME_COST_H

#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/machine/program.h"
#include "virtual-hopper/time/record.h"

enum { MOST_PLACES = 24, PLACE_UNIT = 4, SPECIAL = 8 }; // SPECIAL: cycles of a special function

enum op_class {
  OP_UNKNOWN,
  OP_FREE,
  OP_PLAIN,
  OP_LOAD,
  OP_STORE,
  OP_ATOMIC,
  OP_FENCE,
};

struct op_cost {
  uint8_t class;
  bool ends_block; // nothing moves over it
  bool publishes;  // what the thread did before has to be seen beyond its block first
  bool jumps;
  bool unrolled;     // the jump of a loop that ptxas unrolls
  bool tells;        // it reads or writes words by which threads tell each other something
  bool matches;      // it takes so long for each value that its lanes have
  bool counts;       // an atomic that adds one: lanes with the same word come together
  bool number;       // it reads a number of the thread, its block or its processor, or where shared memory is
  bool swaps;        // an atomic that compares and swaps
  uint16_t quarters; // of a cycle, of a scheduler's issue slots
  uint16_t latency;  // cycles until its result can be used
  uint16_t shared;   // cycles of the shared memory's pipe
  uint16_t special;  // cycles of a scheduler's part for special functions
  uint16_t loop;     // ops of the loop in which it divides by the same; 0: it doesn't
  uint16_t place_count, result_count;
  uint32_t places[MOST_PLACES];
  uint32_t results[ACCESS_MOST_ELEMENTS];
};

struct time_op_table {
  const struct program *program;
  struct op_cost **functions; // [program->function_count], NULL until one of its ops has run
  uint64_t addresses[WARP_LANES];
  uint32_t lanes;
};

const struct op_cost *time_cost_of(struct time_op_table *t, const struct function *f, const struct op *op);

#endif
