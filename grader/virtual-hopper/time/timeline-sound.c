// In: a timeline from a process that isn't trusted. Out: whether its numbers are within their bounds, and its
// texts have an end: then it can be drawn and told.
#include <math.h>
#include <string.h>

#include "virtual-hopper/time/timeline.h"

static bool has_end(const char *text, size_t size) {
  return memchr(text, '\0', size) != NULL;
}
static bool is_between(float value, double low, double high) {
  return isfinite(value) && (double)value >= low && (double)value <= high;
}

static bool note_is_sound(const struct timeline_note *note) {
  return has_end(note->what, sizeof note->what) && has_end(note->file, sizeof note->file);
}

static bool launch_is_sound(const struct timeline *t) {
  const double most = 1e12, bytes = 1e20;
  return is_between(t->read, 0, bytes) && is_between(t->missed, 0, bytes) && is_between(t->room, 0, most) &&
         is_between(t->blocks_there, 0, 64) && is_between(t->works, 0, 1.01) &&
         is_between(t->kept, 0, 1.01) && is_between(t->kept_waiting, 0, 64) && t->processors && t->blocks &&
         t->blocks_on_processor && t->blocks_on_processor <= t->blocks_fit && note_is_sound(&t->back);
}

static bool lane_is_sound(const struct timeline_lane *lane) {
  bool sound = has_end(lane->name, sizeof lane->name) && lane->name[0] && lane->is_stage <= 1 &&
               lane->is_shown <= 1 && lane->loads <= 1 && lane->only_loads <= 1 && lane->is_range <= 1;
  for (int i = 0; i < TIMELINE_STATES; i++)
    sound = sound && is_between(lane->share[i], 0, 1.01);
  sound = sound && is_between(lane->threads, 0, 32);
  return sound;
}

bool timeline_is_sound(const struct timeline *t) {
  const double most = 1e12;
  if (!has_end(t->kernel, sizeof t->kernel) || !has_end(t->chip, sizeof t->chip) ||
      !has_end(t->bound_by, sizeof t->bound_by) || !has_end(t->device, sizeof t->device) ||
      !has_end(t->unmatched, sizeof t->unmatched))
    return false;
  if (!is_between(t->us, 0, most) || !is_between(t->memory_busy, 0, 2) || !is_between(t->begin, 0, most) ||
      !is_between(t->end, 0, most) || !(t->end > t->begin) || !is_between(t->in_flight, 0, most) ||
      !is_between(t->wanted, 0, most))
    return false;
  if (t->lane_count > TIMELINE_LANES || t->span_count > TIMELINE_SPANS || t->note_count > TIMELINE_NOTES)
    return false;
  bool sound = is_between(t->shared_busy, 0, 1) && is_between(t->conflicts, 0, most) &&
               is_between(t->reader_waits, 0, 1.01) && is_between(t->reader_share, 0, 1.01) &&
               is_between(t->busiest_works, 0, 1.01) && is_between(t->busiest_threads, 0, 32);
  sound = sound && (t->device[0] || launch_is_sound(t));
  for (uint32_t i = 0; i < t->lane_count; i++)
    sound = sound && lane_is_sound(&t->lanes[i]);
  for (uint32_t i = 0; i < t->note_count; i++)
    sound = sound && note_is_sound(&t->notes[i]);
  for (int i = 0; i < TIMELINE_LEVELS; i++)
    sound = sound && is_between(t->level[i], 0, most);
  for (uint32_t i = 0; i < t->span_count && sound; i++) {
    const struct timeline_span *s = &t->spans[i];
    sound = is_between(s->begin, 0, most) && is_between(s->end, 0, most) && s->end >= s->begin &&
            s->lane < t->lane_count && s->state < TIMELINE_STATES &&
            (s->note < t->note_count || s->note == TIMELINE_NO_NOTE);
  }
  return sound;
}
