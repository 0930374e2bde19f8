// Decodes a program: an entry, the functions that it can reach, and the layout of its memory
// (machine/program.h).
#ifndef VIRTUAL_HOPPER_DECODE_PROGRAM_H
#define VIRTUAL_HOPPER_DECODE_PROGRAM_H

#include "virtual-hopper/machine/program.h"

// Never returns NULL. Check problem_count before you use the program.
struct program *program_decode(const struct ptx_module *module, const struct ptx_function *entry,
                               const struct placement *placement, struct arena *arena);
// Frees what lies outside the arena. NULL is allowed.
void program_release(struct program *program);
// Marks the function as reachable and returns its index in program->functions. -1: the module has no body for
// the function.
int32_t program_reach(struct program *program, const char *name);

#endif
