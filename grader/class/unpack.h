// Unpacks an archive that a stranger has made.
#ifndef CLASS_UNPACK_H
#define CLASS_UNPACK_H

#include <stddef.h>

enum { UNPACK_TEXT = 600, UNPACK_NO_ROOM = -2 };

struct unpack_limits {
  size_t entries, bytes; // of what comes out, all together; the archive itself may not be larger either
};

// Why an entry was left out.
enum unpack_refusal {
  UNPACK_OUTSIDE,
  UNPACK_LINK,
  UNPACK_DEVICE,
  UNPACK_TWICE,
  UNPACK_ENCRYPTED,
  UNPACK_NAMELESS,
  UNPACK_UNWRITABLE, // too long, most likely
  UNPACK_REFUSALS
};

struct unpack_report {
  size_t refused[UNPACK_REFUSALS];
  char first[UNPACK_REFUSALS][64]; // a name for each, printable
};

// Unpacks files and folders into `folder`, which exists and is empty. Links and devices are left out, as is what would lie outside, and
// what has a password; of files of one name the first stays. Returns 0, or -1 with what is wrong with the archive in `error`; some of it
// may have been unpacked by then. UNPACK_NO_ROOM: it is not the archive's fault but this machine's, and errno says what. The report is filled
// in any case.
int unpack(const char *archive, const char *folder, const struct unpack_limits *limits,
           struct unpack_report *report, char *error, size_t size);
// "left out: 2 links (`a`, ..), 1 device (`b`)"; "": nothing was.
void unpack_describe(const struct unpack_report *report, char text[UNPACK_TEXT]);

#endif
