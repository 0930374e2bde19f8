// A warp's weak reads of shared memory that are in order already. In: offsets by lane. Out: notes in the
// shadow, and the lanes that are done. One idea: nearly every read has seen what it reads. Lanes that read
// the same word, as by broadcast, share one look and one note. What may be a conflict is left to access.c.
#include "virtual-hopper/order/internal.h"

// Lanes that read the same bytes as `lane`. Only looked for where neighbours do, or the halves or quarters of
// a warp: whatever is not found is noted lane by lane.
static uint32_t sharing_lanes(uint32_t lanes, const uint32_t offset[WARP_LANES], uint32_t lane) {
  const uint32_t mine = offset[lane], next = (lane + 1) % WARP_LANES;
  if (offset[next] != mine && offset[(lane + 16) % WARP_LANES] != mine &&
      offset[(lane + 8) % WARP_LANES] != mine)
    return 1u << lane;
  uint32_t same = 0;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    same |= (uint32_t)(offset[i] == mine) << i;
  return same & lanes;
}

// True when every one of the lanes has seen the writer's epoch, or is the writer.
static bool have_seen(const struct order_thread *threads, uint32_t warp_agent, uint32_t lanes,
                      uint32_t writer, uint32_t epoch) {
  const struct clock *sees = NULL; // lanes with this view have seen it
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const struct clock *base = threads[lane].base;
    if ((sees && base == sees) || warp_agent + lane == writer) continue;
    if (clock_seen(base, writer) < epoch) return false;
    sees = base;
  }
  return true;
}

static void note(struct shadow *s, uint32_t g, const struct op *op, const struct order_thread *threads,
                 uint32_t warp_agent, uint32_t lanes) {
  while (lanes) {
    const uint32_t first = (uint32_t)__builtin_ctz(lanes), epoch = threads[first].epoch;
    uint32_t together = 1u << first;
    for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      together |= (uint32_t)(threads[lane].epoch == epoch) << lane;
    }
    shadow_read_together(s, g, warp_agent, together, epoch, op, false);
    lanes &= ~together;
  }
}

// True when the lanes share a view and an epoch, as they do after a barrier.
static bool share_view(const struct order_thread *threads, uint32_t lanes) {
  const struct order_thread *first = &threads[__builtin_ctz(lanes)];
  bool same = true;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const struct order_thread *t = &threads[__builtin_ctz(left)];
    same &= t->base == first->base && t->epoch == first->epoch;
  }
  return same;
}

// Words that lie anywhere, of lanes that share a view: the loop for strided reads. Granules have 4 bytes.
static uint32_t read_words(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                           const uint32_t offset[WARP_LANES]) {
  struct order_thread *threads = order_thread_of(w, 0);
  const uint32_t warp_agent = order_agent_of(w, 0), first = (uint32_t)__builtin_ctz(lanes);
  const struct clock *base = threads[first].base;
  const uint32_t epoch = threads[first].epoch;
  uint32_t done = 0;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), g = (offset[lane] - SHARED_FIRST_OFFSET) >> 2;
    if (g >= s->granules) continue;
    if (!s->lines[g / (LINE_BYTES / 4)].detailed) line_spell_out(s, g, 1);
    const uint32_t writer = s->write_agent[g];
    if (writer != NO_AGENT && writer != warp_agent + lane && clock_seen(base, writer) < s->write_epoch[g])
      continue;
    shadow_read(s, g, warp_agent, lane, epoch, op, false);
    threads[lane].dirty = true;
    done |= 1u << lane;
  }
  return done;
}

uint32_t read_quietly(struct warp *w, const struct op *op, struct shadow *s, uint32_t lanes,
                      const uint32_t offset[WARP_LANES], uint32_t bytes) {
  struct order_thread *threads = order_thread_of(w, 0);
  const uint32_t warp_agent = order_agent_of(w, 0);
  uint32_t done = 0;
  if (!lanes) return 0;
  if (bytes == 4 && s->shift == 2 && share_view(threads, lanes)) {
    const uint32_t some = sharing_lanes(lanes, offset, (uint32_t)__builtin_ctz(lanes));
    if (!(some & (some - 1))) return read_words(w, op, s, lanes, offset);
  }
  for (uint32_t left = lanes; left;) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left), together = sharing_lanes(left, offset, lane);
    uint32_t first, count, g;
    left &= ~together;
    if (!shadow_range(s, offset[lane], bytes, &first, &count)) continue;
    if (!s->lines[first / line_granules(s)].detailed ||
        !s->lines[(first + count - 1) / line_granules(s)].detailed)
      line_spell_out(s, first, count);
    for (g = first; g < first + count; g++)
      if (s->write_agent[g] != NO_AGENT &&
          !have_seen(threads, warp_agent, together, s->write_agent[g], s->write_epoch[g]))
        break;
    if (g < first + count) continue;
    for (g = first; g < first + count; g++)
      note(s, g, op, threads, warp_agent, together);
    for (uint32_t noted = together; noted; noted &= noted - 1)
      threads[__builtin_ctz(noted)].dirty = true;
    done |= together;
  }
  return done;
}
