// lab9, exercise 1: the way of a tile through a block. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 330, "A tile is loaded, changed by all threads, and stored");
  text("small bold", 2, 16, "global memory");
  box("empty", 2, 26, 352, 36);
  labelled("blue", 30, 26, 116, 36, "tile of block 3");
  labelled("green", 218, 26, 116, 36, "its new values");
  text("small bold", 2, 240, "shared memory");
  labelled("blue", 30, 184, 116, 36, "tile");
  labelled("green", 218, 184, 116, 36, "tile");
  arrow("blue", 88, 64, 88, 182);
  text("small", 98, 92, "load: thread 0");
  text("small", 98, 109, "starts it, the copy");
  text("small", 98, 126, "engine moves it");
  arrow("green", 276, 182, 276, 64);
  text("small end", 268, 150, "store: thread 0");
  text("small end", 268, 167, "starts it");
  arrow("", 148, 202, 216, 202);
  text("middle small", 236, 240, "every thread: += 1");
  labelled("orange", 30, 258, 116, 30, "loaded");
  text("small", 156, 270, "the load reports here;");
  text("small", 156, 286, "all threads wait for it");
  text("small", 2, 318, "The store reports to a group of thread 0.");
  picture_end();
}
