// A running block cancels one that has not started, and does its tile. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 236, "A running block takes the tile of a block that has not started");
  text("small bold", 2, 16, "the grid: one block for each tile");
  for (int block = 0; block < 8; block++)
    labelled(block < 3 ? "green" : block == 3 ? "orange" : "empty", 2 + 45 * block, 28, 37, 34, "%d", block);
  text("small middle", 64, 82, "running");
  text("small middle", 156, 82, "cancelled");
  text("small middle", 268, 82, "not started");
  text("small bold", 2, 122, "block 0");
  labelled("green", 60, 104, 92, 30, "tile 0");
  labelled("orange", 206, 104, 92, 30, "tile 3");
  labelled("empty", 318, 104, 36, 30, "..");
  arrow("", 154, 119, 204, 119);
  arrow("", 300, 119, 316, 119);
  arrow("blue", 76, 136, 76, 166);
  arrow("blue", 222, 166, 222, 136);
  box("blue", 60, 168, 180, 32);
  text("code middle", 150, 188, "try_cancel, answer: 3");
  text("small", 2, 222, "It asks while it works. The answer is 16 bytes.");
  picture_end();
}
