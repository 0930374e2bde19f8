// A session with a runner: the sandboxed program with the student's object, the device that it uses, and the
// socket between it and the referee. In: requests. Out: how each ended. The idea: one loop serves device and
// runner, so deadlines never depend on them.
#ifndef REFEREE_SESSION_H
#define REFEREE_SESSION_H

#include "referee/grading.h"
#include "runner/protocol.h"

enum run_end {
  RUN_BROKEN,   // a grader error; `text` says what failed
  RUN_ANSWERED, // `reply` holds the runner's claim
  RUN_EXITED,   // the process ended by itself, with exit_code
  RUN_CRASHED,  // it was killed by `signal`
  RUN_DEADLINE, // it had not answered in time
  RUN_SPENT,    // its calls asked too much of the device; `text` names the last one
  // all runs of the exercise together have taken more processor time than they may
  RUN_OVERDRAWN,
  // neither had it, but the machine has hardly let it run, or had no room for it (`text` says what for):
  // nothing is known
  RUN_TOO_BUSY,
  RUN_FLOODED, // it printed more than may be kept
  // it made a forbidden system call (`text` is its name) or asked for a secret path (`text` is the path)
  RUN_FORBIDDEN,
  RUN_UNSTARTED, // what it puts in the place of a library's keeps a GPU from starting; `text` says how
  RUN_NONSENSE,  // it sent something that is no answer, or broke the device's protocol; `text` says how
};

struct run_result {
  enum run_end end;
  bool starting; // it ended before the runner was ready
  int exit_code, signal;
  struct runner_reply reply; // its text is NUL-terminated and printable
  double seconds;            // from request to answer
  double host_seconds;       // the part of them outside the device
  char text[480];
};

struct session {
  const struct task *task;
  enum device_kind kind;
  struct device *device;
  struct sandbox sandbox;
  int control;
  bool alive;
  bool timing;                     // poll without sleeping, since waking up takes time
  void (*while_timed)(void *data); // called again and again meanwhile; NULL: nothing is
  void *timed_data;
  char *output; // what the program printed, once it has ended
  size_t output_length;
  size_t output_mark; // where the output of the present case starts
};

// Starts a runner on a device of its own. True if the runner is ready; else *result says what happened.
bool session_open(struct session *session, const struct task *task, enum device_kind kind,
                  const struct device_options *options, struct run_result *result);
// Has the runner call the launcher. Unless *result is RUN_ANSWERED, the runner has ended.
void session_run(struct session *session, const struct runner_request *request, struct run_result *result);
// Kills the runner; the device stays. *result gets how it ended.
void session_end(struct session *session, struct run_result *result);
// Output from now on belongs to the next case.
void session_mark_output(struct session *session);
// The output since the last mark; NUL-terminated, never NULL.
const char *session_output(const struct session *session);
void session_close(struct session *session);
// Whether the functions that a program puts in the place of a library's (task->replaced) are why the runner
// can't use a GPU, which the referee has opened a moment before. Not so where the GPU may have no room for a
// second program, or has failed.
bool session_is_own_doing(const char *replaced, const struct runner_reply *reply);

#endif
