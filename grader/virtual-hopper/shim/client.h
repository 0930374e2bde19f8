// The client's side of the socket. All three replacements of CUDA's libraries contain this code.
// In: requests of the program's CUDA functions. Out: CUDA error numbers and answers of the device's process.
// A process has one connection, whichever of the libraries it loads. Its state is in libcuda.so.1.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "virtual-hopper/base/cuda-errors.h"
#include "virtual-hopper/server/protocol.h"
#include "virtual-hopper/shim/client-guards.h"

#define EXPORT __attribute__((visibility("default")))
// A second name, for programs built with a default stream per thread. While such a call runs, the default
// stream is the thread's own. SAME: the function does the same for all streams.
#define PER_THREAD_ENTRY(result, name, entry, parameters, arguments) \
  EXPORT result entry parameters;                                    \
  result entry parameters {                                          \
    const bool before = client_default_is_own(true);                 \
    const result status = name arguments;                            \
    client_default_is_own(before);                                   \
    return status;                                                   \
  }
#define PER_THREAD_SAME(name) EXPORT extern __typeof(name) name##_ptsz __attribute__((alias(#name)))

// nvcc's wrapper of a fat binary (fatbinary_section.h).
enum { CLIENT_WRAPPER_MAGIC = 0x466243b1, CLIENT_LINKED_VERSION = 2 };
struct client_wrapper {
  uint32_t magic, version;
  const void *data;
  void *prelinked;
};

struct client_graph;
struct client_node;
struct client_value;

enum { CLIENT_ORDERS = 2048 };

// A stream, or an event, that comes after the launch that runs on (client-behind.c).
enum { CLIENT_BEHIND = 64 };
struct client_behind {
  uint64_t key;
  bool is_stream;
};

// Of a thread, when it was last looked at: microseconds of the clock, and of its own.
struct client_pace {
  int64_t at, worked;
};

struct client_host_function { // cudaLaunchHostFunc
  void (*function)(void *);   // NULL: none
  void *data;
  uint32_t stream;
  uint64_t operation; // of the stream; 0: nobody judges it
  uint64_t number;    // of the call, from 1
  uint64_t after;     // which of those that had not ended then come before it: a bit for each place
  bool wanted, runs;  // wanted: a call waits for it
  bool left;          // no call waits for it any more, although it has not ended
  bool asked;         // the program has been told that it has not ended
  int64_t began;      // milliseconds of a clock
  int runs_in;        // which thread
  atomic_bool is_in;  // the program's code, and not in this library's
  struct client_pace pace;
  int64_t ran; // microseconds, in which it is known to have waited or worked
  int thread;  // that wants it, and where that thread's stack ends; 0: none
  const char *frame;
};
enum { CLIENT_FUNCTIONS = 64 };

enum { CLIENT_LIMITS = 7 }; // of enum cudaLimit

enum { CLIENT_CALLERS = 24 };

