// In: a path, and a function that writes the text. Out: the whole new file under that path, or the old file
// and errno. The idea: write a file beside it, sync it, rename it, and sync the folder.
#include "report/whole-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static int sync_name(const char *path) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  // EINVAL: some network file systems can't sync a folder, and need not.
  int status = fsync(descriptor) == 0 || errno == EINVAL ? 0 : -1;
  close(descriptor);
  return status;
}

int whole_file_write(const char *path, bool lasting, int (*write)(FILE *out, const void *what),
                     const void *what) {
  char temporary[PATH_MAX];
  if (snprintf(temporary, sizeof temporary, "%s.%ld.new", path, (long)getpid()) >= (int)sizeof temporary)
    return errno = ENAMETOOLONG, -1;
  FILE *file = fopen(temporary, "we");
  if (!file) return -1;
  errno = 0;
  int status = write(file, what);
  if (fflush(file) != 0 || (lasting && fsync(fileno(file)) != 0)) status = -1;
  int number = errno;
  if (fclose(file) != 0 && status == 0) status = -1, number = errno;
  if (status == 0 && rename(temporary, path) == 0) return lasting ? sync_name(path) : 0;
  if (status == 0) number = errno;
  unlink(temporary);
  return errno = number ? number : EIO, -1;
}
