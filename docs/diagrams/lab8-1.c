// lab8, step 1: a barrier counts the arrivals that are to come. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  static const struct {
    const char *event;
    int to_come;
    const char *then;
  } moments[] = {{"init_barrier(&filled, 4)", 4, ""},
                 {"thread 2 arrives", 3, "thread 2 waits"},
                 {"thread 0 arrives", 2, "threads 2 and 0 wait"},
                 {"thread 3 arrives", 1, "threads 2, 0 and 3 wait"},
                 {"thread 1 arrives", 0, "all go on"}};
  picture_begin(NARROW, 252, "A barrier for four threads counts down to zero");
  text("small bold", 196, 18, "arrivals to come");
  for (int i = 0; i < 5; i++) {
    const double y = 28 + 45 * i;
    text("small", 2, y + (i ? 14 : 22), "%s", moments[i].event);
    text(moments[i].to_come ? "small" : "small bold", 2, y + 31, "%s", moments[i].then);
    for (int k = 0; k < 4; k++)
      box(k < moments[i].to_come ? "blue" : "empty", 196 + 33 * k, y + 3, 27, 29);
    text("middle bold", 342, y + 23, "%d", moments[i].to_come);
  }
  picture_end();
}