struct client {
  pthread_mutex_t mutex; // guards the connection: one request and its reply at a time
  // guards loading of modules and resolving of functions; locked before `mutex`:
  pthread_mutex_t modules_mutex;
  // set once, when the first call connects:
  _Atomic pid_t process; // 0: this process has not tried to connect yet
  int failure;           // the CUDA error that every call returns without a connection; 0: connected
  int socket;
  // `vhopper run` wants to know who calls; guarded by `mutex`:
  bool is_run;
  void *callers[CLIENT_CALLERS]; // that the device knows
  int caller_count;
  atomic_bool failure_was_told; // since the program last asked for an error
  // copied from the last reply:
  _Atomic int device_error;      // the error that stopped the device; 0: no error
  atomic_bool output_waits;      // kernels have printed text that the client has not fetched yet
  _Atomic uint64_t virtual_time; // nanoseconds
  int processors;                // as the device has said; 0: nothing yet
  // A stream's identifier. The last operation in any stream was a launch into this stream, and the program
  // has not waited since. 0: no such stream.
  _Atomic uint64_t last_launch;
  // A launch that was answered before it ran, and whose end this process has not yet heard of. `mutex` guards
  // changes.
  atomic_bool launch_runs;
  atomic_bool launch_waits;                   // for what the host does
  uint64_t running_stream;                    // its stream's identifier
  struct client_behind behind[CLIENT_BEHIND]; // what comes after it; orders_mutex guards both
  uint32_t behind_count;
  // handles and memory that this process has given to the program:
  pthread_mutex_t managed_mutex; // held while managed memory is guarded; locked first
  pthread_mutex_t handles_mutex; // guards these lists
  struct client_host *hosts;
  struct client_managed *managed;
  struct client_stream *streams;
  struct client_texture *textures;
  struct client_pool *pools;
  void *pool;                  // that cudaMallocAsync takes from; NULL: the default one
  struct client_range *ranges; // of virtual memory
  struct client_physical *physical;
  pthread_mutex_t orders_mutex; // may be locked while `mutex` is; guards what orders the streams
  struct protocol_order orders[CLIENT_ORDERS]; // not sent yet
  uint32_t order_first, order_count;           // a ring
  _Atomic uint64_t host_news;                  // how often the host may have learnt that something is done
  atomic_bool guards_locked; // guards what is closed and lent, but for a touched guard's becoming free
  struct client_guard guards[CLIENT_GUARDS];
  struct client_lent lent[CLIENT_LENT];
  struct client_step steps[CLIENT_STEPS]; // under way
  uint32_t step_count;                    // that have been made
  struct client_early early[CLIENT_EARLY];
  _Atomic uint32_t early_us; // that accesses were held up
  // For memory faults that are not of a guard: what the program has set. `fault_handler` is the one of ours
  // that was set last, from whichever library; NULL: none.
  struct sigaction other_action;
  void (*_Atomic fault_handler)(int, siginfo_t *, void *);
  void (*_Atomic trap_handler)(int, siginfo_t *, void *); // the same, behind single accesses
  _Atomic(const char *) faulted;                          // the last address outside every closed guard
  _Atomic int fault_tries;                                // in a row
  pthread_mutex_t functions_mutex; // guards these, up to `later_count`; no other is locked by who holds it
  pthread_cond_t functions_changed;
  atomic_bool functions_wait; // some have not ended yet
  struct client_host_function functions[CLIENT_FUNCTIONS];
  uint32_t function_count;
  uint64_t function_number;    // of the last call
  uint64_t functions_ended;    // how many have
  bool function_was_told;      // that it doesn't end
  bool function_is_watched;    // one of those that run
  uint32_t waited_ms, left_ms; // until functions were called that nothing wanted; for those that did not end
  _Atomic uint32_t helpers;    // threads that call functions
  uint32_t helpers_free;       // and run none
  _Atomic uint32_t moments, probes_ms; // microseconds that waits have left to other threads; spent on trials
  int64_t grace;              // microseconds that waits have waited for functions that might just end
  struct client_later *later; // calls of the program's that will be made when a function has ended
  bool later_due;             // one of them may be made now
  // What the host had waited for when they were called (client-mark.c): the last mark, how much news there
  // was then, and the first mark that the device has not forgotten.
  uint64_t last_mark, mark_news, first_mark;
  _Atomic uint64_t later_calls; // that have been kept
  _Atomic uint64_t told_calls;  // of those: that a launch may have been told of what the host knew later
  bool later_behind;            // one of them comes after a launch that runs on
  _Atomic uint32_t later_count;
  _Atomic uint32_t values_awaited; // of those calls: how many wait for a value
  int64_t value_since;             // milliseconds of a clock, since one does
  bool value_was_told;             // that it isn't there
  struct client_watch watch;       // guarded by guards_locked, as the next two
  struct client_source sources[CLIENT_SOURCES];
  atomic_uint source_count;
  atomic_bool hears_frees; // the auditing library tells which blocks are given back
  _Atomic uint64_t calls;  // that were made
  _Atomic uint32_t calls_under_way;
  pthread_mutex_t events_mutex; // may be locked while `mutex` is
  struct client_event *events;
  _Atomic uint64_t next_identifier;
  _Atomic uint64_t limits[CLIENT_LIMITS]; // set by the program, plus 1; 0: the default holds
  // graphs and captures (client-graph.h); its functions lock it again:
  pthread_mutex_t graphs_mutex;
  struct client_graph *graphs;
  struct client_capture *captures;
  struct client_tips *tips;
  struct client_graph_memory *graph_memory;
  struct client_condition_handle *conditions;
  _Atomic uint32_t capture_count; // captures that go on, and events that belong to one
  _Atomic uint32_t next_lane;     // of all that the device knows
  _Atomic uint32_t next_thread;   // that has a default stream of its own
  atomic_bool error_was_told;     // a call has returned the device's error; every later call returns it, too
  atomic_bool fork_was_reported, loss_was_reported;
  _Atomic uint64_t complained; // about which unsupported features: one bit of a hash of each
};

