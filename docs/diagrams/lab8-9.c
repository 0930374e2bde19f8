// lab8, step 9: boxes over the edge of a matrix. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 186, "What lies outside the matrix arrives as zeros");
  box("blue", 10, 30, 168, 96);
  box("empty", 178, 30, 168, 96);
  box("blue", 178, 30, 21, 96);
  text("middle bold", 94, 72, "box 0");
  text("middle small", 94, 92, "all inside");
  text("middle bold", 272, 62, "box 1");
  text("middle small", 272, 82, "four columns inside,");
  text("middle small", 272, 98, "the rest: zeros");
  text("middle small", 10, 20, "0");
  text("middle small", 174, 20, "32");
  text("small", 194, 20, "36: the matrix ends");
  text("small", 10, 154, "Both boxes have 32 columns and 8 rows.");
  text("small", 10, 171, "How many bytes arrive for box 1?");
  picture_end();
}
