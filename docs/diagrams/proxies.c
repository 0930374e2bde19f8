// The two roads to shared memory. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 330,
                "Two roads to shared memory: "
                "the generic proxy of threads, the async proxy of the copy engine");
  labelled("blue", 4, 10, 130, 44, "threads: ld, st");
  labelled("orange", 222, 10, 130, 44, "copy engine");
  labelled("box", 4, 170, 348, 44, "shared memory: tile[0] tile[1] tile[2] ..");
  arrow("blue", 60, 54, 60, 168);
  text("small", 68, 152, "generic proxy");
  arrow("orange", 296, 54, 296, 168);
  text("small end", 288, 152, "async proxy");
  arrow("blue", 134, 24, 220, 24);
  arrow("orange", 222, 42, 136, 42);
  text("code middle", 178, 84, "async_proxy_fence()");
  text("small middle", 178, 102, "what I wrote, you may read");
  text("small", 4, 244, "To the right: a fence, by whoever wrote.");
  text("small", 4, 262, "To the left: nothing but a wait for the phase.");
  text("small", 4, 288, "Both roads lead to the same bytes. A write through");
  text("small", 4, 304, "one proxy is not yet visible through the other.");
  picture_end();
}
