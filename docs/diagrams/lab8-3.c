// lab8, step 3: a phase is complete when both counts are zero. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  static const struct {
    const char *event, *more;
    int arrivals, bytes;
  } moments[] = {{"init_barrier", "(&loaded, 1)", 1, 0},
                 {"expect_bytes_and_arrive", "(&loaded, 512)", 0, 512},
                 {"256 bytes land", "", 0, 256},
                 {"256 bytes land", "the phase is complete", 0, 0}};
  picture_begin(NARROW, 214, "A barrier counts arrivals and bytes");
  text("small middle bold", 242, 14, "arrivals");
  text("small middle bold", 318, 14, "bytes");
  text("small middle", 242, 29, "to come");
  text("small middle", 318, 29, "to come");
  for (int i = 0; i < 4; i++) {
    const double y = 38 + 44 * i;
    text(i < 2 ? "code" : "small", 2, y + (*moments[i].more ? 15 : 22), "%s", moments[i].event);
    text(i < 2 ? "code" : "small bold", 2, y + 31, "%s", moments[i].more);
    box(moments[i].arrivals ? "blue" : "green", 210, y + 2, 64, 32);
    text("middle bold", 242, y + 23, "%d", moments[i].arrivals);
    box(moments[i].bytes ? "orange" : "green", 286, y + 2, 64, 32);
    text("middle bold", 318, y + 23, "%d", moments[i].bytes);
  }
  picture_end();
}
