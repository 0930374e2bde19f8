// The protocol between referee and runner on a sequenced-packet socket: one request, one answer. The runner
// shares its process with the student's code, so an answer is a claim. The referee believes only that the
// runner is ready for the next request, and looks at its own memory for everything else.
#ifndef RUNNER_PROTOCOL_H
#define RUNNER_PROTOCOL_H

#include "device/device.h"

#include <stdint.h>

enum {
  RUNNER_VERSION = 3,
  RUNNER_CONTROL = 3, // the runner's descriptor of the control socket
  RUNNER_MAX_SCALARS = 8,
  RUNNER_TEXT = 200,
  RUNNER_TIMED = 1, // a flag: time the launches by events, and wait for the next request without sleeping
};

enum runner_operation {
  // map the memory whose handle comes with the message (SCM_RIGHTS); from then on, buffers are offsets into
  // it
  RUNNER_ATTACH = 1,
  // call the launcher `launches` times, each time with buffers `strides` bytes further on; then synchronise
  RUNNER_RUN,
};

struct runner_request {
  uint32_t version, operation;
  uint32_t launches;
  uint32_t flags;
  uint64_t attached_bytes;
  uint64_t buffers[DEVICE_MAX_BUFFERS], strides[DEVICE_MAX_BUFFERS];
  uint64_t scalars[RUNNER_MAX_SCALARS];
};

enum runner_stage { RUNNER_READY, RUNNER_LAUNCHED, RUNNER_SYNCHRONISED, RUNNER_SET_UP_FAILED };

struct runner_reply {
  uint32_t version;
  uint32_t stage; // enum runner_stage: how far the runner came; with an error: where it occurred
  int32_t error;  // cudaError_t, 0: none
  // only for RUNNER_TIMED:
  double device_seconds; // between two events around the launches, in the stream that the launcher is given
  uint64_t persisting_bytes; // of the L2 cache, which this process has set aside for persisting accesses
  char text[RUNNER_TEXT];    // the error's name and description, or why set-up failed
};

#endif
