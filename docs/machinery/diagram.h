// What every diagram program shares. In: coordinates. Out: SVG on stdout. The idea: colours are classes of a
// style that the picture carries along, with a second set for dark screens, so one file reads well in both.
#ifndef DOCS_DIAGRAM_H
#define DOCS_DIAGRAM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void picture_begin(int width, int height, const char *title) {
  printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
         "role=\"img\">\n",
         width, height, width, height);
  printf("<title>%s</title>\n<style>\n"
         "text{font:14px 'DejaVu Sans',sans-serif;fill:#1c2024}\n"
         ".small{font-size:12px}.bold{font-weight:bold}"
         ".code{font-family:'DejaVu Sans Mono',monospace;font-size:12.5px}\n"
         ".middle{text-anchor:middle}.end{text-anchor:end}\n"
         ".box{fill:#f4f6f8;stroke:#555d66;stroke-width:1.3}\n"
         ".blue{fill:#cfe3fa;stroke:#0b57a4;stroke-width:1.3}"
         ".orange{fill:#fbdfc2;stroke:#a8540b;stroke-width:1.3}\n"
         ".green{fill:#d3ecd6;stroke:#2e7d45;stroke-width:1.3}"
         ".empty{fill:none;stroke:#555d66;stroke-width:1.3;stroke-dasharray:5 4}\n"
         ".line{stroke:#555d66;stroke-width:1.6;fill:none}"
         ".blueline{stroke:#0b57a4;stroke-width:2.2;fill:none}\n"
         ".orangeline{stroke:#a8540b;stroke-width:2.2;fill:none}"
         ".greenline{stroke:#2e7d45;stroke-width:2.2;fill:none}\n"
         ".head{fill:#555d66}.bluehead{fill:#0b57a4}.orangehead{fill:#a8540b}.greenhead{fill:#2e7d45}\n"
         "@media (prefers-color-scheme:dark){text{fill:#e6e9ec}.box{fill:#1e2327;stroke:#a5adb5}\n"
         ".blue{fill:#17395c;stroke:#82b8ff}.orange{fill:#55330f;stroke:#f0a35c}"
         ".green{fill:#1c4427;stroke:#8fd19e}\n"
         ".empty{stroke:#a5adb5}.line{stroke:#a5adb5}.blueline{stroke:#82b8ff}"
         ".orangeline{stroke:#f0a35c}.greenline{stroke:#8fd19e}\n"
         ".head{fill:#a5adb5}.bluehead{fill:#82b8ff}.orangehead{fill:#f0a35c}"
         ".greenhead{fill:#8fd19e}}\n</style>\n",
         title);
}

static void picture_end(void) {
  puts("</svg>");
}

static void box(const char *class, double x, double y, double width, double height) {
  printf("<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"4\"/>\n", class, x, y, width,
         height);
}

// Words between back ticks are set as code.
__attribute__((format(printf, 4, 5)))
static void text(const char *class, double x, double y, const char *format, ...) {
  char words[256];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  printf("<text class=\"%s\" x=\"%g\" y=\"%g\">", class, x, y);
  // Of a text with its middle at x, WeasyPrint puts a part in another font to a wrong place.
  const bool middle = strstr(class, "middle");
  bool code = false;
  for (const char *c = words; *c; c++) {
    if (*c == '<') fputs("&lt;", stdout);
    else if (*c == '&') fputs("&amp;", stdout);
    else if (*c == '`' && middle) continue;
    else if (*c == '`') fputs((code = !code) ? "<tspan class=\"code\">" : "</tspan>", stdout);
    else putchar(*c);
  }
  puts("</text>");
}

// colour: "", "blue", "orange" or "green". The head stands at the end.
static inline void arrow(const char *colour, double x1, double y1, double x2, double y2) {
  double dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
  double root = length;
  for (int i = 0; i < 40; i++)
    root = (root + length / root) / 2;
  dx /= root;
  dy /= root;
  double bx = x2 - 9 * dx, by = y2 - 9 * dy;
  printf("<path class=\"%sline\" d=\"M%g %g L%g %g\"/>\n", colour, x1, y1, bx, by);
  printf("<path class=\"%shead\" d=\"M%g %g L%g %g L%g %g Z\"/>\n", colour, x2, y2, bx - 5 * dy, by + 5 * dx,
         bx + 5 * dy, by - 5 * dx);
}

static inline void line(const char *class, double x1, double y1, double x2, double y2) {
  printf("<path class=\"%s\" d=\"M%g %g L%g %g\"/>\n", class, x1, y1, x2, y2);
}

// A box with words in its middle.
__attribute__((format(printf, 6, 7)))
static inline void labelled(const char *class, double x, double y, double width, double height,
                            const char *format, ...) {
  char words[128];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  box(class, x, y, width, height);
  text("small middle", x + width / 2, y + height / 2 + 4, "%s", words);
}

// Pictures of this width fit a phone without being made smaller.
enum { NARROW = 356 };

#endif
