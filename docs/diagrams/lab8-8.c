// lab8, step 8: a matrix, and a box of it. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 308, "A tensor map says what the matrix and its boxes look like");
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 3; column++)
      box(row == 1 && column == 1 ? "blue" : "box", 50 + 92 * column, 28 + 46 * row, 92, 46);
  text("middle bold", 188, 102, "box");
  text("middle small", 142, 18, "x = 32");
  text("end small", 44, 78, "y = 8");
  text("small bold", 2, 194, "The map, made once on the host:");
  text("small", 2, 212, "type, address, width, height, bytes from one");
  text("small", 2, 229, "row to the next, and the box: 32 x 8 numbers.");
  text("small bold", 2, 260, "A load, in the kernel:");
  text("small", 2, 278, "\"the box whose corner is (32, 8)\"");
  picture_end();
}
