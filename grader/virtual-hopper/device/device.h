// The device behind vhopper.h: modules, their variables, functions, printed text. Private to vhopper*.c,
// module.c and the code that prints.
#ifndef VIRTUAL_HOPPER_DEVICE_DEVICE_H
#define VIRTUAL_HOPPER_DEVICE_DEVICE_H

#include "virtual-hopper/decode/program.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/machine/output.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/streams.h"
#include "virtual-hopper/time/predict.h"
#include "virtual-hopper/time/timeline.h"

// A launch from the host and what its kernels launch share these.
struct family {
  uint32_t depth; // of the launch that runs: 0: the host's
  double deadline;
  uint64_t instructions; // that are left to it
};

struct vhopper {
  struct vhopper_options options;
  struct budget budget; // for all memory that this device holds for programs
  struct memory *memory;
  struct context_limits limits;
  struct fault_report *report;
  struct vhopper_module *modules;
  int sticky_error;
  uint64_t launches, selected_launches; // selected: of kernels that are judged by name
  uint64_t child_launches;              // of `launches`: by kernels
  uint64_t virtual_time;                // nanoseconds
  struct stream_order *streams;
  bool (*host_awaited)(void *context); // vhopper_when_host_is_awaited
  void *host_context;
  struct global_shadow *before; // writes of the last launch if the next one may begin early; else NULL
  struct device_output output;
  struct family family;
  struct crew *crew;          // its workers
  struct chunk_store *chunks; // that launches hand on
  // the time model, if options.chip:
  const struct chip *chip;
  struct cache *cache; // the L2 cache, from launch to launch
  struct time_prediction *predictions;
  size_t prediction_count, prediction_room;
  uint64_t clocks_missed;    // launches whose clocks couldn't follow the model
  struct timeline *timeline; // of the longest launch so far, if options.timeline; else NULL
};

enum { LAUNCH_NANOSECONDS = 2000 }; // from a launch to its first instruction, without the time model

struct vhopper_function {
  struct vhopper_module *module;
  const struct ptx_function *source;
  struct program *program; // NULL until first needed
  struct vhopper_function_info info;
  bool info_ready;
  struct vhopper_function *next;
};

struct measured_kernel { // decisions of ptxas, read from the machine code
  const char *name;
  uint32_t registers;
};

struct vhopper_module {
  struct vhopper *device;
  struct ptx_module *ptx;
  struct arena *arena;
  size_t charged; // bytes charged to the budget
  struct placed_variable *variables;
  size_t variable_count;
  struct placement placement;
  struct measured_kernel *measured;
  size_t measured_count, measured_room;
  struct vhopper_function *functions;
  struct vhopper_module *next;
};

// Decodes the function's program if that has not been done.
struct program *device_program(struct vhopper_function *function);
void device_unload_all(struct vhopper *v);
void device_forget_launch(struct vhopper *v); // forgets what the last launch wrote

// ---- child-launch.c ----
struct child_list;
// Before the grid runs: what it may use up; afterwards: what it has used.
void device_begin_family(struct vhopper *v, struct launch *l);
void device_count_family(struct vhopper *v, const struct launch *l);
// Runs what the grid's kernel has launched, and frees the list. Returns the first error.
int device_run_children(struct vhopper *v, struct vhopper_function *parent, struct child_list *children,
                        uint32_t stream);

// ---- timed-launch.c: a launch by the time model, if there is one ----
void device_begin_time(struct vhopper *v, struct launch *l);
void device_end_time(struct vhopper *v, struct launch *l);
// What the clocks of the launch will show, if its kernel reads any and they are to follow the model; else
// NULL.
struct time_clocks *device_rehearse(struct vhopper *v, const struct launch *l);

#endif
