// The two roads to shared memory. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(720, 330,
                "Two roads to shared memory: "
                "the generic proxy of threads, the async proxy of the copy engine");
  box("blue", 20, 30, 190, 70);
  text("bold middle", 115, 60, "threads");
  text("small middle", 115, 82, "ld, st, atomics");
  box("orange", 510, 30, 190, 70);
  text("bold middle", 605, 60, "copy engine (TMA)");
  text("small middle", 605, 82, "cp.async.bulk ..");
  box("box", 20, 210, 680, 80);
  text("bold middle", 360, 240, "shared memory of the block");
  text("code middle", 360, 265, "tile[0] tile[1] tile[2] ..");
  arrow("blue", 115, 100, 115, 208);
  text("small", 125, 150, "generic proxy");
  arrow("orange", 605, 100, 605, 208);
  text("small end", 595, 150, "async proxy");
  arrow("blue", 225, 55, 495, 55);
  text("code middle", 360, 45, "async_proxy_fence()");
  text("small middle", 360, 72, "\"what I wrote, you may read\"");
  arrow("orange", 495, 100, 225, 100);
  text("small middle", 360, 118, "the other way: seeing the phase complete is enough");
  text("small middle", 360, 315,
       "Both roads lead to the same bytes. A write through one proxy is not yet visible through the other.");
  picture_end();
}
