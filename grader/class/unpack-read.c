// In: an archive's bytes. Out: its entries and what is in them, as records. The idea: this runs behind walls,
// so it decides nothing and knows no limit; it calls libarchive, and passes on what that says.
#include "class/unpack-stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reading {
  struct archive *archive;
  int stream;
  bool gone; // nobody reads the stream any more
};

// ---- records ----

static void put_bytes(struct reading *reading, const void *bytes, size_t count) {
  for (const char *at = bytes; count && !reading->gone;) {
    ssize_t put = write(reading->stream, at, count);
    if (put < 0 && errno == EINTR) continue;
    reading->gone = put <= 0;
    at += put > 0 ? put : 0;
    count -= put > 0 ? (size_t)put : 0;
  }
}

static void put(struct reading *reading, struct unpacked record, const void *bytes) {
  put_bytes(reading, &record, sizeof record);
  put_bytes(reading, bytes, record.bytes);
}

// What is wrong, as a clause after the archive's name. False, so that the caller ends.
static bool put_wrong(struct reading *reading, const char *what, bool because, bool damaged) {
  char text[UNPACKED_REASON];
  const char *why = because ? archive_error_string(reading->archive) : NULL;
  snprintf(text, sizeof text, "%s%s%s", what, because ? ": " : "",
           why       ? why
           : because ? "it ends too early"
                     : "");
  put(reading, (struct unpacked){.kind = UNPACKED_WRONG, .what = damaged, .bytes = (uint32_t)strlen(text)},
      text);
  return false;
}

// ---- entries ----

static enum unpacked_type type_of(struct archive_entry *entry) {
  const __LA_MODE_T type = archive_entry_filetype(entry);
  if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) || type == AE_IFLNK) return UNPACKED_LINK;
  if (type != AE_IFREG && type != AE_IFDIR) return UNPACKED_DEVICE;
  if (archive_entry_is_encrypted(entry)) return UNPACKED_LOCKED;
  return type == AE_IFREG ? UNPACKED_FILE : UNPACKED_FOLDER;
}

static bool read_data(struct reading *reading) {
  const char *block;
  size_t length;
  la_int64_t offset;
  while (!reading->gone) {
    const int status = archive_read_data_block(reading->archive, (const void **)&block, &length, &offset);
    if (status == ARCHIVE_EOF) return true;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return put_wrong(reading, "is damaged", true, true);
    for (size_t done = 0; done < length && !reading->gone;) {
      const size_t part = length - done < UNPACKED_BLOCK ? length - done : UNPACKED_BLOCK;
      put(reading,
          (struct unpacked){
              .kind = UNPACKED_DATA, .offset = (uint64_t)offset + done, .bytes = (uint32_t)part},
          block + done);
      done += part;
    }
  }
  return false;
}

static bool read_entry(struct reading *reading, struct archive_entry *entry) {
  const char *name = archive_entry_pathname(entry);
  const enum unpacked_type type = type_of(entry);
  const size_t length = name ? strnlen(name, UNPACKED_NAME) : 0;
  if (archive_filter_count(reading->archive) > 2)
    return put_wrong(reading, "is compressed more than once", false, false);
  put(reading, (struct unpacked){.kind = UNPACKED_ENTRY, .what = type, .bytes = (uint32_t)length},
      name ? name : "");
  return type == UNPACKED_LOCKED || type == UNPACKED_FOLDER || read_data(reading);
}

static void read_entries(struct reading *reading, const void *archive, size_t bytes) {
  struct archive_entry *entry;
  if (archive_read_open_memory(reading->archive, archive, bytes) != ARCHIVE_OK) {
    put_wrong(reading, "cannot be read as an archive (zip, tar and 7z can)", true, true);
    return;
  }
  while (!reading->gone) {
    const int next = archive_read_next_header(reading->archive, &entry);
    if (next == ARCHIVE_EOF) {
      put(reading, (struct unpacked){.kind = UNPACKED_END}, NULL);
      return;
    }
    if (next != ARCHIVE_OK && next != ARCHIVE_WARN) {
      const bool locked = archive_read_has_encrypted_entries(reading->archive) > 0;
      put_wrong(reading, locked ? "has a password" : "is damaged", true, !locked);
      return;
    }
    if (!read_entry(reading, entry)) return;
  }
}

// The formats that students hand in. Formats that need other programs are left out.
void unpack_read(const void *archive, size_t bytes, int stream) {
  struct reading reading = {.archive = archive_read_new(), .stream = stream};
  if (!reading.archive) return;
  archive_read_support_filter_gzip(reading.archive);
  archive_read_support_filter_bzip2(reading.archive);
  archive_read_support_filter_xz(reading.archive);
  archive_read_support_filter_zstd(reading.archive);
  archive_read_support_format_zip(reading.archive);
  archive_read_support_format_tar(reading.archive);
  archive_read_support_format_7zip(reading.archive);
  read_entries(&reading, archive, bytes);
  archive_read_free(reading.archive);
}
