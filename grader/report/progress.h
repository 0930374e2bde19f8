// One line on the terminal that shows progress, and is removed at the end. Nothing is printed if stderr is no
// terminal.
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>

struct progress_display {
  bool shown_at_all; // stderr is a terminal that can remove a line
  bool on_screen;    // a line is there now
};

struct progress_display progress_open(void);
void progress_show(struct progress_display *display, const char *text);
void progress_clear(struct progress_display *display);

#endif
