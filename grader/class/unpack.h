// Unpacks an archive that a stranger has made.
#ifndef CLASS_UNPACK_H
#define CLASS_UNPACK_H

#include <stddef.h>

struct unpack_limits {
  size_t entries, bytes; // of what comes out, all together
};

// Unpacks files and folders into `folder`, which exists and is empty. Links and devices are left out, as is what would lie outside.
// Returns 0, or -1 with what is wrong with the archive in `error`; some of it may have been unpacked by then. Either way `left_out`
// counts what was refused.
int unpack(const char *archive, const char *folder, const struct unpack_limits *limits, size_t *left_out,
           char *error, size_t size);

#endif
