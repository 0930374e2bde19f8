// Files as parts of a key: of a result that holds as long as none of them changes.
#ifndef CLASS_HASH_FILES_H
#define CLASS_HASH_FILES_H

#include "class/sha256.h"
#include "referee/kit.h"

#include <sys/types.h>

// Adds the files below a folder that fit a pattern of glob(7), sorted: name (without the folder's, which may lie elsewhere tomorrow) and bytes.
// 0; -1: one of them is no plain file or link to one, has more than `most` bytes, or can't be read; the others are added all the same.
int hash_files(struct sha256 *hash, const char *folder, const char *pattern, off_t most);
// Adds what judges: the grader and its libraries, the interface, the lab, its cases and targets (not its points), the compiler's path. The device isn't in it.
// Returns as hash_files.
int hash_kit(struct sha256 *hash, const struct kit *kit, const char *lab);
// The files of one part of all that, by its number; `pattern` gets which they are.
enum { KIT_PARTS = 9, KIT_CONFIG = KIT_PARTS - 1, KIT_PART = 256 };
int hash_kit_part(struct sha256 *hash, const struct kit *kit, const char *lab, size_t part,
                  char pattern[KIT_PART]);

#endif
