// A phase's life: pending arrivals and bytes over time. In: nothing. Out: SVG.
#include "diagram.h"

struct moment {
  const char *event;
  int arrivals, bytes, phase;
};

int main(void) {
  static const struct moment moments[] = {
      {"init_barrier(&bar, 1)", 1, 0, 0}, {"expect_bytes(.., 4096)", 1, 4096, 0},
      {"arrive(&bar)", 0, 4096, 0},       {"2048 bytes land", 0, 2048, 0},
      {"2048 bytes land", 1, 0, 1},
  };
  picture_begin(NARROW, 300, "The counts of a barrier during a phase");
  text("small bold middle", 200, 22, "arrivals");
  text("small bold middle", 262, 22, "bytes");
  text("small bold middle", 326, 22, "phase");
  for (int i = 0; i < 5; i++) {
    const struct moment *m = &moments[i];
    const double y = 34 + 40 * i + (i == 4 ? 14 : 0);
    text(i < 3 ? "code" : "small", 2, y + 20, "%s", m->event);
    labelled(m->arrivals ? "blue" : "green", 184, y, 32, 28, "%d", m->arrivals);
    labelled(m->bytes ? "orange" : "green", 236, y, 52, 28, "%d", m->bytes);
    text("middle", 326, y + 19, "%d", m->phase);
  }
  line("greenline", 2, 195, 352, 195);
  text("small", 2, 262, "At the green line both counts reach 0: phase 0");
  text("small", 2, 278, "is complete, and wait(&bar, 0) returns. Arrivals");
  text("small", 2, 294, "start afresh, and phase 1 begins by itself.");
  picture_end();
}
