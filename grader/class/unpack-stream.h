// What the unpacker says, as build/bin/unpack writes it and the grader reads it. libarchive parses what a
// stranger made, and zlib, lzma, bzip2 and zstd unpack it; so all of them run in a process of their own,
// behind the walls of sandbox/enclose.h. The unpacker holds the archive's bytes and one end of this stream,
// no folder and no other file: it only says which entries there are and what is in them. The grader decides
// which of them it takes, makes every file itself, and takes whatever comes for the archive's own doing.
#ifndef CLASS_UNPACK_STREAM_H
#define CLASS_UNPACK_STREAM_H

#include <stddef.h>
#include <stdint.h>

// Its descriptors. Its arguments: a user id, whether there are namespaces, the limit on processor seconds.
enum { UNPACKER_ARCHIVE = 3, UNPACKER_STREAM = 4, UNPACKER_ARGUMENTS = 3 };

enum { UNPACKED_BLOCK = 64 << 10, UNPACKED_NAME = 4096, UNPACKED_REASON = 200 };

// A record, and then its `bytes` bytes.
enum unpacked_kind {
  UNPACKED_READY, // first of all: the walls stand, and nothing of the archive has been looked at
  UNPACKED_ENTRY, // `what` says of which type; its name follows, without a NUL
  UNPACKED_DATA,  // of the last entry, from `offset` on; at most UNPACKED_BLOCK
  // The last: what is wrong with the archive, at most UNPACKED_REASON. `what` is 1 if it is damaged or cut
  // off.
  UNPACKED_WRONG,
  UNPACKED_END, // the last: there is no more
};

enum unpacked_type { UNPACKED_FILE, UNPACKED_FOLDER, UNPACKED_LINK, UNPACKED_DEVICE, UNPACKED_LOCKED };

struct unpacked {
  uint32_t kind, what;
  uint64_t offset;
  uint32_t bytes, reserved;
};

// In the unpacker: reads the archive, and writes the records after UNPACKED_READY.
void unpack_read(const void *archive, size_t bytes, int stream);

#endif
