// Prints speeds as bars of text.
#ifndef REFEREE_BAR_CHART_H
#define REFEREE_BAR_CHART_H

#include "referee/speed.h"

#include <stdio.h>

// Prints a line such as "your kernel   ==============......   2890 GB/s  0.957": a bar filled to `part` (0 to
// 1; more is cut off), then the speed, in the unit, and `note`. A speed of 0 isn't printed.
void bar_chart_print(FILE *out, const char *name, double part, double speed, const struct speed_unit *unit,
                     const char *note);

#endif
