// What somebody would do who has taken over the process that looks into archives: linked into
// build/planted/bin/unpack alone. In: an "archive" that says what to try. Out: records.
#include "class/unpack-stream.h"

#include "tests/planted/break-out.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void planted_in_unpacker(const char *archive, size_t bytes);

static void put(struct unpacked record, const void *bytes) {
  (void)!write(UNPACKER_STREAM, &record, sizeof record);
  if (record.bytes) (void)!write(UNPACKER_STREAM, bytes, record.bytes);
}

static void put_wrong(const char *text) {
  put((struct unpacked){.kind = UNPACKED_WRONG, .bytes = (uint32_t)strlen(text)}, text);
  _exit(0);
}

static void add(void *context, const char *text) {
  strncat(context, text, UNPACKED_REASON - strlen(context) - 1);
}

static void break_out(void) {
  char said[UNPACKED_REASON] = "";
  planted_break_out(add, said);
  put_wrong(said);
}

// Takes and touches memory until there is no more, or 4 GiB.
static void eat_memory(void) {
  enum { PART = 64 << 20, MOST = 64 };
  char said[80];
  int parts = 0;
  for (void *part; parts < MOST; parts++) {
    part = mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (part == MAP_FAILED) break;
    memset(part, 1, PART);
  }
  snprintf(said, sizeof said, "memory %s", parts * (PART >> 20) <= 1024 ? "refused" : "TAKEN");
  put_wrong(said);
}

// Says of everything that it must not believe something.
static void lie(void) {
  put((struct unpacked){.kind = UNPACKED_ENTRY, .what = UNPACKED_FILE, .bytes = 10}, "../escaped");
  put((struct unpacked){.kind = UNPACKED_DATA, .offset = 0, .bytes = 4}, "data");
  put((struct unpacked){.kind = UNPACKED_ENTRY, .what = UNPACKED_FILE, .bytes = 8}, "kept.txt");
  put((struct unpacked){.kind = UNPACKED_DATA, .offset = UINT64_MAX - 2, .bytes = 4}, "data");
  _exit(0);
}

void planted_in_unpacker(const char *archive, size_t bytes) {
  static const char word[] = "planted:";
  if (bytes <= strlen(word) || memcmp(archive, word, strlen(word)) != 0) return;
  switch (archive[strlen(word)]) {
  case 'o': break_out(); break;
  case 'm': eat_memory(); break;
  case 'l': lie(); break;
  case 'c': abort();
  case 's':
    for (;;)
      sleep(1000);
  default:
    for (volatile bool on = true; on;) {
    }
  }
}
