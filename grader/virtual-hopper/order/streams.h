// Streams, events and the host: which of their operations come after which. In: what the program asks for, in
// the order of its calls, and the memory that each operation touches. Out: faults for two operations that
// touch the same bytes although nothing orders them. One idea: a clock for each stream, as for threads; the
// device does one operation after the other, whatever the streams would allow.
// CUDA C++ Programming Guide, "Asynchronous Concurrent Execution"; CUDA Runtime API, "API synchronization
// behavior", "Stream synchronization behavior"; CUDA C++ Programming Guide, "Stream Ordered Memory
// Allocator". The host's threads count as one. Memory that cudaMalloc or cudaFree gives or takes makes
// everything wait: that is more order than CUDA promises.
#ifndef VIRTUAL_HOPPER_ORDER_STREAMS_H
#define VIRTUAL_HOPPER_ORDER_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "virtual-hopper/rules/stream-words.h"

struct budget;
struct fault_report;
struct launch;
struct memory;
struct stream_order;
struct touched;

enum { STREAM_DEFAULT = 1 };

// The parts are kept, not owned. Without `judges` only clocks are kept.
struct stream_order *stream_order_create(const struct memory *memory, struct fault_report *report,
                                         struct budget *budget, bool judges);
void stream_order_be_strict(struct stream_order *s); // what is a warning is an error from now on
bool stream_order_is_strict(const struct stream_order *s);
void stream_order_destroy(struct stream_order *s); // NULL is allowed
void stream_order_clear(struct stream_order *s);   // everything is done; streams and events are forgotten
void stream_order_use(struct stream_order *s, const struct memory *memory); // cleared, for another memory

// Where the host calls what follows (fault_called_from), until the next call of this; NULL: unknown. Kept by
// the caller.
void stream_order_called_from(struct stream_order *s, const char *callers);

// Streams are numbers of the program's choice.
void stream_order_make(struct stream_order *s, uint32_t stream, bool non_blocking);
void stream_order_end(struct stream_order *s, uint32_t stream);
void stream_order_record(struct stream_order *s, uint32_t stream, uint64_t event);
void stream_order_wait(struct stream_order *s, uint32_t stream, uint64_t event);
void stream_order_forget(struct stream_order *s, uint64_t event);
void stream_order_host_waits(struct stream_order *s, uint32_t stream);
void stream_order_host_waits_event(struct stream_order *s, uint64_t event);
void stream_order_host_waits_all(struct stream_order *s);
// The host asks whether the stream's operations, or those before the event, are done. No, the first time, if
// the host has not waited for them: on a GPU they may still run. Yes is as good as having waited.
bool stream_order_host_asks(struct stream_order *s, uint32_t stream);
bool stream_order_host_asks_event(struct stream_order *s, uint64_t event);

struct stream_region { // rows of bytes
  uint64_t address, pitch, width, rows;
};
// A copy or a fill in the stream; of a copy between device and host only one side is given. NULL: none.
// `is_staged`: its call returns when the host's bytes have been read.
void stream_order_copy(struct stream_order *s, uint32_t stream, enum stream_actor actor, bool is_staged,
                       const struct stream_region *reads, const struct stream_region *writes);
// The stream makes this memory (cudaMallocAsync).
void stream_order_allocate(struct stream_order *s, uint32_t stream, const struct stream_region *memory);
// The stream gives this memory back (cudaFreeAsync).
void stream_order_free(struct stream_order *s, uint32_t stream, const struct stream_region *memory);
// The stream's last copy has touched this memory of the host's as well.
void stream_order_also(struct stream_order *s, uint32_t stream, const struct stream_region *region,
                       bool writes);
