// build/bin/unpack: the process that looks into a stranger's archive. In: the archive. Out: records
// (unpack-stream.h). The idea: it maps the archive's bytes, gives its descriptor up, encloses itself, and
// only then looks at the first of them; so that whoever takes it over finds nothing there, and can reach
// nothing.
#include "class/unpack-stream.h"

#include "sandbox/enclose.h"

#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORK_BYTES ((uint64_t)1 << 30) // for dictionaries: 7z's largest level takes 192 MiB

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  _exit(1);
}

// It is not empty, as the grader has seen.
static const void *map_archive(size_t *length) {
  struct stat status;
  if (fstat(UNPACKER_ARCHIVE, &status) != 0) give_up("the archive's size");
  *length = (size_t)status.st_size;
  const void *bytes = mmap(NULL, *length, PROT_READ, MAP_PRIVATE, UNPACKER_ARCHIVE, 0);
  if (bytes == MAP_FAILED) give_up("the archive cannot be mapped");
  close(UNPACKER_ARCHIVE);
  return bytes;
}

// A name is bytes here, but libarchive converts names that are marked as UTF-8 into the locale's encoding,
// and 7z's from UTF-16. What that needs of the disk is read before the walls stand.
static void prepare_names(void) {
  static const char *const encodings[] = {"UTF-8", "UTF-16LE", "UTF-16BE"};
  setlocale(LC_CTYPE, "C.UTF-8");
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
    iconv_t conversion = iconv_open("UTF-8", encodings[i]);
    if (conversion != (iconv_t)-1) iconv_close(conversion);
  }
}

#ifdef VHOPPER_PLANTED_BUG
// In a build for tests alone: what somebody would do who has taken this process over (tests/planted).
void planted_in_unpacker(const char *archive, size_t bytes);
#endif

int main(int count, char **arguments) {
  const struct unpacked ready = {.kind = UNPACKED_READY};
  unsigned long numbers[UNPACKER_ARGUMENTS];
  size_t length;
  errno = EINVAL;
  if (count != 1 + UNPACKER_ARGUMENTS) give_up("unpack USER NAMESPACES SECONDS");
  for (int i = 0; i < UNPACKER_ARGUMENTS; i++)
    numbers[i] = strtoul(arguments[1 + i], NULL, 10);
  if (close_range(UNPACKER_STREAM + 1, ~0U, 0) != 0) give_up("close_range");
  prepare_names();
  const void *bytes = map_archive(&length);
  const char *failed = sandbox_enclose(&(struct enclosure){.user = (unsigned)numbers[0],
                                                           .namespaces = numbers[1] != 0,
                                                           .cpu_seconds = (unsigned)numbers[2],
                                                           .work_bytes = WORK_BYTES});
  if (failed) give_up(failed);
  if (write(UNPACKER_STREAM, &ready, sizeof ready) != (ssize_t)sizeof ready) _exit(1);
#ifdef VHOPPER_PLANTED_BUG
  planted_in_unpacker(bytes, length);
#endif
  unpack_read(bytes, length, UNPACKER_STREAM);
  _exit(0);
}
