// cp.async: what the decoded op carries, and its handlers.
#ifndef VIRTUAL_HOPPER_EXECUTE_CP_ASYNC_H
#define VIRTUAL_HOPPER_EXECUTE_CP_ASYNC_H

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/execute/async-place.h"

struct cp_async_extra {
  struct async_address destination, source, barrier;
  uint32_t bytes;
  uint32_t source_bytes; // register; OP_NO_REGISTER: all bytes
  uint32_t ignore;       // predicate; OP_NO_REGISTER: absent
  bool ignore_negated, noinc;
};

op_execute execute_cp_async_copy, execute_cp_async_arrive; // op->extra struct cp_async_extra
op_execute execute_cp_async_commit;
// op->immediate: how many groups may stay pending. UINT32_MAX: commit, then wait for all groups.
op_execute execute_cp_async_wait;

#endif
