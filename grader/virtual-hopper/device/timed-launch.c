// A launch by the time model. In: what it did. Out: a prediction, and the virtual time after it. The idea: a
// kernel that reads clocks is run twice. The first run, in a forked process whose memory nobody else sees,
// finds the times, and the second one shows them.
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "virtual-hopper/device/device.h"
#include "virtual-hopper/execute/time-op.h"
#include "virtual-hopper/schedule/schedule.h"
#include "virtual-hopper/time/clocks.h"

enum { MULTIPROCESSORS = 132, REHEARSED_INSTRUCTIONS = 1000000000 };

void device_begin_time(struct vhopper *v, struct launch *l) {
  if (!v->chip) return;
  const uint32_t registers = l->registers ? l->registers : 32;
  const uint32_t blocks = grid_most_resident_blocks(l->threads_per_block, l->shared_bytes, registers);
  l->time = time_launch_begin(v->chip, v->cache, l, blocks / MULTIPROCESSORS);
  l->time->ops = time_ops_make(l->program);
  l->observed = true;
}

static void keep_timeline(struct vhopper *v, const struct launch *l, const struct time_prediction *p) {
  if (!v->options.timeline || (v->timeline && !(p->us > (double)v->timeline->us))) return;
  struct timeline *t = timeline_make(l, l->time, p, v->options.seed);
  if (!t) return;
  free(v->timeline);
  v->timeline = t;
}

static void free_record(struct launch *l) {
  time_ops_free(l->time->ops);
  time_launch_end(l->time);
}

// Virtual nanoseconds at which the launch was asked for.
static uint64_t asked_at(const struct launch *l) {
  return l->start_time - LAUNCH_NANOSECONDS;
}

void device_end_time(struct vhopper *v, struct launch *l) {
  if (!l->time) return;
  if (atomic_load(&l->device_error)) { // what didn't end took no time that could be told
    free_record(l);
    time_clocks_free(l->clocks);
    return;
  }
  if (v->prediction_count == v->prediction_room) {
    v->prediction_room = v->prediction_room ? 2 * v->prediction_room : 16;
    v->predictions = realloc(v->predictions, v->prediction_room * sizeof *v->predictions);
    if (!v->predictions) die("out of memory for predictions");
  }
  time_access_end(l->time);
  struct time_prediction *p = &v->predictions[v->prediction_count++];
  *p = time_predict(l->time, v->options.seed);
  // A kernel may wait until its clock shows so much.
  const double shown = l->clocks ? (time_clocks_latest(l->clocks) - (double)asked_at(l)) / 1000 : 0;
  if (shown > p->us) p->us = shown;
  v->virtual_time = asked_at(l) + (uint64_t)(p->us * 1000);
  keep_timeline(v, l, p);
  free_record(l);
  time_clocks_free(l->clocks);
}

// ---- clocks -----------------------------------------------------------------------------------------------

// In the forked process. Its report, its text and its memory end with it.
static _Noreturn void rehearse(struct vhopper *v, const struct launch *real, struct time_clocks *clocks,
                               pid_t parent) {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent || close_range(0, ~0U, 0) != 0) _exit(1);
  if (!memory_keep_private(v->memory)) _exit(1);
  struct launch l = *real;
  l.check = l.tries = false;
  l.unwritten = NULL;
  l.trace = NULL;
  l.before = NULL;
  l.products = NULL;
  if (l.most_instructions > REHEARSED_INSTRUCTIONS) l.most_instructions = REHEARSED_INSTRUCTIONS;
  device_begin_time(v, &l);
  grid_run(&l, NULL, 1);
  if (atomic_load(&l.device_error)) _exit(1);
  const struct time_prediction p = time_predict(l.time, v->options.seed);
  time_clocks_fill(clocks, l.time, &p, v->options.seed, asked_at(&l));
  _exit(0);
}

static bool wait_for(pid_t rehearsal, const atomic_int *stop) {
  int status;
  while (waitpid(rehearsal, &status, 0) < 0) {
    if (errno != EINTR) return false;
    if (stop && atomic_load(stop)) kill(rehearsal, SIGKILL);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct time_clocks *device_rehearse(struct vhopper *v, const struct launch *l) {
  if (!v->chip || !v->options.clocks || !l->program->reads_clocks) return NULL;
  struct time_clocks *clocks = time_clocks_make();
  const pid_t parent = getpid(), rehearsal = clocks ? fork() : -1;
  if (rehearsal == 0) rehearse(v, l, clocks, parent);
  if (rehearsal > 0 && wait_for(rehearsal, l->stop)) return clocks;
  time_clocks_free(clocks);
  v->clocks_missed++;
  return NULL;
}
