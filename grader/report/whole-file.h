// Writes files in one step. The idea: whoever reads, and whatever stops the writer (a signal, a full disk, a power cut), there is the old file or the new one.
#ifndef REPORT_WHOLE_FILE_H
#define REPORT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

// `write` writes the file's text and returns 0, or -1. `lasting`: the file outlives a power cut that follows, which takes a moment.
// Returns 0, or -1 and errno, with what was there before untouched.
int whole_file_write(const char *path, bool lasting, int (*write)(FILE *out, const void *what),
                     const void *what);

#endif
