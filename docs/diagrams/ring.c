// A ring of stages, turn by turn. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  enum { STAGES = 3, TURNS = 9 };
  static const char *const colours[] = {"blue", "orange", "green"};
  picture_begin(760, 330, "A ring of three stages used over nine turns");
  text("bold", 10, 40, "turn");
  text("bold", 10, 90, "stage");
  text("bold", 10, 140, "phase of full[stage]");
  text("bold", 10, 175, "consumer waits for");
  text("bold", 10, 210, "producer waits for");
  for (int turn = 0; turn < TURNS; turn++) {
    const double x = 190 + 62 * turn;
    text("middle", x + 25, 40, "%d", turn);
    box(colours[turn % STAGES], x, 65, 50, 38);
    text("bold middle", x + 25, 90, "%d", turn % STAGES);
    text("middle", x + 25, 140, "%d", turn / STAGES);
    text("middle", x + 25, 175, "%d", turn / STAGES % 2);
    text("middle", x + 25, 210, "%d", (turn / STAGES + 1) % 2);
    if (turn % STAGES == 0 && turn > 0) line("empty", x - 6, 20, x - 6, 220);
  }
  text("code", 190, 250, "full[stage]  parity = turn / STAGES %% 2");
  text("code", 190, 272, "empty[stage] parity = (turn / STAGES + 1) %% 2");
  text("small", 190, 302, "In round 0 the producer asks for parity 1. On a fresh barrier that wait returns");
  text("small", 190, 319, "at once, so the first three loads start before any stage has been emptied.");
  picture_end();
}
