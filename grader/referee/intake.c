// In: a folder that a stranger has made. Out: task->scratch/source with one source, its headers, and the
// lab's header. The idea: every file is opened first, without following links and without waiting; then the
// opened file is checked.
#include "referee/intake.h"

#include "referee/remarks.h"
#include "virtual-hopper/base/printable.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HEADERS = 64 };

char *intake_printable(const char *text, char *shown, size_t size) {
  snprintf(shown, size, "%s", text);
  for (char *c = shown; *c; c++)
    if ((unsigned char)*c < 0x20) *c = '?'; // line ends, too: it is one name
  printable_make(shown, size);
  return shown;
}

static const char *kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFDIR: return "a folder";
  case S_IFIFO: return "a named pipe";
  case S_IFSOCK: return "a socket";
  case S_IFCHR:
  case S_IFBLK: return "a device";
  default: return "no plain file";
  }
}

// Editors on Windows may save this as "Unicode".
static bool is_utf16(int file) {
  unsigned char mark[2] = {0};
  return pread(file, mark, 2, 0) == 2 && (mark[0] ^ mark[1]) == 1 && (mark[0] & mark[1]) == 0xfe;
}

// Opens folder/name if it is a plain file of at most MOST_SOURCE_BYTES. -1: `why` says what it is instead.
static int open_plain(int folder, const char *name, char *why, size_t size) {
  struct stat status;
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 && errno == ELOOP) {
    snprintf(why, size, "is a symbolic link, and links are not followed");
  } else if (file < 0 && errno == ENXIO) {
    snprintf(why, size, "is a socket or a device, not a plain file");
  } else if (file < 0) {
    snprintf(why, size, "cannot be opened: %s", strerror(errno));
  } else if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    snprintf(why, size, "is %s, not a plain file", kind_of(status.st_mode));
  } else if (status.st_size > MOST_SOURCE_BYTES) {
    snprintf(why, size, "has %lld bytes; at most 1 MiB is accepted", (long long)status.st_size);
  } else if (is_utf16(file)) {
    snprintf(why, size, "is UTF-16 text, which compilers don't read: save it as UTF-8");
  } else {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

// GROWN: it has more bytes than when it was opened, which is its author's doing. FAILED: errno is this
// machine's reason.
enum copied { COPIED, GROWN, FAILED };
#define HAS_GROWN "has grown beyond 1 MiB while it was read"

static bool write_all(int to, const char *bytes, size_t count) {
  while (count) {
    const ssize_t put = write(to, bytes, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes += put;
    count -= (size_t)put;
  }
  return true;
}

static enum copied copy_bytes(int from, int to) {
  char bytes[65536];
  size_t total = 0;
  for (ssize_t got; (got = read(from, bytes, sizeof bytes)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FAILED;
    if ((total += (size_t)got) > MOST_SOURCE_BYTES) return GROWN;
    if (!write_all(to, bytes, (size_t)got)) return FAILED;
  }
  return COPIED;
}

static enum copied copy_file(int from, int folder, const char *name) {
  int to = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  const enum copied copied = to >= 0 ? copy_bytes(from, to) : FAILED;
  const int why = errno;
  if (to >= 0 && close(to) != 0) return FAILED;
  errno = why;
  return copied;
}

static bool ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_header(const char *name) {
  return ends_with(name, ".h") || ends_with(name, ".cuh") || ends_with(name, ".hpp") ||
         ends_with(name, ".inc");
}

// Names of files that would change how something is built or graded, if the grader read them.
static bool steers_a_build(const char *name) {
  static const char *const names[] = {"Makefile",     "makefile", "GNUmakefile", "lab.cfg",
                                      "nvcc.profile", "build",    "grader"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return ends_with(name, ".o") || ends_with(name, ".a") || ends_with(name, ".so") || ends_with(name, ".ptx");
}

// What is left out of a submission. It may be any number of files: they get one remark together, so that they
// can't take the room of other remarks. The first names in their order, so that it is always the same remark.
enum { LEFT_OUT_NAMES = 6 };
struct left_out {
  char names[LEFT_OUT_NAMES][64];
  char why[160]; // the first is
  size_t count;
};

static void leave_out(struct left_out *out, const char *name, const char *why) {
  size_t at = out->count < LEFT_OUT_NAMES ? out->count : LEFT_OUT_NAMES;
  out->count++;
  while (at && strncmp(name, out->names[at - 1], sizeof *out->names - 1) < 0)
    at--;
  if (at == LEFT_OUT_NAMES) return;
  memmove(out->names[at + 1 < LEFT_OUT_NAMES ? at + 1 : at], out->names[at],
          (LEFT_OUT_NAMES - 1 - at) * sizeof *out->names);
  snprintf(out->names[at], sizeof *out->names, "%s", name);
  if (at == 0) snprintf(out->why, sizeof out->why, "%s", why);
}

static void remark_left_out(const struct task *task, const struct left_out *headers,
                            const struct left_out *others) {
  char names[sizeof others->names + 2 * LEFT_OUT_NAMES] = "";
  if (headers->count == 1)
    remark(task, "Its header %s is not taken, since it %s.", headers->names[0], headers->why);
  else if (headers->count)
    remark(task, "Its header %s is not taken, since it %s. Nor are %zu other headers.", headers->names[0],
           headers->why, headers->count - 1);
  for (size_t i = 0, length = 0; i < others->count && i < LEFT_OUT_NAMES; i++)
    length +=
        (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", others->names[i]);
  if (others->count)
    remark(task, "Its %s%s %s not taken: a submission is sources and headers.", names,
           others->count > LEFT_OUT_NAMES ? ", .." : "", others->count > 1 ? "are" : "is");
}

// The headers to take: the first in the order of their names, whatever order the disk has them in.
struct wanted {
  char names[MOST_HEADERS][NAME_MAX + 1];
  size_t count;
};

static void want(struct wanted *wanted, const char *name, struct left_out *headers) {
  static const char too_many[] = "comes after 64 others, and no more are accepted";
  _Static_assert(MOST_HEADERS == 64, "the sentence names the number");
  size_t at = wanted->count;
  while (at && strcmp(name, wanted->names[at - 1]) < 0)
    at--;
  const bool full = wanted->count == MOST_HEADERS;
  if (full) leave_out(headers, at < MOST_HEADERS ? wanted->names[MOST_HEADERS - 1] : name, too_many);
  if (at == MOST_HEADERS) return;
  memmove(wanted->names[at + (at + 1 < MOST_HEADERS)], wanted->names[at],
          (wanted->count - full - at) * sizeof *wanted->names);
  snprintf(wanted->names[at], sizeof *wanted->names, "%s", name);
  wanted->count += !full;
}

// Lists the submission's own headers, but for those whose names the kit's headers have. The kit's own
// labs/LAB has a lab.cfg, which nobody wonders about.
static void list_headers(const struct task *task, int from, struct wanted *wanted, struct left_out *headers,
                         struct left_out *others) {
  const struct kit *kit = &task->grading->kit;
  char path[PATH_MAX], own[RECORD_NAME + 2];
  const bool is_lab = !strcmp(kit_path(kit, path, "labs/%s", task->exercise->lab), task->grading->submission);
  snprintf(own, sizeof own, "%s.h", task->exercise->lab);
  int again = dup(from);
  DIR *folder = again >= 0 ? fdopendir(again) : NULL;
  if (!folder && again >= 0) close(again);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (steers_a_build(entry->d_name) && !is_lab) leave_out(others, entry->d_name, "");
    if (!is_header(entry->d_name)) continue;
    if (access(kit_path(kit, path, "interface/%s", entry->d_name), F_OK) == 0) continue;
    if (strcmp(entry->d_name, own) != 0) want(wanted, entry->d_name, headers);
  }
  if (folder) closedir(folder);
}

// Copies the submission's own headers that are plain files. False: one can't be written.
static bool copy_headers(const struct task *task, int from, int to) {
  char why[160];
  struct wanted wanted = {.count = 0};
  struct left_out headers = {.count = 0}, others = {.count = 0};
  bool good = true;
  list_headers(task, from, &wanted, &headers, &others);
  for (size_t i = 0; good && i < wanted.count; i++) {
    int file = open_plain(from, wanted.names[i], why, sizeof why);
    const enum copied copied = file < 0 ? COPIED : copy_file(file, to, wanted.names[i]);
    if (copied == GROWN) snprintf(why, sizeof why, HAS_GROWN);
    if (copied == GROWN) unlinkat(to, wanted.names[i], 0);
    if (file < 0 || copied == GROWN) leave_out(&headers, wanted.names[i], why);
    good = copied != FAILED;
    const int reason = errno;
    if (file >= 0) close(file);
    errno = reason;
  }
  remark_left_out(task, &headers, &others);
  return good;
}

// Copies the headers of the kit's labs/LAB beside the source, where an #include looks first: LAB.h, and of
// the others those that the submission doesn't bring along. False: LAB.h can't be copied.
static bool copy_lab_headers(const struct task *task, int to) {
  char path[PATH_MAX], own[RECORD_NAME + 2];
  snprintf(own, sizeof own, "%s.h", task->exercise->lab);
  bool copied = false;
  DIR *folder = opendir(kit_path(&task->grading->kit, path, "labs/%s", task->exercise->lab));
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (!is_header(entry->d_name)) continue;
    int file = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
    bool now = file >= 0 && copy_file(file, to, entry->d_name) == COPIED;
    if (file >= 0) close(file);
    if (strcmp(entry->d_name, own) == 0) copied = now;
  }
  if (folder) closedir(folder);
  return copied;
}

// Lists the .cu files that are there, for a student who has chosen another name.
static void list_sources(int from, char *text, size_t size) {
  int again = dup(from);
  DIR *folder = again >= 0 ? fdopendir(again) : NULL;
  size_t length = 0, listed = 0;
  text[0] = '\0';
  if (!folder && again >= 0) close(again);
  if (folder) rewinddir(folder);
  for (struct dirent *entry; folder && listed < 6 && (entry = readdir(folder));) {
    if (!ends_with(entry->d_name, ".cu") && !ends_with(entry->d_name, ".CU")) continue;
    char shown[64];
    length += (size_t)snprintf(text + length, size - length, "%s%s", listed++ ? ", " : "",
                               intake_printable(entry->d_name, shown, sizeof shown));
    if (length >= size) break;
  }
  if (folder) closedir(folder);
}

static void refuse(const struct task *task, int from, bool missing, const char *why) {
  char shown[400], others[400];
  intake_printable(kit_short_path(task->source, task->grading->directory), shown, sizeof shown);
  if (!missing) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "unreadable", "cannot be read");
    stage_detail(stage, "%s %s.\nA source is a plain, readable file of at most 1 MiB.\n", shown, why);
    return;
  }
  struct stage_record *stage =
      task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "missing", "has no source file");
  list_sources(from, others, sizeof others);
  stage_detail(stage,
               "%s: No such file or directory.\nA submission is a folder with the same file names as labs/%s",
               shown, task->exercise->lab);
  stage_detail(stage, others[0] ? "; this one holds %s.\n" : "; this one holds no .cu file at all.\n",
               others);
}

