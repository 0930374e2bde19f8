// In: an archive. Out: its plain files below one folder. The idea: libarchive's secure flags keep them inside
// the folder; limits on the bytes that come out, not on the sizes that the archive claims, stop archive
// bombs; and only files and folders are made, with permissions chosen here.
#include "class/unpack.h"

#include "class/failure.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const int SECURE =
    ARCHIVE_EXTRACT_SECURE_NODOTDOT | ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_NO_OVERWRITE;

struct unpacking {
  struct archive *from, *to;
  const char *folder;
  const struct unpack_limits *limits;
  size_t bytes, entries;
  struct unpack_report *report;
  bool failed; // this machine can't unpack; `error` has the reason
  char *error;
  size_t error_size;
};

// Both end the unpacking: they return -1, which all functions below pass on.
static int blame_archive(struct unpacking *unpacking, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int blame_archive(struct unpacking *unpacking, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(unpacking->report->wrong, sizeof unpacking->report->wrong, format, list);
  va_end(list);
  return -1;
}

static int blame_machine(struct unpacking *unpacking, int reason) {
  unpacking->failed = true;
  return class_fail(unpacking->error, unpacking->error_size, "%s: %s", unpacking->folder, strerror(reason));
}

// ---- what is left out ----

static void refuse(struct unpack_report *report, enum unpack_refusal why, const char *name) {
  if (report->refused[why]++) return;
  snprintf(report->first[why], sizeof report->first[why], "%s", name ? name : "");
  for (char *c = report->first[why]; *c; c++)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

void unpack_describe(const struct unpack_report *report, char text[UNPACK_TEXT]) {
  static const char *const words[UNPACK_REFUSALS][2] = {
      [UNPACK_OUTSIDE] = {"name that leads outside", "names that lead outside"},
      [UNPACK_LINK] = {"link", "links"},
      [UNPACK_DEVICE] = {"device or pipe", "devices or pipes"},
      [UNPACK_TWICE] = {"name met before", "names met before"},
      [UNPACK_ENCRYPTED] = {"file with a password", "files with a password"},
      [UNPACK_NAMELESS] = {"file without a name", "files without a name"},
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

// ---- one entry ----

// The path below the folder; false: the name would lead out of the folder.
static bool place_below(const char *name, const char *folder, char *path, size_t size) {
  if (name[0] == '/' || strchr(name, '\\') || strlen(name) > 1024) return false;
  for (const char *part = name; part; part = strchr(part, '/')) {
    part += *part == '/';
    size_t length = strcspn(part, "/");
    if (length == 2 && strncmp(part, "..", 2) == 0) return false;
  }
  return snprintf(path, size, "%s/%s", folder, name) < (int)size;
}

// Whether writing failed because of the disk, not because of the entry.
static bool disk_failed(const struct unpacking *unpacking) {
  int why = archive_errno(unpacking->to);
  return why == ENOSPC || why == EDQUOT || why == EIO || why == EROFS;
}

static int cannot_write(struct unpacking *unpacking) {
  if (disk_failed(unpacking)) return blame_machine(unpacking, archive_errno(unpacking->to));
  return blame_archive(unpacking, "cannot be unpacked: %s", archive_error_string(unpacking->to));
}

// Writes the bytes of the entry; if `keep` is false, only counts them, since libarchive has to unpack even
// what it skips.
static int take_data(struct unpacking *unpacking, bool keep) {
  size_t most = unpacking->limits->bytes, length;
  const void *block;
  la_int64_t offset;
  for (;;) {
    int status = archive_read_data_block(unpacking->from, &block, &length, &offset);
    if (status == ARCHIVE_EOF) return 0;
    if (status < ARCHIVE_WARN) break;
    // A sparse file is large and has few bytes: the end of each block counts.
    if (offset < 0 || (size_t)offset > most || length > most || unpacking->bytes + length > most)
      return blame_archive(unpacking, "holds more than %zu MiB", most >> 20);
    unpacking->bytes += length;
    if (keep && archive_write_data_block(unpacking->to, block, length, offset) < ARCHIVE_OK)
      return cannot_write(unpacking);
  }
  return blame_archive(unpacking, "is damaged: %s", archive_error_string(unpacking->from));
}

static int leave_out(struct unpacking *unpacking, struct archive_entry *entry, enum unpack_refusal why) {
  refuse(unpacking->report, why, archive_entry_pathname(entry));
  return why == UNPACK_ENCRYPTED ? 0 : take_data(unpacking, false);
}

static int take_entry(struct unpacking *unpacking, struct archive_entry *entry) {
  char path[4096];
  const char *name = archive_entry_pathname(entry);
  mode_t type = archive_entry_filetype(entry);
  if (!name || !name[0]) return leave_out(unpacking, entry, UNPACK_NAMELESS);
  if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) || type == AE_IFLNK)
    return leave_out(unpacking, entry, UNPACK_LINK);
  if (type != AE_IFREG && type != AE_IFDIR) return leave_out(unpacking, entry, UNPACK_DEVICE);
  if (archive_entry_is_encrypted(entry)) return leave_out(unpacking, entry, UNPACK_ENCRYPTED);
  if (!place_below(name, unpacking->folder, path, sizeof path))
    return leave_out(unpacking, entry, UNPACK_OUTSIDE);
  bool plain = type == AE_IFREG;
  struct stat status;
  // libarchive would skip the second file of a name without an error, and then fail on its bytes.
  if (plain && lstat(path, &status) == 0) return leave_out(unpacking, entry, UNPACK_TWICE);
  struct archive_entry *ours = archive_entry_new();
  archive_entry_set_pathname(ours, path);
  archive_entry_set_filetype(ours, plain ? AE_IFREG : AE_IFDIR);
  archive_entry_set_perm(ours, plain ? 0644 : 0755);
  int result = 0;
  if (archive_write_header(unpacking->to, ours) == ARCHIVE_OK)
    result = plain ? take_data(unpacking, true) : 0;
  else if (disk_failed(unpacking))
    result = cannot_write(unpacking);
  else // a file where a folder is needed, or a name that is too long
    result = leave_out(unpacking, entry,
                       archive_errno(unpacking->to) == ENAMETOOLONG ? UNPACK_UNWRITABLE : UNPACK_TWICE);
  if (archive_write_finish_entry(unpacking->to) < ARCHIVE_WARN && disk_failed(unpacking) && result == 0)
    result = cannot_write(unpacking);
  archive_entry_free(ours);
  return result;
}

// ---- the archive ----

// The formats that students hand in. Formats that need other programs are left out.
static void expect_formats(struct archive *from) {
  archive_read_support_filter_gzip(from);
  archive_read_support_filter_bzip2(from);
  archive_read_support_filter_xz(from);
  archive_read_support_filter_zstd(from);
  archive_read_support_format_zip(from);
  archive_read_support_format_tar(from);
  archive_read_support_format_7zip(from);
}

static int cannot_read(struct unpacking *unpacking, const char *what) {
  const char *why = archive_error_string(unpacking->from);
  return blame_archive(unpacking, "%s: %s", what, why ? why : "it ends too early");
}

static int take_entries(struct unpacking *unpacking, const char *archive) {
  struct archive_entry *entry;
  struct stat status;
  size_t most = unpacking->limits->bytes;
  if (stat(archive, &status) == 0 && (size_t)status.st_size > most)
    return blame_archive(unpacking, "has more than %zu MiB", most >> 20);
  if (stat(archive, &status) == 0 && status.st_size == 0)
    return blame_archive(unpacking, "is empty: it has 0 bytes");
  if (archive_read_open_filename(unpacking->from, archive, 65536) != ARCHIVE_OK)
    return cannot_read(unpacking, "cannot be read as an archive (zip, tar and 7z can)");
  for (;;) {
    int next = archive_read_next_header(unpacking->from, &entry);
    if (next == ARCHIVE_EOF) return 0;
    if (next < ARCHIVE_WARN)
      return cannot_read(unpacking, archive_read_has_encrypted_entries(unpacking->from) > 0 ? "has a password"
                                                                                            : "is damaged");
    if (archive_filter_count(unpacking->from) > 2)
      return blame_archive(unpacking, "is compressed more than once");
    if (++unpacking->entries > unpacking->limits->entries)
      return blame_archive(unpacking, "holds more than %zu files", unpacking->limits->entries);
    if (take_entry(unpacking, entry) != 0) return -1;
  }
}

int unpack(const char *archive, const char *folder, const struct unpack_limits *limits,
           struct unpack_report *report, char *error, size_t size) {
  *report = (struct unpack_report){0};
  // libarchive refuses dots and links in the folder's own path, as it does those in a name of the archive.
  char real[PATH_MAX];
  if (!realpath(folder, real)) return class_fail(error, size, "%s: %s", folder, strerror(errno));
  struct unpacking unpacking = {.from = archive_read_new(),
                                .to = archive_write_disk_new(),
                                .folder = real,
                                .limits = limits,
                                .report = report,
                                .error = error,
                                .error_size = size};
  // A name is bytes here, but libarchive converts names that are marked as UTF-8 into the locale's encoding.
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  expect_formats(unpacking.from);
  archive_write_disk_set_options(unpacking.to, SECURE);
  take_entries(&unpacking, archive);
  archive_read_free(unpacking.from);
  archive_write_free(unpacking.to);
  if (utf8) {
    uselocale(before);
    freelocale(utf8);
  }
  return unpacking.failed ? -1 : 0;
}
