// Reports that no thread can go on, or that the budget is used up. In: the clusters that hang. Out: faults
// that say which threads wait where for what. One idea: threads that wait at the same instruction for the
// same thing are one line of the message. A barrier with missing arrivals or bytes says what is missing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/diagnose/stuck.h"
#include "virtual-hopper/memory/memory.h"

// True when the split runs a loop that polls an mbarrier, with or without sleeps. Such a split counts as
// waiting for the mbarrier.
static bool polls_barrier(const struct split *s) {
  return (s->wait == WAIT_NONE || s->wait == WAIT_SLEEP) && s->barrier_op && s->idle_rounds > 1;
}

static const struct op *standing_at(const struct split *s) {
  uint32_t pc = s->pc;
  if (polls_barrier(s)) return s->barrier_op;
  if ((s->wait == WAIT_NONE || s->wait == WAIT_SLEEP) && pc > 0)
    pc--; // pc has moved to the op after the poll
  return &s->frame->function->ops[pc];
}

static enum wait_reason reason_of(const struct split *s) {
  if (polls_barrier(s)) return WAIT_MBARRIER;
  return s->wait == WAIT_SLEEP ? WAIT_NONE : s->wait;
}

static uint64_t object_of(const struct split *s) {
  return polls_barrier(s) ? s->barrier : reason_of(s) == WAIT_NONE ? 0 : s->wait_object;
}

// Threads that poll in one loop may stop at different instructions of the loop. So polls are compared by
// line.
static bool same_group(const struct waiting_group *g, const struct op *op, const struct split *s) {
  if (g->reason != reason_of(s) || g->object != object_of(s)) return false;
  return g->op == op || (g->reason == WAIT_NONE && g->op->source && op->source &&
                         g->op->source->location == op->source->location);
}

static struct waiting_group *find_group(struct survey *survey, const struct op *op, const struct split *s,
                                        const struct block *b) {
  for (uint32_t i = 0; i < survey->count; i++)
    if (same_group(&survey->groups[i], op, s)) return &survey->groups[i];
  if (survey->count == MOST_GROUPS) return NULL;
  struct waiting_group *g = &survey->groups[survey->count++];
  *g = (struct waiting_group){
      .op = op, .reason = reason_of(s), .object = object_of(s), .split = s, .block = b};
  return g;
}

static void add_split(struct survey *survey, const struct warp *w, const struct split *s) {
  struct waiting_group *g = find_group(survey, standing_at(s), s, w->block);
  uint32_t threads = (uint32_t)__builtin_popcount(s->lanes);
  survey->threads += threads;
  survey->busy = survey->busy || (s->wait == WAIT_NONE && s->idle_rounds == 0);
  if (!g) return;
  g->thread_count += threads;
  if (g->last != w->block) g->block_count++;
  g->last = w->block;
  if (g->block != w->block) return;
  for (uint32_t left = s->lanes; left; left &= left - 1) {
    uint32_t t = warp_thread(w, (uint32_t)__builtin_ctz(left));
    g->threads[t / 8] |= (uint8_t)(1u << t % 8);
  }
}

static void look_around(struct survey *survey, struct cluster *const clusters[], uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t rank = 0; rank < clusters[i]->block_count; rank++) {
      const struct block *b = clusters[i]->blocks[rank];
      for (uint32_t k = 0; k < b->warp_count; k++)
        for (uint32_t n = 0; n < b->warps[k].split_count; n++)
          add_split(survey, &b->warps[k], &b->warps[k].splits[n]);
    }
}

// ---- words ------------------------------------------------------------------------------------------------

static bool has_thread(const struct waiting_group *g, uint32_t t) {
  return t < BLOCK_MAX_THREADS && (g->threads[t / 8] >> t % 8 & 1);
}

uint32_t stuck_first_thread(const struct waiting_group *g) {
  uint32_t t = 0;
  while (t + 1 < BLOCK_MAX_THREADS && !has_thread(g, t))
    t++;
  return t;
}

