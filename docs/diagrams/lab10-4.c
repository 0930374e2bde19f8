// lab10, exercise 4: who loads what in a cluster, and who is told that a stage is empty. In: nothing. Out:
// SVG.
#include "diagram.h"

static void draw_tile(double x, double y, const char *class) {
  box(class, x, y, 70, 26);
  text("small middle", x + 35, y + 18, "slice 0");
  box(class, x, y + 26, 70, 26);
  text("small middle", x + 35, y + 44, "slice 1");
}

int main(void) {
  picture_begin(NARROW, 440, "Each block of a cluster loads one slice of a tile for both");
  text("small bold", 2, 16, "Loading");
  draw_tile(143, 26, "box");
  text("small middle", 178, 18, "a tile in global memory");
  for (int block = 0; block < 2; block++) {
    const double x = 4 + 178 * block, from = block ? 213 : 143, side = block ? 1 : -1;
    box("empty", x, 122, 170, 118);
    text("small bold", x + 8, 140, "block %d", block);
    draw_tile(x + 10, 152, "blue");
    labelled("green", x + 92, 152, 70, 52, "weights");
    text("small", x + 8, 228, "loads slice %d for both", block);
    arrow("orange", from, 39, from + 63 * side, 120);
    arrow("orange", from, 64, from + 33 * side, 120);
  }
  text("small bold", 2, 272, "Giving back");
  for (int block = 0; block < 2; block++) {
    const double x = 4 + 178 * block;
    box("empty", x, 284, 170, 116);
    text("small bold", x + 8, 302, "block %d", block);
    labelled("blue", x + 30, 310, 110, 26, "8 warps");
    labelled("green", x + 30, 366, 110, 26, "empty: 16");
    arrow("orange", x + 70, 336, x + 70, 364);
  }
  arrow("orange", 124, 336, 232, 364);
  arrow("orange", 232, 336, 124, 364);
  text("small", 2, 420, "Each warp arrives at both barriers: both blocks load into");
  text("small", 2, 437, "what it has read.");
  picture_end();
}
