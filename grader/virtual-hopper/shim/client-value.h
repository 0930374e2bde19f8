// Values in memory that streams write and wait for (cuStreamWriteValue32, cuStreamWaitValue32).
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_VALUE_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_VALUE_H

#include "virtual-hopper/shim/client.h"

struct client_value {
  uint64_t address, value;
  unsigned how; // base/stream-value.h; of a write only whether it is wide
  bool waits;   // false: it writes
  bool nothing; // it neither writes nor waits: of a graph's node, a memory barrier
};

// 0, or the CUDA error of a value that can't be written or waited for.
int client_value_check(const struct client_value *v);
int client_value(const struct client_value *v, uint32_t in); // in the stream; checked
// A wait: whether the value is there. Doesn't wait for a launch that still runs: then the answer may be no.
bool client_value_is_there(const struct client_value *v);
// The same; looked: whether it has been looked for.
bool client_value_look(const struct client_value *v, bool *looked);
uint64_t client_value_in(const struct client_host *host, const struct client_value *v); // what is there now
void client_value_now(const struct client_value *v, uint32_t in);
// The stream waits for ever: tells so. The device stops.
void client_value_hangs(const struct client_value *v, uint32_t in);
// Whether it is in memory that the host shares.
bool client_value_is_shared(const struct client_value *v);
// Whether only this program can write there, and only by calls or by code of its own.
bool client_value_is_private(const struct client_value *v);

// client-order.c: writes the value into the host's memory, and tells the device so.
void client_order_value_written(const struct client_value *v, const struct client_host *host,
                                uint32_t stream);

// client-later.c: returns true if the value is kept, and will be written or waited for later.
bool client_later_value(const struct client_value *v, uint32_t in);

#endif
