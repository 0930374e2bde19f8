// Opens files that strangers have handed in. The idea: such a name may be a link to a secret, or a pipe that nobody writes to.
#ifndef REPORT_PLAIN_FILE_H
#define REPORT_PLAIN_FILE_H

#include <stdio.h>

// For reading; NULL unless it is a plain file itself, not a link to one. Never waits.
FILE *plain_file_open(const char *path);

#endif
