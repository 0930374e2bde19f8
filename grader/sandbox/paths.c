// In: a system call with a path. Out: the full path, and whether it is one that no launcher needs. The idea:
// the walls hide such paths anyway, but an instructor wants to know that a program asked for one. The path is
// read from the caller's memory, which may change the next moment, so it only decides what the report says.
#include "sandbox/sandbox.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Which argument is the path, and which is the folder that the path starts from (-1: the working directory).
static const struct {
  int number, path, folder;
} path_calls[] = {
    {SCMP_SYS(open), 0, -1},
    {SCMP_SYS(openat), 1, 0},
    {SCMP_SYS(openat2), 1, 0},
    {SCMP_SYS(access), 0, -1},
    {SCMP_SYS(faccessat), 1, 0},
    {SCMP_SYS(faccessat2), 1, 0},
    {SCMP_SYS(stat), 0, -1},
    {SCMP_SYS(lstat), 0, -1},
    {SCMP_SYS(newfstatat), 1, 0},
    {SCMP_SYS(statx), 1, 0},
    {SCMP_SYS(readlink), 0, -1},
    {SCMP_SYS(readlinkat), 1, 0},
    {SCMP_SYS(chdir), 0, -1},
    {SCMP_SYS(creat), 0, -1},
    {SCMP_SYS(truncate), 0, -1},
    {SCMP_SYS(statfs), 0, -1},
    {SCMP_SYS(getxattr), 0, -1},
    {SCMP_SYS(lgetxattr), 0, -1},
    {SCMP_SYS(listxattr), 0, -1},
    {SCMP_SYS(llistxattr), 0, -1},
    {SCMP_SYS(inotify_add_watch), 1, -1},
    {SCMP_SYS(link), 0, -1},
    {SCMP_SYS(linkat), 1, 0},
    {SCMP_SYS(symlink), 0, -1}, // the path that the link leads to
    {SCMP_SYS(symlinkat), 0, -1},
    {SCMP_SYS(mkdir), 0, -1},
    {SCMP_SYS(mkdirat), 1, 0},
};
enum { CALLS = sizeof path_calls / sizeof *path_calls };

int sandbox_path_call(size_t index) {
  return index < CALLS ? path_calls[index].number : -1;
}

bool sandbox_makes_file(const struct seccomp_notif *call) {
  const __u64 *given = call->data.args;
  switch (call->data.nr) {
  case SCMP_SYS(open): return given[1] & O_CREAT;
  case SCMP_SYS(openat): return given[2] & O_CREAT;
  case SCMP_SYS(openat2): // its flags are in the caller's memory
  case SCMP_SYS(creat):
  case SCMP_SYS(link):
  case SCMP_SYS(linkat):
  case SCMP_SYS(symlink):
  case SCMP_SYS(symlinkat):
  case SCMP_SYS(mkdir):
  case SCMP_SYS(mkdirat): return true;
  default: return false;
  }
}

// The text at the caller's address; false if it can't be read.
static bool read_text(pid_t caller, uint64_t address, char text[PATH_MAX]) {
  char memory[64];
  snprintf(memory, sizeof memory, "/proc/%d/mem", (int)caller);
  int file = open(memory, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t got = pread(file, text, PATH_MAX - 1, (off_t)address);
  // A short text may lie at the end of readable memory: read to the end of its page only. What could not be
  // read a moment ago may be readable now, up to the last byte.
  size_t of_page = 4096 - address % 4096;
  if (of_page > PATH_MAX - 1) of_page = PATH_MAX - 1;
  if (got <= 0) got = pread(file, text, of_page, (off_t)address);
  close(file);
  text[got > 0 ? got : 0] = '\0';
  return got > 0;
}

static bool read_folder(pid_t caller, int folder, char path[PATH_MAX]) {
  char link[64];
  if (folder == AT_FDCWD)
    snprintf(link, sizeof link, "/proc/%d/cwd", (int)caller);
  else
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)caller, folder);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  return length > 0;
}

