// Where the 16-byte atoms of eight 128-byte rows lie under SWIZZLE_128B. In: nothing. Out: SVG; the numbers
// are computed.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 604, "Sixteen-byte atoms of eight rows, plain and with 128-byte swizzle");
  for (int picture = 0; picture < 2; picture++) {
    const double x0 = 28, y0 = 46 + 286 * picture;
    text("small bold", 2, y0 - 30, picture ? "SWIZZLE_128B" : "no swizzle");
    text("small", x0, y0 - 10, "place in the row (16 bytes each)");
    for (int row = 0; row < 8; row++) {
      text("small end", x0 - 8, y0 + 18 + 26 * row, "%d", row);
      for (int place = 0; place < 8; place++) {
        const int atom = picture ? place ^ row : place;
        box(atom == 2 ? "orange" : "box", x0 + 40 * place, y0 + 26 * row, 37, 23);
        text("small middle", x0 + 40 * place + 18.5, y0 + 16 + 26 * row, "%d", atom);
      }
    }
    const char *banks = picture ? "all banks, once each" : "the same four banks";
    text("small", 2, y0 + 228, "Atom 2 of every row: %s.", banks);
  }
  text("code", 2, 582, "place = atom ^ (row %% 8)");
  text("code", 2, 599, "that is, address bits [6:4] ^= [9:7]");
  picture_end();
}
