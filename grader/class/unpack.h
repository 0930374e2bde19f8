// Unpacks an archive made by a stranger.
#ifndef CLASS_UNPACK_H
#define CLASS_UNPACK_H

#include "sandbox/sandbox.h"

#include <stdbool.h>
#include <stddef.h>

enum { UNPACK_TEXT = 600, UNPACK_WRONG = 300 };

struct unpack_limits {
  // Of everything that comes out together. Folders count, also those that no entry names but a file's path
  // goes through. `bytes` also limits the archive itself.
  size_t entries, bytes;
  // Of one file; 0: no limit of its own. A larger one is left empty, and what is in it counts nowhere. So one
  // student's file can't use up what an export of the whole class may hold.
  size_t file_bytes;
  size_t depth;      // parts of one name, the file's own among them
  unsigned seconds;  // of processor time of the unpacker
  unsigned patience; // seconds by the clock that it may take; 0: SANDBOX_BUSY times as many
};

// Why an entry was left out.
enum unpack_refusal {
  UNPACK_OUTSIDE,
  UNPACK_LINK,
  UNPACK_DEVICE,
  UNPACK_TWICE,
  UNPACK_ENCRYPTED,
  UNPACK_NAMELESS,
  UNPACK_DEEP,
  UNPACK_LARGE,      // a file that has more than file_bytes: it is there, and empty
  UNPACK_UNWRITABLE, // the name is too long, most likely
  UNPACK_REFUSALS
};

struct unpack_report {
  // What is wrong with the archive, as a clause after its name; "": nothing. Some of it may be unpacked
  // nevertheless.
  char wrong[UNPACK_WRONG];
  bool damaged;     // cut off, empty or no archive at all: another upload may be whole
  bool partial;     // there is more in it than was read: a limit was broken, or the unpacker ended too early
  char reached[64]; // the entry at which the archive broke a limit, printable; "": it broke none
  size_t refused[UNPACK_REFUSALS];
  char first[UNPACK_REFUSALS][64]; // one name for each refusal, printable
};

// Unpacks files and folders into `folder`, which exists and is empty. Leaves out links, devices, names that
// lead out of the folder or too deep, and files with a password; of two files with one name the first stays.
// Looks into the archive in a process of its own, behind walls (with namespaces if `walls` says that they can
// be had). Fills the report in any case. Fails where this machine can't unpack: a full disk, say. A damaged
// archive is no failure, nor is one that makes the unpacker crash: the report says so.
int unpack(const char *archive, const char *folder, const struct unpack_limits *limits,
           enum sandbox_mode walls, struct unpack_report *report, char *error, size_t size);
// The half of it that makes the files, for tests: takes an unpacker's records (unpack-stream.h) from
// `stream`, believing none of them.
int unpack_records(int stream, const char *folder, const struct unpack_limits *limits,
                   struct unpack_report *report, char *error, size_t size);
// "left out: 2 links (`a`, ..), 1 device (`b`)"; "": nothing was.
void unpack_describe(const struct unpack_report *report, char text[UNPACK_TEXT]);

#endif