static void broken(const struct task *task, const char *what) {
  struct stage_record *stage =
      task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "could not be taken in");
  stage_detail(stage, "%s: %s\n", what, strerror(errno));
}

// Whether all characters are harmless in a #line and in the compiler's messages.
static bool is_plain_path(const char *path) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@,~ ";
  return path[strspn(path, plain)] == '\0';
}

// Writes the file that the compiler gets: a #line with the path that the author knows, then the copy. If that
// path doesn't fit into a #line, it names the copy.
static bool make_main_source(const struct task *task, int folder, const char *name, const char *main_source) {
  char head[3] = "";
  int from = openat(folder, name, O_RDONLY | O_CLOEXEC);
  FILE *to = from >= 0 ? fopen(main_source, "wxe") : NULL;
  char here[PATH_MAX];
  snprintf(here, sizeof here, "%.*s/source/%s", PATH_MAX - RECORD_NAME - 16, task->scratch, name);
  bool done = to && fprintf(to, "#line 1 \"%s\"\n", is_plain_path(task->source) ? task->source : here) > 0;
  // A byte order mark is only allowed at the very beginning, so it is left out.
  if (done && (read(from, head, 3) != 3 || memcmp(head, "\xef\xbb\xbf", 3) != 0)) lseek(from, 0, SEEK_SET);
  done = done && fflush(to) == 0 && copy_bytes(from, fileno(to)) == COPIED;
  if (to && fclose(to) != 0) done = false;
  if (from >= 0) close(from);
  return done;
}

