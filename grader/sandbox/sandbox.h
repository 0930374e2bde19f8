// Runs one program that nobody trusts, and ends it. In: a plan (program, descriptors, limits). Out: how it ended and what it
// printed. The idea: everything the program starts dies with it, and nothing it prints is taken for an answer of ours.
//
// Two modes, found by sandbox_probe. With walls: bubblewrap gives it processes, a network and a file system of its own, in which
// there are the system's programs, read-only, what the plan names, and one scratch directory; sandbox-enter, inside, takes away its
// user and puts a filter before its system calls. Plain: own session, limits, no new privileges, closed descriptors. In both,
// every descendant is killed. The caller must be a process with no children of its own besides the sandbox's: all are killed.
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sandbox_mode { SANDBOX_PLAIN, SANDBOX_NAMESPACES };

// What system calls a program may make (filter.c has the lists; with walls only).
enum sandbox_filter {
  SANDBOX_TOOLS,  // a compiler has reasons of its own: what is forbidden fails
  SANDBOX_DRIVER, // so has a GPU's driver in a launcher's process; but no other process is started
  SANDBOX_STRANGER, // a launcher on the virtual device: one process, no sockets; what is forbidden ends it, and is named
};

// What `forbidden` says when a SANDBOX_STRANGER starts threads without end.
#define SANDBOX_THREADS "pthread_create"

enum { SANDBOX_NAME = 160, SANDBOX_SECRETS = 2 };

struct sandbox_limits {
  double wall_seconds;     // for sandbox_run; sessions keep their own deadlines
  unsigned cpu_seconds;    // 0: none
  uint64_t address_space;  // bytes; 0: none
  uint64_t data_bytes;     // writable memory of its own, whatever it reserves; 0: none
  uint64_t file_bytes;     // largest file it may write
  unsigned more_processes; // processes and threads beyond those its user has now; 0: none set
  size_t output_bytes;     // of stdout and stderr together; the rest is dropped and `output_overflowed` set
};

struct sandbox_place {
  const char *source, *destination;
};

struct sandbox_plan {
  enum sandbox_mode mode;
  const char *const *arguments;   // NULL-ended; [0] is an absolute path
  const char *const *environment; // NULL-ended and complete: nothing is inherited
  const char *directory; // absolute; where it works, and alone may write but for a small /tmp and /dev/shm
  // With walls only, all four:
  uint64_t scratch_bytes;      // `directory` is memory of this size, gone afterwards; 0: the directory itself
  uint64_t temporary_bytes;    // the size of /tmp; 0: 16 MiB
  const char *const *readable; // NULL-ended absolute paths shown read-only where they are; or NULL
  const struct sandbox_place
      *placed; // shown read-only elsewhere, above all the others; ended by a NULL source; or NULL
  enum sandbox_filter filter;
  const char *secret
      [SANDBOX_SECRETS]; // absolute folders, hidden anyway: a SANDBOX_STRANGER that asks for them is ended, too
  const int *descriptors; // become 3, 4, ... in the program; all others are closed
  size_t descriptor_count;
  bool gpu; // the NVIDIA devices are let in
  struct sandbox_limits limits;
};

struct sandbox {
  pid_t pid;       // the direct child; its process group has the same number. 0: none
  int exit_event;  // readable once the child has ended (pidfd)
  int output_pipe; // stdout and stderr together; -1 once closed
  int watch; // readable when a forbidden system call was made (a socket, until the filter's listener has come); -1: none
  bool listening;
  bool executed;    // the one program that it may become, it is
  unsigned threads; // that a SANDBOX_STRANGER has started, or tried to, besides its first
  size_t output_limit;
  char *output; // NUL-terminated
  size_t output_length;
  bool output_overflowed;
  char secret[SANDBOX_SECRETS][PATH_MAX];
  char forbidden
      [SANDBOX_NAME]; // what ended a SANDBOX_STRANGER: a system call's name, or the secret path that it asked for; "": nothing
};