// Whether the number is the caller's own process or thread number, in the caller's namespace.
static bool is_own(pid_t caller, long number) {
  char path[64], line[256];
  bool own = false;
  snprintf(path, sizeof path, "/proc/%d/status", (int)caller);
  FILE *status = fopen(path, "re");
  while (status && fgets(line, sizeof line, status)) {
    char *last = strrchr(line, '\t');
    if ((strncmp(line, "NStgid:", 7) == 0 || strncmp(line, "NSpid:", 6) == 0) && last)
      own |= strtol(last + 1, NULL, 10) == number;
  }
  if (status) fclose(status);
  return own;
}

// Where the path now ends in one of /proc's links to the caller's folders, it becomes where the link leads:
// what follows, ".." above all, starts from there. Returns the path's length.
static size_t follow_own_link(pid_t caller, char path[PATH_MAX], size_t length) {
  static const char processes[] = "/proc/";
  if (strncmp(path, processes, strlen(processes)) != 0) return length;
  const char *process = path + strlen(processes), *last = strrchr(path, '/');
  if (isdigit((unsigned char)*process) && !is_own(caller, strtol(process, NULL, 10))) return length;
  int folder = AT_FDCWD;
  if (strcmp(last, "/root") == 0) {
    path[0] = '\0';
    return 0;
  }
  if (last - path > 3 && strncmp(last - 3, "/fd", 3) == 0 && isdigit((unsigned char)last[1]))
    folder = (int)strtol(last + 1, NULL, 10);
  else if (strcmp(last, "/cwd") != 0)
    return length;
  char target[PATH_MAX];
  if (!read_folder(caller, folder, target)) return length;
  if (target[0] != '/' || !target[1]) target[0] = '\0'; // no file, or the root
  snprintf(path, PATH_MAX, "%s", target);
  return strlen(path);
}

// Removes ".", ".." and doubled slashes from the text, and follows /proc's links to the caller's folders.
// Other links aren't followed: a program's own links were judged when it made them.
static void normalise(pid_t caller, const char *folder, const char *given, char path[PATH_MAX]) {
  char joined[2 * PATH_MAX], *rest = joined;
  size_t length = 0;
  snprintf(joined, sizeof joined, "%s/%s", given[0] == '/' ? "" : folder, given);
  path[0] = '\0';
  for (char *part; (part = strsep(&rest, "/"));) {
    if (!part[0] || strcmp(part, ".") == 0) continue;
    if (strcmp(part, "..") == 0) {
      while (length > 0 && path[--length] != '/') {
      }
      path[length] = '\0';
      continue;
    }
    int more = snprintf(path + length, PATH_MAX - length, "/%s", part);
    if (more < 0 || (size_t)more >= PATH_MAX - length) return;
    length = follow_own_link(caller, path, length + (size_t)more);
  }
}

static bool starts_with(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool sandbox_path_is_secret(const struct sandbox *sandbox, const struct seccomp_notif *call,
                            char path[PATH_MAX]) {
  static const char processes[] = "/proc/";
  char given[PATH_MAX], folder[PATH_MAX] = "";
  size_t i = 0;
  while (i < CALLS && path_calls[i].number != call->data.nr)
    i++;
  if (i == CALLS || !read_text((pid_t)call->pid, call->data.args[path_calls[i].path], given)) return false;
  int from = path_calls[i].folder < 0 ? AT_FDCWD : (int)call->data.args[path_calls[i].folder];
  if (given[0] != '/' && !read_folder((pid_t)call->pid, from, folder)) return false;
  normalise((pid_t)call->pid, folder, given, path);
  if (strncmp(path, processes, strlen(processes)) == 0 && isdigit((unsigned char)path[strlen(processes)]))
    return !is_own((pid_t)call->pid, strtol(path + strlen(processes), NULL, 10));
  for (size_t s = 0; s < SANDBOX_SECRETS; s++)
    if (starts_with(path, sandbox->secret[s])) return true;
  return false;
}
