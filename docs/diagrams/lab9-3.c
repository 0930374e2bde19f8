// lab9, exercise 3: who hands what to whom, and which phase a turn is. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  enum { STAGES = 2, TURNS = 7 };
  static const char *const colours[] = {"blue", "orange"};
  picture_begin(NARROW, 340, "The producer fills two stages in turn, the consumers empty them");
  box("box", 2, 38, 88, 58);
  text("small middle bold", 46, 63, "producer");
  text("small middle", 46, 80, "one thread");
  box("box", 266, 38, 88, 58);
  text("small middle bold", 310, 63, "consumers");
  text("small middle", 310, 80, "eight warps");
  for (int stage = 0; stage < STAGES; stage++) {
    labelled(colours[stage], 136, 28 + 44 * stage, 84, 34, "stage %d", stage);
    arrow("blue", 92, 60 + 14 * stage, 134, 45 + 44 * stage);
    arrow("", 222, 45 + 44 * stage, 264, 60 + 14 * stage);
  }
  text("small middle", 110, 30, "load");
  text("small middle", 246, 30, "add");
  text("code middle", 178, 124, "full[k] complete");
  line("greenline", 310, 98, 310, 136);
  line("greenline", 310, 136, 46, 136);
  arrow("green", 46, 136, 46, 98);
  text("small middle", 178, 155, "give back: empty[k] complete; the stage");
  text("small middle", 178, 171, "may take the tile two turns later");
  text("small bold", 2, 206, "turn");
  text("small bold", 2, 240, "stage");
  text("small bold", 2, 276, "phase of full");
  for (int turn = 0; turn < TURNS; turn++) {
    const double x = 104 + 36 * turn;
    text("middle", x + 14, 206, "%d", turn);
    box(colours[turn % STAGES], x, 221, 28, 28);
    text("middle bold", x + 14, 240, "%d", turn % STAGES);
    text("middle", x + 14, 276, "%d", turn / STAGES);
    if (turn % STAGES == 0 && turn > 0) line("empty", x - 4, 192, x - 4, 284);
  }
  text("small", 2, 310, "Which parity do the consumers ask for at a");
  text("small", 2, 327, "turn, and which one the producer?");
  picture_end();
}
