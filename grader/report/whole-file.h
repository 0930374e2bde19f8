// Writes files in one step. The idea: at any time there is either the old file or the whole new one, also
// when a signal, a full disk or a power cut stops the writer.
#ifndef REPORT_WHOLE_FILE_H
#define REPORT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

// `write` writes the text and returns 0, or -1 with errno. `lasting`: the file survives a power cut right
// after the call, which takes a moment. Returns 0, or -1 with errno and the old file unchanged.
int whole_file_write(const char *path, bool lasting, int (*write)(FILE *out, const void *what),
                     const void *what);

#endif
