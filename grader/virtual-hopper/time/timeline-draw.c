// In: a timeline. Out: SVG. One idea: colour says the same thing in every lane (blue: a load, green: threads
// read or work, orange: a store, dashed: empty), and each span says in words what it is where it is wide
// enough. Colours are classes with a second set for dark screens.
#include "virtual-hopper/time/timeline.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 960,
  LEFT = 236,
  RIGHT = 20,
  TOP = 62,
  LANE = 24,
  GAP = 5,
  SECTION = 26,
  CHART = 84,
  FOOT = 42
};
enum { LETTER = 7, COLUMN = 310, LEAST_WIDTH = 1 };

static const struct {
  const char *word, *paint;
} states[TIMELINE_STATES] = {
#define STATE(name, of_stage, words, word, paint) {word, paint},
#include "virtual-hopper/time/timeline.def"
#undef STATE
};

struct drawing {
  const struct timeline *t;
  FILE *out;
  double scale; // points for a nanosecond
};

static const char style[] =
    "text{font:13px 'DejaVu Sans',sans-serif;fill:#1c2024}.bold{font-weight:bold}.end{text-anchor:end}"
    ".middle{text-anchor:middle}.small{font-size:11.5px}"
    ".lane{font-size:12px;text-anchor:end}\n"
    ".load{fill:#cfe3fa;stroke:#0b57a4}.full{fill:#8fbdf0;stroke:#0b57a4}.read{fill:#d3ecd6;stroke:#2e7d45}"
    ".store{fill:#fbdfc2;stroke:#a8540b}.empty{fill:none;stroke:#777f88;stroke-dasharray:3 3}"
    ".meet{fill:#e3e6ea;stroke:#777f88}\n"
    ".area{fill:#cfe3fa;stroke:#0b57a4;stroke-width:1.2}.wanted{stroke:#b3261e;stroke-width:1.6;"
    "stroke-dasharray:7 4;fill:none}.axis{stroke:#777f88;fill:none}.red{fill:#b3261e}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6e9ec}.load{fill:#17395c;stroke:#82b8ff}"
    ".full{fill:#2a64a0;stroke:#82b8ff}.read{fill:#1c4427;stroke:#8fd19e}"
    ".store{fill:#55330f;stroke:#f0a35c}.empty{fill:none;stroke:#8d959d}.meet{fill:#343a40;stroke:#8d959d}\n"
    ".area{fill:#17395c;stroke:#82b8ff}.wanted{stroke:#ff8a80}.axis{stroke:#8d959d}.red{fill:#ff8a80}}\n";

static void escape(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (*c == '<')
      fputs("&lt;", out);
    else if (*c == '&')
      fputs("&amp;", out);
    else
      fputc(byte < 0x20 || byte >= 0x7f ? '?' : byte, out);
  }
}