// Rows of host memory.
struct client_rows {
  void *base;
  size_t pitch, width, rows;
};

struct client_request {
  enum protocol_operation operation;
  const void *body;
  size_t body_bytes;
  // The request's payload: either one block or rows. Both may be absent.
  const void *payload;
  size_t payload_bytes;
  const struct client_rows *source;
  void *answer;
  size_t answer_bytes;
  // The reply's payload: either copied into these rows, or returned as a block that the caller frees.
  const struct client_rows *destination;
  void **reply_payload;
  size_t *reply_bytes;
  int *file;    // receives the descriptor that comes with the reply; NULL: none is expected
  uint32_t in;  // the stream, with PROTOCOL_HOST_WAITS; 0: beside all streams
  bool runs_on; // out: the launch has been answered before its end; in the stream
  bool is_peek; // no call of the program's
  bool tells_callers;
  uint64_t stream;
};

// client-connection.c
struct client *client_state(void); // never NULL
// Sends the request and returns its CUDA error. The process's first call also connects.
int client_call(struct client_request *request);
// Waits for the end of a launch that still runs. Every request does that, too.
void client_settle(void);
void client_settle_stream(uint32_t stream); // if it is of this stream; 0: of any. The host does nothing else
// Calls are kept behind the launch, and the program's only thread waits for them.
void client_settle_at_rest(void);
// A launch still runs, and has been heard to wait for the host.
bool client_launch_waits(const struct client *client);
// Whether such a launch still runs. Does not wait.
bool client_is_busy(void);
int client_connect(void); // returns 0, or the CUDA error that every call will return
void client_complain(const char *format, ...) __attribute__((format(printf, 1, 2))); // one line on stderr
// Complains on stderr, records the use in the device's report and returns 801 (not supported).
int client_unsupported(const char *what, ...) __attribute__((format(printf, 1, 2)));
void client_flush_output(void); // prints the kernels' text to stdout; CUDA does that when the program waits
int client_device_error(void);  // the device's sticky error; 0: no error

// client-instead.c
const char *client_instead(const char *what); // a sentence; empty: none is known

// client-callers.c
// Notes who calls. Returns false when the device knows it already; else `text` receives the callers, as
// PROTOCOL_CALLERS wants them. The caller holds the mutex.
bool client_callers(struct client *client, char *text, size_t size);
// Who calls; and that those count as the callers of what this thread does. NULL: no longer.
struct client_caller_list {
  void *callers[CLIENT_CALLERS];
  int count;
};
void client_callers_keep(struct client_caller_list *list);
void client_callers_use(const struct client_caller_list *list);
// A function of the runtime returns this error because its arguments are wrong. For `vhopper run` only.
void client_call_failed(int error, const char *function, bool launch);
// Where the program is called from: ", called at PROGRAM+0xOFFSET", for addr2line. Empty: unknown.
void client_caller_text(char *text, size_t size);
void client_error_seen(void); // the program has asked for the last error

// client-memory.c: the functions return CUDA errors; every uint64_t address is a device address
// `in` 0: everything waits; else the stream that the memory is made or given back in
int client_allocate(uint64_t *address, size_t bytes, uint32_t in);
int client_free(uint64_t address, uint32_t in);
// `in`: as in struct client_request
int client_write(uint64_t address, size_t pitch, const struct client_rows *source, uint32_t in);
int client_read(const struct client_rows *destination, uint64_t address, size_t pitch, uint32_t in);
int client_peek(const struct client_rows *destination, uint64_t address); // for this library itself
int client_copy(uint64_t destination, size_t destination_pitch, uint64_t source, size_t source_pitch,
                size_t width, size_t rows, uint32_t in);
int client_fill(uint64_t address, size_t pitch, uint32_t pattern, uint32_t pattern_bytes, size_t width,
                size_t rows, uint32_t in);
