// The protocol between the referee and the process that runs the virtual Hopper. That process parses and runs
// untrusted code, so the process itself counts as untrusted. It has no files, only two sockets, no exec, and
// of all cases only the inputs that it was handed. Its answers are checked like all input from outside.
//
// The referee starts build/bin/virtual-device with three descriptors: the runner's socket; a packet socket on
// which the referee sends requests (struct walled_request) and gets answers (struct walled_answer); and a
// file in memory that both map.
#ifndef DEVICE_WALLED_H
#define DEVICE_WALLED_H

#include <stdatomic.h>
#include <stdint.h>

#include "device/device.h"

enum { WALLED_RUNNER = 3, WALLED_CONTROL = 4, WALLED_SHARED = 5, WALLED_TEXT = 200, WALLED_NAME = 48 };

// The file: a struct walled_status, the report (fault-wire.h), the case's buffers, each a little behind a
// multiple of WALLED_ALIGNMENT, on the device as in the file. At the start the program's modules lie where
// the buffers will be.
enum {
  WALLED_ALIGNMENT = 64 << 10,
  WALLED_REPORT_AT = WALLED_ALIGNMENT,
  WALLED_REPORT_BYTES = 4 << 20,
  WALLED_BUFFERS_AT = WALLED_REPORT_AT + WALLED_REPORT_BYTES,
};

// Time that the process has worked for the runner, in nanoseconds of CLOCK_MONOTONIC.
struct walled_status {
  _Atomic uint64_t worked; // time in completed requests
  _Atomic uint64_t since;  // start of the present request; 0: no request
};

enum walled_operation {
  WALLED_START, // first request, only once -> WALLED_STARTED
  WALLED_HAND,  // frees the buffers of the previous case, takes new ones -> WALLED_HANDED
  // finish the runner's half-sent messages, then stop listening to the runner -> WALLED_SETTLED
  WALLED_SETTLE,
  WALLED_RESUME, // listen to the runner again
  WALLED_REPORT, // -> WALLED_REPORTED
  // writes a struct device_prediction where the report is written otherwise -> WALLED_REPORTED
  WALLED_PREDICT,
  WALLED_CLEAR, // clears the report
  WALLED_ORDER, // by a seed
};

struct walled_request {
  uint32_t operation, count;
  uint64_t seed;
  uint32_t first_late; // WALLED_ORDER: the first block begins after the others
  uint32_t unjudged;   // WALLED_ORDER: the rules are judged no more
  uint32_t one_worker; // WALLED_ORDER: in place of those of WALLED_START
  struct {
    uint64_t offset, bytes;
    char name[WALLED_NAME];
  } buffers[DEVICE_MAX_BUFFERS];
  // WALLED_START, WALLED_HAND: warp instructions that a launch may execute from now on
  uint64_t launch_budget;
  uint32_t puts_off; // WALLED_HAND: past its budget a launch is not judged
  // WALLED_START:
  uint32_t workers, user; // user: new user id; 0: no change
  uint32_t check, namespaces, knows_modules;
  uint64_t modules_bytes, memory_bytes;
  double launch_deadline;
  uint32_t processors; // how many the program is told; 0: all
  uint32_t kept;       // WALLED_HAND: a bit for each buffer that stays where one of its size was before
  char chip[8];        // whose times are predicted; "": no time is kept
};

enum walled_kind {
  WALLED_STARTED,
  WALLED_HANDED,
  WALLED_SETTLED,
  WALLED_REPORTED,
  WALLED_CLOSED,  // sent without a request: the runner has gone
  WALLED_DROPPED, // sent without a request: the runner broke the protocol, `text` says how
  WALLED_SPENT,   // sent without a request: the runner's calls asked for too much, `text` says with what
  WALLED_CROWDED, // sent without a request: others of this user's leave no room for a file, `text` says so
};

struct walled_answer {
  uint32_t kind;
  int32_t status; // CUDA error of WALLED_HANDED; otherwise not 0 means failure, `text` says why
  uint64_t bytes; // of the report
  uint64_t places[DEVICE_MAX_BUFFERS];
  char text[WALLED_TEXT];
};

// For tests: the virtual device whose process the caller plays. `played` gets the descriptors that the
// process would hold; the caller closes them.
struct device *device_open_played(const struct device_options *options, int played[3], char *error,
                                  size_t error_size);

#endif
