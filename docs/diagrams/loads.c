// A bulk load, from the order to the read. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 226, "One thread orders, the engine copies, the barrier tells, all read");
  labelled("blue", 4, 12, 130, 40, "thread 0 orders");
  labelled("orange", 220, 12, 130, 40, "copy engine");
  arrow("blue", 134, 32, 218, 32);
  labelled("box", 220, 90, 130, 40, "tile, 4096 bytes");
  arrow("orange", 285, 52, 285, 88);
  labelled("green", 220, 168, 130, 40, "barrier");
  arrow("orange", 285, 130, 285, 166);
  text("small end", 278, 152, "bytes are counted");
  labelled("blue", 4, 168, 130, 40, "all threads wait");
  arrow("green", 218, 188, 136, 188);
  arrow("blue", 69, 168, 218, 112);
  text("small", 4, 112, "the phase is complete:");
  text("small", 4, 128, "read");
  picture_end();
}
