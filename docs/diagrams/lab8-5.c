// lab8, step 5: two ways to shared memory. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 218, "What a thread writes becomes visible to the copy engine by a fence");
  text("small bold", 2, 16, "each thread");
  text("small bold", 204, 16, "what it wrote");
  box("blue", 2, 28, 160, 32);
  text("middle code", 82, 48, "tile[me] += 1");
  labelled("blue", 204, 28, 150, 32, "threads may see it");
  arrow("blue", 164, 44, 202, 44);
  box("green", 2, 78, 160, 32);
  text("middle code", 82, 98, "async_proxy_fence()");
  labelled("green", 204, 78, 150, 32, "the engine, too");
  arrow("green", 164, 94, 202, 94);
  box("box", 2, 128, 160, 32);
  text("middle code", 82, 148, "__syncthreads()");
  labelled("orange", 204, 178, 150, 32, "the store reads it");
  arrow("", 279, 112, 279, 176);
  text("small bold", 2, 198, "thread 0:");
  text("small", 70, 198, "a store");
  arrow("", 126, 194, 202, 194);
  arrow("", 82, 62, 82, 76);
  arrow("", 82, 112, 82, 126);
  arrow("", 82, 162, 82, 182);
  picture_end();
}
