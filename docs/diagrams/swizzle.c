// Where the 16-byte atoms of eight 128-byte rows lie under SWIZZLE_128B. In: nothing. Out: SVG; the numbers
// are computed.
#include "diagram.h"

int main(void) {
  picture_begin(760, 400, "Sixteen-byte atoms of eight rows, plain and with 128-byte swizzle");
  for (int picture = 0; picture < 2; picture++) {
    const double x0 = 45 + 370 * picture, y0 = 70;
    text("bold", x0, 25, picture ? "SWIZZLE_128B" : "no swizzle");
    text("small", x0, 45, "place in the row (16 bytes each)");
    for (int row = 0; row < 8; row++) {
      text("small end", x0 - 8, y0 + 22 + 34 * row, "%d", row);
      for (int place = 0; place < 8; place++) {
        const int atom = picture ? place ^ row : place;
        box(atom == 2 ? "orange" : "box", x0 + 39 * place, y0 + 34 * row, 36, 30);
        text("middle", x0 + 39 * place + 18, y0 + 34 * row + 20, "%d", atom);
      }
    }
  }
  text("small", 45, 365, "Atom 2 of every row: the same four banks eight times.");
  text("small", 415, 365, "Atom 2 of every row: all banks, once each.");
  text("code", 45, 388, "place = atom ^ (row %% 8), that is, address bits [6:4] ^= [9:7]");
  picture_end();
}
