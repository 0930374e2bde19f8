// Speeds as bars of text, for a person.
#ifndef REFEREE_BAR_H
#define REFEREE_BAR_H

#include <stdio.h>

// "  your kernel   ==========================--      2890 GB/s   0.957": a bar of `part` (0 to 1, more is cut off) of full
// length, then the speed in bytes per second and `note`. A speed of 0 shows none.
void bar_print(FILE *out, const char *name, double part, double speed, const char *note);

#endif
