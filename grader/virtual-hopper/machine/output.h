// Text that kernels print, until the program takes it.
#ifndef VIRTUAL_HOPPER_MACHINE_OUTPUT_H
#define VIRTUAL_HOPPER_MACHINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct device_output {
  char *text;
  size_t length, capacity, limit;
  // the limit was reached: the rest is dropped, and the text says so
  bool cut;
};

// Appends text that a kernel printed. Only the cluster that has the turn may call it.
void device_print(struct device_output *o, const char *text, size_t length);

#endif
