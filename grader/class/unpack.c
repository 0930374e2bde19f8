// In: an archive. Out: its plain files below one folder. The idea: a process behind walls looks into the
// archive and says what is in it (unpack-main.c); files are made here of what it says, within limits on what
// comes out, not on the sizes that the archive claims (unpack-take.c). However that process ends, it is the
// archive's doing.
#include "class/unpack.h"

#include "class/failure.h"
#include "class/unpack-stream.h"
#include "class/unpack-take.h"
#include "monotonic.h"
#include "sandbox/enclose.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ASK "ask the student for another archive"

// ---- what was left out, in words ----

void unpack_describe(const struct unpack_report *report, char text[UNPACK_TEXT]) {
  static const char *const words[UNPACK_REFUSALS][2] = {
      [UNPACK_OUTSIDE] = {"name that leads outside", "names that lead outside"},
      [UNPACK_LINK] = {"link", "links"},
      [UNPACK_DEVICE] = {"device or pipe", "devices or pipes"},
      [UNPACK_TWICE] = {"name met before", "names met before"},
      [UNPACK_ENCRYPTED] = {"file with a password", "files with a password"},
      [UNPACK_NAMELESS] = {"file without a name", "files without a name"},
      [UNPACK_LARGE] = {"file that is too large, left empty", "files that are too large, left empty"},
      [UNPACK_DEEP] = {"name in too many folders", "names in too many folders"},
      [UNPACK_UNWRITABLE] = {"name that no file here can have", "names that no file here can have"}};
  size_t length = 0;
  text[0] = '\0';
  for (int why = 0; why < UNPACK_REFUSALS && length < UNPACK_TEXT; why++) {
    size_t count = report->refused[why];
    if (!count) continue;
    length += (size_t)snprintf(text + length, UNPACK_TEXT - length, "%s%zu %s",
                               length ? ", " : "left out: ", count, words[why][count > 1]);
    if (report->first[why][0] && length < UNPACK_TEXT)
      length += (size_t)snprintf(text + length, UNPACK_TEXT - length, " (`%s`%s)", report->first[why],
                                 count > 1 ? ", .." : "");
  }
}

// ---- the unpacker ----

struct unpacker {
  pid_t process;
  int stream, complaints;
#ifdef VHOPPER_FUZZ_LIMITS
  pthread_t thread;
  int archive, end;
#endif
};

#ifdef VHOPPER_FUZZ_LIMITS
// A fuzzer's unpacker is a thread: quick, and under the sanitizers' eyes.
static void *unpack_in_thread(void *context) {
  const struct unpacker *unpacker = context;
  const struct unpacked ready = {.kind = UNPACKED_READY};
  struct stat status;
  fstat(unpacker->archive, &status);
  void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, unpacker->archive, 0);
  if (write(unpacker->end, &ready, sizeof ready) == (ssize_t)sizeof ready)
    unpack_read(bytes, (size_t)status.st_size, unpacker->end);
  munmap(bytes, (size_t)status.st_size);
  close(unpacker->end);
  return NULL;
}

static int start(struct unpacker *unpacker, int archive, const struct unpack_limits *limits,
                 enum sandbox_mode walls) {
  int stream[2];
  (void)limits, (void)walls;
  signal(SIGPIPE, SIG_IGN);
  if (pipe2(stream, O_CLOEXEC) != 0) return -1;
  *unpacker = (struct unpacker){.stream = stream[0], .complaints = -1, .archive = archive, .end = stream[1]};
  return pthread_create(&unpacker->thread, NULL, unpack_in_thread, unpacker) == 0 ? 0 : -1;
}

static int reap(struct unpacker *unpacker, char *said, size_t size) {
  (void)size;
  said[0] = '\0';
  close(unpacker->stream);
  pthread_join(unpacker->thread, NULL);
  return 0;
}
#else
static void close_all(const int *descriptors, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (descriptors[i] >= 0) close(descriptors[i]);
}

static int start(struct unpacker *unpacker, int archive, const struct unpack_limits *limits,
                 enum sandbox_mode walls) {
  char path[PATH_MAX], text[UNPACKER_ARGUMENTS][24];
  char *arguments[UNPACKER_ARGUMENTS + 2] = {(char *)(uintptr_t) "unpack"};
  int stream[2] = {-1, -1}, complaints[2] = {-1, -1};
  const unsigned long numbers[UNPACKER_ARGUMENTS] = {sandbox_user(&(struct sandbox_plan){0}),
                                                     walls == SANDBOX_NAMESPACES, limits->seconds};
  for (int i = 0; i < UNPACKER_ARGUMENTS; i++) {
    snprintf(text[i], sizeof text[i], "%lu", numbers[i]);
    arguments[1 + i] = text[i];
  }
  int status = pipe2(stream, O_CLOEXEC);
  if (status == 0) status = pipe2(complaints, O_CLOEXEC | O_NONBLOCK);
  if (status == 0)
    status = sandbox_start_own(sandbox_own_program("unpack", path), arguments,
                               (const int[]){archive, stream[1]}, 2, complaints[1], &unpacker->process);
  const int reason = errno;
  close_all((const int[]){stream[1], complaints[1]}, 2);
  if (status != 0) close_all((const int[]){stream[0], complaints[0]}, 2);
  unpacker->stream = stream[0];
  unpacker->complaints = complaints[0];
  errno = reason;
  return status;
}

