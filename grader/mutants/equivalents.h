// The mutants that an author has judged: the program is right all the same, and why. In: the file
// grader/hidden/LAB/equivalent-mutants. Out: its entries, found by exercise, the text of the changed line and
// the change, so that lines may move.
//
//   exercise: 1-bulk-copy-1d
//
//   line: constexpr uint32_t THREADS = 160;
//   change: `160` becomes `161`
//   change: `160` becomes `320`
//   reason: How many threads share the work changes the speed alone.
//
// `line 2:` is the second line with that text. A reason ends the group of lines and changes that it is for.
// Each of them goes on in lines that begin with blanks. A line that begins with # is a comment.
#ifndef MUTANTS_EQUIVALENTS_H
#define MUTANTS_EQUIVALENTS_H

#include "mutants/mutants.h"

struct equivalent {
  char *exercise, *line, *change;
  unsigned which; // of the lines with this text, from 1
  unsigned at;    // its line in the file
  bool met;       // a mutant was found for it
};

struct equivalents {
  struct equivalent *list;
  size_t count;
};

// Reads the file; one that is not there has no entries. 0, or -1 with "FILE:LINE: what is wrong".
// equivalents_free in either case.
int equivalents_read(const char *path, struct equivalents *equivalents, char *error, size_t size);
void equivalents_free(struct equivalents *equivalents);
// The entry for this mutant; NULL: there is none. Marks it as met.
struct equivalent *equivalents_find(struct equivalents *equivalents, const char *exercise, const char *source,
                                    const struct mutant *mutant);
// Prints the mutant's line and change as they stand in the file.
void equivalents_print(FILE *out, const char *source, const struct mutant *mutant);

#endif