__attribute__((format(printf, 5, 6))) static void text(const struct drawing *d, const char *class, double x,
                                                       double y, const char *format, ...) {
  char words[256];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  fprintf(d->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
  escape(d->out, words);
  fputs("</text>\n", d->out);
}

// `full[1]` of "barrier `full[1]`"; else all of it.
static void inner_name(const char *what, char *name, size_t size) {
  const char *from = strchr(what, '`');
  snprintf(name, size, "%s", from ? from + 1 : what);
  if (from) name[strcspn(name, "`")] = '\0';
}

static void label_of(const struct timeline *t, const struct timeline_span *s, double width, char *label,
                     size_t size) {
  char name[64];
  snprintf(label, size, "%s", states[s->state].word);
  if (s->note != TIMELINE_NO_NOTE && s->state != TIMELINE_WORKS) {
    const struct timeline_note *note = &t->notes[s->note];
    inner_name(note->what, name, sizeof name);
    if (strchr(note->what, '`')) snprintf(label, size, "%s", name);
    if (note->line && width > LETTER * (double)(strlen(label) + 10)) {
      const size_t used = strlen(label);
      snprintf(label + used, size - used, ", line %u", note->line);
    }
  }
  if (width < LETTER * (double)strlen(label) + 6) label[0] = '\0';
}

// What a pointer that rests on the span is told.
static void draw_tip(const struct drawing *d, const struct timeline_span *s) {
  fprintf(d->out, "<title>%s", states[s->state].word);
  if (s->note != TIMELINE_NO_NOTE) {
    fputs(": ", d->out);
    escape(d->out, d->t->notes[s->note].what);
    if (d->t->notes[s->note].line) fprintf(d->out, ", line %u", d->t->notes[s->note].line);
  }
  if (s->bytes) fprintf(d->out, ", %u bytes", s->bytes);
  fprintf(d->out, ", %.0f ns</title>", (double)(s->end - s->begin));
}

static void draw_span(const struct drawing *d, const struct timeline_span *s, double y) {
  const double x = LEFT + (double)s->begin * d->scale, width = (double)(s->end - s->begin) * d->scale;
  char label[96];
  if (width < LEAST_WIDTH / 2.0) return;
  fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\">",
          states[s->state].paint, x, y, width > LEAST_WIDTH ? width : LEAST_WIDTH, LANE);
  draw_tip(d, s);
  fputs("</rect>\n", d->out);
  label_of(d->t, s, width, label, sizeof label);
  if (label[0]) text(d, "small middle", x + width / 2, y + LANE - 8, "%s", label);
}

static double draw_lanes(const struct drawing *d, bool stages, double y) {
  const struct timeline *t = d->t;
  for (uint32_t i = 0; i < t->lane_count; i++) {
    const struct timeline_lane *lane = &t->lanes[i];
    if (!lane->is_shown || lane->is_stage != stages) continue;
    text(d, "lane", LEFT - 10, y + LANE - 7, "%.36s", lane->name);
    for (uint32_t k = 0; k < t->span_count; k++)
      if (t->spans[k].lane == i) draw_span(d, &t->spans[k], y);
    y += LANE + GAP;
  }
  return y;
}

static bool has_lanes(const struct timeline *t, bool stages) {
  for (uint32_t i = 0; i < t->lane_count; i++)
    if (t->lanes[i].is_shown && t->lanes[i].is_stage == stages) return true;
  return false;
}

static void draw_levels(const struct drawing *d, double y) {
  const struct timeline *t = d->t;
  double most = (double)t->wanted, width = (WIDTH - LEFT - RIGHT) / (double)TIMELINE_LEVELS;
  for (int i = 0; i < TIMELINE_LEVELS; i++)
    most = fmax(most, (double)t->level[i]);
  most = most > 0 ? most * 1.1 : 1;
  fprintf(d->out, "<path class=\"area\" d=\"M%d %.1f", LEFT, y + CHART);
  for (int i = 0; i < TIMELINE_LEVELS; i++)
    fprintf(d->out, "V%.1fH%.1f", y + CHART * (1 - (double)t->level[i] / most), LEFT + width * (i + 1));
  fprintf(d->out, "V%.1fZ\"/>\n", y + CHART);
  const double line = y + CHART * (1 - (double)t->wanted / most);
  fprintf(d->out, "<path class=\"wanted\" d=\"M%d %.1fH%d\"/>\n", LEFT, line, WIDTH - RIGHT);
  text(d, "end", LEFT - 10, y + CHART / 2.0 - 6, "%.1f KiB in flight,", (double)t->in_flight / 1024);
  text(d, "end", LEFT - 10, y + CHART / 2.0 + 12, "mean");
  text(d, "end red", LEFT - 10, y + CHART / 2.0 + 30, "wanted: %.1f KiB", (double)t->wanted / 1024);
}

static double step_of(double length) {
  double step = pow(10, floor(log10(length / 4)));
  if (length / step > 20)
    step *= 5;
  else if (length / step > 8)
    step *= 2;
  return step;
}

