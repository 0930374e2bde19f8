// Opens files that strangers have handed in. The idea: such a name may be a link to a secret, or a pipe that nobody writes to.
#ifndef REPORT_PLAIN_FILE_H
#define REPORT_PLAIN_FILE_H

#include <stdbool.h>
#include <stdio.h>

// For reading; NULL unless it is a plain file itself, not a link to one. Never waits.
FILE *plain_file_open(const char *path);
// The next line, without its end; what has no room in `line` is left out, so that the next call reads the next line. False: there is none.
bool plain_file_line(FILE *file, char *line, size_t size);

#endif
