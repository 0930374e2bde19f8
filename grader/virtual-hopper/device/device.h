// The device behind vhopper.h: modules, their variables, functions, printed text. Private to vhopper*.c, module.c and what prints.
#ifndef VIRTUAL_HOPPER_DEVICE_H
#define VIRTUAL_HOPPER_DEVICE_H

#include "virtual-hopper/decode/program.h"
#include "virtual-hopper/memory.h"

struct vhopper {
  struct vhopper_options options;
  struct memory *memory;
  struct fault_report *report;
  struct vhopper_module *modules;
  int sticky_error;
  uint64_t launches;
  uint64_t virtual_time;        // nanoseconds
  struct global_shadow *before; // what the last launch wrote, if it let the next one begin early; else NULL
  // printed by kernels; written only by the cluster that has the turn:
  char *output;
  size_t output_length, output_capacity;
  bool output_cut;
};

struct vhopper_function {
  struct vhopper_module *module;
  const struct ptx_function *source;
  struct program *program; // NULL until first needed
  struct vhopper_function_info info;
  bool info_ready;
  struct vhopper_function *next;
};

struct vhopper_module {
  struct vhopper *device;
  struct ptx_module *ptx;
  struct arena *arena;
  struct placed_variable *variables;
  size_t variable_count;
  struct placement placement;
  struct vhopper_function *functions;
  struct vhopper_module *next;
};

// Decodes the function's program if that has not been done.
struct program *device_program(struct vhopper_function *function);
// Appends text that a kernel printed; beyond the limit the rest is dropped and said so.
void device_print(struct vhopper *v, const char *text, size_t length);
void device_unload_all(struct vhopper *v);
void device_forget_launch(struct vhopper *v); // what the last one wrote

#endif
