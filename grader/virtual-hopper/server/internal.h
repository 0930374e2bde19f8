// Shared by the files of the server: one connection, the request being read, the reply being sent, the
// objects the connection owns. The fields of a request are untrusted: a handler checks them before it uses
// them.
#ifndef VIRTUAL_HOPPER_SERVER_INTERNAL_H
#define VIRTUAL_HOPPER_SERVER_INTERNAL_H

#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/base/cuda-errors.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/order/streams.h"
#include "virtual-hopper/server/protocol.h"
#include "virtual-hopper/server/server.h"

// What the connection does next.
enum server_phase { PHASE_HEADER, PHASE_BODY, PHASE_PAYLOAD, PHASE_REPLY, PHASE_LAUNCH, PHASE_ENDED };

// Rows of bytes in device memory. The socket reads or writes them directly, without another copy.
struct server_stream {
  uint8_t *base; // NULL: bytes that arrive are thrown away
  uint64_t pitch, width, rows;
  uint64_t row, offset; // progress so far
};

struct server_allocation {
  uint64_t address, bytes;
  char *callers; // who asked for it; NULL: unknown
  bool pinned;   // the program's own page-locked memory
  bool told;     // counted in a report of leaks
};
struct server_module {
  struct vhopper_module *module;
}; // NULL: unloaded
struct server_function {
  struct vhopper_function *function;
  uint64_t module;
  uint32_t kernel;
};

struct server_failure {
  char text[640];
  char *callers;
  bool launch;
  bool freed; // memory that had been freed before
};

union protocol_body {
  struct protocol_hello hello;
  struct protocol_allocate allocate;
  struct protocol_free free;
  struct protocol_pin pin;
  struct protocol_region region;
  struct protocol_copy copy;
  struct protocol_fill fill;
  struct protocol_locate locate;
  struct protocol_module module;
  struct protocol_set_shared set_shared;
  struct protocol_launch launch;
  struct protocol_host_fault host_fault;
  struct protocol_order order;
  struct protocol_set_limit set_limit;
  struct protocol_call_failed call_failed;
};

union protocol_answer {
  struct protocol_address address;
  struct protocol_location location;
  struct protocol_memory memory;
  struct protocol_handle handle;
  struct protocol_function function;
  struct protocol_number number;
};

struct server {
  struct vhopper *device;
  int socket;
  struct server_limits limits;
  struct server_counters counters;
  enum server_phase phase;
  bool greeted;
  char reason[160];
  uint64_t work; // asked for, of limits.work
  bool spent;    // more was asked for; `reason` says by what
  bool crowded;  // the kernel had no room for a file on its way, which may be others' doing

  // bytes that have arrived and are not yet used:
  uint8_t input[8192];
  size_t input_start, input_end;

  // the request being read:
  struct protocol_request request;
  union protocol_body body;
  uint8_t *payload; // request.payload_bytes and a NUL, unless the payload is streamed
  uint64_t payload_done;
  bool streams_in;
  int begin_status; // result of the operation's `begin`

  // the reply being sent:
  struct protocol_reply reply;
  union protocol_answer answer;
  uint8_t *reply_payload; // malloc'ed; NULL without payload or when it is streamed
  uint64_t reply_done;    // bytes sent of header, body and payload together
  bool streams_out;
  double counted_until; // CLOCK_MONOTONIC seconds, with limits.real_time; 0: nothing yet
  int reply_file;       // goes with the reply's first byte and is closed then; -1: none
  double file_since;    // CLOCK_MONOTONIC seconds, since when it finds no room on its way; 0: it doesn't
  bool launch_is_early; // after this reply the launch runs, and is answered again
  bool may_run_on;      // the launch that runs is answered when it waits for the host
  bool tells_waiting;   // it has been answered, but not that it waits
  struct server_stream stream; // of the request or of the reply, never both

  // the program's containers, one after the other; NULL: every container counts as the program's own
  uint8_t *own_modules;
  size_t own_modules_bytes;