// Writes "thread 0", "threads 0-31" or "threads 1-31 and 33 (and 40 more)".
void stuck_name_threads(const struct waiting_group *g, char *text, size_t size) {
  uint32_t ranges = 0, named = 0, all = 0;
  size_t used = 0;
  char list[64] = "";
  for (uint32_t t = 0; t < BLOCK_MAX_THREADS; t++) {
    if (!has_thread(g, t)) continue;
    uint32_t first = t;
    while (has_thread(g, t + 1))
      t++;
    all += t - first + 1;
    if (ranges == 2) continue;
    ranges++;
    named += t - first + 1;
    const char *comma = ranges > 1 ? " and " : "";
    int n = first == t ? snprintf(list + used, sizeof list - used, "%s%u", comma, first)
                       : snprintf(list + used, sizeof list - used, "%s%u-%u", comma, first, t);
    used += n > 0 ? (size_t)n : 0;
  }
  int n = snprintf(text, size, "%s %s", all == 1 ? "thread" : "threads", list);
  if (all > named && n > 0 && (size_t)n < size)
    snprintf(text + n, size - (size_t)n, " (and %u more)", all - named);
}

static void name_blocks(const struct waiting_group *g, char *text, size_t size) {
  const struct vhopper_dim *i = &g->block->index, *n = &g->block->launch->grid;
  int used = n->y == 1 && n->z == 1 ? snprintf(text, size, "block %u", i->x)
                                    : snprintf(text, size, "block (%u,%u,%u)", i->x, i->y, i->z);
  if (g->block_count > 1 && used > 0 && (size_t)used < size)
    snprintf(text + used, size - (size_t)used, " (the same in %llu more block%s)",
             (unsigned long long)g->block_count - 1, g->block_count == 2 ? "" : "s");
}

struct mbarrier *stuck_barrier(const struct waiting_group *g, struct block **owner) {
  uint32_t offset;
  *owner = memory_shared_owner(g->block, (uint32_t)g->object, &offset);
  return *owner ? mbarrier_find(*owner, offset) : NULL;
}

static void describe_mbarrier(const struct waiting_group *g, char *text, size_t size) {
  struct block *owner;
  struct mbarrier *m = stuck_barrier(g, &owner);
  if (!m) {
    snprintf(text, size, "waiting for an mbarrier");
    return;
  }
  int n = snprintf(text, size, "waiting for the ");
  if (n > 0 && (size_t)n < size) mbarrier_describe(owner, m, text + n, size - (size_t)n);
}

static void describe_cta_barrier(const struct waiting_group *g, char *text, size_t size) {
  const struct cta_barrier *b = &g->block->barriers[g->object % BLOCK_MAX_BARRIERS];
  uint32_t expected = b->expected_threads ? b->expected_threads : g->block->live_threads;
  uint32_t gone = g->block->launch->threads_per_block - g->block->live_threads;
  int n = snprintf(text, size,
                   "waiting at barrier %llu of the block (__syncthreads is 0): %u of %u threads have arrived",
                   (unsigned long long)g->object, b->arrived_threads, expected);
  if (gone > 0 && n > 0 && (size_t)n < size) snprintf(text + n, size - (size_t)n, ", and %u have left", gone);
}

static void describe_wait(const struct waiting_group *g, char *text, size_t size) {
  const struct cluster *c = g->block->cluster;
  switch (g->reason) {
  case WAIT_CTA_BARRIER: describe_cta_barrier(g, text, size); return;
  case WAIT_CLUSTER_BARRIER:
    snprintf(text, size, "waiting at the cluster barrier: %u of %u threads have arrived", c->cluster_arrived,
             c->live_threads);
    return;
  case WAIT_WARP_SYNC:
    snprintf(text, size, "waiting for the lanes 0x%08x of their warp", (uint32_t)g->object);
    return;
  case WAIT_MBARRIER: describe_mbarrier(g, text, size); return;
  case WAIT_BULK_GROUP: snprintf(text, size, "waiting for bulk copies"); return;
  case WAIT_CP_ASYNC: snprintf(text, size, "waiting for cp.async copies"); return;
  default: snprintf(text, size, "going round a loop in which nothing changes"); return;
  }
}

