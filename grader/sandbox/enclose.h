// Walls around a process of our own that reads what a stranger made: the virtual Hopper, the unpacker. Such a
// process counts as taken over from its first untrusted byte. The referee starts it as a program of its own,
// so that nothing of the referee's memory is in it; it encloses itself; and whoever started it checks
// everything that it answers.
#ifndef SANDBOX_ENCLOSE_H
#define SANDBOX_ENCLOSE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct enclosure {
  unsigned user;        // new user id; 0: no change
  bool namespaces;      // an empty file system, no network
  uint64_t work_bytes;  // address space beyond what is mapped already
  uint64_t file_bytes;  // of a file in memory that it makes for the program it serves; 0: it makes none
  unsigned cpu_seconds; // processor time; 0: no limit
};

// Called by the process itself, once, before any untrusted input is read. Takes its files (with namespaces),
// exec, fork, new descriptors and all but a few system calls away; what is forbidden fails with EPERM. Needs
// no namespaces for that: they are a second wall. Returns NULL on success, else the step that failed, with
// errno.
const char *sandbox_enclose(const struct enclosure *enclosure);

// The program `name` beside the running one, or in build/bin when a test runs. `path` holds PATH_MAX bytes.
const char *sandbox_own_program(const char *name, char *path);
// Starts such a program: the `count` descriptors become 3, 4, .., `complaints` becomes stderr, stdin and
// stdout are /dev/null, and the environment is empty. Returns 0 and the process, or -1 with errno.
enum { ENCLOSED_DESCRIPTORS = 3 };
int sandbox_start_own(const char *path, char *const *arguments, const int *descriptors, size_t count,
                      int complaints, pid_t *process);

#endif