static void draw_axis(const struct drawing *d, double y) {
  const double length = (double)(d->t->end - d->t->begin), step = step_of(length);
  fprintf(d->out, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, WIDTH - RIGHT);
  for (double at = 0; at <= length * 0.97; at += step) {
    const double x = LEFT + at * d->scale;
    fprintf(d->out, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x, y);
    text(d, "small middle", x, y + 18, at > 0 ? "%.0f" : "%.0f ns", at);
  }
}

static void draw_head(const struct drawing *d, int height) {
  const struct timeline *t = d->t;
  char *words = NULL;
  size_t size;
  fprintf(d->out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
          "role=\"img\" aria-labelledby=\"timeline-title timeline-words\">\n<title id=\"timeline-title\">",
          WIDTH, height, WIDTH, height);
  escape(d->out, t->kernel);
  fprintf(d->out, " on one processor of an H%s, as the model predicts</title>\n<desc id=\"timeline-words\">",
          t->chip + 1); // h100 is an H100
  FILE *description = open_memstream(&words, &size);
  if (description) {
    timeline_explain(t, description);
    fclose(description);
    for (char *end = words; (end = strchr(end, '\n'));)
      *end = ' ';
    escape(d->out, words);
    free(words);
  }
  fprintf(d->out, "</desc>\n<style>\n%s</style>\n", style);
  text(d, "bold", 10, 22, "%.60s: one moment on one processor of an H%s, predicted", t->kernel, t->chip + 1);
  text(d, "small", 10, 41,
       "The kernel takes %.1f us. Held up by: %s. Blocks on the processor: %u. The memory "
       "is busy %.0f %% of the time.",
       (double)t->us, t->bound_by, t->blocks_on_processor, 100 * (double)t->memory_busy);
}

static void draw_legend(const struct drawing *d, double y) {
  static const struct {
    const char *paint, *words;
  } entries[] = {{"load", "being loaded; waits for a load"},
                 {"full", "full, not yet read"},
                 {"read", "being read; works"},
                 {"store", "being stored; waits for a store"},
                 {"empty", "empty; waits for an empty stage"},
                 {"meet", "waits for threads"}};
  double x = 10;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"11\" rx=\"2\"/>\n",
            entries[i].paint, x, y);
    text(d, "small", x + 19, y + 10, "%s", entries[i].words);
    x += COLUMN;
    if (i % 3 < 2) continue;
    x = 10;
    y += 18;
  }
}

void timeline_draw(const struct timeline *t, FILE *out) {
  const double length = (double)(t->end - t->begin);
  struct drawing d = {t, out, (WIDTH - LEFT - RIGHT) / (length > 0 ? length : 1)};
  uint32_t shown = 0;
  for (uint32_t i = 0; i < t->lane_count; i++)
    shown += t->lanes[i].is_shown;
  const int sections = has_lanes(t, true) + has_lanes(t, false) + 1;
  const int height = TOP + (int)shown * (LANE + GAP) + sections * SECTION + CHART + FOOT + 42;
  double y = TOP;
  draw_head(&d, height);
  for (int stages = 1; stages >= 0; stages--) {
    if (!has_lanes(t, stages)) continue;
    const char *heading = !stages          ? "Warps of a block"
                          : t->stages >= 2 ? "Stages of a block in shared memory"
                                           : "Blocks on the processor, and what their shared memory holds";
    text(&d, "bold small", LEFT, y + 12, "%s", heading);
    y = draw_lanes(&d, stages, y + SECTION - 6) + 6;
  }
  text(&d, "bold small", LEFT, y + 12,
       "Bytes of loads in flight on the processor; by Little's law wanted "
       "(dashed)");
  y += SECTION - 6;
  draw_levels(&d, y);
  draw_axis(&d, y + CHART + 6);
  draw_legend(&d, y + CHART + FOOT);
  fputs("</svg>\n", out);
}