// ---- faults -----------------------------------------------------------------------------------------------

static void append(char *text, size_t size, const char *more) {
  size_t used = strlen(text);
  size_t length = strlen(more), room = size - 1 - used;
  memcpy(text + used, more, length < room ? length : room); // cuts the text when it doesn't fit
  text[used + (length < room ? length : room)] = '\0';
}

static void describe_group(const struct waiting_group *g, bool running, char *role, size_t size,
                           struct fault_place *place) {
  char threads[128], blocks[96];
  stuck_name_threads(g, threads, sizeof threads);
  name_blocks(g, blocks, sizeof blocks);
  role[0] = '\0';
  append(role, size, threads);
  append(role, size, " of ");
  append(role, size, blocks);
  if (running && g->reason == WAIT_NONE)
    append(role, size, g->thread_count == 1 ? " is here" : " are here");
  else
    append(role, size, g->thread_count == 1 ? " waits here" : " wait here");
  machine_place(place, g->block, g->op, stuck_first_thread(g));
  place->has_thread = false; // the role names all the threads
}

static void append_group(struct fault *f, const struct waiting_group *g, bool running) {
  char threads[128], blocks[96], what[320], line[640];
  struct fault_place place;
  stuck_name_threads(g, threads, sizeof threads);
  name_blocks(g, blocks, sizeof blocks);
  describe_wait(g, what, sizeof what);
  machine_place(&place, g->block, g->op, stuck_first_thread(g));
  threads[0] = (char)(threads[0] - 'a' + 'A');
  snprintf(line, sizeof line, " %s of %s, at line %u, %s %s.", threads, blocks, place.line,
           g->thread_count == 1 ? "is" : "are", running && g->reason == WAIT_NONE ? "in a loop" : what);
  append(f->message, sizeof f->message, line);
}

// Adds the places of the absent lanes to the fault. Returns true when the first absent lanes also wait for
// lanes of the warp, but at another place.
static bool describe_absent(struct fault *f, const struct warp *w, uint32_t mask, uint32_t waiting) {
  bool wait = false;
  for (uint32_t n = 0; n < w->split_count && f->related_count < 3; n++) {
    const struct split *s = &w->splits[n];
    uint32_t absent = s->lanes & mask & ~waiting;
    if (!absent) continue;
    if (f->related_count == 0) wait = s->wait == WAIT_WARP_SYNC;
    struct fault_related *r = &f->related[f->related_count++];
    snprintf(r->role, sizeof r->role, "lanes 0x%08x, which are named too, %s", absent,
             s->wait == WAIT_WARP_SYNC ? "wait here instead" : "are here instead");
    machine_place(&r->place, w->block, standing_at(s), warp_thread(w, (uint32_t)__builtin_ctz(absent)));
    r->place.has_thread = false;
  }
  return wait;
}