struct sandbox_result {
  bool timed_out;
  char forbidden[SANDBOX_NAME];
  int exit_code;    // meaningful when signal == 0
  int signal;       // that killed the program, 0: it exited
  unsigned threads; // as in struct sandbox
  char *output;     // NUL-terminated, bytes as printed; free with sandbox_result_free
  size_t output_length;
  bool output_overflowed;
};

// Which mode works on this machine: tried, not guessed. `missing`, unless NULL, gets what keeps the walls from standing.
enum sandbox_mode sandbox_probe(char *missing, size_t size);
// What `missing` begins with where everything is installed and the kernel, or a container, refuses.
#define SANDBOX_NO_WALLS "bubblewrap cannot build its walls here"

// Starts the program. Returns 0, or -1 with the reason in `error`: our machine's failure, never the program's.
int sandbox_start(struct sandbox *sandbox, const struct sandbox_plan *plan, char *error, size_t error_size);
// Takes in what was printed since; never blocks.
void sandbox_read_output(struct sandbox *sandbox);
// Takes in what the filter says, once `watch` is readable. True if a forbidden call was made: it waits until it is killed.
bool sandbox_look(struct sandbox *sandbox);
// Waits up to `seconds` for the direct child to end by itself; true if it has.
bool sandbox_wait(struct sandbox *sandbox, double seconds);
// Kills whatever is left, collects it, and moves the output into `result`.
void sandbox_finish(struct sandbox *sandbox, struct sandbox_result *result);
void sandbox_result_free(struct sandbox_result *result);

// All of the above with the plan's wall clock: 0 if the program was run (however it ended), -1 with the reason.
int sandbox_run(const struct sandbox_plan *plan, struct sandbox_result *result, char *error,
                size_t error_size);

// An empty directory of its own below $TMPDIR or /tmp: 0, or -1 with errno. `path` holds PATH_MAX bytes.
int sandbox_make_scratch(char *path, size_t size);
// Removes a directory and all below it; what can't be removed stays.
void sandbox_remove_scratch(const char *path);
// Removes those that killed graders have left.
void sandbox_sweep_scratch(void);

// --- between the sandbox's own files ---
enum { SANDBOX_FILTER_PLACE = 60, SANDBOX_WATCH_PLACE = 61 }; // descriptors that sandbox-enter is given

// The user that a program becomes when we are root: one of its own, so that its processes are counted alone. 0: stay.
unsigned sandbox_user(const struct sandbox_plan *plan);
// Makes a directory and all below it that user's, whatever the caller's umask keeps from others: 0, or -1 with errno.
int sandbox_give_away(const char *path, unsigned user);
// The same without walls: 0 also where that user couldn't reach what the plan names. The plan's directory becomes the user's.
enum { SANDBOX_MOST_READABLE = 32 };
unsigned sandbox_plain_user(const struct sandbox_plan *plan);
// Gives up root for good. 0, or -1 with errno.
int sandbox_become(unsigned user);
// Where sandbox-enter is, the same answer each time. `path` holds PATH_MAX bytes.
const char *sandbox_enter_path(char *path);
// The command line that puts bubblewrap around the plan's; NULL-ended; free the array with sandbox_arguments_free.
char **sandbox_namespace_arguments(const struct sandbox_plan *plan);
void sandbox_arguments_free(char **arguments);
// The system calls with a path in them, one after another; -1 after the last.
int sandbox_path_call(size_t index);
// Whether such a call asks for one of sandbox->secret or for another process's part of /proc; `path` gets the place in full.
struct seccomp_notif;
bool sandbox_path_is_secret(const struct sandbox *sandbox, const struct seccomp_notif *call,
                            char path[PATH_MAX]);
// A file in memory with the filter's program (BPF); -1 with errno.
int sandbox_filter_file(enum sandbox_filter filter);
// In the child, before exec: limits, privileges. Returns 0 or -1 with errno.
int sandbox_apply_limits(const struct sandbox_limits *limits);
// Processes and threads of the calling user.
unsigned sandbox_user_tasks(void);

#endif
