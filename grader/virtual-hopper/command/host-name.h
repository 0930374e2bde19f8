// A C++ function's name as a person says it.
#ifndef VIRTUAL_HOPPER_COMMAND_HOST_NAME_H
#define VIRTUAL_HOPPER_COMMAND_HOST_NAME_H

#include <stddef.h>

// "space::copies::run" from "int space::copies<float, 4>::run<int>(float*, int) const": without template
// arguments, parameters and what stands before the name. A lambda is "main::{lambda}". size: of `name`.
void host_name_shorten(char *name, size_t size, const char *demangled);

#endif
