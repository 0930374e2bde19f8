// Where this program's own files lie: in the kit, or installed below a prefix.
#ifndef VIRTUAL_HOPPER_COMMAND_PLACE_H
#define VIRTUAL_HOPPER_COMMAND_PLACE_H

#include <limits.h>
#include <stddef.h>

// The folder of our CUDA libraries: lib/vhopper of the installation, or build/lib of the kit. Ends the
// process with status 2 if one of them is missing.
void place_libraries(char path[PATH_MAX]);
// A file of the documentation: share/vhopper/NAME of the installation, or, in the kit, in_kit of its root.
// NULL if it can't be read.
const char *place_document(char path[PATH_MAX], const char *name, const char *in_kit);

// A source file's path below its repository (the nearest folder above it that holds .git), else below the
// working folder, else the whole path: a part of `file`. *root receives the length of what is left out.
const char *place_in_repository(const char *file, size_t *root);

#endif
