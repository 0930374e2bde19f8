// Functions that CUDA's runtime gives to kernels: printf, assert, malloc, free. op->extra: struct call_site.
#ifndef VIRTUAL_HOPPER_WARP_SYSTEM_H
#define VIRTUAL_HOPPER_WARP_SYSTEM_H

#include "virtual-hopper/decode/op.h"

op_execute system_printf, system_assert_fail, system_malloc, system_free;

// A string at a generic address of a thread, cut after `size` - 1 bytes; false: it leads outside memory.
bool system_read_string(struct warp *w, uint32_t lane, uint64_t address, char *text, size_t size);
// printf's formatting: reads arguments as nvcc packs them. Appends to the device's output; gives the number of arguments, -1 after a bad address.
int system_format(struct warp *w, uint32_t lane, const char *format, uint64_t arguments);

#endif
