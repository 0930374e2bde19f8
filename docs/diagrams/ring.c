// A ring of stages, turn by turn. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  enum { STAGES = 3, TURNS = 7 };
  static const char *const colours[] = {"blue", "orange", "green"};
  static const char *const rows[] = {"turn", "stage", "phase of full", "consumer: parity",
                                     "producer: parity"};
  picture_begin(NARROW, 292, "A ring of three stages used over seven turns");
  for (int row = 0; row < 5; row++)
    text("small bold", 2, 28 + 36 * row, "%s", rows[row]);
  for (int turn = 0; turn < TURNS; turn++) {
    const double x = 146 + 32 * turn;
    text("small middle", x, 28, "%d", turn);
    labelled(colours[turn % STAGES], x - 13, 46, 26, 26, "%d", turn % STAGES);
    text("small middle", x, 100, "%d", turn / STAGES);
    text("small middle", x, 136, "%d", turn / STAGES % 2);
    text("small middle", x, 172, "%d", (turn / STAGES + 1) % 2);
    if (turn % STAGES == 0 && turn > 0) line("empty", x - 16, 14, x - 16, 180);
  }
  text("code", 2, 206, "full[s]:  turn / STAGES %% 2");
  text("code", 2, 226, "empty[s]: (turn / STAGES + 1) %% 2");
  text("small", 2, 254, "In round 0 the producer asks for parity 1. On a");
  text("small", 2, 270, "fresh barrier that wait returns at once, so the");
  text("small", 2, 286, "first three loads start before any stage is empty.");
  picture_end();
}
