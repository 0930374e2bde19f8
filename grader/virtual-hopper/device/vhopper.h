// The virtual Hopper as a library: one simulated GPU in this process. `server` drives it for a program behind
// a socket; the referee also reads and writes its memory directly. Errors are CUDA runtime error numbers
// (cudaError_t as int): 0 is success. One thread may call at a time; a launch itself spreads over worker
// threads and returns when the grid has ended.
#ifndef VIRTUAL_HOPPER_DEVICE_VHOPPER_H
#define VIRTUAL_HOPPER_DEVICE_VHOPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "virtual-hopper/machine/options.h"

struct vhopper;
struct vhopper_module;
struct vhopper_function;

struct vhopper_launch_config {
  struct vhopper_dim grid, block, cluster; // cluster {0,0,0}: as compiled, else 1x1x1
  uint32_t dynamic_shared_bytes;
  bool cooperative;
  bool programmatic; // it follows the launch before in the same stream, and may begin before that has ended
  uint32_t stream;   // its number for vhopper_streams; 0: not judged against other operations
};

struct vhopper *vhopper_create(const struct vhopper_options *options);
void vhopper_destroy(struct vhopper *v);
// Of warps, blocks and asynchronous effects. first_late: the first block begins after the others.
void vhopper_set_order(struct vhopper *v, uint64_t seed, bool first_late);
void vhopper_set_workers(struct vhopper *v, unsigned workers); // as vhopper_options has it
// No later launch is judged by the rules; what it does stays the same.
void vhopper_judge_no_more(struct vhopper *v);
unsigned vhopper_processors(const struct vhopper *v); // that programs and kernels are told of
// Of all warps together. puts_off: see vhopper_options.
void vhopper_set_launch_budget(struct vhopper *v, uint64_t instructions, bool puts_off);

// Limits of a context, as cudaDeviceSetLimit sets them. Returns 0, or 1 (invalid value): the heap of a
// context in which a kernel that allocates was launched.
enum vhopper_limit { VHOPPER_LIMIT_STACK, VHOPPER_LIMIT_HEAP, VHOPPER_LIMITS };
int vhopper_set_limit(struct vhopper *v, enum vhopper_limit limit, uint64_t bytes);
void vhopper_default_limits(struct vhopper *v); // of a new context

// Device memory. Kernels see the same addresses. Allocations are aligned to at least 256 bytes; gaps between
// them are unmapped.
int vhopper_allocate(struct vhopper *v, size_t bytes, uint64_t *address);
int vhopper_free(struct vhopper *v, uint64_t address);
int vhopper_write(struct vhopper *v, uint64_t address, const void *source, size_t bytes);
int vhopper_read(struct vhopper *v, void *destination, uint64_t address, size_t bytes);
int vhopper_copy(struct vhopper *v, uint64_t destination, uint64_t source, size_t bytes);
// pattern of 1, 2 or 4 bytes
int vhopper_fill(struct vhopper *v, uint64_t address, uint32_t pattern, size_t pattern_bytes, size_t bytes);
// Host view of [address, address+bytes), or NULL when it isn't wholly inside one allocation. Valid until the
// allocation is freed.
void *vhopper_host_view(struct vhopper *v, uint64_t address, size_t bytes);
// Makes an allocation that is handed to the program to work on. memory_limit doesn't count it. The report
// says what other than the copy engine read and wrote it (struct observed, handed_). The name is for
// messages; it is copied.
int vhopper_hand(struct vhopper *v, size_t bytes, const char *name, uint64_t *address);
// Like vhopper_hand, in pages of a file (memory_share says which): as far behind a multiple of 64 KiB as the
// offset is.
int vhopper_hand_shared(struct vhopper *v, size_t bytes, const char *name, int file, off_t offset,
                        uint64_t *address);
bool vhopper_is_handed(const struct vhopper *v, uint64_t address);
// Page-locked host memory: the program's memory at [address, address + bytes) becomes memory of the
// device, at the same address, in pages of a file. *first and *span are the addresses over which the
// program has to map the file, after it has copied to it what it holds there; the caller closes the file.
// Errors: 1, 2 or 712 (memory_pin says when).
int vhopper_pin(struct vhopper *v, uint64_t address, size_t bytes, uint64_t *first, size_t *span, int *file);
int vhopper_unpin(struct vhopper *v, uint64_t address); // returns 0, or 1: nothing of the kind begins there
bool vhopper_is_the_hosts(const struct vhopper *v, uint64_t address); // page-locked or managed
bool vhopper_is_pinned(const struct vhopper *v, uint64_t address);
// Makes managed memory of an allocation, or of a module's variable (then `keeps` what it holds): pages of a
// file, which the program maps at the same address; the caller closes the file. Returns 0, 1 or 2
// (memory_make_managed says when).
int vhopper_make_managed(struct vhopper *v, uint64_t address, bool keeps, int *file);
// `awaited` is called, again and again, while no thread of a launch goes on before the host changes memory
// that they look at. It returns true if the host does nothing before the launch has ended. NULL: nobody wants
// to know.
void vhopper_when_host_is_awaited(struct vhopper *v, bool (*awaited)(void *context), void *context);

