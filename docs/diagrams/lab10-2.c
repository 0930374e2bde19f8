// lab10, exercise 2: what eight lanes read and write. In: nothing. Out: SVG; the places are computed.
#include "diagram.h"

enum { LANES = 8, ATOM = 2 }; // lanes shown; the atom that their warp takes

int main(void) {
  picture_begin(NARROW, 560, "Eight lanes read an atom of eight rows each, and write a part of four rows");
  text("small bold", 2, 16, "half a tile: a row has 8 atoms of 16 bytes");
  text("small", 28, 36, "banks 0-3, 4-7, 8-11, .. 28-31");
  for (int row = 0; row < LANES; row++) {
    text("small end", 20, 62 + 26 * row, "%d", row);
    for (int place = 0; place < 8; place++) {
      const int atom = place ^ row % 8;
      box(atom == ATOM ? "orange" : "box", 28 + 40 * place, 44 + 26 * row, 37, 23);
      text("small middle", 46.5 + 40 * place, 60 + 26 * row, atom == ATOM ? "L%d" : "%d",
           atom == ATOM ? row : atom);
    }
  }
  text("small", 2, 270, "Lane y reads atom 2 of row y: 16 bytes. The eight");
  text("small", 2, 287, "atoms lie in eight different places: all banks,");
  text("small", 2, 304, "once each. Without swizzle: one place, eight");
  text("small", 2, 321, "times the cycles.");
  text("small bold", 2, 354, "turned: its transpose, not swizzled");
  for (int word = 0; word < 4; word++) {
    text("small end", 20, 378 + 26 * word, "%d", 4 * ATOM + word);
    for (int lane = 0; lane < LANES; lane++) {
      box("green", 28 + 40 * lane, 360 + 26 * word, 37, 23);
      text("small middle", 46.5 + 40 * lane, 376 + 26 * word, "L%d", lane);
    }
  }
  text("small", 2, 486, "Lane y writes its four numbers to column y of four");
  text("small", 2, 503, "rows, one row after the other. At each write the");
  text("small", 2, 520, "32 lanes of the warp fill half a row: all banks,");
  text("small", 2, 537, "once each.");
  picture_end();
}
