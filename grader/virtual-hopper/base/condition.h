// The handle of a graph's condition is the address of these bytes in device memory: a kernel sets the value,
// and the replacement of the runtime reads it when the graph comes to the node.
#ifndef VIRTUAL_HOPPER_BASE_CONDITION_H
#define VIRTUAL_HOPPER_BASE_CONDITION_H

#include <stdint.h>

#define CONDITION_MAGIC 0x69646e6fu

struct condition {
  uint32_t magic, value;
};

#endif
