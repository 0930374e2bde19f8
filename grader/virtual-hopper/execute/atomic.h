// Atomic operations on memory, as ops. PTX ISA 9.7.13.5 (atom), 9.7.13.6 (red).
#ifndef VIRTUAL_HOPPER_EXECUTE_ATOMIC_H
#define VIRTUAL_HOPPER_EXECUTE_ATOMIC_H

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/execute/access.h"

enum { ATOMIC_EXCHANGE = 100, ATOMIC_COMPARE_AND_SWAP }; // in addition to enum async_operation

struct atomic_plan {
  struct access_plan access;                   // registers: the sources b, element by element
  uint32_t destinations[ACCESS_MOST_ELEMENTS]; // OP_NO_REGISTER: no destination
  uint32_t swap;                               // cas: the new value
  uint8_t operation;                           // enum async_operation, or one of the above
  enum ptx_type type;                          // of one element; for packed types, of one half
  bool has_result, ordered; // ordered: the order of the clusters changes memory or a result
  bool tells;               // the program reads the result
  bool signals;             // it doesn't; but it is a release, stands behind a fence, or may take a lock
};

op_execute atomic_run; // op->extra: struct atomic_plan

#endif
