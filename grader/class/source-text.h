// A student's file as the search for likeness sees it. In: the text of a CUDA source file. Out: its tokens,
// without comments, layout and #include lines. The idea: a name that the student was free to choose counts as
// "a name", so that a file stays the same when its names are changed; a name that was given (by the skeleton,
// the interface, the language) counts as itself.
#ifndef CLASS_SOURCE_TEXT_H
#define CLASS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct source_token {
  uint64_t loose; // hash of the token; of every chosen name the same
  unsigned line;  // from 1
};

struct source_text {
  char *text; // the file's bytes, and a NUL
  size_t length;
  struct source_token *tokens;
  size_t count;
};

// The given names: a set of hashes, filled from files, then sorted.
struct given_names {
  uint64_t *hashes;
  size_t count, room;
};

// Adds all identifiers of a file, and with the first call those of the language. `error` as in failure.h.
int given_names_add(struct given_names *given, const char *path, char *error, size_t size);
void given_names_sort(struct given_names *given);
void given_names_free(struct given_names *given);

// Reads and cuts a file of the kit's. 0, or -1; source_text_free in either case. At most 1 MiB.
int source_text_read(const char *path, const struct given_names *given, struct source_text *source,
                     char *error, size_t size);
// The same for a stranger's file, and never waits. 1: it is no plain file (a link is none), has more than
// 1 MiB, or can't be read.
int source_text_take(const char *path, const struct given_names *given, struct source_text *source,
                     char *error, size_t size);
void source_text_free(struct source_text *source);

#endif
