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
enum {
  LANE_LETTERS = 36,
  LETTER = 7,
  COLUMN = 310,
  LEAST_WIDTH = 1,
  NAME_PAINTS = 6,
  ENTRY = 18,
  COLUMNS = 3
};

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
    ".name1{fill:#e4dcf7;stroke:#5b3fa6}.name2{fill:#cdeceb;stroke:#1f7674}"
    ".name3{fill:#f8dcea;stroke:#a02c6b}"
    ".name4{fill:#f3ecc4;stroke:#7c6a12}.name5{fill:#dfe7cf;stroke:#56702a}"
    ".name0{fill:#e9ddd4;stroke:#7a5540}\n"
    ".area{fill:#cfe3fa;stroke:#0b57a4;stroke-width:1.2}.wanted{stroke:#b3261e;stroke-width:1.6;"
    "stroke-dasharray:7 4;fill:none}.axis{stroke:#777f88;fill:none}.red{fill:#b3261e}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6e9ec}.load{fill:#17395c;stroke:#82b8ff}"
    ".full{fill:#2a64a0;stroke:#82b8ff}.read{fill:#1c4427;stroke:#8fd19e}"
    ".name1{fill:#3a2b66;stroke:#b9a4f5}.name2{fill:#123f3e;stroke:#6fd0cc}"
    ".name3{fill:#53193a;stroke:#f191c3}"
    ".name4{fill:#453c0c;stroke:#dccb62}.name5{fill:#2f3d18;stroke:#aece74}"
    ".name0{fill:#43301f;stroke:#cfa684}"
    ".store{fill:#55330f;stroke:#f0a35c}.empty{fill:none;stroke:#8d959d}.meet{fill:#343a40;stroke:#8d959d}\n"
    ".area{fill:#17395c;stroke:#82b8ff}.wanted{stroke:#ff8a80}.axis{stroke:#8d959d}.red{fill:#ff8a80}}\n";