// Explains lanes that wait for other lanes of their warp which never come. Either the mask names too many
// lanes, or a branch keeps the other lanes away.
static void explain_warp_sync(const struct survey *survey, const struct waiting_group *g) {
  uint32_t first = stuck_first_thread(g), mask = (uint32_t)g->object, waiting = 0;
  const struct warp *w = &g->block->warps[first / WARP_LANES];
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    if (has_thread(g, warp_thread(w, lane))) waiting |= 1u << lane;
  struct fault f = {
      .rule = RULE_WARP_SYNC_MASK, .severity = FAULT_FATAL, .device_error = ERROR_LAUNCH_TIMEOUT};
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  snprintf(f.role, sizeof f.role, "waits here for the lanes 0x%08x of its warp", mask);
  snprintf(f.message, sizeof f.message,
           "The instruction names the lanes 0x%08x of warp %u, and waits until all of them execute it. Lanes "
           "0x%08x have come; lanes 0x%08x never do.",
           mask, w->index, waiting, mask & w->alive & ~waiting);
  snprintf(f.remedy, sizeof f.remedy,
           "Call it where all the named lanes come by, outside the branch; or name exactly those that do, as "
           "__ballot_sync() before the branch tells them.");
  bool absent_wait = describe_absent(&f, w, mask, waiting);
  machine_place(&f.place, g->block, g->op, first);
  // When the absent lanes wait at another place, the instruction that comes first is the one in the branch.
  // Otherwise the absent lanes have gone on, and the instruction in the branch is this one.
  if (absent_wait && f.related[0].place.line < f.place.line) f.edit = 1;
  fault_record(survey->launch->report, &f);
}

// True when some barrier has had some of its arrivals, but not all. The threads that wait for it may be the
// ones that should issue the copies for which other threads wait.
static bool arrivals_are_missing(const struct survey *survey) {
  for (uint32_t i = 0; i < survey->count; i++) {
    struct block *owner;
    const struct mbarrier *m =
        survey->groups[i].reason == WAIT_MBARRIER ? stuck_barrier(&survey->groups[i], &owner) : NULL;
    if (m && m->pending_arrivals > 0 && m->arrivals > 0) return true;
  }
  return false;
}

// Records the faults that the barriers themselves show. When a barrier shows the cause of a deadlock, this
// cause is the likeliest one: `likely` receives it.
static void explain_barriers(const struct survey *survey, struct fault *likely) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason == WAIT_WARP_SYNC) explain_warp_sync(survey, g);
    struct block *owner;
    struct mbarrier *m = g->reason == WAIT_MBARRIER ? stuck_barrier(g, &owner) : NULL;
    struct fault f = {0};
    if (!m || !mbarrier_diagnose(owner, m, &f)) continue;
    if (f.rule == RULE_BYTES_ANNOUNCED && m->completed_bytes == 0 && arrivals_are_missing(survey)) continue;
    // "Wrong parity" is a guess from phases that no thread has observed. A fault that was recorded before is
    // a better explanation.
    if (f.rule == RULE_PARITY && fault_count(survey->launch->report) > 0) continue;
    // This fault becomes the first line of the table, not a separate report.
    if (f.rule == RULE_DEADLOCK) {
      if (!*likely->message) *likely = f;
      continue;
    }
    f.severity = FAULT_FATAL;
    f.device_error = ERROR_LAUNCH_TIMEOUT;
    snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
    machine_place(&f.place, g->block, g->op, stuck_first_thread(g));
    fault_record(survey->launch->report, &f);
  }
}

// The budget is used up, and some blocks have not started. When many blocks have ended, their loops end, too,
// so the problem is the size of the grid.
static void describe_rest(const struct launch *l, uint64_t running, uint64_t unstarted, struct fault *f) {
  enum { MANY_TURNS = 8 }; // one turn fills every place for blocks on the chip
  char more[200];
  const uint64_t ended = l->cluster_count - unstarted - running;
  snprintf(more, sizeof more, " %llu of its %llu blocks had ended, and %llu had not started.",
           (unsigned long long)ended * l->blocks_per_cluster,
           (unsigned long long)l->cluster_count * l->blocks_per_cluster,
           (unsigned long long)unstarted * l->blocks_per_cluster);
  append(f->message, sizeof f->message, more);
  if (ended >= MANY_TURNS * running)
    snprintf(
        f->remedy, sizeof f->remedy,
        "Block after block ends, so it isn't a loop: is the number of blocks right, the first in <<<..>>>?");
}

