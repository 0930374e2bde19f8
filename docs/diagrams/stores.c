// Store groups in time: read, then write, and which wait returns when. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 306, "Three store groups in time, and when waits return");
  text("small bold", 2, 18, "group");
  for (int group = 0; group < 3; group++) {
    const double x = 30 + 62 * group, y = 28 + 44 * group;
    text("small", 8, y + 22, "%d", group);
    box("blue", x, y, 90, 32);
    box("orange", x + 90, y, 110, 32);
    // The words keep clear of the line below.
    text(group < 2 ? "small" : "small end", x + (group < 2 ? 8 : 82), y + 20, "reads");
    text("small", x + (group == 1 ? 104 : 96), y + 20, "writes");
  }
  arrow("", 30, 172, 352, 172);
  text("small end", 352, 190, "time");
  line("blueline", 186, 24, 186, 202);
  line("orangeline", 354, 112, 354, 250);
  text("code", 2, 216, "tma_wait_until_read_pending<1>()");
  text("small", 2, 233, "returns here: groups 0 and 1 have read");
  text("code end", 350, 268, "tma_wait_until_pending<0>()");
  text("small end", 350, 285, "returns here: all is written, and visible");
  text("small end", 350, 301, "to this thread");
  picture_end();
}
