// Braces of a C++ or CUDA source that don't match. In: its text. Out: the line where one is missing or too
// many. The idea: a forgotten brace rarely changes the indentation, so the indentation shows where it
// belongs.
#ifndef REFEREE_BRACES_H
#define REFEREE_BRACES_H

#include <stddef.h>

struct brace_slip {
  unsigned line; // 0: all braces match, or nothing shows where they don't
  enum { BRACE_OPEN, BRACE_TOO_MANY, BRACE_CLOSES_ANOTHER } kind;
};

// A copy in which comments, strings, characters and preprocessor lines are blank; line ends stay.
// malloc'ed.
char *braces_blank(const char *source);
// Looks through such a copy.
struct brace_slip braces_find_slip(const char *blanked);

#endif
