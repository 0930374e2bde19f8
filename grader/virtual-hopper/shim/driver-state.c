// The one piece of state that a process's three CUDA libraries share; everything else reaches it through client_state().
// Nothing comes in or leaves: it is only the place.
#include "virtual-hopper/shim/client.h"

EXPORT struct client vhopper_client_state = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .modules_mutex = PTHREAD_MUTEX_INITIALIZER,
    .handles_mutex = PTHREAD_MUTEX_INITIALIZER,
    .socket = -1,
};
