// The client's side of the socket, compiled into all three replacements of CUDA's libraries.
// In: what a CUDA function of the program wants; out: CUDA error numbers and answers of the device's process.
// A process has one connection, whichever of the libraries it came in with: its state lies in libcuda.so.1.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "virtual-hopper/protocol.h"

#define EXPORT __attribute__((visibility("default")))
// A second name for programs built with a default stream per thread: the same here, where work is done at once.
#define PER_THREAD_STREAM(name)  EXPORT extern __typeof(name) name##_ptsz __attribute__((alias(#name)))
#define PER_THREAD_DEFAULT(name) EXPORT extern __typeof(name) name##_ptds __attribute__((alias(#name)))

// What nvcc puts around a fat binary (fatbinary_section.h).
enum { CLIENT_WRAPPER_MAGIC = 0x466243b1 };
struct client_wrapper {
  uint32_t magic, version;
  const void *data;
  void *prelinked;
};

struct client {
  pthread_mutex_t mutex;         // guards the connection: one request and its reply at a time
  pthread_mutex_t modules_mutex; // guards loading of modules and resolving of functions; taken before `mutex`
  // set once, when the first call connects:
  _Atomic pid_t process; // 0: not yet tried
  int failure;           // CUDA error of every call when there is no connection; 0: connected
  int socket;
  // as the last reply said:
  _Atomic int device_error;      // the error the device stopped with, 0: none
  atomic_bool output_waits;      // kernels have printed text that was not taken yet
  _Atomic uint64_t virtual_time; // nanoseconds
  // the stream whose last operation was a launch, and the program has waited for nothing since; 0: there is none
  _Atomic uint64_t last_launch;
  // handed out by this process:
  pthread_mutex_t handles_mutex; // guards the four lists
  struct client_host *hosts;
  struct client_managed *managed;
  struct client_stream *streams;
  struct client_event *events;
  _Atomic uint64_t next_identifier;
  atomic_bool error_was_told; // a call has returned the device's error: from now on every call does
  atomic_bool fork_was_reported, loss_was_reported;
};

struct client_rows {
  void *base;
  size_t pitch, width, rows;
}; // host memory

struct client_request {
  enum protocol_operation operation;
  const void *body;
  size_t body_bytes;
  const void *payload;
  size_t payload_bytes;             // one stretch, or
  const struct client_rows *source; // rows; both may be absent
  void *answer;
  size_t answer_bytes;
  const struct client_rows *destination; // where the reply's payload goes, or
  void **reply_payload;
  size_t *reply_bytes; // a malloc'ed copy of it
};

// client-connection.c
struct client *client_state(void);               // never NULL
int client_call(struct client_request *request); // CUDA error of the request; connects first when that's due
int client_connect(void);                        // 0, or why no call can work
void client_complain(const char *format, ...) __attribute__((format(printf, 1, 2))); // one line on stderr
int client_unsupported(const char *what, ...)
    __attribute__((format(printf, 1, 2))); // complains, records it; 801
void client_flush_output(void);            // prints what kernels have printed, as CUDA does when it waits
int client_device_error(void);             // the device's sticky error, 0: none

// client-memory.c: CUDA errors; addresses are the device's
int client_allocate(uint64_t *address, size_t bytes);
int client_free(uint64_t address);
int client_write(uint64_t address, size_t pitch, const struct client_rows *source);
int client_read(const struct client_rows *destination, uint64_t address, size_t pitch);
int client_copy(uint64_t destination, size_t destination_pitch, uint64_t source, size_t source_pitch,
                size_t width, size_t rows);
int client_fill(uint64_t address, size_t pitch, uint32_t pattern, uint32_t pattern_bytes, size_t width,
                size_t rows);
int client_locate(uint64_t address, size_t bytes, struct protocol_location *location); // 1: no device memory
bool client_is_device(const void *pointer);
int client_memory(struct protocol_memory *memory);

// client-modules.c
struct client_module {
  const void *image; // fat binary or PTX text, in the program's memory
  size_t bytes;
  bool tried;
  int status; // loading it on the device: when it is first needed
  uint64_t handle;
};
enum { CLIENT_FUNCTION_MAGIC = 0x6e756676 };
struct client_function { // what cudaKernel_t, cudaFunction_t, CUkernel and CUfunction point to
  uint32_t magic;
  struct client_module *module;
  const char *name;
  bool resolved;
  int status;
  struct protocol_function info;
  struct protocol_parameter *parameters;
  bool nonportable_cluster;
  int carveout; // percent; -1: the default
};
int client_module_load(struct client_module *module);
void client_module_unload(struct client_module *module);
int client_function_resolve(struct client_function *function); // afterwards info and parameters are valid
int client_variable(struct client_module *module, const char *name, struct protocol_location *location);
int client_set_shared(struct client_function *function, size_t bytes);
// `launch` without its function; arguments as cudaLaunchKernel has them.
int client_launch(struct client_function *function, struct protocol_launch *launch, void **arguments);
int client_launch_packed(struct client_function *function, struct protocol_launch *launch,
                         const void *parameters, size_t bytes);
struct client_function *client_function_checked(const void *handle); // NULL unless it is one of ours
// Bytes of a fat binary container or of text; 0 for machine code, which is neither.
size_t client_image_bytes(const void *image);

// client-handles.c: streams and events; work is done when it is asked for, so they only keep order and time
struct client_stream {
  struct client_stream *next;
  unsigned flags;
  int priority;
  uint64_t identifier;
};
struct client_event {
  struct client_event *next;
  unsigned flags;
  bool recorded;
  uint64_t time;
};
struct client_stream *client_stream_create(unsigned flags, int priority); // NULL: no memory
bool client_stream_destroy(void *stream);                                 // false: no stream of ours
bool client_stream_find(void *stream, struct client_stream *copy); // also NULL, legacy (1) and per-thread (2)
struct client_event *client_event_create(unsigned flags);
bool client_event_destroy(void *event);
bool client_event_find(void *event, struct client_event *copy);
bool client_event_record(void *event);
// A launch goes into the stream; true: right behind another one, which need not have ended.
bool client_launch_follows(void *stream);
void client_launches_end(void); // something else was put into a stream, or the program waited

// client-host.c: the host memory that the program has page-locked; plain memory here
struct client_host {
  struct client_host *next;
  void *start;
  size_t bytes;
  bool allocated; // by us, so that it is ours to free; else only registered
};
void *client_host_allocate(size_t bytes);              // NULL: no memory
bool client_host_register(void *start, size_t bytes);  // false: a part of it is page-locked already
bool client_host_release(void *start, bool allocated); // false: not what such a call gave
bool client_host_find(const void *pointer, struct client_host *copy);

// client-managed.c: memory that host and device see at one address
int client_managed_allocate(void **pointer, size_t bytes);
bool client_managed_free(void *pointer, int *status); // false: no managed memory begins there
void client_managed_forget(void);                     // the device has been reset: its side has gone already
bool client_is_managed(const void *pointer);
int client_managed_to_device(void); // what the host wrote, before a kernel runs
int client_managed_to_host(void);   // what a kernel wrote, after it ran

// client-attributes.c
#define CLIENT_DEVICE_NAME "NVIDIA H100 80GB HBM3"
enum { CLIENT_DRIVER_VERSION = 13000 };
bool client_attribute(int attribute, int *value); // false: there is no such attribute
static const uint64_t CLIENT_TOTAL_MEMORY = 85014937600u;

// client-occupancy.c
unsigned client_blocks_per_multiprocessor(const struct protocol_function *function, unsigned threads,
                                          size_t dynamic_shared);

#endif
