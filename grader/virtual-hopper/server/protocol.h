// The protocol between a CUDA program's process and the device's process, over a Unix stream socket.
// Requests and replies alternate strictly, but for a launch that asks to be answered early. A message has
// a header, a body of fixed size, and a payload; the header gives the payload's length. Both ends run on
// one machine, so structures are sent as they are in memory. The server trusts no field of a request.
#ifndef VIRTUAL_HOPPER_SERVER_PROTOCOL_H
#define VIRTUAL_HOPPER_SERVER_PROTOCOL_H

#include <stdint.h>

// In the environment: the number of an inherited descriptor, or @NAME, an abstract address to connect to.
#define PROTOCOL_SOCKET_VARIABLE  "VHOPPER_SOCKET"

#define PROTOCOL_UNTIMED_VARIABLE "VHOPPER_UNTIMED" // environment: set when times mean nothing

enum {
  PROTOCOL_REQUEST_MAGIC = 0x51485631, // "1VHQ"
  PROTOCOL_REPLY_MAGIC = 0x41485631,   // "1VHA"
  PROTOCOL_VERSION = 8,
  PROTOCOL_MAX_NAME = 65536,      // bytes of a kernel's or variable's name (C++ templates make long ones)
  PROTOCOL_MAX_MESSAGE = 768,     // bytes of a HOST_FAULT's message, and of a call's name
  PROTOCOL_MAX_CALLERS = 4096,    // bytes of CALLERS
  PROTOCOL_MAX_PARAMETERS = 1024, // parameters of a kernel
  PROTOCOL_MAX_PARAMETER_BYTES = 32764, // PTX ISA 11.2.1: kernel parameters since PTX 8.1, sm_70
};

enum protocol_operation {
  // The first request of every process frees all that the one before left -> protocol_number, of processors.
  PROTOCOL_HELLO,
  PROTOCOL_STATUS,   // no body: the reply's header has the whole answer
  PROTOCOL_OUTPUT,   // takes text that kernels printed -> payload
  PROTOCOL_ALLOCATE, // -> protocol_address
  PROTOCOL_FREE,
  PROTOCOL_WRITE, // payload: rows of `width` bytes, without the gaps
  PROTOCOL_READ,  // -> payload: rows, as for WRITE
  PROTOCOL_COPY,  // device to device
  PROTOCOL_FILL,
  PROTOCOL_PIN, // page-locked memory of the program -> protocol_location: map the file over these pages
  PROTOCOL_UNPIN,
  PROTOCOL_LOCATE, // -> protocol_location: which allocation an address is in
  PROTOCOL_MEMORY, // -> protocol_memory
  PROTOCOL_MODULE, // payload: a fat binary or PTX text -> protocol_handle
  PROTOCOL_UNLOAD,
  PROTOCOL_FUNCTION,    // payload: the kernel's name -> protocol_function, then its parameters
  PROTOCOL_VARIABLE,    // payload: the variable's name -> protocol_location
  PROTOCOL_SET_SHARED,  // the dynamic shared memory that a kernel may be launched with
  PROTOCOL_LAUNCH,      // payload: the parameter block
  PROTOCOL_UNSUPPORTED, // payload: name of a feature that the program used and this device doesn't have
  PROTOCOL_HOST_FAULT,  // payload: message of a rule that host code broke
  PROTOCOL_RESET,       // cudaDeviceReset
  PROTOCOL_ORDER,       // what orders streams and the host -> protocol_number
  PROTOCOL_SET_LIMIT,   // cudaDeviceSetLimit: of the stack or the heap
  PROTOCOL_CALLERS,     // payload: where the host's code asks for what follows, as in fault_called_from
  PROTOCOL_CALL_FAILED, // payload: name of a function of the runtime that has returned an error
  PROTOCOL_CALLS_SEEN,  // the program has asked for the last error
  PROTOCOL_MANAGED,     // device memory that is also the host's, at its address, in pages of a file
  PROTOCOL_HOST_RESTS,  // while a launch runs: the program's only thread waits for its end
  PROTOCOL_OPERATION_COUNT
};

// The stream of a request, in its header. 0: the request is beside all streams.
#define PROTOCOL_STREAM       0x1fffffffu // its number: 1 is the default stream, 2 the main thread's
#define PROTOCOL_THREAD       0x08000000u // from here on: default streams of threads but for the first
#define PROTOCOL_GRAPH        0x10000000u // from here on: the branches of graphs that run
#define PROTOCOL_HOST_WAITS   0x20000000u // the host goes on when the request is done on the device
#define PROTOCOL_HOST_STAGES  0x80000000u // the host goes on when its own bytes have been read
#define PROTOCOL_NON_BLOCKING 0x40000000u // the stream and the default stream don't wait for each other

