// lab9, exercise 4: what each stage does, turn by turn. In: nothing. Out: SVG.
#include "diagram.h"

struct stretch {
  int stage;
  double from, to;
  const char *colour, *what;
};

int main(void) {
  static const struct stretch stretches[] = {
      {0, 0, 1, "green", "work 0"},   {0, 1, 2, "orange", "store 0"}, {0, 2, 3, "blue", "load 3"},
      {0, 3, 4, "green", "work 3"},   {1, 0, 1, "blue", "load 1"},    {1, 1, 2, "green", "work 1"},
      {1, 2, 3, "orange", "store 1"}, {1, 3, 4, "blue", "load 4"},    {2, 0, 2, "blue", "load 2"},
      {2, 2, 3, "green", "work 2"},   {2, 3, 4, "orange", "store 2"},
  };
  picture_begin(NARROW, 284, "Three stages: one is worked on, one is being read by its store, one is loaded");
  text("small bold", 2, 18, "turn");
  for (int turn = 0; turn < 4; turn++) {
    text("middle", 94 + 75 * turn, 18, "%d", turn);
    if (turn > 0) line("empty", 56.5 + 75 * turn, 6, 56.5 + 75 * turn, 166);
  }
  for (int stage = 0; stage < 3; stage++)
    text("small bold", 2, 54 + 44 * stage, "stage %d", stage);
  for (unsigned i = 0; i < sizeof stretches / sizeof *stretches; i++) {
    const struct stretch *s = &stretches[i];
    const double x = 60 + 75 * s->from, width = 75 * (s->to - s->from) - 7;
    box(s->colour, x, 34 + 44 * s->stage, width, 32);
    text("middle small", x + 34, 54 + 44 * s->stage, "%s", s->what); // clear of the dashed lines
  }
  text("small", 2, 192, "work 0: tile 0 is worked on; store 0: its store");
  text("small", 2, 209, "reads the stage; load 3: tile 3 is on its way.");
  text("small", 2, 234, "At the end of turn n the store of tile n starts.");
  text("small", 2, 251, "That of tile n - 1 must have read by then: its");
  text("small", 2, 268, "stage takes a new tile at once (UNREAD = 1).");
  picture_end();
}
