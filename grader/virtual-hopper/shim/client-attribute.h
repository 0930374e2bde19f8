// Attributes of launches: of cudaLaunchKernelEx and of cuLaunchKernelEx, whose structures are the same.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_ATTRIBUTE_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_ATTRIBUTE_H

#include <driver_types.h>

#include "virtual-hopper/shim/client.h"

// Before the launch. Returns a CUDA error.
int client_launch_attribute(struct protocol_launch *launch, const cudaLaunchAttribute *attribute,
                            void *stream);
// After it: an event of the launch itself. Whoever waits for it counts as ordered after the whole launch.
void client_launch_event(const cudaLaunchAttribute *attribute, void *stream);

#endif
