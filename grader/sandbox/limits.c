// In: the plan's limits. Out: the calling process is bound by them. The idea: only limits that a process can
// set for itself without privileges or namespaces, so that both modes share them.
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// Lowers the soft and the hard limit; a higher value than our own hard limit becomes that limit.
static int lower(__rlimit_resource_t resource, rlim_t value) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return -1;
  if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max;
  struct rlimit limit = {value, value};
  return setrlimit(resource, &limit);
}

static unsigned threads_of(int proc, const char *process) {
  char path[64];
  snprintf(path, sizeof path, "%.20s/task", process);
  struct stat status;
  // A directory's link count is two more than its subdirectories: here, threads.
  if (fstatat(proc, path, &status, 0) != 0 || status.st_uid != getuid()) return 0;
  return status.st_nlink > 2 ? (unsigned)status.st_nlink - 2 : 1;
}

unsigned sandbox_user_tasks(void) {
  DIR *proc = opendir("/proc");
  if (!proc) return 0;
  unsigned tasks = 0;
  for (struct dirent *entry; (entry = readdir(proc));)
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') tasks += threads_of(dirfd(proc), entry->d_name);
  closedir(proc);
  return tasks;
}

int sandbox_apply_limits(const struct sandbox_limits *limits) {
  enum { MOST_DESCRIPTORS = 1024 }; // a descriptor, of a pipe for example, holds memory of the kernel
  if (lower(RLIMIT_CORE, 0) != 0 || lower(RLIMIT_NOFILE, MOST_DESCRIPTORS) != 0) return -1;
  if (limits->cpu_seconds && lower(RLIMIT_CPU, limits->cpu_seconds) != 0) return -1;
  if (limits->file_bytes && lower(RLIMIT_FSIZE, limits->file_bytes) != 0) return -1;
  // The kernel counts all of the user's tasks against this limit, so a fixed number would fail on a busy
  // desktop.
  if (limits->more_processes && lower(RLIMIT_NPROC, sandbox_user_tasks() + limits->more_processes) != 0)
    return -1;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  // Last, since our own code may get no more memory afterwards.
  if (limits->data_bytes && lower(RLIMIT_DATA, limits->data_bytes) != 0) return -1;
  return limits->address_space ? lower(RLIMIT_AS, limits->address_space) : 0;
}
