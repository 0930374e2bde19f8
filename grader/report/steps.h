// The steps of an exercise, in a student's file. In: the file, and the same file as it was handed out. Out:
// lines, from 1; 0: there is none. The idea: what the skeleton has is given and right, a step is what follows
// its TODO.
#ifndef REPORT_STEPS_H
#define REPORT_STEPS_H

#include <stdbool.h>

enum { STEPS_LINE = 1024 };

// A line of a file, trimmed, cut to the room.
struct steps_line {
  unsigned number;
  char text[STEPS_LINE];
};

// In all of these, `path` is the student's file, and `given` the one that was handed out; "", or a file that
// doesn't exist: it is not known.

// The first line after line `after` for which `wanted` is true of the trimmed line.
unsigned steps_find_line(const char *path, unsigned after, bool (*wanted)(const char *line, const void *what),
                         const void *what);
bool steps_contains(const char *line, const void *word);
bool steps_begins_with(const char *line, const void *word);
bool steps_read_line(const char *path, unsigned number, struct steps_line *line);

bool steps_is_given(const char *path, const char *given, unsigned number);
// False also if the student has written one more line of that text: either of them may be this one.
bool steps_is_surely_given(const char *path, const char *given, unsigned number);

// Whether that line is a TODO.
bool steps_begins_one(const char *path, unsigned number);
// The last TODO above that line.
unsigned steps_todo_above(const char *path, unsigned line);
// The number of the step whose TODO stands in that line, if the step is as it was handed out.
unsigned steps_not_begun(const char *path, const char *given, unsigned line);
// The first TODO whose step is as it was handed out.
unsigned steps_first_untouched(const char *path, const char *given);
// The same, but for steps whose lines stand under the next TODO: that step has as many statements too many as
// this one asks for lines.
unsigned steps_first_missing(const char *path, const char *given);
// The first line of code in the only step that differs from what was handed out: all else is right.
unsigned steps_only_change(const char *path, const char *given);
// Of the step whose TODO stands in line `todo`, the first line that the student wrote and that calls a
// function which `said` names; *named tells whether there is one. If not: the first line that the student
// wrote.
unsigned steps_own_line(const char *path, const char *given, unsigned todo, const char *said, bool *named);

#endif
