// Between the two halves of unpack(): what comes from an unpacker, and what is made of it.
#ifndef CLASS_UNPACK_TAKE_H
#define CLASS_UNPACK_TAKE_H

#include "class/unpack.h"

#include <stdbool.h>

enum unpack_end {
  UNPACK_ENDED,  // as it should, or because the archive breaks a limit: the report says all
  UNPACK_CUT,    // the unpacker has ended in the middle
  UNPACK_LATE,   // it has not ended in time
  UNPACK_BARE,   // it has ended before its walls stood
  UNPACK_FAILED, // this machine can't make the files: `error` says why
};

struct unpacking {
  int stream, folder;
  double end; // on the clock of monotonic.h
  const struct unpack_limits *limits;
  struct unpack_report *report;
  char *error;
  size_t error_size;
  const char *path; // of the folder, for messages
  // what came out so far:
  size_t bytes, entries;
  // the entry whose data comes now:
  bool in_entry;
  char name[64];  // its beginning, printable
  size_t of_file; // bytes of its data
  bool too_large; // its data is thrown away, and not counted
  int file;       // -1: its data is counted, and thrown away
};

enum unpack_end unpack_take(struct unpacking *unpacking);

#endif
