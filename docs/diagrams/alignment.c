// At which addresses of 1024 bytes each thing may begin. In: nothing. Out: SVG; the marks are computed.
#include "diagram.h"

int main(void) {
  static const struct {
    const char *what;
    int every;
  } rows[] = {{"bulk copy", 16},       {"tensor map", 64},      {"tile of a box", 128},
              {"SWIZZLE_32B", 256},    {"SWIZZLE_64B", 512},    {"SWIZZLE_128B", 1024}};
  const double left = 138, scale = 208 / 1024.0;
  picture_begin(NARROW, 246, "Where in 1024 bytes a copy, a map, a tile and a swizzled tile may begin");
  text("small bold", 2, 16, "may begin at");
  text("small middle", left, 16, "0");
  text("small middle", left + 512 * scale, 16, "512");
  text("small end", 354, 16, "1024");
  for (int i = 0; i < 6; i++) {
    const double y = 26 + 36 * i;
    text("small", 2, y + 16, "%s", rows[i].what);
    text("small end", 126, y + 16, "%d", rows[i].every);
    line("line", left, y + 24, left + 208, y + 24);
    for (int at = 0; at <= 1024; at += rows[i].every)
      line(i < 3 ? "blueline" : "orangeline", left + at * scale, y + 4, left + at * scale, y + 23);
  }
  picture_end();
}
