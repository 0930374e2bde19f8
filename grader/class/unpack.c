// In: an archive. Out: its plain files below one folder. The idea: libarchive's secure flags keep it inside; limits on what comes out, not on
// what the archive says of itself, stop bombs; and nothing but files and folders is made, with modes of ours.
#include "class/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const int SECURE =
    ARCHIVE_EXTRACT_SECURE_NODOTDOT | ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_NO_OVERWRITE;

// The name below the folder; false: no name at all, or one that would leave it.
static bool place_below(const char *name, const char *folder, char *path, size_t size) {
  if (!name || !name[0] || name[0] == '/' || strchr(name, '\\') || strlen(name) > 1024) return false;
  for (const char *part = name; part; part = strchr(part, '/')) {
    part += *part == '/';
    size_t length = strcspn(part, "/");
    if (length == 2 && strncmp(part, "..", 2) == 0) return false;
  }
  return snprintf(path, size, "%s/%s", folder, name) < (int)size;
}

static int copy_data(struct archive *from, struct archive *to, size_t most, size_t *bytes, char *error,
                     size_t size) {
  const void *block;
  size_t length;
  la_int64_t offset;
  for (;;) {
    int status = archive_read_data_block(from, &block, &length, &offset);
    if (status == ARCHIVE_EOF) return 0;
    if (status < ARCHIVE_WARN) break;
    // Sparse files claim much and bring nothing: what counts is where the block ends.
    if (offset < 0 || (size_t)offset > most || length > most || *bytes + length > most) {
      snprintf(error, size, "holds more than %zu MiB", most >> 20);
      return -1;
    }
    *bytes += length;
    if (archive_write_data_block(to, block, length, offset) < ARCHIVE_OK) {
      snprintf(error, size, "cannot be unpacked: %s", archive_error_string(to));
      return -1;
    }
  }
  snprintf(error, size, "is damaged: %s", archive_error_string(from));
  return -1;
}

static bool is_wanted(struct archive_entry *entry) {
  mode_t type = archive_entry_filetype(entry);
  return !archive_entry_hardlink(entry) && !archive_entry_symlink(entry) &&
         (type == AE_IFREG || type == AE_IFDIR);
}

static int take_entry(struct archive *from, struct archive *to, struct archive_entry *entry,
                      const char *folder, size_t most, size_t *bytes, size_t *left_out, char *error,
                      size_t size) {
  char path[4096];
  if (!is_wanted(entry) || !place_below(archive_entry_pathname(entry), folder, path, sizeof path)) {
    ++*left_out;
    return 0;
  }
  bool plain = archive_entry_filetype(entry) == AE_IFREG;
  struct archive_entry *ours = archive_entry_new();
  archive_entry_set_pathname(ours, path);
  archive_entry_set_filetype(ours, plain ? AE_IFREG : AE_IFDIR);
  archive_entry_set_perm(ours, plain ? 0644 : 0755);
  int status = 0;
  if (archive_write_header(to, ours) != ARCHIVE_OK) {
    ++*left_out; // a file where a folder is needed, or a name met twice: the first stays
  } else if (plain) {
    status = copy_data(from, to, most, bytes, error, size);
  }
  archive_write_finish_entry(to);
  archive_entry_free(ours);
  return status;
}

int unpack(const char *archive, const char *folder, const struct unpack_limits *limits, size_t *left_out,
           char *error, size_t size) {
  struct archive *from = archive_read_new(), *to = archive_write_disk_new();
  struct archive_entry *entry;
  size_t bytes = 0, entries = 0;
  int status = -1, next;
  *left_out = 0;
  archive_read_support_filter_all(from);
  archive_read_support_format_zip(from);
  archive_read_support_format_tar(from);
  archive_read_support_format_7zip(from);
  archive_write_disk_set_options(to, SECURE);
  if (archive_read_open_filename(from, archive, 65536) != ARCHIVE_OK) {
    snprintf(error, size, "cannot be read as an archive: %s", archive_error_string(from));
  } else {
    status = 0;
    while (status == 0 && (next = archive_read_next_header(from, &entry)) != ARCHIVE_EOF) {
      if (next < ARCHIVE_WARN) {
        snprintf(error, size, "is damaged: %s", archive_error_string(from));
        status = -1;
      } else if (++entries > limits->entries) {
        snprintf(error, size, "holds more than %zu files", limits->entries);
        status = -1;
      } else {
        status = take_entry(from, to, entry, folder, limits->bytes, &bytes, left_out, error, size);
      }
    }
  }
  archive_read_free(from);
  archive_write_free(to);
  return status;
}
