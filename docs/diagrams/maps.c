// Where a tensor map may be when a copy uses it, and where the engine can't read. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  static const struct {
    const char *colour, *place, *way;
  } rows[] = {{"blue", "a parameter", "no fence"},
              {"blue", "constant memory", "no fence"},
              {"green", "global memory", "acquire first"},
              {"empty", "a thread's stack", "not readable"}};
  picture_begin(NARROW, 206, "Four places for a tensor map, three of which the copy engine reads");
  text("small bold", 2, 16, "the map lies in");
  for (int i = 0; i < 4; i++) {
    const double y = 28 + 44 * i;
    labelled(rows[i].colour, 2, y, 124, 32, "%s", rows[i].place);
    text("small middle", 182, y + 9, "%s", rows[i].way);
    if (i < 3) arrow(i == 2 ? "green" : "blue", 128, y + 18, 240, y + 18);
    else line("empty", 128, y + 18, 226, y + 18);
  }
  box("orange", 242, 28, 112, 120);
  text("small middle bold", 298, 68, "copy engine");
  text("small middle", 298, 92, "keeps maps");
  text("small middle", 298, 109, "in a cache");
  picture_end();
}