// How it has ended, and what it said last; it is killed if it runs still.
static int reap(struct unpacker *unpacker, char *said, size_t size) {
  int status = 0;
  kill(unpacker->process, SIGKILL);
  while (waitpid(unpacker->process, &status, 0) < 0 && errno == EINTR) {
  }
  ssize_t got = read(unpacker->complaints, said, size - 1);
  said[got > 0 ? got : 0] = '\0';
  said[strcspn(said, "\n")] = '\0';
  close_all((const int[]){unpacker->stream, unpacker->complaints}, 2);
  return status;
}
#endif

// ---- the end ----

static void blame(struct unpack_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void blame(struct unpack_report *report, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(report->wrong, sizeof report->wrong, format, list);
  va_end(list);
}

// The unpacker has ended in the middle: by the archive's doing.
static void blame_cut(struct unpack_report *report, const struct unpack_limits *limits, int status) {
  report->partial = true;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    blame(report, "takes more than %u seconds of processor time to unpack: " ASK, limits->seconds);
  else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    blame(report, "makes the unpacker crash (%s), which it does behind walls: " ASK,
          strsignal(WTERMSIG(status)));
  else
    blame(report, "makes the unpacker end in the middle: " ASK);
}

static unsigned patience(const struct unpack_limits *limits) {
  return limits->patience ? limits->patience : limits->seconds * SANDBOX_BUSY;
}

static int conclude(enum unpack_end end, struct unpacking *unpacking, struct unpacker *unpacker) {
  const struct unpack_limits *limits = unpacking->limits;
  char said[200];
  const int status = reap(unpacker, said, sizeof said);
  switch (end) {
  case UNPACK_BARE:
    return class_fail(unpacking->error, unpacking->error_size,
                      "archives cannot be unpacked behind walls here (build/bin/unpack): %s",
                      said[0] ? said : strsignal(WIFSIGNALED(status) ? WTERMSIG(status) : 0));
  case UNPACK_CUT: blame_cut(unpacking->report, limits, status); return 0;
  case UNPACK_LATE:
    unpacking->report->partial = true;
    blame(unpacking->report,
          "is not unpacked after %u seconds: " ASK ", or grade again when this machine is less busy",
          patience(limits));
    return 0;
  case UNPACK_FAILED: return -1;
  case UNPACK_ENDED: break;
  }
  return 0;
}

// ---- unpacking ----

static int begin(struct unpacking *unpacking, const char *folder, const struct unpack_limits *limits,
                 struct unpack_report *report, char *error, size_t size) {
  *report = (struct unpack_report){0};
  *unpacking = (struct unpacking){.path = folder,
                                  .end = monotonic_seconds() + patience(limits),
                                  .limits = limits,
                                  .report = report,
                                  .error = error,
                                  .error_size = size,
                                  .file = -1};
  unpacking->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return unpacking->folder >= 0 ? 0 : class_fail(error, size, "%s: %s", folder, strerror(errno));
}

// The archive, a plain file of a size that is allowed; -1: the report says what it is.
static int open_archive(const char *archive, const struct unpack_limits *limits,
                        struct unpack_report *report) {
  struct stat status;
  const int file = open(archive, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0)
    blame(report, "cannot be read: %s", strerror(errno));
  else if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    blame(report, "is no plain file");
  else if ((uint64_t)status.st_size > limits->bytes)
    blame(report, "has more than %zu MiB", limits->bytes >> 20);
  else if (status.st_size == 0)
    blame(report, "is empty: it has 0 bytes");
  else
    return file;
  report->damaged = file >= 0 && S_ISREG(status.st_mode) && status.st_size == 0;
  report->partial = file >= 0 && S_ISREG(status.st_mode) && status.st_size != 0;
  if (file >= 0) close(file);
  return -1;
}

int unpack_records(int stream, const char *folder, const struct unpack_limits *limits,
                   struct unpack_report *report, char *error, size_t size) {
  struct unpacking unpacking;
  if (begin(&unpacking, folder, limits, report, error, size) != 0) return -1;
  unpacking.stream = stream;
  const enum unpack_end end = unpack_take(&unpacking);
  close(unpacking.folder);
  if (end == UNPACK_CUT || end == UNPACK_BARE || end == UNPACK_LATE) blame(report, "ends in the middle");
  return end == UNPACK_FAILED ? -1 : 0;
}

int unpack(const char *archive, const char *folder, const struct unpack_limits *limits,
           enum sandbox_mode walls, struct unpack_report *report, char *error, size_t size) {
  struct unpacking unpacking;
  struct unpacker unpacker = {.process = 0};
  if (begin(&unpacking, folder, limits, report, error, size) != 0) return -1;
  const int file = open_archive(archive, limits, report);
  int status = 0;
  if (file >= 0 && start(&unpacker, file, limits, walls) != 0) {
    status = class_fail(error, size, "build/bin/unpack: %s", strerror(errno));
  } else if (file >= 0) {
    unpacking.stream = unpacker.stream;
    status = conclude(unpack_take(&unpacking), &unpacking, &unpacker);
  }
  if (file >= 0) close(file);
  close(unpacking.folder);
  return status;
}
