// The virtual Hopper as a library: one simulated GPU in this process.
// `server` drives it for a program behind a socket; the referee also reads and writes its memory directly.
// Errors are CUDA runtime error numbers (cudaError_t as int): 0 is success.
// One thread may call at a time; a launch itself spreads over worker threads and returns when the grid has ended.
#ifndef VIRTUAL_HOPPER_VHOPPER_H
#define VIRTUAL_HOPPER_VHOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vhopper;
struct vhopper_module;
struct vhopper_function;

struct vhopper_options {
  unsigned workers; // 0: one per online core
  uint64_t seed;    // orders warps, blocks and asynchronous effects
  bool check;       // judge happens-before and proxies (room `order`)
  double
      launch_deadline; // seconds of wall clock a launch may take; 0: none. Past it: error 702 and a fault `endless-loop`
  // Bytes that the program's own allocations may take up, variables and the kernels' malloc included, and as many for its modules' text; 0: any number.
  size_t memory_limit;
  size_t output_limit; // bytes of device printf kept per run; 0: 1 MiB
  FILE *trace;         // NULL: none
};

struct vhopper_dim {
  uint32_t x, y, z;
};

struct vhopper_launch_config {
  struct vhopper_dim grid, block, cluster; // cluster {0,0,0}: as compiled, else 1x1x1
  uint32_t dynamic_shared_bytes;
  bool cooperative;
  bool programmatic; // it follows the launch before in the same stream, and may begin before that has ended
};

struct vhopper *vhopper_create(const struct vhopper_options *options);
void vhopper_destroy(struct vhopper *v);
void vhopper_set_seed(struct vhopper *v, uint64_t seed);

// Device memory. Addresses are those kernels see; 256-byte aligned at least; gaps between allocations are unmapped.
int vhopper_allocate(struct vhopper *v, size_t bytes, uint64_t *address);
int vhopper_free(struct vhopper *v, uint64_t address);
int vhopper_write(struct vhopper *v, uint64_t address, const void *source, size_t bytes);
int vhopper_read(struct vhopper *v, void *destination, uint64_t address, size_t bytes);
int vhopper_copy(struct vhopper *v, uint64_t destination, uint64_t source, size_t bytes);
int vhopper_fill(struct vhopper *v, uint64_t address, uint32_t pattern, size_t pattern_bytes,
                 size_t bytes); // pattern of 1, 2 or 4 bytes
// Host view of [address, address+bytes), or NULL when it isn't wholly inside one allocation. Valid until the allocation is freed.
void *vhopper_host_view(struct vhopper *v, uint64_t address, size_t bytes);
// An allocation that the program is handed to work on: memory_limit doesn't count it, and the report tells who else than the copy engine
// read and wrote it (struct observed, handed_). The name is for messages, and copied.
int vhopper_hand(struct vhopper *v, size_t bytes, const char *name, uint64_t *address);
bool vhopper_is_handed(const struct vhopper *v, uint64_t address);

// Modules: PTX text. On failure *error is a malloc'ed text naming line and remedy, and the result is 218 (cudaErrorInvalidPtx)
// for text that isn't PTX, 209 for what this device can't run (recorded as unsupported as well).
int vhopper_module_load(struct vhopper *v, const char *ptx, size_t length, struct vhopper_module **module,
                        char **error);
void vhopper_module_unload(struct vhopper *v, struct vhopper_module *module);
struct vhopper_function *vhopper_module_function(struct vhopper_module *module, const char *name);
int vhopper_module_variable(struct vhopper_module *module, const char *name, uint64_t *address,
                            size_t *bytes);

// Memory of this process that all loaded modules take, with what has been decoded of them.
size_t vhopper_module_bytes(const struct vhopper *v);

struct vhopper_function_info {
  const char *name;
  uint32_t parameter_count;
  const struct vhopper_parameter { uint32_t offset, size; } * parameters;
  uint32_t parameter_bytes;
  uint32_t static_shared_bytes, local_bytes, constant_bytes, register_count, max_threads_per_block;
  uint32_t max_dynamic_shared_bytes; // settable, 49152 - static at first, up to 232448 - static
  uint32_t cluster[3];               // compiled-in, or 0
};
struct vhopper_function_info *vhopper_function_info(
    struct vhopper_function *function); // max_dynamic_shared_bytes may be set through it

// Runs a grid to its end. `parameters` is the parameter block laid out as in parameters[] above.
// Sticky device errors are kept: after one, every later launch returns it until vhopper_reset.
int vhopper_launch(struct vhopper *v, struct vhopper_function *function,
                   const struct vhopper_launch_config *config, const void *parameters);
int vhopper_sticky_error(const struct vhopper *v);
void vhopper_reset(struct vhopper *v); // forgets error, modules and allocations
uint64_t vhopper_virtual_time(
    const struct vhopper *v); // nanoseconds; grows with work done, never with wall clock
// Text printed by kernels since the last call; malloc'ed, NUL-terminated, *length without the NUL.
char *vhopper_take_output(struct vhopper *v, size_t *length);

// What broke and what happened since creation or the last vhopper_clear_report (fault.h has the records).
struct fault_report;
struct fault_report *vhopper_report(struct vhopper *v);
void vhopper_clear_report(struct vhopper *v);

#endif