// Returns 1 when the bytes are not device memory.
int client_locate(uint64_t address, size_t bytes, struct protocol_location *location);
bool client_is_device(const void *pointer);
int client_memory(struct protocol_memory *memory);

// client-pool.c: pools of memory, by their handles
void *client_pool_default(void);
void *client_pool_current(void);
void *client_pool_create(void); // NULL: no memory
bool client_pool_destroy(void *pool);
bool client_pool_check(const void *pool); // whether it is one
bool client_pool_use(void *pool);         // from now on; false: it is none

// client-transfer.c. A copy or a fill: slices of rows. `kind`: of enum cudaMemcpyKind.
struct client_box {
  char *to;
  const char *from;          // NULL: a fill
  size_t to_pitch, to_slice; // bytes from row to row, and from slice to slice
  size_t from_pitch, from_slice;
  size_t width, rows, slices; // width: in bytes
  int kind;
  uint32_t pattern, pattern_bytes; // of a fill
};
int client_transfer(const struct client_box *box, uint32_t in);     // or a node, if the stream is captured
int client_transfer_now(const struct client_box *box, uint32_t in); // `in`: as in struct client_request

// client-batch.c: as the arguments of cudaMemcpyBatchAsync; returns a CUDA error
struct client_batch {
  void *const *to;
  const void *const *from;
  const size_t *bytes, *first;
  size_t count, attribute_count;
  const struct client_batch_attribute { // cudaMemcpyAttributes, CUmemcpyAttributes
    int source_order;
    struct {
      int kind, number;
    } from, to;
    unsigned flags;
  } * attributes;
};
int client_batch(const struct client_batch *batch, uint32_t in);

// client-limits.c: limits of the context, by the numbers of enum cudaLimit; both return CUDA errors
int client_limit(unsigned limit, size_t *value);
int client_set_limit(unsigned limit, size_t value);
void client_limits_forget(void); // after a reset

// client-modules.c
struct client_module {
  const void *image; // fat binary or PTX text, in the program's memory
  size_t bytes;
  bool tried;
  int status; // CUDA error of loading the module on the device; a module is loaded when it is first needed
  uint64_t handle;
};
enum { CLIENT_FUNCTION_MAGIC = 0x6e756676 };
// cudaKernel_t, cudaFunction_t, CUkernel and CUfunction point to this structure.
struct client_function {
  uint32_t magic;
  struct client_module *module;
  const char *name;
  bool resolved;
  int status;
  struct protocol_function info;
  struct protocol_parameter *parameters;
  bool nonportable_cluster;
  int carveout; // preferred share of shared memory in percent; -1: the default
};
int client_module_load(struct client_module *module);
void client_module_unload(struct client_module *module);
int client_function_resolve(struct client_function *function); // after 0, info and parameters are valid
int client_variable(struct client_module *module, const char *name, struct protocol_location *location);
int client_set_shared(struct client_function *function, size_t bytes);
// What launches do when their stream is not captured. stream: the identifier of the launch's; in: where the
// device sees it.
int client_launch_now(struct client_function *function, struct protocol_launch *launch,
                      const void *parameters, size_t bytes, uint64_t stream, uint32_t in);
// Packs a kernel's arguments into one block, to be freed. `arguments` are those of cudaLaunchKernel.
int client_pack(struct client_function *function, void **arguments, char **parameters);
// Finds the block in cuLaunchKernel's `extra`: {BUFFER_POINTER, block, BUFFER_SIZE, &bytes, END}.
int client_pack_extra(void **extra, const void **block, size_t *bytes);
// The caller fills `launch`, except for its function.
int client_launch(struct client_function *function, struct protocol_launch *launch, void **arguments,
                  void *stream);
int client_launch_packed(struct client_function *function, struct protocol_launch *launch,
                         const void *parameters, size_t bytes, void *stream);
struct client_function *client_function_checked(const void *handle); // NULL: not a handle of this library
// Returns the bytes of a fat binary container or of a text. Returns 0 for machine code, which is neither.
size_t client_image_bytes(const void *image);

// client-default.c: the default stream. Without a name it is the legacy one, or the calling thread's own.
// own: calls of this thread mean its own from now on. Returns what held before.
bool client_default_is_own(bool own);
bool client_has_own_default(void);
uint32_t client_default(void);       // as client_in
uint32_t client_default_waits(void); // there, and the host waits for it
// The identifier of this thread's own; from its first use on there is one.
uint64_t client_thread_stream(void);

