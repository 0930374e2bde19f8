// The device's side of the socket: takes requests of a CUDA program's process, does them on a virtual Hopper
// and replies. The process may be hostile: every field is checked, everything that can grow has a limit, and
// an invalid message drops the connection with a reason. Only vhopper_launch takes long; nothing else blocks.
#ifndef VIRTUAL_HOPPER_SERVER_SERVER_H
#define VIRTUAL_HOPPER_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct server;
struct vhopper;

struct server_limits {  // 0 in any of them: the default
  uint32_t allocations; // alive at once; default 65536
  uint32_t modules;     // alive at once; default 1024
  uint32_t functions;   // of all modules loaded since the last HELLO; default 65536
  uint32_t kernels;     // kernel names with a counter of their own; default 4096
  size_t module_bytes;  // of one fat binary; default 256 MiB
  // memory of all modules in this process; past it another module or kernel is refused; default 2 GiB
  size_t modules_memory;
  size_t output_bytes; // printed by kernels and not yet taken; more is lost; default 16 MiB
  size_t memory_bytes; // sum of all allocations; default: what an H100 80GB offers
  // What calls may ask for until server_renew_work, in units of some 25 ns of a processor; default: no limit.
  // What kernels do is not counted here.
  uint64_t work;
  uint64_t launches; // per connection; default: no limit
  // How long a file waits for room on its way to the program, which others of this user's may have taken;
  // default 10
  double file_seconds;
  // The device's clock passes while the program computes; a launch takes at least as long as it takes by that
  // clock. Otherwise only launches take time, and none of the host's.
  bool real_time;
  // What the host's code does wrong: failed calls that nobody asked for, memory that is never given back.
  enum server_host_faults { HOST_FAULTS_IGNORED, HOST_FAULTS_WARN, HOST_FAULTS_ERROR } host_faults;
  bool leaks;
  bool keeps_device; // the device has other users: cudaDeviceReset frees only what this connection made
};

enum server_state {
  SERVER_WAITING, // nothing more to do until server_events() happen
  SERVER_HANDLED, // one request was answered in full; there may be more
  SERVER_CLOSED,  // the other side closed the connection, between two requests
  SERVER_DROPPED, // the other side broke the protocol: server_reason() says how; the socket is shut down
};

// The caller keeps the device and the socket: both must outlive the server, and the caller closes them.
struct server *server_create(struct vhopper *device, int socket, const struct server_limits *limits);
void server_destroy(struct server *server); // frees the connection's objects on the device
// Sets the program's own modules: its section .nv_fatbin, copied. Any other container counts as made at run
// time, and so does PTX text. Without this call every container counts as the program's own.
void server_know_modules(struct server *server, const void *section, size_t bytes);
// The program has ended: records what its host code has left undone, if limits.host_faults or limits.leaks
// ask for it.
void server_judge_host(struct server *server);
// Makes progress until one request is answered or the socket is not ready. Only a launch blocks.
enum server_state server_step(struct server *server);
short server_events(const struct server *server);       // what to poll(2) the socket for: POLLIN or POLLOUT
const char *server_reason(const struct server *server); // why SERVER_DROPPED; "" before
// False while a message is half read or its reply is half sent. The place for its bytes was fixed at its
// start, so buffers and cases must not change meanwhile.
bool server_is_idle(const struct server *server);
// The program may ask for limits.work once more: its next case begins.
void server_renew_work(struct server *server);
// Why SERVER_DROPPED: the program has asked for more than limits.work. server_reason() is the request.
bool server_is_spent(const struct server *server);
// Why SERVER_DROPPED: the kernel had no room for a file on its way to the program, since others of this
// user's were. That may be nobody's fault here.
bool server_is_crowded(const struct server *server);
// Ends the connection from our side; server_step then answers SERVER_DROPPED.
void server_drop(struct server *server, const char *reason);

struct server_counters {
  uint64_t requests, failed_requests, processes, launches, failed_launches;
  uint64_t allocations, frees, bytes_written, bytes_read, bytes_copied, bytes_filled;
  uint64_t live_allocations, live_bytes, live_modules;
  int32_t process; // from the last HELLO; 0: no HELLO yet; a claim, not a fact
};
const struct server_counters *server_counters(const struct server *server);

struct server_kernel {
  const char *name;
  uint64_t launches;
};
// distinct kernels launched, in the order of first launch
size_t server_kernel_count(const struct server *server);
struct server_kernel server_kernel_at(const struct server *server, size_t index);

#endif
