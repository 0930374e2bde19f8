// A box over the corners of a matrix: what a load brings, what a store writes. In: nothing. Out: SVG.
#include "diagram.h"

enum { CELL = 24 };

static void cells(double x, double y, int columns, int rows, const char *class) {
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      box(class, x + CELL * column, y + CELL * row, CELL, CELL);
}

int main(void) {
  picture_begin(NARROW, 552, "A box that hangs over the edge of a matrix, loaded and stored");
  text("small bold", 2, 18, "Load at (-2, -1)");
  cells(66, 60, 8, 6, "box");
  cells(18, 36, 4, 4, "empty");
  cells(66, 60, 2, 3, "blue");
  for (int row = 0; row < 4; row++)
    for (int column = 0; column < 4; column++)
      if (row == 0 || column < 2) text("small middle", 30 + CELL * column, 52 + CELL * row, "0");
  text("small end", 256, 222, "matrix, 8 x 6");
  text("small", 2, 248, "The box in shared memory: 4 x 4. 16 elements");
  text("small", 2, 265, "are announced, 6 of them are data.");
  text("small bold", 2, 304, "Store at (6, 4)");
  cells(66, 318, 8, 6, "box");
  cells(210, 414, 4, 4, "empty");
  cells(210, 414, 2, 2, "orange");
  text("small", 2, 532, "Only what lies inside is written.");
  picture_end();
}
