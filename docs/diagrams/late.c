// A wait is missing: when the load lands on a chip, and when on the virtual Hopper. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 276, "A load without a wait lands early on a chip, and late on the virtual Hopper");
  text("small bold", 2, 16, "the program: its wait is missing");
  labelled("blue", 2, 26, 76, 32, "load");
  labelled("box", 84, 26, 130, 32, "other work");
  labelled("blue", 220, 26, 134, 32, "read the tile");
  text("small bold", 2, 88, "an H100, usually");
  labelled("orange", 40, 98, 110, 32, "copies");
  labelled("green", 156, 98, 198, 32, "landed: the right result");
  text("small bold", 2, 160, "the virtual Hopper");
  labelled("orange", 40, 170, 314, 32, "not yet: no wait has asked for it");
  text("small", 2, 230, "The read finds the old bytes, and the report");
  text("small", 2, 247, "says that nothing made the load land before it.");
  line("empty", 217, 20, 217, 62);
  picture_end();
}
