// Whether two sources are the same program: the compiler makes the same code of both. In: trusted sources.
// Out: objects without line numbers, and whether two are the same. The idea: what the compiler can't tell
// apart nobody can, so such a mutant needs no test and no reason.
#ifndef MUTANTS_PROGRAM_H
#define MUTANTS_PROGRAM_H

#include "referee/kit.h"

#include <stdbool.h>

// Compiles folder/name.cu to `object`, without walls around the compiler. False: it does not compile, or
// can't be compiled here.
bool program_compile(const struct kit *kit, const char *lab, const char *folder, const char *name,
                     const char *object);
// Whether two objects hold the same code and data. False where one can't be read.
bool program_is_same(const char *object, const char *other);

#endif
