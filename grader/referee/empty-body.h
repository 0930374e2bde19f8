// A condition without a body. In: a source whose comments and strings are blank (braces.h). Out: the line of
// a `;` behind `if (..)`, `for (..)` or `while (..)` that a block follows, which then runs in any case. The
// idea: the compiler takes it for what was meant, and says nothing.
#ifndef REFEREE_EMPTY_BODY_H
#define REFEREE_EMPTY_BODY_H

#include <stdbool.h>
#include <stddef.h>

unsigned empty_body_line(const char *blanked); // 0: there is none

#endif
