// What the referee and the runner say to each other over a sequenced-packet socket: one request, one answer.
// The runner shares its process with the student's code, so an answer is a claim: the referee believes only that the
// runner is ready for the next request, and looks at its own memory for the rest.
#ifndef RUNNER_PROTOCOL_H
#define RUNNER_PROTOCOL_H

#include <stdint.h>

enum {
  RUNNER_VERSION = 3,
  RUNNER_CONTROL = 3, // the runner's descriptor of the control socket
  RUNNER_DEVICE = 4,  // of the virtual device's socket
  RUNNER_MAX_BUFFERS = 2,
  RUNNER_MAX_SCALARS = 6,
  RUNNER_TEXT = 200,
  RUNNER_TIMED = 1, // flag: read the device's clock around the launches, and stay awake for the next request
};

enum runner_operation {
  RUNNER_ATTACH =
      1, // map the memory whose handle comes with the message (SCM_RIGHTS); buffers are offsets from now on
  RUNNER_RUN, // call the launcher `launches` times, each time `strides` further in the buffers, then synchronise
};

struct runner_request {
  uint32_t version, operation;
  uint32_t launches;
  uint32_t flags;
  uint64_t attached_bytes;
  uint64_t buffers[RUNNER_MAX_BUFFERS], strides[RUNNER_MAX_BUFFERS];
  uint64_t scalars[RUNNER_MAX_SCALARS];
};

enum runner_stage { RUNNER_READY, RUNNER_LAUNCHED, RUNNER_SYNCHRONISED, RUNNER_SET_UP_FAILED };

struct runner_reply {
  uint32_t version;
  uint32_t stage; // how far it came; with an error: where the error was
  int32_t error;  // cudaError_t, 0: none
  double
      device_seconds; // RUNNER_TIMED: between two events around the launches, in the stream they were given
  uint64_t
      persisting_bytes; // RUNNER_TIMED: of the L2 cache, set aside in this process for accesses that persist
  char text[RUNNER_TEXT]; // the error's name and description, or why set-up failed
};

#endif