  // of the host's code, where limits.host_faults asks for it:
  struct protocol_order value;     // of the next note on a value
  struct protocol_order rows;      // of the next note on memory of the host's
  char *callers;                   // of the request; NULL: unknown
  char detail[400];                // why the last operation on memory was refused; "": it was not
  bool was_freed;                  // and the memory had been freed before
  struct server_failure *failures; // that the program has not asked for yet
  size_t failure_count, failure_room;

  // objects that the connection owns, ordered by address or handle:
  struct server_allocation *allocations;
  size_t allocation_count, allocation_room;
  struct server_module *modules;
  size_t module_count, module_room;
  struct server_function *functions;
  size_t function_count, function_room;
  struct server_kernel *kernels;
  size_t kernel_count, kernel_room;
  char *output; // printed by kernels, not yet taken
  size_t output_bytes;
};

// operations.c: the needs and handlers of each operation.
struct server_operation {
  const char *name;
  uint32_t body_bytes, answer_bytes;
  bool has_payload;
  int (*begin)(struct server *server);  // before the payload is read; NULL: nothing to do
  int (*handle)(struct server *server); // returns a CUDA error
};
const struct server_operation *server_operation(uint32_t operation); // NULL: no such operation
uint64_t server_payload_limit(const struct server *server);          // for the request being read

// memory.c
int server_begin_write(struct server *server);
int server_handle_write(struct server *server);
int server_handle_allocate(struct server *server);
int server_handle_free(struct server *server);
int server_handle_pin(struct server *server);
int server_handle_unpin(struct server *server);
int server_handle_read(struct server *server);
int server_handle_copy(struct server *server);
int server_handle_fill(struct server *server);
int server_handle_locate(struct server *server);
int server_handle_memory(struct server *server);
void server_free_allocations(struct server *server);
// Of what the program has allocated there; 0: nothing that begins at this address.
uint64_t server_allocated_bytes(const struct server *server, uint64_t address);

// order.c
int server_handle_order(struct server *server);
bool server_notes_values(
    const struct server *server); // the request is a note on a value that a stream writes
// The request is a copy or a fill in the stream of its header; NULL: no such region.
void server_order_copy(struct server *server, enum stream_actor actor, const struct protocol_region *reads,
                       const struct protocol_region *writes);

// work.c: each returns false if there is no work left for the request; the connection then ends.
bool server_charge(struct server *server, uint64_t work, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool server_charge_request(struct server *server);
bool server_charge_rows(struct server *server, uint64_t rows, uint64_t width);

// modules.c
int server_handle_module(struct server *server);
int server_handle_unload(struct server *server);
int server_handle_function(struct server *server);
int server_handle_variable(struct server *server);
int server_handle_set_shared(struct server *server);
struct server_function *server_function_of(struct server *server, uint64_t handle); // NULL: no such function
void server_record_unsupported(struct server *server, const char *what);
void server_unload_modules(struct server *server);

// With limits.real_time: what has passed by the host's clock since the last call passes by the device's.
void server_pass_time(struct server *server);

// launch.c
int server_handle_launch(struct server *server);
int server_run_launch(struct server *server); // the launch that has been answered early
void server_collect_output(struct server *server);

// host.c
int server_handle_callers(struct server *server);
int server_handle_call_failed(struct server *server);
int server_handle_calls_seen(struct server *server);
// Remembers what is wrong with these bytes. Returns 1 (invalid value).
int server_refuse_address(struct server *server, const char *what, uint64_t address, uint64_t bytes);
void server_forget_host(struct server *server);

// The program's request exceeds its budget. Records the reason, which explains the error number.
int server_refuse_memory(struct server *server);
// Frees the request's payload and returns its bytes to the budget.
void server_free_payload(struct server *server);
// Makes room for one more element of `size` bytes. False: the array already has `limit` elements. Dies when
// memory runs out.
bool server_grow(void **array, size_t count, size_t *room, size_t size, size_t limit);
// Copies untrusted text so that it can be printed and put into JSON: ASCII only, NUL-terminated.
void server_copy_text(char *destination, size_t room, const uint8_t *text, uint64_t length);

#endif
