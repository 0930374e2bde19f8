// Fuzzes the half of unpacking that makes files (class/unpack-take.c): plays the unpacker as somebody would
// who has taken it over. In: records, in short. Out: only plain files and folders, in the right folder,
// within the limits; and texts that are printable.
#include "class/collect.h"
#include "class/unpack-stream.h"
#include "class/unpack.h"
#include "virtual-hopper/base/arena.h"

#include <ftw.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_ENTRIES = 12, MOST_BYTES = 4096, MOST_FILE = 2048, MOST_DEPTH = 5, MOST_RECORDS = 64 };
static const struct unpack_limits limits = {.entries = MOST_ENTRIES,
                                            .bytes = MOST_BYTES,
                                            .file_bytes = MOST_FILE,
                                            .depth = MOST_DEPTH,
                                            .seconds = 20};

static char root[64];
static size_t things;

static void remove_root(void) {
  remove_tree(root);
}

static void make_root(void) {
  snprintf(root, sizeof root, "%s/unpacker-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(root)) die("no folder to fuzz in");
  atexit(remove_root);
}

static int check_thing(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)kind;
  const bool folder = S_ISDIR(status->st_mode);
  things++;
  if (!folder && (!S_ISREG(status->st_mode) || status->st_nlink != 1))
    die("%s is neither file nor folder", path);
  if (!folder && status->st_size > MOST_FILE) die("%s has too many bytes", path);
  if (walk->level > MOST_DEPTH) die("%s lies too deep", path);
  return 0;
}

static void check_text(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f) die("a text that is not printable");
}

// One record from five bytes, and what follows it. Returns the bytes used.
static size_t put_record(int stream, const uint8_t *bytes, size_t length) {
  static const uint64_t offsets[] = {0,       1, 100, MOST_BYTES - 1, MOST_BYTES, UINT64_MAX, UINT64_MAX - 3,
                                     1u << 31};
  const size_t head = 5;
  const uint8_t *rest = bytes + head;
  size_t count = bytes[2];
  if (count > length - head) count = length - head;
  struct unpacked record = {.kind = bytes[0] % 7u, .what = bytes[1] % 7u, .offset = offsets[bytes[3] % 8]};
  record.bytes = bytes[4] < 248 ? (uint32_t)count : UINT32_MAX >> (bytes[4] & 15);
  if (record.kind == UNPACKED_READY || record.kind == UNPACKED_END) {
    if (bytes[4] & 1) record.bytes = 0;
    if (!record.bytes) count = 0;
  }
  (void)!write(stream, &record, sizeof record);
  (void)!write(stream, rest, count);
  return head + count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  const struct unpacked ready = {.kind = UNPACKED_READY};
  struct unpack_report report;
  struct stat status;
  char folder[PATH_MAX], text[UNPACK_TEXT];
  const int stream = memfd_create("records", 0);
  if (!root[0]) make_root();
  if (length && bytes[0] < 250) (void)!write(stream, &ready, sizeof ready);
  for (size_t at = 1, n = 0; at + 5 <= length && n < MOST_RECORDS; n++)
    at += put_record(stream, bytes + at, length - at);
  lseek(stream, 0, SEEK_SET);
  snprintf(folder, sizeof folder, "%s/out", root);
  if (mkdir(folder, 0755) != 0) die("no folder to unpack into");
  if (unpack_records(stream, folder, &limits, &report, text, sizeof text) != 0) die("%s", text);
  close(stream);
  check_text(report.wrong);
  unpack_describe(&report, text);
  check_text(text);
  things = 0;
  nftw(folder, check_thing, 16, FTW_PHYS);
  if (things - 1 > MOST_ENTRIES + 1) die("%zu things were made", things - 1);
  if (stat(root, &status) != 0 || status.st_nlink != 3) die("something lies beside the folder");
  remove_tree(folder);
  return 0;
}
