// In: a path in a submission. Out: the file, if it is a plain one. The idea: open first, without following
// links and without waiting, and then check what was opened.
#include "report/plain-file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *plain_file_open(const char *path) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool plain = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  FILE *file = plain ? fdopen(descriptor, "r") : NULL;
  if (!file && descriptor >= 0) close(descriptor);
  return file;
}

bool plain_file_line(FILE *file, char *line, size_t size) {
  size_t length = 0;
  int letter = getc(file);
  if (letter == EOF) return false;
  for (; letter != EOF && letter != '\n'; letter = getc(file))
    if (length + 1 < size) line[length++] = (char)letter;
  line[length] = '\0';
  return true;
}