// client-handles.c: streams and events. Every operation completes before its call returns, but for a launch
// of a program that shares memory with its kernels. So streams and events only record order and time.
struct client_stream {
  struct client_stream *next;
  unsigned flags;
  int priority;
  int thread; // whose own default stream it is; 0: the program has made it
  uint64_t identifier;
};
struct client_event {
  struct client_event *next;
  unsigned flags;
  bool recorded;
  bool waits; // recorded behind a launch that still runs: there is no time yet
  uint64_t time;
  uint32_t in;        // where it was recorded
  uint64_t functions; // the last host function's number then
};
struct client_stream *client_stream_create(unsigned flags, int priority); // NULL: no memory
bool client_stream_destroy(void *stream);                                 // false: no such stream
// Also finds the default streams: NULL, legacy (1) and per-thread (2).
bool client_stream_find(void *stream, struct client_stream *copy);
struct client_event *client_event_create(unsigned flags);
bool client_event_destroy(void *event);
bool client_event_find(void *event, struct client_event *copy);
// Returns 0 or a CUDA error. external: in a captured stream, a node that records the event when it runs.
int client_event_record(void *event, void *stream, bool external);
bool client_event_record_in(void *event, uint32_t in);
int client_event_wait(void *event, void *stream, bool external); // the stream waits
void client_events_end(uint64_t time);                           // the launch that events wait for has ended
// Whether a launch into this stream, or into any that this stream waits for, still runs.
bool client_stream_is_busy(void *stream);
// Whether what is before this point of the stream, or before the event, is done. If so, the host has waited.
bool client_stream_is_done(uint32_t stream);
bool client_event_is_done(const void *event);
// Called before a launch into the stream. Returns true when the operation before it was also a launch into
// this stream, and the program has not waited since. On a GPU, that launch could still be running.
bool client_launch_follows(void *stream);
void client_launches_end(void); // called for any other operation in a stream, and when the program waits

// client-capture.c. `captured`: the operation must become a node of the graph, by client_capture_*.
// Otherwise returns 0, or the CUDA error of an operation that a capture forbids.
int client_captures(uint32_t in, bool *captured);
int client_capture_launch(struct client_function *function, const struct protocol_launch *launch,
                          const void *parameters, size_t bytes, uint32_t in);
int client_capture_box(const struct client_box *box, uint32_t in);
int client_capture_host(void (*function)(void *), void *data, uint32_t in);
int client_capture_graph(struct client_graph *graph, uint32_t in);
int client_capture_record(void *event, uint32_t in, bool external);
// The stream waits for the event. *captured: at least one of both belongs to a capture.
int client_capture_wait(void *event, void *stream, bool external, bool *captured);
// 0, or the CUDA error of a call that a capture forbids: it might wait for what is only captured.
int client_capture_unsafe(void);
int client_capture_waits(void *stream); // the host waits for the stream; NULL event and stream: for all
int client_capture_asks(void *event);   // the host asks for the event
void client_capture_forget(const void *event);

// client-order.c
enum {
  CLIENT_BESIDE = 0,
  CLIENT_DEFAULT = 1, // in the legacy default stream
};
uint32_t client_in(void *stream);
// Notes what orders streams and the host, for the device: sent before the next request. stream: its number.
// The first one also has what comes before be done, or comes later itself.
void client_order(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes);
void client_order_note(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes);
// Of a value that a stream writes or waits for; before: what was in memory, or is now.
void client_order_value(enum protocol_order_kind kind, uint32_t stream, const struct client_value *value,
                        uint64_t before);
void client_order_collect(void);                      // what the host has touched
bool client_order_take(struct protocol_order *order); // the first that is not sent yet; false: none
// Returns the answer; 0 also when the device can't be asked.
uint64_t client_order_ask(enum protocol_order_kind kind, uint32_t stream, uint64_t object, uint64_t bytes);
uint64_t client_last_operation(uint32_t stream);
// Notes what a copy, or the host itself, does to these rows of its memory.
void client_order_rows(enum protocol_order_kind kind, uint32_t stream, const struct client_rows *rows);

