// A runner at work: the sandboxed program that holds the student's object, the device it uses, and the socket between it
// and us. In: requests. Out: how each ended. The idea: one loop serves device and runner, so no clock of ours depends on theirs.
#ifndef REFEREE_SESSION_H
#define REFEREE_SESSION_H

#include "referee/grading.h"
#include "runner/protocol.h"

enum run_end {
  RUN_BROKEN,    // our side failed: `text` says how. The grader's error
  RUN_ANSWERED,  // `reply` holds the runner's claim
  RUN_EXITED,    // the process ended by itself, with exit_code
  RUN_CRASHED,   // it was killed by `signal`
  RUN_DEADLINE,  // it had not answered in time
  RUN_FLOODED,   // it printed more than may be kept
  RUN_FORBIDDEN, // it made a system call that the sandbox forbids, `text` is its name, or asked for a secret place, `text` is its path
  RUN_NONSENSE,  // it spoke something that is no answer, or broke the device's protocol; `text` says how
};

struct run_result {
  enum run_end end;
  bool starting; // before the runner was ready, let alone the launcher called
  int exit_code, signal;
  struct runner_reply reply; // its text is NUL-terminated and printable
  double seconds;            // from request to answer
  double host_seconds;       // of these, outside the device
  char text[480];
};

struct session {
  const struct task *task;
  enum device_kind kind;
  struct device *device;
  struct sandbox sandbox;
  int control;
  bool alive;
  bool timing;  // never sleep while waiting: waking up takes a while
  char *output; // what the program printed, once it has ended
  size_t output_length;
  size_t output_mark; // where the output of the present case starts
};

// Starts a runner on a device of its own. True if it is ready; else *result says what happened instead.
bool session_open(struct session *session, const struct task *task, enum device_kind kind,
                  const struct device_options *options, struct run_result *result);
// Calls the launcher. After anything but RUN_ANSWERED the runner is gone.
void session_run(struct session *session, const struct runner_request *request, struct run_result *result);
// Kills the runner; the device stays. *result gets how it ended.
void session_end(struct session *session, struct run_result *result);
// What comes from now on is another case's output.
void session_mark_output(struct session *session);
// What has been printed since; NUL-terminated, never NULL.
const char *session_output(const struct session *session);
void session_close(struct session *session);

#endif
