// Runs one untrusted program, and ends it. In: a plan (program, descriptors, limits). Out: how the program
// ended and what it printed. The idea: everything the program starts dies with it, and nothing it prints is
// taken for an answer of ours.
//
// There are two modes; sandbox_probe finds which one works. With walls, bubblewrap gives the program its own
// namespaces of processes, network and files. The file system holds the system's programs, read-only, what
// the plan names, and one scratch directory. Inside, sandbox-enter changes the user and installs a filter for
// system calls. Plain mode has a session of its own, limits, no new privileges and closed descriptors. In
// both modes every descendant is killed: all children of the calling process, so it must have none besides
// the sandbox's.
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
  // a compiler, which may have good reasons for its calls: a forbidden call fails
  SANDBOX_TOOLS,
  // a launcher that uses a GPU's driver: as above, and it can start no other process
  SANDBOX_DRIVER,
  // a launcher on the virtual device: one process, no sockets; a forbidden call ends it, and is named
  SANDBOX_STRANGER,
};

// The text of `forbidden` when a SANDBOX_STRANGER starts threads without end.
#define SANDBOX_THREADS "pthread_create"
// .. and when it makes files, folders and links without end.
#define SANDBOX_FILES "files"

enum { SANDBOX_NAME = 160, SANDBOX_SECRETS = 2 };

// A machine that gives a program less than one part in so many of the time is too busy to judge the program.
// So a deadline by the clock is so many times the deadline for work. A test that waits for it builds with
// less.
#ifndef SANDBOX_BUSY_TIMES
#define SANDBOX_BUSY_TIMES 30
#endif
enum { SANDBOX_BUSY = SANDBOX_BUSY_TIMES };

struct sandbox_limits {
  double wall_seconds;     // for sandbox_run; sessions keep their own deadlines
  unsigned cpu_seconds;    // of each process; 0: none
  double work_seconds;     // for sandbox_run: processor time of all its processes that run, and the same
                           // of sleep of all of them; 0: no limit
  uint64_t address_space;  // bytes; 0: none
  uint64_t data_bytes;     // writable private memory; reserved addresses don't count; 0: none
  uint64_t file_bytes;     // largest file it may write
  unsigned more_processes; // processes and threads beyond those that its user has now; 0: no limit
  size_t output_bytes;     // of stdout and stderr together; more is dropped and sets `output_overflowed`
};

struct sandbox_place {
  const char *source, *destination;
};

struct sandbox_plan {
  enum sandbox_mode mode;
  const char *const *arguments;   // NULL-ended; [0] is an absolute path
  const char *const *environment; // NULL-ended and complete: nothing is inherited
  // absolute path of the working directory, the only one that may be written besides a small /tmp and
  // /dev/shm
  const char *directory;
  // the next seven only matter with walls:
  bool few_devices;       // of the devices, only /dev/null is there: none that is read without end
  uint64_t scratch_bytes; // `directory` becomes memory of this size, gone afterwards; 0: the directory itself
  uint64_t temporary_bytes; // the size of /tmp; 0: 16 MiB
  // absolute paths, visible read-only under the same path; ended by NULL; or NULL
  const char *const *readable;
  // visible read-only under another path, mounted after all others; ended by a NULL source; or NULL
  const struct sandbox_place *placed;
  enum sandbox_filter filter;
  // absolute paths of hidden folders: a SANDBOX_STRANGER that asks for one is ended
  const char *secret[SANDBOX_SECRETS];
  const int *descriptors; // they become 3, 4, ... in the program; all others are closed
  size_t descriptor_count;
  bool gpu;     // the program gets the NVIDIA devices
  pid_t spared; // a child of the caller's that is none of the sandbox's, and outlives it; 0: there is none
  struct sandbox_limits limits;
};

struct sandbox {
  pid_t pid;       // the direct child, sandbox-keep; its process group has the same number. 0: none
  pid_t spared;    // as in the plan
  int exit_event;  // readable once the child has ended (pidfd)
  int output_pipe; // stdout and stderr together; -1 once closed
  // readable when a forbidden system call was made; -1: none. A socket, until the filter's listener has come
  // through it:
  int watch;
  bool listening;
  bool executed;    // its single permitted exec has happened
  unsigned threads; // of a SANDBOX_STRANGER: started or attempted, besides its first
  unsigned files;   // .. made or attempted, folders and links too
  size_t output_limit;
  char *output; // NUL-terminated
  size_t output_length;
  bool output_overflowed;
  char secret[SANDBOX_SECRETS][PATH_MAX];
  // why a SANDBOX_STRANGER was ended: the name of the system call, or the secret path that it asked for; "":
  // it wasn't
  char forbidden[SANDBOX_NAME];
};

