// Unpacks an archive made by a stranger.
#ifndef CLASS_UNPACK_H
#define CLASS_UNPACK_H

#include <stddef.h>

enum { UNPACK_TEXT = 600, UNPACK_WRONG = 300 };

struct unpack_limits {
  size_t entries, bytes; // of everything that comes out together; `bytes` also limits the archive itself
};

// Why an entry was left out.
enum unpack_refusal {
  UNPACK_OUTSIDE,
  UNPACK_LINK,
  UNPACK_DEVICE,
  UNPACK_TWICE,
  UNPACK_ENCRYPTED,
  UNPACK_NAMELESS,
  UNPACK_UNWRITABLE, // the name is too long, most likely
  UNPACK_REFUSALS
};

struct unpack_report {
  // What is wrong with the archive, as a clause after its name; "": nothing. Some of it may be unpacked
  // nevertheless.
  char wrong[UNPACK_WRONG];
  size_t refused[UNPACK_REFUSALS];
  char first[UNPACK_REFUSALS][64]; // one name for each refusal, printable
};

// Unpacks files and folders into `folder`, which exists and is empty. Leaves out links, devices, names that
// lead out of the folder, and files with a password; of two files with one name the first stays. Fills the
// report in any case. Fails where this machine can't unpack: a full disk, say. A damaged archive is no
// failure: the report says so.
int unpack(const char *archive, const char *folder, const struct unpack_limits *limits,
           struct unpack_report *report, char *error, size_t size);
// "left out: 2 links (`a`, ..), 1 device (`b`)"; "": nothing was.
void unpack_describe(const struct unpack_report *report, char text[UNPACK_TEXT]);

#endif