// The stream fills this memory of the host.
void stream_order_fill(struct stream_order *s, uint32_t stream, const struct stream_region *region);
uint64_t stream_order_last(const struct stream_order *s, uint32_t stream); // its last operation's number
bool stream_order_host_has_seen(const struct stream_order *s, uint32_t stream, uint64_t operation);
// The first run of pages among these that launches and fills have touched that the host has not waited for.
struct stream_touched {
  uint64_t first, count; // count 0: there is none
  bool written;
};
struct stream_touched stream_order_touched(const struct stream_order *s, uint64_t address, uint64_t bytes);
// The host's own code has touched page-locked or managed memory.
void stream_order_host_touches(struct stream_order *s, const struct stream_region *region, bool writes);
// A host function in the stream. Returns its operation's number; 0: it is not judged.
uint64_t stream_order_function_called(struct stream_order *s, uint32_t stream);
// Whether what `stream` does next comes after that operation of the other one.
bool stream_order_comes_after(struct stream_order *s, uint32_t stream, uint32_t other, uint64_t operation);
// From here on the host may know, by means of its own, that all before the function is done. Returns whether
// anything may have run beside it: what it touches should be told.
bool stream_order_function_runs(struct stream_order *s, uint32_t stream);
void stream_order_function_touches(struct stream_order *s, uint32_t stream, uint64_t address, uint64_t bytes,
                                   bool writes);
// A copy in the stream has read this memory of the host's when it was called. Returns whether a function that
// has not ended might change it. Not pageable: a small copy in the default stream, which doesn't wait for
// functions in streams that wait for it.
bool stream_order_source(struct stream_order *s, uint32_t stream, const struct stream_region *region,
                         bool pageable);
void stream_order_function_ends(struct stream_order *s, uint32_t stream);
// A function that has not begun is tried beforehand (stream-probes.c). Whether that would tell anything; then
// whether it waits, and, after that, an address that it would touch at once.
bool stream_order_wants_try(const struct stream_order *s, uint32_t stream, uint64_t operation);
void stream_order_function_waits(struct stream_order *s, uint32_t stream, uint64_t operation, bool waits);
void stream_order_function_would(struct stream_order *s, uint32_t stream, uint64_t operation,
                                 uint64_t address);
// It would touch what the last copy has brought to pageable memory.
void stream_order_function_meets(struct stream_order *s, uint32_t stream, uint64_t operation,
                                 uint64_t address, bool writes);

// Calls that are kept, and made when something before them has ended, come after what the host had waited for
// when they were called: it is marked then, by a number that grows. What the stream does next was called at
// that mark; 0: now. All marks below a number are forgotten.
void stream_order_mark(struct stream_order *s, uint64_t number);
void stream_order_as_of(struct stream_order *s, uint32_t stream, uint64_t number);
void stream_order_forget_marks(struct stream_order *s, uint64_t number);

// A value that the stream has written, or has waited for: then it is there. before: what was in memory, or is
// now. how: base/stream-value.h.
void stream_order_value_written(struct stream_order *s, uint32_t stream, uint64_t address, unsigned how,
                                uint64_t value, uint64_t before);
void stream_order_value_awaited(struct stream_order *s, uint32_t stream, uint64_t address, unsigned how,
                                uint64_t wanted, uint64_t now);
// Before that: when a call that was kept found the value, by a mark; was_missing: it had not been there.
void stream_order_value_found(struct stream_order *s, uint64_t mark, bool was_missing);
// The host may have seen values that streams have written in this page: then it knows what comes before them.
void stream_order_host_looks(struct stream_order *s, uint64_t address);
// The facts of a value that the stream waits for in vain.
struct stream_hang_facts;
void stream_order_value_hangs(const struct stream_order *s, uint64_t address,
                              struct stream_hang_facts *facts);

// Memory that the program's caller, who has a stream of its own, fills before and reads after. The stream is
// the one in which the first event of all is recorded; each time that this event is recorded, the caller
// touches all of the memory there.
void stream_order_hand(struct stream_order *s, const struct stream_region *regions, uint32_t count);
void stream_order_forget_caller(struct stream_order *s); // its stream and its event are gone

// Whether other work of the program might change memory while this stream's runs. The stream of the program's
// caller alone doesn't count.
bool stream_order_others_may_act(const struct stream_order *s, uint32_t stream);

// A launch in the stream. Sets launch->touched when what it touches matters.
void stream_order_launch_begins(struct stream_order *s, uint32_t stream, struct launch *launch);
void stream_order_launch_ends(struct stream_order *s, struct launch *launch);
// The last launch has looked at memory of the host's, maybe until it had its word. Once for each launch.
bool stream_order_has_polled(struct stream_order *s);
// The next launch may wait for a value that a stream writes meanwhile, which is noted later: so it is judged
// after that.
void stream_order_judge_later(struct stream_order *s);
void stream_order_settle(struct stream_order *s);          // judges what is to be judged later
void stream_order_forget_programs(struct stream_order *s); // a module is going: its instructions, too

#endif
