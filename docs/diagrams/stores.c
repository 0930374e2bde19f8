// Store groups in time: read, then write, and which wait returns when. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(760, 330, "Three store groups in time, and when waits return");
  text("bold", 10, 30, "group");
  for (int group = 0; group < 3; group++) {
    const double start = 90 + 130 * group, y = 50 + 55 * group;
    text("middle", 30, y + 25, "%d", group);
    line("line", start, y - 4, start, y + 42);
    box("blue", start, y, 150, 36);
    text("small middle", start + 75, y + 23, "reads its source");
    box("orange", start + 150, y, 170, 36);
    text("small middle", start + 235, y + 23, "writes its destination");
  }
  arrow("", 90, 215, 745, 215);
  text("small", 690, 207, "time");
  line("blueline", 370, 40, 370, 255);
  text("code end", 425, 272, "tma_wait_until_read_pending<1>()");
  text("small end", 425, 289, "called after group 2 was committed returns here:");
  text("small end", 425, 306, "groups 0 and 1 have read");
  line("orangeline", 670, 40, 670, 255);
  text("code end", 745, 272, "tma_wait_until_pending<0>()");
  text("small end", 745, 289, "returns here: all written,");
  text("small end", 745, 306, "visible to this thread");
  picture_end();
}
