// lab10, exercise 5: what two warpgroups read of a stage, and when a stage goes back. In: nothing. Out: SVG.
#include "diagram.h"

struct stretch {
  int line;
  double from, to;
  const char *colour, *what;
};

static void draw_stage(void) {
  text("small bold", 2, 16, "a stage, and the sums of two warpgroups");
  text("small middle", 232, 40, "b: 256 rows, 64 numbers each");
  box("blue", 120, 48, 224, 30);
  text("small middle", 60, 104, "a: 128 rows");
  box("green", 44, 112, 30, 52);
  box("orange", 44, 168, 30, 52);
  box("green", 120, 112, 224, 52);
  text("small middle", 232, 142, "64 x 256 sums, warpgroup 1");
  box("orange", 120, 168, 224, 52);
  text("small middle", 232, 198, "64 x 256 sums, warpgroup 2");
  arrow("", 232, 80, 232, 110);
  arrow("", 76, 138, 118, 138);
  arrow("", 76, 194, 118, 194);
}

int main(void) {
  static const struct stretch stretches[] = {
      {0, 0, 2, "green", "group 0"}, {0, 2, 4, "green", "group 1"}, {0, 4, 6, "green", "group 2"},
      {1, 2, 4, "blue", "load"},     {2, 4, 6, "blue", "load"},
  };
  static const char *const names[] = {"products", "stage 0", "stage 1"};
  picture_begin(NARROW, 482,
                "Two warpgroups multiply their halves of a with all of b; stages go back in turn");
  draw_stage();
  text("small bold", 2, 256, "in time: groups of products of one warpgroup");
  for (int line = 0; line < 3; line++)
    text("small", 2, 290 + 42 * line, "%s", names[line]);
  for (unsigned i = 0; i < sizeof stretches / sizeof *stretches; i++) {
    const struct stretch *s = &stretches[i];
    const double x = 70 + 46 * s->from, width = 46 * (s->to - s->from) - 6;
    box(s->colour, x, 272 + 42 * s->line, width, 28);
    text("middle small", x + width / 2, 290 + 42 * s->line, "%s", s->what);
  }
  text("small", 76, 332, "is read");
  text("small", 168, 374, "is read");
  text("small", 2, 420, "Group 1 starts at once behind group 0. When group");
  text("small", 2, 437, "0 has ended, its stage goes back, and is loaded");
  text("small", 2, 454, "while group 1 runs. So the tensor cores never wait");
  text("small", 2, 471, "for anybody's answer.");
  picture_end();
}
