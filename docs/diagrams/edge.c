// A box over the corners of a matrix: what a load brings, what a store writes. In: nothing. Out: SVG.
#include "diagram.h"

static void cells(double x, double y, int columns, int rows, const char *class) {
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      box(class, x + 28 * column, y + 28 * row, 28, 28);
}

int main(void) {
  picture_begin(780, 395, "A box that hangs over the edge of a matrix, loaded and stored");
  text("bold", 40, 25, "Load at (-2, -1): zeros outside, all bytes count");
  cells(110, 80, 8, 6, "box");
  cells(54, 52, 4, 4, "empty");
  cells(110, 80, 2, 3, "blue");
  for (int row = 0; row < 4; row++)
    for (int column = 0; column < 4; column++)
      if (row == 0 || column < 2) text("small middle", 68 + 28 * column, 71 + 28 * row, "0");
  text("small", 110, 270, "matrix, 8 x 6");
  arrow("blue", 150, 300, 150, 335);
  text("code", 40, 355, "the box in shared memory: 4 x 4,");
  text("code", 40, 375, "16 elements announced, 6 of them data");
  text("bold", 420, 25, "Store at (6, 4): nothing outside");
  cells(440, 80, 8, 6, "box");
  cells(608, 192, 4, 4, "empty");
  cells(608, 192, 2, 2, "orange");
  text("small", 440, 325, "only the 2 x 2 elements inside are written (on");
  text("small", 440, 342, "an H100 up to the next 16 bytes of a row)");
  text("small", 440, 367, "A negative coordinate: legal for loads, not for stores");
  picture_end();
}
