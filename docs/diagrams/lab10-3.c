// lab10, exercise 3: the planes in the ring of a column. In: nothing. Out: SVG.
#include "diagram.h"

enum { STAGES = 5, FIRST = 7 }; // the round that is drawn: results from planes 7, 8 and 9

int main(void) {
  static const char *const colour[STAGES] = {"blue", "green", "blue", "orange", "orange"},
                           *const word[STAGES] = {"above", "middle", "below", "", ""};
  picture_begin(NARROW, 470, "Five stages hold the planes of one round and those of the next");
  text("small bold", 2, 16, "A column of planes in global memory");
  for (int n = 0; n < 7; n++) {
    const int plane = FIRST - 1 + n, stage = n - 1;
    const char *class = stage >= 0 && stage < STAGES ? colour[stage] : "empty";
    box(class, 4 + 50 * n, 26, 44, 36);
    text("small middle", 26 + 50 * n, 49, "%d", plane);
  }
  text("small bold", 2, 106, "The ring in shared memory: stage = plane %% 5");
  for (int stage = 0; stage < STAGES; stage++) {
    const int which = (stage + STAGES - FIRST % STAGES) % STAGES;
    box(colour[which], 4 + 70 * stage, 118, 64, 56);
    text("small middle", 36 + 70 * stage, 142, "plane %d", FIRST + which);
    text("small middle", 36 + 70 * stage, 162, "%s", *word[which] ? word[which] : "on its way");
    text("small middle", 36 + 70 * stage, 190, "stage %d", stage);
  }
  text("small", 2, 222, "Results of the middle plane come from three planes.");
  text("small", 2, 239, "Then nobody reads plane 7 any more: plane 12 is");
  text("small", 2, 256, "loaded into its stage. So each plane is loaded once.");
  box("orange", 40, 282, 276, 122);
  box("green", 76, 302, 204, 82);
  text("middle bold", 178, 336, "tile");
  text("middle small", 178, 356, "128 x 8: its results");
  text("middle small", 178, 297, "1 row");
  text("middle small", 178, 399, "1 row");
  text("middle small", 58, 346, "8");
  text("middle small", 298, 346, "8");
  text("small", 2, 430, "The box of a plane: 144 x 10 numbers of one z. What");
  text("small", 2, 447, "lies outside the volume arrives as zeros.");
  picture_end();
}