// client-host-function.c: the function will be called, or is, in the stream.
void client_host_function(void (*function)(void *), void *data, uint32_t stream);
int client_callback(void (*function)(void *stream, int status, void *data), void *stream, void *data);
// Calls the functions that the stream's next operation comes after. Returns false if one of them doesn't end:
// it may wait for what the program does next. The others wait until all have ended; `waited`: those that the
// host has now waited for.
bool client_functions_before(uint32_t stream);
void client_functions_await(uint32_t stream);
void client_functions_waited(void);
void client_functions_all(void);
void client_functions_try_all(void); // as _all, but goes on beside one that doesn't end
// Whether the functions up to this number that the stream's next operation comes after have ended. Lets them
// begin when it is asked again.
bool client_functions_asked(uint32_t stream, uint64_t number);
bool client_functions_are_done(uint32_t stream); // wants those that are not
// The caller holds functions_mutex. Returns false when there is no thread that calls functions.
bool client_functions_helped(struct client *client);
void client_functions_moment(struct client *client); // the caller holds it, too, and waits for what changes
bool client_is_alone(struct client *client);         // one thread of the program's is left; asks the system
// And while it waits nothing of the program's happens; has_kept: but what comes after the launch.
bool client_is_at_rest(struct client *client, bool has_kept);
uint64_t client_functions_called(void); // the last one's number

// client-host.c: host memory that the program has page-locked; kernels reach it at the same address. The
// functions return CUDA errors.
struct client_host {
  struct client_host *next;
  void *start;
  char *again;  // the same memory at another address: for this library, whatever is guarded
  char *mapped; // the pages that it lies in, and their bytes
  size_t mapped_bytes;
  size_t bytes, span; // span: the bytes that are mapped, of allocated memory
  unsigned flags;     // as the program gave them
  bool allocated;     // true: this library allocated the memory and frees it; false: only registered
};
int client_host_allocate(void **start, size_t bytes, unsigned flags);
int client_host_free(void *start);
int client_host_register(void *start, size_t bytes, unsigned flags);
int client_host_unregister(void *start);
bool client_host_find(const void *pointer, struct client_host *copy);
bool client_has_hosts(void);
void client_hosts_forget(void); // after a device reset, which has freed the device's side

// client-behind.c: a launch runs on in the stream; then, what happens to streams and events meanwhile
void client_behind_begin(uint32_t stream);
void client_behind_note(enum protocol_order_kind kind, uint32_t stream, uint64_t event);
bool client_is_behind(uint32_t stream); // the stream's next operation comes after the launch

// client-managed.c: memory that has the same address on host and device
int client_managed_allocate(void **pointer, size_t bytes);
// Makes managed memory of a __managed__ variable.
int client_managed_variable(struct client_module *module, const char *name, void **pointer);
bool client_managed_free(void *pointer, int *status); // false: no managed memory begins at `pointer`
// Frees the host's side after a device reset. The reset has already freed the device's side.
void client_managed_forget(void);
bool client_is_managed(const void *pointer);
bool client_has_managed(void);
// Adds managed memory to both lists, and returns their new length. The caller holds handles_mutex.
uint32_t client_managed_list(const struct client *client, struct client_watched *regions, size_t *spans,
                             uint32_t count);
bool client_managed_find(const void *pointer, struct client_host *as_host); // as if it were page-locked
void client_managed_guard(void); // closes what launches that may still run have touched

// client-attributes.c
#define CLIENT_DEVICE_NAME "NVIDIA H100 80GB HBM3"
#define CLIENT_BUS_ID      "0000:01:00.0"
enum { CLIENT_DRIVER_VERSION = 13000 };
enum { CLIENT_HIGHEST_PRIORITY = -5 };            // of streams, as an H100 reports; the lowest is 0
bool client_attribute(int attribute, int *value); // false: the attribute does not exist
static const uint64_t CLIENT_TOTAL_MEMORY = 85014937600u;

// client-occupancy.c
unsigned client_blocks_per_multiprocessor(const struct protocol_function *function, unsigned threads,
                                          size_t dynamic_shared);
// Both return CUDA errors. cluster: blocks in one.
int client_available_shared(const struct protocol_function *function, unsigned blocks, unsigned threads,
                            size_t *bytes);
int client_active_clusters(const struct client_function *function, unsigned cluster, unsigned threads,
                           size_t dynamic_shared, int *clusters);
unsigned client_largest_cluster(const struct client_function *function);

#endif
