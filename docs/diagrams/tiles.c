// Why copies: threads that carry, and an engine that does. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 220, "Without TMA every thread carries words; with it one thread orders a tile");
  text("small bold", 4, 18, "threads carry");
  labelled("box", 4, 30, 150, 32, "global memory");
  labelled("box", 4, 166, 150, 32, "shared memory");
  for (int i = 0; i < 5; i++) {
    labelled("blue", 6 + 30 * i, 98, 24, 30, "r");
    arrow("blue", 18 + 30 * i, 62, 18 + 30 * i, 96);
    arrow("blue", 18 + 30 * i, 128, 18 + 30 * i, 164);
  }
  text("small bold", 200, 18, "the engine carries");
  labelled("box", 200, 30, 150, 32, "global memory");
  labelled("box", 200, 166, 150, 32, "shared memory");
  arrow("orange", 326, 62, 326, 164);
  labelled("blue", 200, 98, 104, 30, "one thread");
  arrow("", 304, 113, 324, 113);
  text("small", 4, 216, "r: a register of each thread");
  picture_end();
}
