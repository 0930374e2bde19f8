// One line on the terminal that says what is being done, and is gone when it is done. Nothing at all where nobody watches.
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>

struct progress_display {
  bool shown_at_all; // stderr is a terminal
  bool on_screen;
};

struct progress_display progress_open(void);
void progress_show(struct progress_display *display, const char *text);
void progress_clear(struct progress_display *display);

#endif
