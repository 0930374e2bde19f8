// lab8, step 10: a ring of two stages. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 222, "While one stage is worked on, the other one is loaded");
  text("small bold", 2, 18, "turn");
  text("small bold", 2, 54, "stage 0");
  text("small bold", 2, 98, "stage 1");
  text("small bold", 2, 142, "phase");
  for (int turn = 0; turn < 4; turn++) {
    const double x = 60 + 75 * turn;
    text("middle", x + 34, 18, "%d", turn);
    labelled("green", x, 34 + 44 * (turn % 2), 68, 32, "work %d", turn);
    if (turn < 3) labelled("blue", x, 78 - 44 * (turn % 2), 68, 32, "load %d", turn + 1);
    if (turn > 0) line("empty", x - 3.5, 6, x - 3.5, 122);
    text("middle", x + 34, 142, "%d", turn / 2);
  }
  text("small", 2, 172, "work 0: tile 0 is worked on; load 1: tile 1 is on");
  text("small", 2, 189, "its way. Each stage has a barrier of its own,");
  text("small", 2, 206, "which is used every second turn.");
  picture_end();
}
