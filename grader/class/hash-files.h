// Files as parts of a key. A result holds as long as none of the files in its key changes.
#ifndef CLASS_HASH_FILES_H
#define CLASS_HASH_FILES_H

#include "referee/kit.h"
#include "virtual-hopper/base/sha256.h"

#include <sys/types.h>

// Adds the files below a folder that match a pattern of glob(7), sorted: their names and their bytes. The
// folder's own name is left out, since the folder may be moved. Fails if one of them is neither a plain file
// nor a link to one, has more than `most` bytes, or can't be read; all others are added in any case.
int hash_files(struct sha256 *hash, const char *folder, const char *pattern, off_t most, char *error,
               size_t size);
// Adds everything that a verdict depends on besides the submission and the device: the grader and its
// libraries, the interface, the lab, its cases and targets (not its points), the compiler's path. Fails as
// hash_files does.
int hash_kit(struct sha256 *hash, const struct kit *kit, const char *lab, char *error, size_t size);
// Adds one part of that, 0 to KIT_PARTS - 1. `pattern` gets the pattern of its files, which is also its name.
enum { KIT_PARTS = 10, KIT_CONFIG = KIT_PARTS - 1, KIT_PART = 256 };
int hash_kit_part(struct sha256 *hash, const struct kit *kit, const char *lab, size_t part,
                  char pattern[KIT_PART], char *error, size_t size);

#endif
