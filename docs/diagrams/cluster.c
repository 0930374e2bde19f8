// A multicast load: one read, a copy for each block. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 240, "One load from global memory lands in both blocks of a cluster");
  labelled("box", 98, 10, 160, 34, "global memory: tile");
  labelled("orange", 118, 78, 120, 32, "copy engine");
  arrow("orange", 178, 44, 178, 76);
  for (int block = 0; block < 2; block++) {
    const double x = 4 + 178 * block;
    box("empty", x, 148, 170, 84);
    text("small bold", x + 8, 166, "block %d", block);
    labelled("blue", x + 10, 176, 66, 44, "tile");
    labelled("green", x + 88, 176, 72, 44, "barrier");
    arrow("orange", 178 + (block ? 30 : -30), 110, x + 85, 146);
  }
  text("small", 244, 92, "mask: blocks");
  text("small", 244, 108, "0 and 1");
  picture_end();
}
