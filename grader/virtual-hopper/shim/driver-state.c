// The only state that the CUDA libraries of a process share. This file only defines it. All other code reads
// and writes this state through client_state().
#include "virtual-hopper/shim/client.h"

EXPORT struct client vhopper_client_state = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .modules_mutex = PTHREAD_MUTEX_INITIALIZER,
    .managed_mutex = PTHREAD_MUTEX_INITIALIZER,
    .handles_mutex = PTHREAD_MUTEX_INITIALIZER,
    .events_mutex = PTHREAD_MUTEX_INITIALIZER,
    .functions_mutex = PTHREAD_MUTEX_INITIALIZER,
    .functions_changed = PTHREAD_COND_INITIALIZER,
    .graphs_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
    .socket = -1,
};
