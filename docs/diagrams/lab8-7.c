// lab8, step 7: a store reads first, and writes later. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 184, "Two moments of a store: the tile has been read, the results are written");
  text("small bold", 2, 16, "a store, from its start");
  labelled("orange", 5, 34, 140, 34, "reads the tile");
  labelled("blue", 151, 34, 150, 34, "results on their way");
  line("line", 2, 26, 2, 76);
  line("greenline", 148, 26, 148, 88);
  line("greenline", 304, 26, 304, 138);
  text("middle code", 148, 106, "tma_wait_until_read_pending");
  text("middle small", 148, 123, "the tile may be overwritten");
  text("end code", 354, 156, "tma_wait_until_pending");
  text("end small", 354, 173, "the results may be read");
  picture_end();
}
