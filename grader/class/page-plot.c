// Bandwidth as plots, in SVG: a mark per student, stacked where ratios are alike. A mark never stands on the
// wrong side of the target. What a GPU has measured and what the time model predicts are never in one plot.
#include "class/html.h"
#include "class/page-parts.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 680, HEIGHT = 106, FOOT = 24, LEFT = 10, BINS = 66 };
static const double LONGEST = 1.30, BIN = 0.02; // ratios above LONGEST stand at the right end

enum source { MEASURED, PREDICTED };

// Bins begin at the target, so that none holds ratios from both sides of it.
static int bin_of(double ratio, double target) {
  int zero = (int)ceil(target / BIN), bin = zero + (int)floor((ratio - target) / BIN);
  if (ratio >= target && bin < zero) bin = zero;
  if (ratio < target && bin >= zero) bin = zero - 1;
  return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

static double place(int bin) {
  return LEFT + (WIDTH - 2 * LEFT) * bin / (double)BINS;
}

// The stage that has such a ratio; NULL: there is none.
static const struct stage_record *timed(const struct class *class, size_t student, const char *exercise,
                                        enum source source, double *ratio) {
  const struct exercise_record *record = page_exercise(&class->outcomes[student], exercise);
  const struct stage_record *stage = record ? &record->stages[STAGE_BANDWIDTH] : NULL;
  if (!stage || !(source == MEASURED ? stage->has_ratio : stage->has_predicted)) return NULL;
  *ratio = source == MEASURED ? stage->ratio : stage->predicted_ratio;
  return stage;
}

static void axis(FILE *out, double target) {
  for (double ratio = 0; ratio <= LONGEST; ratio += 0.25)
    fprintf(out, "<text x=\"%.1f\" y=\"%d\">%.2f</text>", place(bin_of(ratio, target)), HEIGHT - 5, ratio);
  double at = place((int)ceil(target / BIN));
  fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>", at, at, HEIGHT - FOOT);
}

static void marks(FILE *out, const struct class *class, const struct exercise_config *config,
                  enum source source, double step) {
  size_t stacked[BINS] = {0};
  for (size_t i = 0; i < class->roster.count; i++) {
    double ratio;
    char names[STUDENT_NAMES];
    if (!timed(class, i, config->name, source, &ratio)) continue;
    int bin = bin_of(ratio, config->bandwidth);
    fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"%.2f\"><title>",
            ratio >= config->bandwidth ? "reached" : "below", place(bin) + 1,
            HEIGHT - FOOT - step * (double)++stacked[bin], step * 0.85);
    html_text(out, roster_names(&class->roster.students[i], names));
    fprintf(out, ": %.3f</title></rect>", ratio);
  }
}

// The picture of the one that is furthest below its target, if there is any.
static void slowest(FILE *out, const struct class *class, const struct exercise_config *config) {
  size_t found = 0;
  double ratio, lowest = config->bandwidth;
  const struct stage_record *shown = NULL;
  for (size_t i = 0; i < class->roster.count; i++) {
    const struct stage_record *stage = timed(class, i, config->name, PREDICTED, &ratio);
    if (!stage || !stage->picture || !(ratio < lowest)) continue;
    shown = stage;
    lowest = ratio;
    found = i;
  }
  if (!shown) return;
  fputs("<details class=\"cause\"><summary><span class=\"who\"></span>The timeline of the slowest"
        "</summary><div class=\"verdict\"><p>",
        out);
  page_link(out, &class->roster.students[found]);
  fprintf(out, ", predicted: %.2f</p>\n", lowest);
  html_picture(out, shown->picture);
  fputs("</div></details>\n", out);
}

// Draws nothing where nobody has such a ratio. Returns whether somebody has.
static bool plot(FILE *out, const struct class *class, const struct exercise_config *config,
                 enum source source) {
  size_t stacked[BINS] = {0}, most = 0, count = 0, reached = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    double ratio;
    if (!timed(class, i, config->name, source, &ratio)) continue;
    size_t now = ++stacked[bin_of(ratio, config->bandwidth)];
    if (now > most) most = now;
    reached += ratio >= config->bandwidth;
    count++;
  }
  if (count == 0) return false;
  const char *how = source == MEASURED ? "measured" : "predicted";
  fprintf(out, "<h3>%s, %s</h3>\n<p>%zu of %zu reach the target, %.2f.</p>\n", config->name, how, reached,
          count, config->bandwidth);
  fprintf(out,
          "<svg class=\"plot %s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%zu ratios of %s, %s\">",
          how, WIDTH, HEIGHT, count, config->name, how);
  axis(out, config->bandwidth);
  marks(out, class, config, source, fmin(8, (HEIGHT - FOOT - 2) / (double)most));
  fputs("</svg>\n", out);
  return true;
}

static bool plots(FILE *out, const struct class *class, enum source source) {
  bool any = false;
  for (unsigned i = 0; i < class->grading->config.exercise_count; i++) {
    const struct exercise_config *config = &class->grading->config.exercises[i];
    bool drawn = plot(out, class, config, source);
    if (drawn && source == PREDICTED) slowest(out, class, config);
    any |= drawn;
  }
  return any;
}

void page_plots(FILE *out, const struct class *class) {
  bool gpu = false;
  for (size_t i = 0; i < class->roster.count; i++)
    gpu |= class->outcomes[i].known && class->outcomes[i].lab.gpu;
  fputs("<h2>Bandwidth, against the yardstick on the same machine</h2>\n", out);
  if (!gpu) fputs("<p>Not measured: there was no Hopper GPU.</p>\n", out);
  bool measured = plots(out, class, MEASURED);
  if (gpu && !measured) fputs("<p>Nobody has come so far.</p>\n", out);
  char *text = NULL;
  size_t size;
  FILE *predicted = open_memstream(&text, &size);
  bool any = predicted && plots(predicted, class, PREDICTED);
  if (predicted && fclose(predicted) == 0 && any) {
    fputs("<h2>Bandwidth as the time model predicts it, for an H100</h2>\n<p>A prediction is no measurement: "
          "it stands where nothing could be measured.</p>\n",
          out);
    fputs(text, out);
  }
  free(text);
}
