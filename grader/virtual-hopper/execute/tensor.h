// Tensor copies: what the decoded op carries, and its handlers.
#ifndef VIRTUAL_HOPPER_EXECUTE_TENSOR_H
#define VIRTUAL_HOPPER_EXECUTE_TENSOR_H

#include "virtual-hopper/execute/bulk.h"
#include "virtual-hopper/machine/tensor-box.h"

struct tensor_extra {
  struct async_address map, tile, barrier;
  uint32_t coordinates[TENSOR_MAX_RANK], rank;
  uint32_t offsets[TENSOR_MAX_RANK - 2]; // of im2col mode
  bool im2col;
  uint32_t mask;
  enum async_kind kind;
  uint8_t operation;
};

op_execute execute_tensor_copy, execute_tensor_prefetch; // op->extra struct tensor_extra

#endif
