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
// A launch waits for what the host does.
bool client_launch_lasts(void);
bool client_later_free(uint64_t address, uint32_t in);
bool client_is_non_blocking(struct client *client, uint32_t stream);
// Whether such calls concern the stream, or the event; 0: none.
bool client_later_has(uint32_t stream, uint64_t event);
bool client_later_makes(void);                            // this thread makes a call that was kept
void client_later_await(uint32_t stream, uint64_t event); // until no call does; both 0: until there is none
void client_later_settle(void);                           // until those that come after nothing are made
void client_later_run(void);                              // makes those that come after nothing
void client_later_look(void); // before the host learns that something is done: are values there by now?
// client-mark.c. Whether the host may have learnt something by this.
bool client_order_is_news(enum protocol_order_kind kind);
// What the host has waited for by now. The caller holds functions_mutex; without it, sets the mark if it is
// new.
uint64_t client_mark_take(struct client *client, bool *is_new);
void client_mark_set(uint64_t mark);
// Below which marks are of no use; lowest: that is used, UINT64_MAX: none. 0: nothing new. The caller holds
// functions_mutex; without it, tells the device.
uint64_t client_marks_below(struct client *client, uint64_t lowest);
void client_marks_forget(uint64_t below);
// A moment has passed: values may be there. The caller holds functions_mutex.
void client_later_values_due(struct client *client);
// client-host-function.c: the program waits for what a function may bring about: the next one that may run
// does. The caller holds functions_mutex.
void client_functions_go_on(struct client *client);

// client-pace.c: microseconds since the last look in which the thread has waited or worked; or, of all
// threads but this one, some have worked, or all have waited. May be called by a signal's handler: the first
// one.
int64_t client_pace_of_thread(struct client_pace *p, int thread);
int64_t client_pace_of_others(struct client_pace *p);
// client-host-function.c: the same of functions that run, of the one that has moved most; 0 while a thread of
// this library's has something to do, -1: no function runs. paces: CLIENT_FUNCTIONS of them. Needs no lock.
int64_t client_functions_pace(struct client *client, struct client_pace *paces);

// client-early.c: `call`, a kept one, will read or write this memory; it has been made.
void client_early_begin(const void *start, size_t bytes, bool written, uintptr_t call);
void client_early_begin_managed(uintptr_t call); // it is a launch, which may touch all managed memory
void client_early_end(uintptr_t call);
void client_early_lend(struct client *client, const char *start, size_t bytes); // under the guards' lock
void client_early_renew(struct client *client); // protects it again, under that lock
bool client_early_holds(const struct client *client, const char *at);
bool client_early_fault(struct client *client, const char *at); // false: no such memory is there

#endif
