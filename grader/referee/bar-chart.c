// In: a speed and its part of the fastest one. Out: a line. All bars have the same full length, which is the
// fastest speed.
#include "referee/bar-chart.h"

enum { BAR_LENGTH = 40, NAME_LENGTH = 13 };

void bar_chart_print(FILE *out, const char *name, double part, double speed, const struct speed_unit *unit,
                     const char *note) {
  char bar[BAR_LENGTH + 1];
  double filled = part * BAR_LENGTH + 0.5;
  for (int i = 0; i < BAR_LENGTH; i++)
    bar[i] = i + 1 <= filled ? '=' : '.';
  bar[BAR_LENGTH] = '\0';
  fprintf(out, "%-*s %s", NAME_LENGTH, name, bar);
  if (speed > 0) fprintf(out, " %5.0f %s", speed / unit->size, unit->name);
  fprintf(out, "%s%s\n", note[0] ? "  " : "", note);
}
