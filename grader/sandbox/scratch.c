// Scratch directories. In: $TMPDIR. Out: a directory that is removed in the end, if necessary by the next
// grader. The idea: its name says which process made it, so that one in use can be told from one that a
// killed grader has left.
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *scratch_parent(void) {
  const char *parent = getenv("TMPDIR");
  return parent && parent[0] == '/' ? parent : "/tmp";
}

// A process number is only meaningful in its own namespace.
static unsigned long process_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (unsigned long)status.st_ino : 0;
}

int sandbox_make_scratch(char *path, size_t size) {
  int length =
      snprintf(path, size, "%s/tma-lab-%lx-%d-XXXXXX", scratch_parent(), process_namespace(), (int)getpid());
  if (length < 0 || (size_t)length >= size) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return mkdtemp(path) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  remove(path);
  return 0;
}

void sandbox_remove_scratch(const char *path) {
  nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int sandbox_give_away(const char *path, unsigned user) {
  FTS *walk = fts_open((char *[]){(char *)path, NULL}, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
  int status = walk ? 0 : -1;
  for (FTSENT *entry; status == 0 && (entry = fts_read(walk));)
    // A file with a second name (a hard link, made by an earlier run) may belong to somebody else: it keeps
    // its owner.
    if (entry->fts_info == FTS_D || (entry->fts_info != FTS_DP && entry->fts_statp->st_nlink == 1))
      status = lchown(entry->fts_accpath, user, user);
  int number = errno;
  if (walk) fts_close(walk);
  errno = number;
  return status;
}

// Whether it was made by a process of this namespace and this user that has ended.
static bool is_left_behind(int parent, const char *name) {
  unsigned long namespace;
  int process, end = 0;
  struct stat status;
  if (sscanf(name, "tma-lab-%lx-%d-%n", &namespace, &process, &end) != 2 || strlen(name + end) != 6)
    return false;
  if (namespace == 0 || namespace != process_namespace() || process < 1) return false;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode)) return false;
  // A grader that runs as root has given it to the program's user.
  if (status.st_uid != geteuid() && geteuid() != 0) return false;
  return kill(process, 0) != 0 && errno == ESRCH;
}

void sandbox_sweep_scratch(void) {
  char path[PATH_MAX];
  DIR *parent = opendir(scratch_parent());
  for (struct dirent *entry; parent && (entry = readdir(parent));)
    if (is_left_behind(dirfd(parent), entry->d_name) &&
        snprintf(path, sizeof path, "%s/%s", scratch_parent(), entry->d_name) < (int)sizeof path)
      sandbox_remove_scratch(path);
  if (parent) closedir(parent);
}
