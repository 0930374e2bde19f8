// lab8, step 4: who does what while a load is on its way. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 178, "One thread starts the load, all threads wait for it");
  text("small bold", 2, 39, "thread 0");
  text("small bold", 2, 81, "other threads");
  text("small bold", 2, 123, "copy engine");
  labelled("blue", 108, 18, 46, 32, "start");
  labelled("empty", 158, 18, 104, 32, "wait");
  labelled("empty", 108, 60, 154, 32, "wait");
  labelled("orange", 158, 102, 104, 32, "512 bytes");
  box("green", 268, 18, 86, 74);
  text("small middle", 311, 51, "all read");
  text("small middle", 311, 67, "the tile");
  arrow("", 142, 52, 161, 101);
  line("greenline", 265, 8, 265, 146);
  text("small middle", 232, 166, "the phase of `loaded` is complete");
  picture_end();
}
