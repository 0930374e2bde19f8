// Functions that CUDA's runtime provides to kernels: printf, assert, malloc, free. op->extra is a struct
// call_site.
#ifndef VIRTUAL_HOPPER_EXECUTE_SYSTEM_H
#define VIRTUAL_HOPPER_EXECUTE_SYSTEM_H

#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/machine/op.h"

op_execute system_printf, system_assert_fail, system_malloc, system_free, system_set_condition;

// Argument `n` of a call, of a thread: at most `size` of its bytes, and zeros behind them.
void system_argument_bytes(const struct warp *w, const struct call_site *site, uint32_t n, uint32_t lane,
                           void *to, size_t size);
uint64_t system_argument(const struct warp *w, const struct call_site *site, uint32_t n, uint32_t lane);
void system_set_result(const struct warp *w, const struct call_site *site, uint32_t lane, uint64_t value);

// Returns 0 where the heap has no room.
uint64_t system_heap_take(struct launch *l, uint64_t bytes);

// Reads a string at a generic address of a thread, at most `size` - 1 bytes. Returns false when the string
// leaves memory.
bool system_read_string(struct warp *w, uint32_t lane, uint64_t address, char *text, size_t size);
// The formatting of printf: reads the arguments as nvcc packs them and appends the text to the device's
// output. Returns the number of arguments, -1 after a bad address.
int system_format(struct warp *w, uint32_t lane, const char *format, uint64_t arguments);

#endif
