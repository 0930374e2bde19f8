// In: the output of compiler or linker. Out: what a student should read first.
#ifndef REFEREE_DIAGNOSTICS_H
#define REFEREE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

// The first error with its lines, and how many more errors there are; malloc'ed; NULL if there is none. Paths
// are shown without `directory`.
char *diagnostics_first_error(const char *output, const char *directory);
// The first warning about the file `name` that tells of a mistake, with its lines; malloc'ed; NULL if there
// is none. That something isn't used yet is no mistake.
char *diagnostics_first_warning(const char *output, const char *name, const char *directory);
// Whether an error, as above, names a line of a file, or is about the kernel's code: then the source is to
// blame. Else a compiler or linker may have failed for want of what this machine lacks.
bool diagnostics_names_place(const char *error);
// The line in which the sandbox, or a program that could start no other, says that the machine has refused
// it; NULL if there is none. `length`: of the line.
const char *diagnostics_refusal(const char *output, size_t *length);
// The name in the first "undefined reference to `name'"; false if there is none.
bool diagnostics_undefined_name(const char *output, char *name, size_t size);
// The name in the first "multiple definition of `name'"; false if there is none.
bool diagnostics_defined_again(const char *output, char *name, size_t size);
// Makes a program's output printable: at most `lines` lines of `columns` characters, without control
// characters. malloc'ed; "" for no output.
char *diagnostics_excerpt(const char *output, unsigned lines, unsigned columns);

#endif