struct protocol_request {
  uint32_t magic, operation;
  uint32_t body_bytes;    // exactly the operation's structure
  uint32_t stream;        // of LAUNCH, WRITE, READ, COPY and FILL; else 0
  uint64_t payload_bytes; // after the body
};

// PROTOCOL_WAITS: for what the host does. It is told once, in an answer of its own or in the first one.
enum protocol_runs_on { PROTOCOL_ENDED, PROTOCOL_RUNS, PROTOCOL_WAITS };

struct protocol_reply {
  uint32_t magic;
  int32_t status;        // CUDA error of this request; 0: done
  int32_t device_error;  // CUDA error that the device stopped with, sticky; 0: no error
  uint32_t output_waits; // not 0: kernels have printed something
  uint32_t runs_on;      // enum protocol_runs_on: the launch still runs, and is answered again
  uint32_t has_polled;   // not 0: the launch has looked at memory of the host's for what it may wait for
  uint64_t virtual_time; // nanoseconds
  uint64_t body_bytes, payload_bytes;
};

// ---- bodies of requests, in the operations' order ---------------------------------------------------------

struct protocol_hello {
  uint32_t version;
  int32_t process;
};
struct protocol_allocate {
  uint64_t bytes;
};
struct protocol_free { // FREE, UNPIN, MANAGED
  uint64_t address;
};
struct protocol_pin { // the reply carries a file's descriptor beside its bytes (SCM_RIGHTS)
  uint64_t address, bytes;
};
struct protocol_region { // WRITE, READ; with one row the pitch is ignored
  uint64_t address, pitch, width, rows;
};
struct protocol_copy {
  struct protocol_region destination;
  uint64_t source, source_pitch;
};
struct protocol_fill {
  struct protocol_region region;
  uint32_t pattern, pattern_bytes;
};
struct protocol_locate {
  uint64_t address, bytes;
};
struct protocol_module {
  uint64_t module;
}; // UNLOAD, FUNCTION, VARIABLE
struct protocol_set_shared {
  uint64_t function;
  uint32_t bytes, reserved;
};
struct protocol_launch {
  uint64_t function;
  uint32_t grid[3], block[3], cluster[3]; // cluster 0,0,0: as compiled
  uint32_t dynamic_shared_bytes;
  // programmatic: may begin before the previous launch of the same stream has ended
  uint16_t cooperative, programmatic;
  uint16_t nonportable_cluster;
  uint16_t early; // enum protocol_early
};
enum protocol_host_rule { PROTOCOL_RULE_TENSOR_MAP_ARGUMENT, PROTOCOL_HOST_RULE_COUNT };
struct protocol_host_fault {
  uint32_t rule, reserved;
};
enum protocol_order_kind {
  PROTOCOL_ORDER_STREAM,      // the program has made this stream
  PROTOCOL_ORDER_STREAM_ENDS, // the program has given it back
  PROTOCOL_ORDER_RECORD,      // event `object` is recorded in the stream
  PROTOCOL_ORDER_WAIT,        // the stream waits for the event
  PROTOCOL_ORDER_FORGET,      // the event is gone
  PROTOCOL_ORDER_HOST_STREAM, // the host has waited for the stream
  PROTOCOL_ORDER_HOST_EVENT,  // the host has waited for the event
  PROTOCOL_ORDER_HOST_ALL,    // the host has waited for all streams
  PROTOCOL_ORDER_ROWS,        // of the next note on memory: the pitch is `object`, and there are `bytes` rows
  PROTOCOL_ORDER_READS,       // the stream's last copy reads `bytes` of page-locked memory at `object`
  PROTOCOL_ORDER_WRITES,      // it writes them
  PROTOCOL_ORDER_FILLS,       // the stream fills `bytes` of page-locked or managed memory at `object`
  PROTOCOL_ORDER_LAST,        // -> number of the stream's last operation
  PROTOCOL_ORDER_SEEN,        // -> 1: the host has waited for operation `object` of the stream; else 0
  PROTOCOL_ORDER_HOST_READS,  // the host's own code has read `bytes` of page-locked memory at `object`
  PROTOCOL_ORDER_HOST_WRITES, // it has written there
  PROTOCOL_ORDER_ASKS,        // -> 1: the stream's operations are done, and the host has waited; else 0
  PROTOCOL_ORDER_ASKS_EVENT,  // the same for event `object`
  // -> the first pages from `object` on, of `bytes`, that launches have touched that the host has not waited
  // for: TOUCHED_WRITTEN if they were written, else only read; from TOUCHED_COUNT on their number; from
  // TOUCHED_FIRST on how many pages come before. 0: none.
  PROTOCOL_ORDER_TOUCHED,
  // A host function in the stream (order/streams.h): its call -> its operation's number; whether what the
  // stream does next comes after operation `object` of stream `bytes` -> 1, 0; the function begins -> 1 if
  // what it touches should be told; it has read, or written, `bytes` of the host's memory at `object`; it
  // ends.
  PROTOCOL_ORDER_FUNCTION,
  PROTOCOL_ORDER_AFTER,
  PROTOCOL_ORDER_FUNCTION_RUNS,
  PROTOCOL_ORDER_FUNCTION_READS,
  PROTOCOL_ORDER_FUNCTION_WRITES,
  PROTOCOL_ORDER_FUNCTION_ENDS,
  // A copy in the stream has read `bytes` of pageable or page-locked memory at `object` when it was called
  // -> 1 if a function might change them.
  PROTOCOL_ORDER_SOURCE,
  // A function that has been tried (shim/client-probe.h), operation `object` of the stream: whether that
  // would tell anything -> 1, 0; it waits, if `bytes` is 1; then, of operation `bytes`: it would touch memory
  // at `object`. And it would read (`bytes` twice the operation) or write (and 1) at `object` what the last
  // copy has brought to pageable memory.
  PROTOCOL_ORDER_TRIED,
  PROTOCOL_ORDER_FUNCTION_WAITS,
  PROTOCOL_ORDER_FUNCTION_WOULD,
  PROTOCOL_ORDER_FUNCTION_MEETS,
  // A value: `object` is written or waited for, `bytes` was in memory before, or is there now. Then, of the
  // value at `object`, `bytes` says how (base/stream-value.h): the stream has written it; has waited for it,
  // and it is there; waits for it for ever.
  PROTOCOL_ORDER_VALUE,
  PROTOCOL_ORDER_VALUE_WRITTEN,
  PROTOCOL_ORDER_VALUE_AWAITED,
  PROTOCOL_ORDER_VALUE_HANGS,
  // Calls that are kept (order/streams.h): mark `object` is set; what the stream does next was called at it;
  // the next value that is awaited was there at it, and `bytes` is 1 if it had been missing; all marks below
  // it are forgotten.
  PROTOCOL_ORDER_MARK,
  PROTOCOL_ORDER_AS_OF,
  PROTOCOL_ORDER_FOUND,
  PROTOCOL_ORDER_FORGET_MARKS,
  PROTOCOL_ORDER_HOST_LOOKS, // the host may have looked at a value that a stream has written near `object`
  PROTOCOL_ORDER_KINDS
};
enum { PROTOCOL_TOUCHED_WRITTEN = 1, PROTOCOL_TOUCHED_COUNT = 1, PROTOCOL_TOUCHED_FIRST = 32 }; // bits
// When a launch is answered that changes memory of the host's: at its end, before it begins, or, if it comes
// to that, when it waits for what the host does.
enum protocol_early { PROTOCOL_AT_ITS_END, PROTOCOL_BEFORE_IT_BEGINS, PROTOCOL_WHEN_IT_WAITS };
struct protocol_order {
  uint32_t kind, stream; // stream: as in a header
  uint64_t object, bytes;
};
struct protocol_call_failed {
  uint32_t error, launch; // launch: 0, or 1: a kernel was to be launched
};
enum protocol_limit { PROTOCOL_LIMIT_STACK, PROTOCOL_LIMIT_HEAP, PROTOCOL_LIMIT_COUNT };
struct protocol_set_limit {
  uint32_t limit, reserved;
  uint64_t bytes;
};

// ---- bodies of replies ------------------------------------------------------------------------------------

struct protocol_address {
  uint64_t address;
};
struct protocol_location {
  uint64_t base, bytes;
};
struct protocol_memory {
  uint64_t available, total;
};
struct protocol_handle {
  uint64_t handle;
};
struct protocol_number {
  uint64_t number;
};
struct protocol_parameter {
  uint32_t offset, size;
};
struct protocol_function {
  uint64_t function;
  uint32_t parameter_count, parameter_bytes;
  uint32_t static_shared_bytes, local_bytes, constant_bytes, register_count, max_threads_per_block;
  uint32_t max_dynamic_shared_bytes;
  uint32_t cluster[3];
  uint32_t reserved;
};

#endif
