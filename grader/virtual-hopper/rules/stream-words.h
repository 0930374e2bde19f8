// Two operations on the same memory that nothing orders, as plain data, and the words for it. In: who did
// what, in which streams. Out: a fault's roles, message and remedy.
#ifndef VIRTUAL_HOPPER_RULES_STREAM_WORDS_H
#define VIRTUAL_HOPPER_RULES_STREAM_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "virtual-hopper/rules/fault.h"

enum stream_actor {
  STREAM_KERNEL,
  STREAM_COPY_TO_DEVICE,
  STREAM_COPY_TO_HOST,
  STREAM_COPY_ON_DEVICE,
  STREAM_FILL,
  STREAM_ALLOCATION,    // cudaMallocAsync
  STREAM_FREE,          // cudaFreeAsync
  STREAM_HOST,          // the host's own code
  STREAM_HOST_FUNCTION, // cudaLaunchHostFunc
  STREAM_CALLER         // whoever has handed over the memory and the stream (the grader, to a launcher)
};

// From this number on, a stream stands for a branch of a CUDA graph that runs.
enum { STREAM_OF_THREAD = 0x08000000, STREAM_OF_GRAPH = 0x10000000 };

struct stream_deed_facts {
  enum stream_actor actor;
  bool writes;
  bool map; // a kernel reads the bytes as a tensor map
  bool non_blocking;
  bool is_staged;   // cudaMemcpy from pageable memory: it may return before its bytes have landed
  bool is_early;    // a small copy from page-locked memory, which reads it when it is called
  bool pageable;    // a copy that reads pageable memory of the host's
  bool is_awaited;  // the host has waited for it, not for the function beside which it was done
  uint32_t stream;  // 1: the default stream; 2: the thread's own; from 3 on in the order of their creation
  char kernel[256]; // its mangled name
};

// What the later operation's stream, or the host, has waited for since the earlier operation: an event that
// was recorded in the earlier one's stream before that one, in the waiting stream itself, in a third one, or
// never.
enum stream_waited {
  STREAM_WAITED_NOT,
  STREAM_WAITED_EARLY,
  STREAM_WAITED_OWN,
  STREAM_WAITED_OTHER,
  STREAM_WAITED_NEVER
};

struct stream_facts {
  struct stream_deed_facts earlier, later;
  enum stream_waited waited;
  struct stream_deed_facts recorded_in; // STREAM_WAITED_OTHER: its stream
  bool strict;                          // what programs can rely on by habit alone is an error
  char place[192];                      // of the first byte: "4 bytes into `out` (..)"
};

// A value in memory that a stream waits for, and nobody is left who could write it.
struct stream_hang_facts {
  uint32_t stream;
  bool non_blocking;
  unsigned how; // base/stream-value.h
  uint64_t wanted, now;
  bool was_awaited_late; // the value was there: a stream has written it, and another since
  bool has_writes;       // a stream has written a value there
  uint64_t written;      // the last one
  char place[192];
};
void stream_hang_words(const struct stream_hang_facts *facts, struct fault *fault);

// Leaves the places to the caller: the fault's own is that of `earlier`, the first related one of `later`.
void stream_words(const struct stream_facts *facts, struct fault *fault);

#endif
