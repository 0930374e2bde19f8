// Calls of the program's that are kept because they come after something that waits for the host, and the
// page-locked memory that such a call will touch.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_LATER_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_LATER_H

#include "virtual-hopper/shim/client.h"

#include <time.h>

int64_t client_clock_ms(clockid_t clock); // client-later.c: milliseconds by this clock
// client-later.c: calls that come after a host function that doesn't end, or after such calls. Each of these
// returns true if the call is kept, and will be made later.
bool client_later_launch(struct client_function *function, const struct protocol_launch *launch,
                         const void *parameters, size_t bytes, uint64_t stream, uint32_t in);
bool client_later_box(const struct client_box *box, uint32_t in, bool keep); // keep: what it reads is kept
bool client_later_note(enum protocol_order_kind kind, uint32_t stream, uint64_t object);
bool client_later_record(void *event, uint32_t in);
bool client_later_function(void (*function)(void *), void *data, uint32_t stream);
// A launch still runs, after a moment in which most end.
bool client_launch_lasts(void);
bool client_later_free(uint64_t address, uint32_t in);
bool client_is_non_blocking(struct client *client, uint32_t stream);
// Whether such calls concern the stream, or the event; 0: none.
bool client_later_has(uint32_t stream, uint64_t event);
bool client_later_makes(void);                            // this thread makes a call that was kept
void client_later_await(uint32_t stream, uint64_t event); // until no call does; both 0: until there is none
void client_later_settle(void);                           // until those that come after nothing are made
void client_later_run(void);                              // makes those that come after nothing
// A moment has passed: values may be there. The caller holds functions_mutex.
void client_later_values_due(struct client *client);
// client-host-function.c: the program waits for what a function may bring about: the next one that may run
// does. The caller holds functions_mutex.
void client_functions_go_on(struct client *client);

// client-early.c: `call`, a kept one, will read or write this memory; it has been made.
void client_early_begin(const void *start, size_t bytes, bool written, uintptr_t call);
void client_early_begin_managed(uintptr_t call); // it is a launch, which may touch all managed memory
void client_early_end(uintptr_t call);
void client_early_lend(struct client *client, const char *start, size_t bytes); // under the guards' lock
void client_early_renew(struct client *client); // protects it again, under that lock
bool client_early_holds(const struct client *client, const char *at);
bool client_early_fault(struct client *client, const char *at); // false: no such memory is there

#endif
