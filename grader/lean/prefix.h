// What every source begins with, cuda_runtime.h, preprocessed once for all of them. Three files for each set
// of a compiler's arguments: KEY.ii, the preprocessed text, and the macros that it leaves behind: in
// KEY.system.h those of the system's headers, of which a compiler tells less, and in KEY.h all others.
#ifndef LEAN_PREFIX_H
#define LEAN_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

struct prefix {
  char *system_macros, *macros; // paths
  char *file;                   // what KEY.ii holds, as read
  const char *text;             // of it, what stands in place of cuda_runtime.h
  size_t length;
};

// The command is one of nvcc's that preprocesses a source with `-include cuda_runtime.h`; the source is the
// argument before -o. `folder` has the prefixes, `keeps` is as for lean_text. False: there is none for this
// command, or it is out of date, or a header of the source's own might be in it.
bool prefix_find(struct prefix *prefix, char *const *command, const char *folder, const char *keeps);
void prefix_free(struct prefix *prefix);

// Puts the prefix into what the compiler has made with the macros in place of cuda_runtime.h. malloc'ed;
// NULL: it has made something else.
char *prefix_join(const struct prefix *prefix, const char *text, size_t length, size_t *joined_length);

// An empty source, preprocessed by the command.
struct prefix_parts {
  const char *text, *with_macros;      // the latter with each #define at its place
  const char *macros, *macros_without; // all macros at its end, with cuda_runtime.h and without
};
bool prefix_make(char *const *command, const char *folder, const char *keeps,
                 const struct prefix_parts *parts);

// Whether the path lies below one of the folders.
bool path_is_below(const char *folders, const char *path, size_t length);

#endif