struct sandbox_result {
  bool timed_out;
  bool worked; // it has timed out by its work_seconds, not by the clock
  char forbidden[SANDBOX_NAME];
  int exit_code;    // meaningful when signal == 0
  int signal;       // the signal that killed the program; 0: it exited
  unsigned threads; // as in struct sandbox
  char *output;     // NUL-terminated, bytes as printed; freed by sandbox_result_free
  size_t output_length;
  bool output_overflowed;
};

// Tries which mode works on this machine. `missing`, unless NULL, gets the reason why walls don't work.
enum sandbox_mode sandbox_probe(char *missing, size_t size);
// `missing` begins with this if everything is installed, but the kernel or a container refuses.
#define SANDBOX_NO_WALLS "bubblewrap cannot build its walls here"

// Starts the program. Returns 0, or -1 with the reason in `error`: the machine's failure, never the
// program's.
int sandbox_start(struct sandbox *sandbox, const struct sandbox_plan *plan, char *error, size_t error_size);
// Reads what has been printed since the last call; never blocks.
void sandbox_read_output(struct sandbox *sandbox);
// Reads the filter's notice, once `watch` is readable. True if a forbidden call was made: the program then
// waits in that call until it is killed.
bool sandbox_look(struct sandbox *sandbox);
// Waits up to `seconds` for the direct child to end by itself; true if it has.
bool sandbox_wait(struct sandbox *sandbox, double seconds);
// Kills and reaps all that is left, and moves the output into `result`.
void sandbox_finish(struct sandbox *sandbox, struct sandbox_result *result);
void sandbox_result_free(struct sandbox_result *result);

// All of the above, with the plan's wall_seconds as deadline: 0 if the program was run, however it ended; -1
// with the reason.
int sandbox_run(const struct sandbox_plan *plan, struct sandbox_result *result, char *error,
                size_t error_size);

// Makes an empty directory below $TMPDIR or /tmp: 0, or -1 with errno. `path` holds PATH_MAX bytes.
int sandbox_make_scratch(char *path, size_t size);
// Removes a directory and everything below it; what can't be removed stays.
void sandbox_remove_scratch(const char *path);
// Removes scratch directories that killed graders have left behind.
void sandbox_sweep_scratch(void);

// --- between the sandbox's own files ---
// The descriptors that sandbox-enter is given.
enum { SANDBOX_FILTER_PLACE = 60, SANDBOX_WATCH_PLACE = 61 };
// What sandbox-enter ends with, before the listener has come, if others of this user's have too many
// descriptors on their way.
enum { SANDBOX_CROWDED = 124 };

// The user that a program becomes when we are root: a separate one, so that only its own processes are
// counted. 0: stay.
unsigned sandbox_user(const struct sandbox_plan *plan);
// Makes the user the owner of a directory and everything below it, whatever the umask: 0, or -1 with errno.
int sandbox_give_away(const char *path, unsigned user);
// As sandbox_user, for plain mode: also 0 if that user couldn't reach the plan's paths. The user becomes the
// owner of the plan's directory.
enum { SANDBOX_MOST_READABLE = 32 };
unsigned sandbox_plain_user(const struct sandbox_plan *plan);
// Gives up root for good. 0, or -1 with errno.
int sandbox_become(unsigned user);
// Kills and reaps all children of the calling process but one (0: none is spared). When they die, their
// children become its own: it has to be a subreaper.
void sandbox_kill_descendants(pid_t spared);
// The path of sandbox-enter, always the same. `path` holds PATH_MAX bytes.
const char *sandbox_enter_path(char *path);
// The command line of bubblewrap around the plan's; NULL-ended; freed by sandbox_arguments_free.
char **sandbox_namespace_arguments(const struct sandbox_plan *plan);
void sandbox_arguments_free(char **arguments);
// The number of the index-th system call that has a path among its arguments; -1 after the last.
int sandbox_path_call(size_t index);
struct seccomp_notif;
// Whether such a call makes a file, a folder or a link, if it succeeds.
bool sandbox_makes_file(const struct seccomp_notif *call);
// Whether such a call asks for one of sandbox->secret or for another process's folder in /proc; `path` gets
// the full path.
bool sandbox_path_is_secret(const struct sandbox *sandbox, const struct seccomp_notif *call,
                            char path[PATH_MAX]);
// Makes a file in memory that holds the filter's program (BPF); -1 with errno.
int sandbox_filter_file(enum sandbox_filter filter);
// Called in the child, before exec: sets limits, drops privileges. Returns 0 or -1 with errno.
int sandbox_apply_limits(const struct sandbox_limits *limits);
// Processes and threads of the calling user.
unsigned sandbox_user_tasks(void);

#endif
