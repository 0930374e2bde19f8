// In: records of an unpacker, which counts as taken over by the archive's author. Out: plain files below one
// folder. The idea: the unpacker's word is good for names and bytes alone. Which of them become files, where
// and how many is decided here, and every folder is opened anew from the top without following links.
#include "class/unpack-take.h"

#include "class/failure.h"
#include "class/unpack-stream.h"
#include "monotonic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_NAME = 1024 };
// What a step returns: 0 to go on, else that the unpacking ends, by one of enum unpack_end.
enum { GO_ON = 0, STOP = 1 };

static int stop(enum unpack_end end) {
  return STOP + (int)end;
}

// Both end the unpacking.
static int blame_archive(struct unpacking *unpacking, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int blame_archive(struct unpacking *unpacking, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(unpacking->report->wrong, sizeof unpacking->report->wrong, format, list);
  va_end(list);
  return stop(UNPACK_ENDED);
}

static int blame_machine(struct unpacking *unpacking) {
  class_fail(unpacking->error, unpacking->error_size, "%s: %s", unpacking->path, strerror(errno));
  return stop(UNPACK_FAILED);
}

static int blame_unpacker(struct unpacking *unpacking) {
  unpacking->report->partial = true;
  return blame_archive(unpacking, "makes the unpacker talk nonsense: ask the student for another archive");
}

static int blame_size(struct unpacking *unpacking, size_t most, const char *of_what) {
  unpacking->report->partial = true;
  memcpy(unpacking->report->reached, unpacking->name, sizeof unpacking->report->reached);
  return blame_archive(unpacking, "holds more than %zu %s", most, of_what);
}

// ---- what is left out ----

static void copy_printable(char to[64], const char *name) {
  snprintf(to, 64, "%.63s", name);
  for (char *c = to; *c; c++)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

static void refuse(struct unpacking *unpacking, enum unpack_refusal why, const char *name) {
  struct unpack_report *report = unpacking->report;
  if (!report->refused[why]++) copy_printable(report->first[why], name);
}

// ---- one name ----

// Counts the parts of a name. False: it leads outside.
static bool leads_inside(const char *name, size_t *depth) {
  *depth = 0;
  if (name[0] == '/' || strchr(name, '\\')) return false;
  for (const char *part = name; *part; part += strspn(part, "/")) {
    const size_t length = strcspn(part, "/");
    if (length == 2 && strncmp(part, "..", 2) == 0) return false;
    *depth += !(length == 1 && part[0] == '.');
    part += length;
  }
  return true;
}

static bool disk_failed(void) {
  static const int ours[] = {ENOSPC, EDQUOT, EIO, EROFS, EACCES, EPERM, EMFILE, ENFILE, ENOMEM, ESTALE};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (errno == ours[i]) return true;
  return false;
}

// A name that can't be made: by this machine's fault, or by its own.
static int cannot_make(struct unpacking *unpacking, const char *name) {
  if (disk_failed()) return blame_machine(unpacking);
  const bool taken = errno == EEXIST || errno == ENOTDIR || errno == ELOOP || errno == EISDIR;
  refuse(unpacking, taken ? UNPACK_TWICE : UNPACK_UNWRITABLE, name);
  return GO_ON;
}

static int count_entry(struct unpacking *unpacking) {
  if (++unpacking->entries <= unpacking->limits->entries) return GO_ON;
  return blame_size(unpacking, unpacking->limits->entries, "files and folders");
}

// Goes into the folder `part` of *at, and makes it if need be. *at is closed, and becomes that folder.
static int enter(struct unpacking *unpacking, int *at, const char *part, bool counted, const char *name,
                 bool *entered) {
  const bool made = mkdirat(*at, part, 0755) == 0;
  *entered = false;
  if (!made && errno != EEXIST) return cannot_make(unpacking, name);
  if (made && !counted && count_entry(unpacking) != GO_ON) return stop(UNPACK_ENDED);
  const int below = openat(*at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (below < 0) return cannot_make(unpacking, name);
  close(*at);
  *at = below;
  *entered = true;
  return GO_ON;
}

static int make_file(struct unpacking *unpacking, int at, const char *part, const char *name) {
  unpacking->file = openat(at, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  return unpacking->file >= 0 ? GO_ON : cannot_make(unpacking, name);
}

// Makes the folders of a name, and the file if it is one's. The entry itself is counted already.
static int make_entry(struct unpacking *unpacking, const char *name, bool file) {
  char parts[LONGEST_NAME + 1], *rest = parts, *next = NULL;
  int at = dup(unpacking->folder), status = at < 0 ? blame_machine(unpacking) : GO_ON;
  bool entered = true;
  snprintf(parts, sizeof parts, "%s", name);
  for (char *part; status == GO_ON && entered && (part = strtok_r(rest, "/", &next));) {
    rest = NULL;
    if (strcmp(part, ".") == 0) continue;
    const bool last = !next[strspn(next, "/")];
    if (last && file) {
      status = make_file(unpacking, at, part, name);
      break;
    }
    status = enter(unpacking, &at, part, last, name, &entered);
  }
  if (at >= 0) close(at);
  return status;
}

// ---- records ----

static int end_file(struct unpacking *unpacking) {
  const int file = unpacking->file;
  unpacking->file = -1;
  // A full disk may be told of as late as this (NFS).
  return file < 0 || close(file) == 0 ? GO_ON : blame_machine(unpacking);
}

static int take_entry(struct unpacking *unpacking, const struct unpacked *record, const char *name) {
  size_t depth;
  int status = end_file(unpacking);
  unpacking->in_entry = true;
  unpacking->too_large = false;
  unpacking->of_file = 0;
  copy_printable(unpacking->name, name);
  if (status == GO_ON) status = count_entry(unpacking);
  if (status != GO_ON) return status;
  switch (record->what) {
  case UNPACKED_FILE:
  case UNPACKED_FOLDER: break;
  case UNPACKED_LINK: refuse(unpacking, UNPACK_LINK, name); return GO_ON;
  case UNPACKED_LOCKED: refuse(unpacking, UNPACK_ENCRYPTED, name); return GO_ON;
  case UNPACKED_DEVICE: refuse(unpacking, UNPACK_DEVICE, name); return GO_ON;
  default: return blame_unpacker(unpacking);
  }
  const bool file = record->what == UNPACKED_FILE, cut = strlen(name) != record->bytes;
  if (!leads_inside(name, &depth))
    refuse(unpacking, UNPACK_OUTSIDE, name);
  else if (!name[0] || (file && depth == 0))
    refuse(unpacking, UNPACK_NAMELESS, name);
  else if (depth > unpacking->limits->depth)
    refuse(unpacking, UNPACK_DEEP, name);
  else if (cut || record->bytes > LONGEST_NAME)
    refuse(unpacking, UNPACK_UNWRITABLE, name);
  else
    return make_entry(unpacking, name, file);
  return GO_ON;
}

static int write_data(struct unpacking *unpacking, uint64_t offset, const char *bytes, size_t count) {
  while (count) {
    const ssize_t put = pwrite(unpacking->file, bytes, count, (off_t)offset);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return blame_machine(unpacking);
    bytes += put;
    offset += (uint64_t)put;
    count -= (size_t)put;
  }
  return GO_ON;
}

// The file has more than a file may have: what came of it is given back, and doesn't count any more.
static int leave_empty(struct unpacking *unpacking) {
  refuse(unpacking, UNPACK_LARGE, unpacking->name);
  unpacking->too_large = true;
  unpacking->bytes -= unpacking->of_file;
  if (unpacking->file >= 0 && ftruncate(unpacking->file, 0) != 0) return blame_machine(unpacking);
  return end_file(unpacking);
}

static bool goes_beyond(const struct unpacked *record, size_t most) {
  return record->offset > most || record->bytes > most - record->offset;
}

static int take_data(struct unpacking *unpacking, const struct unpacked *record, const char *bytes) {
  const size_t most = unpacking->limits->bytes;
  if (!unpacking->in_entry) return blame_unpacker(unpacking);
  if (unpacking->too_large) return GO_ON;
  const size_t own = unpacking->limits->file_bytes;
  if (own && (goes_beyond(record, own) || record->bytes > own - unpacking->of_file))
    return leave_empty(unpacking);
  // What is thrown away counts, too. A sparse file is large and has few bytes: the end of each block counts.
  if (goes_beyond(record, most) || record->bytes > most - unpacking->bytes)
    return blame_size(unpacking, most >> 20, "MiB");
  unpacking->bytes += record->bytes;
  unpacking->of_file += record->bytes;
  return unpacking->file < 0 ? GO_ON : write_data(unpacking, record->offset, bytes, record->bytes);
}

static int take_wrong(struct unpacking *unpacking, const struct unpacked *record, char *text) {
  unpacking->report->damaged = record->what == 1;
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
  return blame_archive(unpacking, "%s", text[0] ? text : "is damaged");
}

// ---- the stream ----

// All `count` bytes, before the time is up. 0 if it has them.
static int take(struct unpacking *unpacking, void *to, size_t count) {
  for (char *at = to; count;) {
    const double left = unpacking->end - monotonic_seconds();
    struct pollfd event = {unpacking->stream, POLLIN, 0};
    if (left <= 0) return stop(UNPACK_LATE);
    const int ready = poll(&event, 1, (int)(left * 1000) + 1);
    if (ready <= 0) continue;
    const ssize_t got = read(unpacking->stream, at, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return stop(UNPACK_CUT);
    at += got;
    count -= (size_t)got;
  }
  return GO_ON;
}

static size_t most_bytes(uint32_t kind) {
  return kind == UNPACKED_ENTRY   ? UNPACKED_NAME
         : kind == UNPACKED_DATA  ? UNPACKED_BLOCK
         : kind == UNPACKED_WRONG ? UNPACKED_REASON
                                  : 0;
}

static int take_record(struct unpacking *unpacking) {
  char bytes[UNPACKED_BLOCK + 1];
  struct unpacked record;
  int status = take(unpacking, &record, sizeof record);
  if (status != GO_ON) return status;
  if (record.bytes > most_bytes(record.kind)) return blame_unpacker(unpacking);
  status = take(unpacking, bytes, record.bytes);
  if (status != GO_ON) return status;
  bytes[record.bytes] = '\0';
  switch (record.kind) {
  case UNPACKED_ENTRY: return take_entry(unpacking, &record, bytes);
  case UNPACKED_DATA: return take_data(unpacking, &record, bytes);
  case UNPACKED_WRONG: return take_wrong(unpacking, &record, bytes);
  case UNPACKED_END: return stop(UNPACK_ENDED);
  default: return blame_unpacker(unpacking);
  }
}

enum unpack_end unpack_take(struct unpacking *unpacking) {
  struct unpacked ready = {.kind = UNPACKED_END};
  int status = take(unpacking, &ready, sizeof ready);
  if (status == stop(UNPACK_CUT)) return UNPACK_BARE;
  if (status == GO_ON && ready.kind != UNPACKED_READY) status = blame_unpacker(unpacking);
  while (status == GO_ON)
    status = take_record(unpacking);
  if (end_file(unpacking) != GO_ON) status = stop(UNPACK_FAILED);
  return (enum unpack_end)(status - STOP);
}
