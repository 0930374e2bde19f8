// For files that can't include NVIDIA's header: they define NVIDIA's functions with other parameters.
#ifndef VIRTUAL_HOPPER_SHIM_RUNTIME_UNSUPPORTED_H
#define VIRTUAL_HOPPER_SHIM_RUNTIME_UNSUPPORTED_H

// Reports on stderr and to the device that a function is not supported. Stores 801 as the thread's last error
// and returns 801.
int runtime_unsupported(const char *name);

#endif
