// The way of a program through vhopper. In: nothing. Out: SVG.
#include "diagram.h"

int main(void) {
  picture_begin(NARROW, 262, "A program is compiled as always, and vhopper runs its PTX on the CPU");
  labelled("box", 2, 8, 110, 34, "my.cu");
  labelled("box", 180, 8, 174, 34, "./my, with PTX in it");
  arrow("", 114, 25, 178, 25);
  text("small middle", 144, 60, "nvcc -cudart shared");
  arrow("blue", 267, 44, 267, 96);
  box("blue", 2, 98, 352, 60);
  text("code middle", 178, 122, "vhopper run -- ./my");
  text("small middle", 178, 145, "the virtual Hopper: no GPU, no driver");
  static const struct {
    const char *first, *second;
  } out[] = {{"report", "on stderr"}, {"exit status", "0, 66, 69"}, {"files", "SARIF, JUnit"}};
  for (int i = 0; i < 3; i++) {
    const double x = 2 + 121 * i;
    arrow("green", x + 55, 160, x + 55, 200);
    box("green", x, 202, 110, 52);
    text("small middle bold", x + 55, 224, "%s", out[i].first);
    text("small middle", x + 55, 243, "%s", out[i].second);
  }
  picture_end();
}
