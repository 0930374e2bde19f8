// NVRTC's functions, as a program on the virtual Hopper meets them. What a function gets, and gives, is what
// nvrtc.h says.
#ifndef TMA_LAB_VIRTUAL_HOPPER_SHIM_AUDIT_NVRTC_H
#define TMA_LAB_VIRTUAL_HOPPER_SHIM_AUDIT_NVRTC_H

#include <stdbool.h>

// Whether the library is NVRTC. Keeps the path, which must stay as it is.
bool nvrtc_is(const char *path);
// What `name`, which NVRTC defines at `original`, is to be bound to.
void *nvrtc_bind(const char *name, void *original);

#endif
