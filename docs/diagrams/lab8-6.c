// lab8, step 6: a store, its group, and the wait for it. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 234, "Start a store, close its group, wait until the group has read");
  text("small bold", 2, 39, "thread 0");
  text("small bold", 2, 91, "engine");
  labelled("blue", 68, 18, 50, 32, "store");
  labelled("blue", 121, 18, 60, 32, "commit");
  labelled("empty", 184, 18, 76, 32, "wait");
  labelled("box", 266, 18, 88, 32, "may end");
  labelled("orange", 112, 70, 148, 32, "reads the tile");
  labelled("green", 266, 70, 88, 32, "writes");
  arrow("", 93, 52, 113, 71);
  line("greenline", 263, 8, 263, 116);
  text("code middle", 232, 134, "tma_wait_until_read_pending<0>()");
  text("small middle", 263, 151, "returns here");
  text("small", 2, 180, "The group is what has been started since the");
  text("small", 2, 197, "last commit. The thread that committed it can");
  text("small", 2, 214, "wait for it. `<0>`: until 0 groups still read.");
  picture_end();
}
