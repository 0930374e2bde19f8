// In: what a program printed. Out: a picture of it, as SVG. The idea: a terminal is dark in light pages, too;
// verdicts get the colours that they have on a terminal.
#include <stdio.h>
#include <string.h>

enum { MAX_LINES = 80, MAX_COLUMNS = 200, LINE_HEIGHT = 19, MARGIN = 18 };

static const double CHARACTER = 7.83; // width of one of DejaVu Sans Mono at 13 pixels

static void print_escaped(const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '&': fputs("&amp;", stdout); break;
    case '<': fputs("&lt;", stdout); break;
    case '>': fputs("&gt;", stdout); break;
    case ' ': fputs("&#160;", stdout); break; // blanks count
    default: putchar(*text);
    }
  }
}

static const char *class_of(const char *line) {
  if (strstr(line, "falls short")) return "bad";
  if (strncmp(line, "$ ", 2) == 0) return "bold";
  if (strstr(line, " breaks the rule ") == line + strcspn(line, " ")) return "bold";
  if (strncmp(line, "Edit ", 5) == 0 || strncmp(line, "Then ", 5) == 0) return "next";
  return "plain";
}

int main(void) {
  static char lines[MAX_LINES][MAX_COLUMNS];
  int count = 0;
  size_t widest = 0;
  while (count < MAX_LINES && fgets(lines[count], MAX_COLUMNS, stdin)) {
    lines[count][strcspn(lines[count], "\n")] = '\0';
    if (strlen(lines[count]) > widest) widest = strlen(lines[count]);
    count++;
  }
  const int width = (int)(2 * MARGIN + CHARACTER * (double)widest), height = 2 * MARGIN + LINE_HEIGHT * count;
  printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
         "role=\"img\">\n", width,
         height, width, height);
  puts("<title>What the grader says on a terminal</title>\n<style>\n"
       "text{font:13px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#dfe3e7}"
       ".bold{font-weight:bold;fill:#fff}\n"
       ".bad{fill:#ff9d8a}.next{fill:#9be2a8}rect{fill:#1b1f24;stroke:#4a525a}\n"
       "@media (prefers-color-scheme:dark){rect{fill:#0c0e10}}\n</style>");
  printf("<rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n", width - 2, height - 2);
  for (int i = 0; i < count; i++) {
    if (!lines[i][0]) continue;
    const size_t indent = strspn(lines[i], " "); // blanks at the start don't survive everywhere
    printf("<text class=\"%s\" x=\"%.1f\" y=\"%d\">", class_of(lines[i]), MARGIN + CHARACTER * (double)indent,
           MARGIN + LINE_HEIGHT * i + 14);
    print_escaped(lines[i] + indent);
    puts("</text>");
  }
  puts("</svg>");
  return 0;
}
