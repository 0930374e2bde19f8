// Who has left out an arrival at a barrier of the block that counts its threads. In: the groups of a hang.
// Out: the warp, and the line that it has passed by. One idea: whoever waits for such a barrier is hurt; the
// warp that is missing stands elsewhere, either beside others that have arrived, or behind the line where it
// arrived the time before.
#include <stdio.h>

#include "virtual-hopper/diagnose/internal.h"

// The group of the block's threads that wait at a barrier of the block, with this warp among them.
static const struct waiting_group *group_with(const struct survey *survey, const struct block *b,
                                              uint32_t warp) {
  const uint32_t thread = warp * WARP_LANES;
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->block == b && g->reason == WAIT_CTA_BARRIER && (g->threads[thread / 8] >> thread % 8 & 1))
      return g;
  }
  return NULL;
}

// Another warp that waits where this one does, and has arrived at the barrier on its way; NULL: none.
static const struct op *line_of_companion(const struct block *b, const struct cta_barrier *barrier,
                                          const struct waiting_group *stands) {
  for (uint32_t i = 0; i < b->warp_count; i++) {
    const uint32_t thread = i * WARP_LANES;
    if (barrier->arrived_lanes[i] && (stands->threads[thread / 8] >> thread % 8 & 1))
      return barrier->arrived_at[i];
  }
  return NULL;
}

static bool find_skipped(const struct survey *survey, const struct waiting_group *g, struct stuck_skip *skip,
                         const struct op **line, const struct op **stands_at) {
  const struct block *b = g->block;
  const struct cta_barrier *barrier = &b->barriers[g->object % BLOCK_MAX_BARRIERS];
  for (uint32_t i = 0; i < b->warp_count; i++) {
    const struct waiting_group *stands = group_with(survey, b, i);
    if (barrier->arrived_lanes[i] || !b->warps[i].alive || !stands || stands == g) continue;
    const struct op *before = barrier->generation ? barrier->arrived_at[i] : NULL;
    *line = line_of_companion(b, barrier, stands);
    skip->beside_others = *line != NULL;
    // Behind that line in the text, so it has come by once more.
    if (!*line && before && before->module == stands->op->module && before->source < stands->op->source)
      *line = before;
    if (!*line) continue;
    skip->warp = i;
    *stands_at = stands->op;
    return true;
  }
  return false;
}

bool stuck_explain_skipped(const struct survey *survey, const struct waiting_group *g) {
  const struct cta_barrier *barrier = &g->block->barriers[g->object % BLOCK_MAX_BARRIERS];
  struct stuck_skip skip = {.barrier = g->object % BLOCK_MAX_BARRIERS,
                            .awaited = barrier->expected_threads,
                            .arrived = barrier->arrived_threads};
  const struct op *line, *stands_at;
  if (!barrier->expected_threads || !find_skipped(survey, g, &skip, &line, &stands_at)) return false;
  struct fault f = {.device_error = ERROR_LAUNCH_TIMEOUT, .related_count = 2};
  const uint32_t thread = skip.warp * WARP_LANES;
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  machine_place(&f.place, g->block, line, thread);
  f.place.has_thread = false;
  machine_place(&f.related[0].place, g->block, stands_at, thread);
  machine_place(&f.related[1].place, g->block, g->op, stuck_first_thread(g));
  skip.line = place_line(&f.place);
  skip.stands = place_line(&f.related[0].place);
  skip.waits = place_line(&f.related[1].place);
  stuck_skip_words(&skip, &f);
  fault_record(survey->launch->report, &f);
  return true;
}