// Modules: PTX text. On failure *error is a malloc'ed text naming line and remedy, and the result is 218
// (cudaErrorInvalidPtx) for text that isn't PTX, 209 for what this device can't run (recorded as unsupported
// as well).
int vhopper_module_load(struct vhopper *v, const char *ptx, size_t length, struct vhopper_module **module,
                        char **error);
// Reads the kernels' register counts, and how far ptxas optimised, from the machine code (an ELF file) that a
// compiler has put beside the PTX. Without readable machine code, register counts are guessed, and all
// optimisations are expected. Call before any use of the module's functions.
void vhopper_module_measure(struct vhopper_module *module, const void *elf, size_t length);
void vhopper_module_unload(struct vhopper *v, struct vhopper_module *module);
struct vhopper_function *vhopper_module_function(struct vhopper_module *module, const char *name);
int vhopper_module_variable(struct vhopper_module *module, const char *name, uint64_t *address,
                            size_t *bytes);

// Bytes of this process's memory that all loaded modules take, with their decoded functions.
size_t vhopper_module_bytes(const struct vhopper *v);
// Budget for all memory that this device holds for programs; its limit is memory_limit.
struct budget;
struct budget *vhopper_budget(struct vhopper *v);

struct vhopper_function_info {
  const char *name;
  uint32_t parameter_count;
  const struct vhopper_parameter { uint32_t offset, size; } * parameters;
  uint32_t parameter_bytes;
  uint32_t static_shared_bytes, local_bytes, constant_bytes, register_count, max_threads_per_block;
  bool registers_guessed;            // no machine code gives register_count; a guess limits no launch
  uint32_t max_dynamic_shared_bytes; // settable, 49152 - static at first, up to 232448 - static
  uint32_t cluster[3];               // compiled-in, or 0
};
// max_dynamic_shared_bytes may be set through it
struct vhopper_function_info *vhopper_function_info(struct vhopper_function *function);

// Returns what vhopper_launch would return before it runs the grid: 0, or why the launch is refused. The
// reason is in the report then.
int vhopper_check_launch(struct vhopper *v, struct vhopper_function *function,
                         const struct vhopper_launch_config *config);
// Runs a grid to its end. `parameters` is the parameter block laid out as in parameters[] above.
// Sticky device errors are kept: after one, every later launch returns it until vhopper_reset.
int vhopper_launch(struct vhopper *v, struct vhopper_function *function,
                   const struct vhopper_launch_config *config, const void *parameters);
uint64_t vhopper_launches(const struct vhopper *v);       // that have begun
uint64_t vhopper_child_launches(const struct vhopper *v); // of these: by kernels
// Says in words where the address is: in or near which allocation, and whether that was freed.
void vhopper_describe(const struct vhopper *v, uint64_t address, char *text, size_t size);
bool vhopper_was_freed(const struct vhopper *v, uint64_t address); // since the last reset
int vhopper_sticky_error(const struct vhopper *v);
void vhopper_fail(struct vhopper *v, int error); // the device stops with this error, if it has none yet
void vhopper_reset(struct vhopper *v);           // forgets error, modules and allocations
void vhopper_pass_time(struct vhopper *v, uint64_t nanoseconds); // the host's time between two requests
// nanoseconds; grows with work done, never with wall clock
uint64_t vhopper_virtual_time(const struct vhopper *v);
// Text printed by kernels since the last call; malloc'ed, NUL-terminated, *length without the NUL.
char *vhopper_take_output(struct vhopper *v, size_t *length);

// The time model's predictions, one for each launch so far, if options.chip named a chip; else none.
struct time_prediction;
const struct time_prediction *vhopper_predictions(const struct vhopper *v, size_t *count);
// The picture of the launch that takes longest, with options.timeline; NULL: none.
struct timeline;
const struct timeline *vhopper_timeline(const struct vhopper *v);
// How many launches read clocks that couldn't follow the time model (options.clocks).
uint64_t vhopper_clocks_missed(const struct vhopper *v);
// The host has copied (from: 0 for a fill) so many bytes within the device: with a chip, virtual time passes,
// and its L2 cache holds other lines.
void vhopper_pass_copy(struct vhopper *v, uint64_t to, uint64_t from, uint64_t bytes);

// Faults and observed counters since creation or the last vhopper_clear_report (fault.h has the records).
struct fault_report;
struct fault_report *vhopper_report(struct vhopper *v);
// What orders streams, events and the host (order/streams.h).
struct stream_order;
struct stream_order *vhopper_streams(struct vhopper *v);
void vhopper_clear_report(struct vhopper *v);

#endif
