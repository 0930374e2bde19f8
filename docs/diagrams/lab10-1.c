// lab10, exercise 1: the sums of several shares, added beside the memory. In: nothing. Out: SVG.
#include "diagram.h"

enum { TILES = 3, LEFT = 2, WIDTH = 108, STEP = 122 };

int main(void) {
  picture_begin(NARROW, 318,
                "Blocks add up their shares, and the copy engine adds their sums to those in memory");
  text("small bold", LEFT, 14, "three shares, one above the other in the matrix");
  for (int tile = 0; tile < TILES; tile++) {
    const int x = LEFT + tile * STEP, middle = x + WIDTH / 2;
    labelled("blue", x, 24, WIDTH, 56, "share of block %d", tile);
    arrow("blue", middle, 82, middle, 112);
    labelled("green", x, 114, WIDTH, 28, "`part`: its sums");
    arrow("orange", middle, 144, 176 + (tile - 1) * 30, 206);
  }
  text("small", 284, 174, "the engine");
  text("small", 284, 191, "adds them");
  labelled("orange", 86, 208, 180, 32, "`sums`: zeros at first");
  text("small bold", 276, 228, "memory");
  text("small", LEFT, 268, "Each addition of a number is atomic against all");
  text("small", LEFT, 285, "other reductions. It is not atomic against a");
  text("small", LEFT, 302, "thread's `atomicAdd`.");
  picture_end();
}
