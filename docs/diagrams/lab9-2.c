// lab9, exercise 2: the box that is loaded and the box that is stored. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 376, "The box for loads is larger than the tile");
  text("middle small", 54, 18, "x - 8");
  text("middle small", 94, 18, "x");
  text("middle small", 326, 18, "x + 247");
  text("middle small", 286, 246, "x + 239");
  text("end small", 48, 38, "y - 1");
  text("end small", 48, 62, "y");
  text("end small", 48, 206, "y + 19");
  text("end small", 48, 230, "y + 20");
  box("orange", 54, 26, 272, 204);
  box("green", 94, 52, 192, 152);
  text("middle bold", 190, 116, "tile");
  text("middle small", 190, 136, "240 x 20:");
  text("middle small", 190, 152, "the box that is stored");
  text("middle small", 190, 43, "the row above");
  text("middle small", 190, 221, "the row below");
  text("middle small", 74, 132, "8");
  text("middle small", 306, 132, "8");
  text("small bold", 2, 274, "256 x 22: the box that is loaded.");
  text("small", 2, 292, "What of it lies outside the matrix arrives as");
  text("small", 2, 309, "zeros. Its corner is (tile_x - 8, tile_y - 1),");
  text("small", 2, 326, "which may be negative.");
  text("small", 2, 350, "What of a stored box lies outside is left out.");
  picture_end();
}
