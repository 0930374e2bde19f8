// A phase's life: pending arrivals and bytes over time. In: nothing. Out: SVG.
#include "diagram.h"

struct moment {
  const char *event;
  int arrivals, kibibytes, phase;
};

int main(void) {
  static const struct moment moments[] = {
      {"init_barrier(1)", 1, 0, 0}, {"expect_bytes", 1, 4, 0}, {"arrive", 0, 4, 0},
      {"2 KiB land", 0, 2, 0},      {"2 KiB land", 1, 0, 1},   {"(next round)", 1, 0, 1},
  };
  picture_begin(760, 300, "The counts of a barrier during a phase");
  text("bold", 10, 70, "event");
  text("bold", 10, 120, "arrivals owed");
  text("bold", 10, 165, "KiB owed");
  text("bold", 10, 215, "phase");
  for (int i = 0; i < 6; i++) {
    const struct moment *m = &moments[i];
    const double x = 145 + 100 * i;
    text("small middle", x + 45, 70, "%s", m->event);
    box(m->arrivals ? "blue" : "green", x + 22, 98, 46, 32);
    text("bold middle", x + 45, 120, "%d", m->arrivals);
    box(m->kibibytes ? "orange" : "green", x + 22, 143, 46, 32);
    text("bold middle", x + 45, 165, "%d", m->kibibytes);
    text("middle", x + 45, 215, "%d", m->phase);
  }
  arrow("", 140, 40, 745, 40);
  text("small", 140, 30, "time");
  line("greenline", 540, 85, 540, 235);
  text("small middle", 540, 255, "both are 0: phase 0 is complete,");
  text("small middle", 540, 272, "arrivals start afresh, phase 1 begins by itself");
  text("small", 140, 255, "wait(bar, 0) returns after the green line;");
  text("small", 140, 272, "wait(bar, 1) returned from the start");
  picture_end();
}