static const char *name_count(uint64_t count, char *text, size_t size) {
  if (count >= 1000000000)
    snprintf(text, size, "%.3g G", (double)count / 1e9);
  else if (count >= 1000000)
    snprintf(text, size, "%.3g M", (double)count / 1e6);
  else
    snprintf(text, size, "%llu", (unsigned long long)count);
  return text;
}

static void append_summary(const struct survey *survey, uint64_t running, uint64_t unstarted,
                           enum stuck_reason reason, struct fault *f) {
  char more[200], count[32];
  const struct launch *l = survey->launch;
  if (*f->message) append(f->message, sizeof f->message, "\n");
  if (reason == STUCK_BUDGET) {
    snprintf(more, sizeof more, "The kernel ran for %s instructions of its warps without an end in sight.",
             name_count(l->most_instructions, count, sizeof count));
    append(f->message, sizeof f->message, more);
    if (unstarted) describe_rest(l, running, unstarted, f);
    return;
  }
  append(f->message, sizeof f->message,
         survey->busy ? "The kernel never ends: a loop comes back to where it was, and nothing has changed."
                      : "No thread can go on any more; on the chip the kernel would hang.");
  if (!unstarted) return;
  snprintf(more, sizeof more,
           " %llu blocks haven't started: the chip holds no more at a time, and those that run don't end.",
           (unsigned long long)unstarted * l->blocks_per_cluster);
  append(f->message, sizeof f->message, more);
}

static void append_groups(const struct survey *survey, bool running, struct fault *f) {
  for (uint32_t i = 0; i < survey->count; i++) {
    if (i < 4) append_group(f, &survey->groups[i], running);
    struct fault_related *related = &f->related[f->related_count];
    if (i == 0) {
      describe_group(&survey->groups[i], running, f->role, sizeof f->role, &f->place);
    } else if (f->related_count < FAULT_MAX_RELATED) {
      describe_group(&survey->groups[i], running, related->role, sizeof related->role, &related->place);
      f->related_count++;
    }
  }
}

static void report_all(const struct survey *survey, uint64_t running, uint64_t unstarted,
                       enum stuck_reason reason, struct fault *likely) {
  const bool loops = reason == STUCK_BUDGET || survey->busy;
  struct fault f = {.rule = loops ? RULE_ENDLESS_LOOP : RULE_DEADLOCK,
                    .severity = FAULT_FATAL,
                    .device_error = ERROR_LAUNCH_TIMEOUT};
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  if (!loops && !stuck_explain_branch(survey, &f)) {
    append(f.message, sizeof f.message, likely->message);
    if (!*likely->message) stuck_explain_untouched(survey, &f, likely);
    if (*likely->remedy) snprintf(f.remedy, sizeof f.remedy, "%s", likely->remedy);
  } else {
    *likely = (struct fault){0}; // the explanation of the barrier describes only a consequence
  }
  append_summary(survey, running, unstarted, reason, &f);
  append_groups(survey, loops, &f);
  if (likely->edit) f.edit = (int)f.related_count + likely->edit;
  for (uint32_t i = 0; i < likely->related_count && f.related_count < FAULT_MAX_RELATED; i++)
    f.related[f.related_count++] = likely->related[i];
  if (f.edit > (int)f.related_count) f.edit = FAULT_EDIT_PLACE;
  fault_record(survey->launch->report, &f);
}

void stuck_report(struct launch *l, struct cluster *const clusters[], uint32_t count, uint64_t unstarted,
                  enum stuck_reason reason) {
  struct survey *survey = calloc(1, sizeof *survey);
  if (!survey) die("out of memory for a report");
  survey->launch = l;
  look_around(survey, clusters, count);
  struct fault likely = {0};
  if (reason == STUCK_PROVED && !survey->busy) explain_barriers(survey, &likely);
  report_all(survey, count, unstarted, reason, &likely);
  free(survey);
}
