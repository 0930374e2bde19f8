// For files that can't include NVIDIA's header, because they define its functions with other parameters.
#ifndef VIRTUAL_HOPPER_SHIM_RUNTIME_UNSUPPORTED_H
#define VIRTUAL_HOPPER_SHIM_RUNTIME_UNSUPPORTED_H

// Tells the program and the device that a function isn't there; 801 becomes the thread's last error. Returns it.
int runtime_unsupported(const char *name);

#endif
