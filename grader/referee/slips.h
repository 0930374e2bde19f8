// What a compiler's error means for the one who wrote the line. In: the first error, the student's source,
// the interface's functions. Out: the text to show, which names the line to edit first. The idea:
// compilers tell where they got stuck; the slip is often a line or a page earlier.
#ifndef REFEREE_SLIPS_H
#define REFEREE_SLIPS_H

#include "referee/declarations.h"

struct slip_source {
  const char *path; // as messages show it
  const char *text;
  const struct declarations *declared;
};

// `error` as diagnostics_first_error returns it. malloc'ed; NULL: there is nothing to say beyond it.
char *slip_text(const char *error, const struct slip_source *source);

#endif