static void escape(FILE *out, const char *text) {
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (*c == '<')
      fputs("&lt;", out);
    else if (*c == '>')
      fputs("&gt;", out);
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

static bool fits(const char *label, double width) {
  return width >= LETTER * (double)strlen(label) + 6;
}

// What a warp waits for, as fully as the span is wide. A barrier's name alone ("full") would look like a
// state. `label` holds the state's word, which stays for what has no name.
static void label_wait(const struct timeline_note *note, double width, char *label, size_t size) {
  char name[64];
  timeline_short_name(note->what, name, sizeof name);
  if (strcmp(note->what, name) == 0) { // not a barrier
    if (note->line && width > LETTER * (double)(strlen(label) + 10)) {
      const size_t used = strlen(label);
      snprintf(label + used, size - used, ", line %u", note->line);
    }
    return;
  }
  snprintf(label, size, "waits for %s, line %u", name, note->line);
  if (note->line && fits(label, width)) return;
  snprintf(label, size, "waits for %s", name);
  if (!fits(label, width)) snprintf(label, size, "for %s", name);
}

static void label_of(const struct timeline *t, const struct timeline_span *s, double width, char *label,
                     size_t size) {
  snprintf(label, size, "%s", states[s->state].word);
  if (s->state == TIMELINE_NAMED && s->note != TIMELINE_NO_NOTE) {
    snprintf(label, size, "%s", t->notes[s->note].what);
    if (!fits(label, width)) label[0] = '\0';
    return;
  }
  if (s->note != TIMELINE_NO_NOTE && s->state != TIMELINE_WORKS)
    label_wait(&t->notes[s->note], width, label, size);
  if (!fits(label, width)) label[0] = '\0';
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

static void class_of(const struct timeline *t, const struct timeline_span *s, char *class, size_t size) {
  const char *paint = states[s->state].paint;
  if (s->state == TIMELINE_NAMED && s->note != TIMELINE_NO_NOTE)
    snprintf(class, size, "%s%u", paint, (unsigned)(t->notes[s->note].named % NAME_PAINTS));
  else
    snprintf(class, size, "%s", paint);
}

static void draw_span(const struct drawing *d, const struct timeline_span *s, double y) {
  const double x = LEFT + (double)s->begin * d->scale, width = (double)(s->end - s->begin) * d->scale;
  char label[96], class[16];
  class_of(d->t, s, class, sizeof class);
  if (width < LEAST_WIDTH / 2.0) return;
  fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\">", class, x,
          y, width > LEAST_WIDTH ? width : LEAST_WIDTH, LANE);
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
    char name[LANE_LETTERS + 1];
    timeline_shorten(lane->name, name, sizeof name);
    text(d, "lane", LEFT - 10, y + LANE - 7, "%s", name);
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

// The picture in words, for who can't see it.
static void describe(const struct drawing *d) {
  char *words = NULL;
  size_t size;
  FILE *description = open_memstream(&words, &size);
  if (!description) return;
  timeline_explain(d->t, description);
  fclose(description);
  for (char *end = words; (end = strchr(end, '\n'));)
    *end = ' ';
  escape(d->out, words);
  free(words);
}

static void draw_head(const struct drawing *d, int height) {
  const struct timeline *t = d->t;
  char where[160];
  snprintf(where, sizeof where, "one processor of an H%s", t->chip + 1); // h100 is an H100
  if (t->device[0]) snprintf(where, sizeof where, "%s", t->device);
  const char *how = t->device[0] ? "measured" : "predicted";
  fprintf(d->out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
          "role=\"img\" aria-labelledby=\"timeline-title timeline-words\">\n<title id=\"timeline-title\">",
          WIDTH, height, WIDTH, height);
  escape(d->out, t->kernel);
  fputs(" on ", d->out);
  escape(d->out, where);
  fprintf(d->out, ", %s</title>\n<desc id=\"timeline-words\">", t->device[0] ? how : "as the model predicts");
  describe(d);
  fprintf(d->out, "</desc>\n<style>\n%s</style>\n", style);
  text(d, "bold", 10, 22, "%.60s: one moment on %s, %s", t->kernel, where, how);
  if (t->device[0])
    text(d, "small", 10, 41, "It took %.1f us from its first mark to its last. Marks take time, too.",
         (double)t->us);
  else
    text(d, "small", 10, 41,
         "The kernel takes %.1f us. Held up by: %s. Blocks on the processor: %u (room for %u). The memory "
         "is busy %.0f %% of the time.",
         (double)t->us, t->bound_by, t->blocks_on_processor, t->blocks_fit, 100 * (double)t->memory_busy);
}

static void draw_entry(const struct drawing *d, int number, double y, const char *paint, const char *words) {
  const int column = number % COLUMNS, row = number / COLUMNS;
  const double x = 10 + column * COLUMN;
  y += row * ENTRY;
  fprintf(d->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"11\" rx=\"2\"/>\n", paint,
          x, y);
  text(d, "small", x + 19, y + 10, "%s", words);
}

static int count_names(const struct timeline *t) {
  int count = 0;
  for (uint32_t i = 0; i < t->note_count; i++)
    count += t->notes[i].named != 0;
  return count;
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
  int number = 0;
  for (size_t i = 0; !d->t->device[0] && i < sizeof entries / sizeof *entries; i++)
    draw_entry(d, number++, y, entries[i].paint, entries[i].words);
  for (uint32_t i = 0; i < d->t->note_count; i++) {
    const struct timeline_note *note = &d->t->notes[i];
    char paint[16], words[96];
    if (!note->named) continue;
    snprintf(paint, sizeof paint, "%s%u", states[TIMELINE_NAMED].paint,
             (unsigned)(note->named % NAME_PAINTS));
    snprintf(words, sizeof words, "range \"%.30s\"", note->what);
    draw_entry(d, number++, y, paint, words);
  }
}

static int height_of(const struct timeline *t) {
  uint32_t shown = 0;
  for (uint32_t i = 0; i < t->lane_count; i++)
    shown += t->lanes[i].is_shown;
  const int entries = count_names(t) + (t->device[0] ? 0 : 6);
  const int sections = has_lanes(t, true) + has_lanes(t, false) + !t->device[0];
  return TOP + (int)shown * (LANE + GAP) + sections * SECTION + (t->device[0] ? 0 : CHART) + FOOT + 6 +
         (entries + COLUMNS - 1) / COLUMNS * ENTRY;
}

void timeline_draw(const struct timeline *t, FILE *out) {
  const double length = (double)(t->end - t->begin);
  struct drawing d = {t, out, (WIDTH - LEFT - RIGHT) / (length > 0 ? length : 1)};
  double y = TOP;
  draw_head(&d, height_of(t));
  for (int stages = 1; stages >= 0; stages--) {
    if (!has_lanes(t, stages)) continue;
    const char *heading = t->device[0]     ? "Named ranges of warps"
                          : !stages        ? "Warps of a block"
                          : t->stages >= 2 ? "Stages of a block in shared memory"
                                           : "Blocks on the processor, and what their shared memory holds";
    text(&d, "bold small", LEFT, y + 12, "%s", heading);
    y = draw_lanes(&d, stages, y + SECTION - 6) + 6;
  }
  if (!t->device[0]) {
    text(&d, "bold small", LEFT, y + 12,
         "Bytes of loads in flight; dashed: what 93 %% of the memory's rate wants by Little's law");
    y += SECTION - 6;
    draw_levels(&d, y);
    y += CHART;
  }
  draw_axis(&d, y + 6);
  draw_legend(&d, y + FOOT);
  fputs("</svg>\n", out);
}
