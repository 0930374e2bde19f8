// lab10, exercise 3: the planes in the ring of a column. In: nothing. Out: SVG.
#include "diagram.h"

enum { STAGES = 7, PLANES = 12, FIRST = 1 }; // the round that is drawn: results from planes 1, 2 and 3

int main(void) {
  static const char *const colour[STAGES] = {"blue", "green", "blue", "orange", "orange", "orange", "orange"},
                           *const word[STAGES] = {"above", "middle", "below", "", "", "", ""};
  picture_begin(NARROW, 470, "Seven stages hold the planes of one round and those of the next");
  text("small bold", 2, 16, "A column of planes in global memory");
  for (int plane = 0; plane < PLANES; plane++) {
    const int which = plane - FIRST;
    box(which >= 0 && which < STAGES ? colour[which] : "empty", 4 + 29 * plane, 26, 26, 36);
    text("small middle", 17 + 29 * plane, 49, "%d", plane);
  }
  text("small bold", 2, 106, "The ring in shared memory: stage = plane %% 7");
  for (int stage = 0; stage < STAGES; stage++) {
    const int which = (stage + STAGES - FIRST % STAGES) % STAGES, middle = 27 + 50 * stage;
    box(colour[which], 3 + 50 * stage, 118, 48, 64);
    text("small middle", middle, 136, "%d", FIRST + which);
    if (*word[which]) {
      text("small middle", middle, 160, "%s", word[which]);
    } else {
      text("small middle", middle, 154, "on its");
      text("small middle", middle, 169, "way");
    }
    text("small middle", middle, 198, "stage %d", stage);
  }
  text("small", 2, 222, "Results of the middle plane come from three planes.");
  text("small", 2, 239, "Then nobody reads plane 1 any more: plane 8 is");
  text("small", 2, 256, "loaded into its stage. So each plane is loaded once.");
  box("orange", 40, 282, 276, 122);
  box("green", 76, 302, 204, 82);
  text("middle bold", 178, 336, "tile");
  text("middle small", 178, 356, "176 x 14: its results");
  text("middle small", 178, 297, "1 row");
  text("middle small", 178, 399, "1 row");
  text("middle small", 58, 346, "8");
  text("middle small", 298, 346, "8");
  text("small", 2, 430, "The box of a plane: 192 x 16 numbers of one z. What");
  text("small", 2, 447, "lies outside the volume arrives as zeros.");
  picture_end();
}
