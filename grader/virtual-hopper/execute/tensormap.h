// Changing tensor maps on the device: what the decoded op carries, and its handlers.
#ifndef VIRTUAL_HOPPER_EXECUTE_TENSORMAP_H
#define VIRTUAL_HOPPER_EXECUTE_TENSORMAP_H

#include "virtual-hopper/base/tensor-map.h"
#include "virtual-hopper/execute/async-place.h"

struct tensormap_extra {
  struct async_address map, source;
  uint32_t value, ordinal;
  enum tensor_map_field field;
  bool wide; // the value is 64 bits
};

op_execute execute_tensormap_replace, execute_tensormap_copy_fence, execute_tensormap_prefetch;

#endif