static bool copy_all(const struct task *task, int from, int file, const char *name,
                     char main_source[PATH_MAX]) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%.*s/source", PATH_MAX - 16, task->scratch);
  snprintf(main_source, PATH_MAX, "%.*s/%s", PATH_MAX - RECORD_NAME - 8, task->scratch, name);
  int to = mkdir(path, 0755) == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const enum copied own = to >= 0 ? copy_file(file, to, name) : FAILED;
  if (own == GROWN) {
    refuse(task, from, false, HAS_GROWN);
    close(to);
    return false;
  }
  const bool copied = own == COPIED && copy_headers(task, from, to) && copy_lab_headers(task, to) &&
                      make_main_source(task, to, name, main_source);
  if (!copied) {
    char what[PATH_MAX + 64];
    snprintf(what, sizeof what, "the source cannot be copied into the scratch directory, %s", task->scratch);
    broken(task, what);
  }
  if (to >= 0) close(to);
  return copied;
}

bool intake(struct task *task, char main_source[PATH_MAX]) {
  char name[RECORD_NAME + 4], why[160] = "";
  snprintf(name, sizeof name, "%s.cu", task->exercise->name);
  int from = open(task->grading->submission, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (from < 0) {
    snprintf(why, sizeof why, "cannot be opened, nor can its folder: %s", strerror(errno));
    refuse(task, -1, false, why);
    return false;
  }
  bool missing = faccessat(from, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
  int file = missing ? -1 : open_plain(from, name, why, sizeof why);
  if (file < 0) refuse(task, from, missing, why);
  bool taken = file >= 0 && copy_all(task, from, file, name, main_source);
  if (file >= 0) close(file);
  close(from);
  return taken;
}
