// Programs built before. In: a task whose sources have been taken in. Out: the program that the compiler made
// of the very same sources, flags and tools. The idea: nothing but the bytes of the sources decides what the
// compiler makes of them, so a student whose other exercise is unchanged, a class graded again and the tests
// needn't wait for it once more.
//
// Programs lie in build/compiled/, which no process of a submission can read or write. So without walls
// nothing is kept; nor is it if a compilation has left anything beside the program.
#ifndef REFEREE_PROGRAM_CACHE_H
#define REFEREE_PROGRAM_CACHE_H

#include "referee/grading.h"
#include "virtual-hopper/base/sha256.h"

// Fills the key of what would be compiled by these arguments; "" if it can't be kept. `runner`: what is
// linked with it.
void program_cache_key(const struct task *task, const char *const *compile, const char *runner,
                       char key[SHA256_TEXT]);
// Puts the program of this key to task->program; sets task->built_in, task->warning and
// task->keys. False: there is none.
bool program_cache_take(struct task *task, const char *key);
// Keeps the program that was just built. `again`: its key, made anew; unless it is the same, the sources have
// changed meanwhile. A failure to write is ignored: it only costs time.
void program_cache_keep(const struct task *task, const char *key, const char *again);

#endif
