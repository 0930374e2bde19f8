// mbarrier.*: what the decoded op carries, and its handlers.
#ifndef VIRTUAL_HOPPER_EXECUTE_MBARRIER_H
#define VIRTUAL_HOPPER_EXECUTE_MBARRIER_H

#include "virtual-hopper/execute/async-place.h"

// op->extra of every op here except pending_count.
struct mbarrier_extra {
  struct async_address address;
  uint32_t count, expect; // registers of the operands; OP_NO_REGISTER: count is 1, expect is 0
  uint32_t limit;         // register: nanoseconds for which try_wait may suspend; OP_NO_REGISTER: not given
  bool drop, no_complete, release, acquire, parity, is_try;
};

op_execute execute_mbarrier_init, execute_mbarrier_inval, execute_mbarrier_arrive, execute_mbarrier_wait;
op_execute execute_mbarrier_tx;            // op->kind: 0 expect_tx, 1 complete_tx
op_execute execute_mbarrier_pending_count; // op->d = count in the token op->a

#endif
