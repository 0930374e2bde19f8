// Opens files that strangers have handed in. The idea: the file may be a link to a secret, or a pipe that
// nobody writes to.
#ifndef REPORT_PLAIN_FILE_H
#define REPORT_PLAIN_FILE_H

#include <stdbool.h>
#include <stdio.h>

// Opens for reading, and never waits. NULL: it is no plain file (a link to one is none), or can't be opened.
FILE *plain_file_open(const char *path);
// Reads the next line, without its line end. Cuts it to `size`; the next call reads the next line
// nevertheless. False: at the end.
bool plain_file_line(FILE *file, char *line, size_t size);

#endif
