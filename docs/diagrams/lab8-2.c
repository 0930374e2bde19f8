// lab8, step 2: rounds, phases, parities. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 176, "Each round is a phase of the barrier, even and odd in turn");
  text("small bold", 2, 24, "round");
  text("small bold", 2, 66, "phase");
  text("small bold", 2, 112, "parity");
  for (int round = 0; round < 4; round++) {
    const double x = 56 + 76 * round;
    text("middle", x + 29, 24, "%d", round);
    box(round % 2 ? "orange" : "blue", x, 44, 58, 36);
    text("middle bold", x + 29, 67, "%d", round);
    text("small middle", x + 29, 112, "%d, %s", round % 2, round % 2 ? "odd" : "even");
    if (round) arrow("", x - 17, 62, x - 1, 62);
  }
  text("small", 2, 146, "When the last arrival completes a phase,");
  text("small", 2, 163, "the next one begins by itself.");
  picture_end();
}
