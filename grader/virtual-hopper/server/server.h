// The device's side of the socket: takes what a CUDA program's process asks for, does it on a virtual Hopper, answers.
// The process may be hostile: every field is checked, everything it can pile up is limited, and a message that is no
// message drops the connection with a reason. Only vhopper_launch takes long; all else never blocks.
#ifndef VIRTUAL_HOPPER_SERVER_H
#define VIRTUAL_HOPPER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;
struct vhopper;

struct server_limits {  // 0 in any of them: the default
  uint32_t allocations; // alive at once; default 65536
  uint32_t modules;     // alive at once; default 1024
  uint32_t functions;   // of all modules loaded since the last HELLO; default 65536
  uint32_t kernels;     // names that are counted apart; default 4096
  size_t module_bytes;  // of one fat binary; default 256 MiB
  size_t
      modules_memory; // that they take here before another one, or another kernel of one, is refused; default 2 GiB
  size_t output_bytes; // printed by kernels and not yet taken, the rest is lost; default 16 MiB
  size_t memory_bytes; // sum of all allocations; default: what an H100 80GB offers
  uint64_t launches;   // per connection; default: none
  bool keeps_device;   // the device has other users: cudaDeviceReset frees only what this connection made
};

enum server_state {
  SERVER_WAITING, // nothing more to do until server_events() happen
  SERVER_HANDLED, // one request was answered in full; there may be more
  SERVER_CLOSED,  // the other side has gone, between two requests
  SERVER_DROPPED, // it broke the protocol: server_reason() says how; the socket is shut down
};

// Takes over neither the device nor the socket: both must outlive the server and be closed by the caller.
struct server *server_create(struct vhopper *device, int socket, const struct server_limits *limits);
void server_destroy(struct server *server); // frees what the connection made on the device
// Makes progress until one request is answered or it would have to wait. Never blocks but for a launch.
enum server_state server_step(struct server *server);
short server_events(const struct server *server);       // what to poll(2) the socket for: POLLIN or POLLOUT
const char *server_reason(const struct server *server); // why SERVER_DROPPED; "" before

struct server_counters {
  uint64_t requests, failed_requests, processes, launches, failed_launches;
  uint64_t allocations, frees, bytes_written, bytes_read, bytes_copied, bytes_filled;
  uint64_t live_allocations, live_bytes, live_modules;
  int32_t process; // as the last HELLO said, 0: none; a claim, not a fact
};
const struct server_counters *server_counters(const struct server *server);

struct server_kernel {
  const char *name;
  uint64_t launches;
};
size_t server_kernel_count(
    const struct server *server); // distinct kernels launched, in the order of first launch
struct server_kernel server_kernel_at(const struct server *server, size_t index);

#endif
