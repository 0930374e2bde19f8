// board.html: the class's results without names, to be shown to everybody. In: the class. Out: per exercise
// how many have begun and how many pass, and the best ratio. The idea: nothing that tells one student from
// another is on the page, neither names nor an order.
#include "class/class.h"
#include "class/html.h"
#include "class/page-parts.h"

static void line(FILE *out, const struct class *class, const char *name) {
  size_t begun = 0, passed = 0, count = class->roster.count;
  double best = 0;
  for (size_t i = 0; i < count; i++) {
    const struct exercise_record *exercise = page_exercise(&class->outcomes[i], name);
    if (!exercise) continue;
    const struct stage_record *bandwidth = &exercise->stages[STAGE_BANDWIDTH];
    begun += page_stop(&class->outcomes[i], name) > STOP_NOT_STARTED;
    passed += exercise->verdict == VERDICT_PASS;
    if (exercise->verdict == VERDICT_PASS && bandwidth->has_ratio && bandwidth->ratio > best)
      best = bandwidth->ratio;
  }
  fprintf(out,
          "<tr><td>%s</td><td>%zu</td><td>%zu of %zu<span class=\"meter\"><span style=\"width:%zu%%\">"
          "</span></span></td><td>",
          name, begun, passed, count, count ? 100 * passed / count : 0);
  if (best > 0)
    fprintf(out, "%.3f", best);
  else
    fputs("&ndash;", out);
  fputs("</td></tr>\n", out);
}

static int write_board(FILE *out, const void *what) {
  const struct class *class = what;
  const struct lab_config *config = &class->grading->config;
  html_begin(out, config->title);
  fputs(
      "<meta http-equiv=\"refresh\" content=\"30\">\n<table><tr><th>exercise<th>begun<th>pass<th>best ratio "
      "to the yardstick</tr>\n",
      out);
  for (unsigned i = 0; i < config->exercise_count; i++)
    line(out, class, config->exercises[i].name);
  fputs("</table>\n", out);
  html_end(out);
  return ferror(out) ? -1 : 0;
}

int board_save(const struct class *class, char *error, size_t size) {
  char path[PATH_MAX];
  class_path(class, path, "", "board", ".html");
  return class_write(path, false, write_board, class, error, size);
}
