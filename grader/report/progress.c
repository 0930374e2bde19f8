// In: short texts. Out: the last one, on one line of the terminal, cut to the terminal's width so that it
// never wraps.
#include "report/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct progress_display progress_open(void) {
  const char *terminal = getenv("TERM");
  bool capable = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
  return (struct progress_display){.shown_at_all = capable};
}

void progress_show(struct progress_display *display, const char *text) {
  if (!display->shown_at_all) return;
  struct winsize size = {.ws_col = 80};
  // Some terminals don't know their width and say 0.
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 8) size.ws_col = 80;
  fprintf(stderr, "\r\033[K  %.*s", size.ws_col - 4, text);
  display->on_screen = true;
}

void progress_clear(struct progress_display *display) {
  if (display->on_screen) fputs("\r\033[K", stderr);
  display->on_screen = false;
}
