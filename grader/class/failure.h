// How every function of this room reports a failure.
//
// - A function that can fail returns 0, or -1 with the reason in its last two parameters, `error` and `size`.
//   (One that returns a pointer returns NULL instead of -1.) The reason is a whole message: it names the file
//   or the option, and is ready to be printed after "grader: ". A caller who does not need the reason passes
//   NULL and 0.
// - A function with more than one kind of success returns 0 or a positive value, which its comment names.
// - No function of this room prints a failure. cli/ does; in the process that grades one submission,
//   schedule.c does.
// - Failures are the grader's and the machine's. What is wrong with a submission or an export is data: notes,
//   a verdict, the report of what unpack() left out.
// - A function that answers a question returns bool, or a pointer that may be NULL. "No" is an answer, not a
//   failure.
// - A function that prints into a FILE returns nothing: the stream remembers a failure, and whoever opened it
//   asks ferror(). Only what is handed to whole_file_write follows report/whole-file.h, and is static.
#ifndef CLASS_FAILURE_H
#define CLASS_FAILURE_H

#include <stddef.h>

// Writes the reason, cut to `size` bytes, and returns -1. The arguments may point into `error`.
int class_fail(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
