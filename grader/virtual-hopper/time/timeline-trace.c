// In: a timeline. Out: the JSON of Chrome's trace events. One idea: each lane is a thread of one process, the
// processor; the bytes in flight are a counter.
#include "virtual-hopper/time/timeline.h"

#include <string.h>

static const char *const words_of[TIMELINE_STATES] = {
#define STATE(name, of_stage, words, word, paint) words,
#include "virtual-hopper/time/timeline.def"
#undef STATE
};

static void quote(FILE *out, const char *text) {
  fputc('"', out);
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (byte == '"' || byte == '\\')
      fprintf(out, "\\%c", byte);
    else
      fputc(byte < 0x20 || byte >= 0x7f ? '?' : byte, out);
  }
  fputc('"', out);
}

static void name_lane(const struct timeline *t, uint32_t i, FILE *out) {
  char name[96];
  const struct timeline_lane *lane = &t->lanes[i];
  const bool own = lane->is_shown || strstr(lane->name, "place");
  snprintf(name, sizeof name, own ? "%s" : "%s, block in place %u", lane->name, lane->place);
  fprintf(out, "{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":", i + 1);
  quote(out, name);
  fprintf(out, "}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_sort_index\",", i + 1);
  fprintf(out, "\"args\":{\"sort_index\":%u}},\n", i + 1);
}

static void write_span(const struct timeline *t, const struct timeline_span *s, FILE *out) {
  fprintf(out, "{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,\"name\":", s->lane + 1u,
          (double)(t->begin + s->begin) / 1000, (double)(s->end - s->begin) / 1000);
  if (s->state == TIMELINE_NAMED && s->note != TIMELINE_NO_NOTE)
    quote(out, t->notes[s->note].what);
  else
    quote(out, words_of[s->state]);
  fprintf(out, ",\"args\":{\"bytes\":%u", s->bytes);
  if (s->note != TIMELINE_NO_NOTE) {
    fputs(",\"for\":", out);
    quote(out, t->notes[s->note].what);
    fputs(",\"file\":", out);
    quote(out, t->notes[s->note].file);
    fprintf(out, ",\"line\":%u", t->notes[s->note].line);
  }
  fputs("}},\n", out);
}

void timeline_write_trace(const struct timeline *t, FILE *out) {
  char name[160];
  snprintf(name, sizeof name, "%s: a processor of an %s, predicted", t->kernel, t->chip);
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":",
        out);
  quote(out, name);
  fputs("}},\n", out);
  for (uint32_t i = 0; i < t->lane_count; i++)
    name_lane(t, i, out);
  for (uint32_t i = 0; i < t->span_count; i++)
    write_span(t, &t->spans[i], out);
  const double part = (double)(t->end - t->begin) / TIMELINE_LEVELS;
  for (int i = 0; i < TIMELINE_LEVELS; i++)
    fprintf(out,
            "{\"ph\":\"C\",\"pid\":1,\"ts\":%.4f,\"name\":\"bytes of loads in flight\","
            "\"args\":{\"bytes\":%.0f}}%s\n",
            ((double)t->begin + part * i) / 1000, (double)t->level[i], i + 1 < TIMELINE_LEVELS ? "," : "");
  fputs("]}\n", out);
}
