// In: a grading. Out: the record of a submission. The idea: each exercise is graded by a worker process,
// whose last line is its record as JSON. A worker that ends without one leaves the initial record, a grader
// error.
#include "referee/grade.h"

#include "monotonic.h"
#include "referee/pipeline.h"
#include "report/glob-below.h"
#include "virtual-hopper/base/printable.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

// The last resort against a worker that prints nothing any more; far above all deadlines inside it.
static const double SILENT_SECONDS = 1200;
static const char RECORD_MARK = '{'; // progress lines start with an exercise's name

struct worker {
  pid_t pid; // 0: not running
  int pipe;
  size_t exercise; // index in the record
  double heard;    // when it last printed something, or was started
  char scratch[PATH_MAX];
  char *text; // a line that isn't complete yet
  size_t length, capacity;
};

struct crew {
  const struct grading *grading;
  struct lab_record *lab;
  struct worker workers[RECORD_MAX_EXERCISES];
  size_t next; // the next exercise to start
  grade_watcher *watcher;
  void *context;
  int signals;     // signalfd; readable when the user wants to stop
  sigset_t before; // the signal mask for workers
};

static void set_error(struct exercise_record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void set_error(struct exercise_record *record, const char *format, ...) {
  va_list list;
  va_start(list, format);
  struct stage_record *stage = &record->stages[STAGE_BUILD];
  free(stage->detail);
  if (vasprintf(&stage->detail, format, list) < 0) stage->detail = NULL;
  va_end(list);
  snprintf(stage->headline, sizeof stage->headline, "could not be judged");
}

// Whether the kit's labs/ has one lab.
static bool is_only_lab(const struct kit *kit) {
  glob_t found;
  bool only = glob_below(kit->root, "labs/*/lab.cfg", &found) == 0 && found.gl_pathc == 1;
  globfree(&found);
  return only;
}

void grade_begin(const struct grading *grading, struct lab_record *lab) {
  *lab = (struct lab_record){.gpu = grading->device == DEVICE_GPU, .seed = grading->seed};
  lab->hidden_cases = grading->hidden_cases;
  snprintf(lab->lab, sizeof lab->lab, "%s", grading->config.lab);
  snprintf(lab->device, sizeof lab->device, "%s", grading->device_description);
  if (grading->taken_from[0]) // copied from an archive: the author edits labs/LAB in their own kit
    snprintf(lab->submission, sizeof lab->submission, "labs/%s", grading->config.lab);
  else
    snprintf(lab->submission, sizeof lab->submission, "%.1000s",
             kit_short_path(grading->submission, grading->directory));
  printable_make(lab->submission, sizeof lab->submission);
  for (unsigned i = 0; i < grading->config.exercise_count; i++) {
    const struct exercise_config *config = &grading->config.exercises[i];
    if (grading->only[0] && strcmp(grading->only, config->name) != 0) continue;
    if (grading->only[0] && i + 1 < grading->config.exercise_count)
      snprintf(lab->next, sizeof lab->next, "%s", config[1].name);
    snprintf(lab->done[lab->exercise_count], RECORD_DONE, "%s", config->done);
    lab->untimed[lab->exercise_count] = !config->timed;
    lab->in_tflops[lab->exercise_count] = strcmp(config->speed, "tflops") == 0;
    struct exercise_record *record = &lab->exercises[lab->exercise_count++];
    snprintf(record->name, sizeof record->name, "%s", config->name);
    lab_config_score(&grading->config, record);
    set_error(record, "The grader ended before it had judged this exercise.\n");
  }
  lab->in_order = grading->config.in_order;
  lab->whole_lab = lab->exercise_count == grading->config.exercise_count;
  lab->only_lab = is_only_lab(&grading->kit);
}

void grade_strip_places(struct lab_record *lab, const char *folder) {
  for (size_t i = 0; i < lab->exercise_count; i++)
    for (int which = 0; which < STAGE_COUNT; which++) {
      struct stage_record *stage = &lab->exercises[i].stages[which];
      if (stage->detail) kit_strip_prefix(stage->detail, folder);
      json_t *faults = stage->faults;
      if (faults) stage->faults = kit_strip_prefix_json(faults, folder);
      json_decref(faults);
    }
}

// ---- the worker's side ----

static int write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, text, length);
    if (written < 0 && errno != EINTR) return -1;
    if (written > 0) text += written, length -= (size_t)written;
  }
  return 0;
}

static void find_task(const struct grading *grading, const char *name, struct task *task) {
  size_t count;
  const struct exercise *const *exercises = exercises_of(grading->config.lab, &count);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(exercises[i]->name, name) != 0) continue;
    task->exercise = exercises[i];
    task->config = &grading->config.exercises[i];
  }
}

static int work(const struct grading *grading, const char *name, const char *scratch, int pipe) {
  static const struct exercise_record empty;
  struct exercise_record record = empty;
  struct task task = {.grading = grading, .record = &record, .progress = pipe};
  find_task(grading, name, &task);
  snprintf(task.source, sizeof task.source, "%.*s/%.*s.cu", PATH_MAX - RECORD_NAME - 8,
           grading_called(grading), RECORD_NAME, name);
  snprintf(task.scratch, sizeof task.scratch, "%s", scratch);
  pipeline_run(&task);
  json_t *json = exercise_record_json(&record);
  char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  int status = text && write_all(pipe, text, strlen(text)) == 0 && write_all(pipe, "\n", 1) == 0 ? 0 : 1;
  free(text);
  json_decref(json);
  exercise_record_free(&record);
  return status;
}

// ---- the grader's side ----

static int start_worker(struct crew *crew, struct worker *worker, size_t exercise) {
  struct exercise_record *record = &crew->lab->exercises[exercise];
  int ends[2] = {-1, -1};
  if (sandbox_make_scratch(worker->scratch, sizeof worker->scratch) != 0) {
    set_error(record, "No scratch directory can be made: %s. Is $TMPDIR or /tmp full?\n", strerror(errno));
    return -1;
  }
  pid_t parent = getpid(), pid = pipe(ends) == 0 ? fork() : -1;
  if (pid < 0) {
    set_error(record, "No process can be started: %s\n", strerror(errno));
    for (int i = 0; i < 2; i++)
      if (ends[i] >= 0) close(ends[i]);
    sandbox_remove_scratch(worker->scratch);
    return -1;
  }
  if (pid == 0) {
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &crew->before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // the parent died before prctl
    _exit(work(crew->grading, record->name, worker->scratch, ends[1]));
  }
  close(ends[1]);
  worker->pid = pid;
  worker->pipe = ends[0];
  worker->exercise = exercise;
  worker->heard = monotonic_seconds();
  return 0;
}

static void take_record(struct crew *crew, struct worker *worker, const char *line) {
  struct exercise_record record, *place = &crew->lab->exercises[worker->exercise];
  json_error_t error;
  json_t *json = json_loads(line, 0, &error);
  if (json && exercise_record_from_json(json, &record)) {
    exercise_record_free(place);
    *place = record;
  }
  json_decref(json);
}

static void take_lines(struct crew *crew, struct worker *worker) {
  char *line = worker->text, *end;
  while ((end = memchr(line, '\n', worker->length - (size_t)(line - worker->text)))) {
    *end = '\0';
    if (line[0] == RECORD_MARK) {
      take_record(crew, worker, line);
    } else if (crew->watcher) {
      crew->watcher(crew->context, line);
    }
    line = end + 1;
  }
  worker->length -= (size_t)(line - worker->text);
  memmove(worker->text, line, worker->length);
}

// Reads lines from the worker. False once it has closed its pipe.
static bool listen(struct crew *crew, struct worker *worker) {
  if (worker->capacity - worker->length < 4096) {
    size_t capacity = 2 * worker->capacity + 65536;
    char *text = realloc(worker->text, capacity);
    if (!text) return false;
    worker->text = text;
    worker->capacity = capacity;
  }
  ssize_t got = read(worker->pipe, worker->text + worker->length, worker->capacity - worker->length);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  worker->length += (size_t)got;
  worker->heard = monotonic_seconds();
  take_lines(crew, worker);
  return true;
}

static void end_worker(struct crew *crew, struct worker *worker) {
  struct exercise_record *record = &crew->lab->exercises[worker->exercise];
  int status = 0;
  close(worker->pipe);
  while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
  }
  sandbox_remove_scratch(worker->scratch);
  free(worker->text);
  if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
    // Even if it has sent a record: a worker that fails isn't believed.
    exercise_record_free(record);
    record->verdict = VERDICT_ERROR;
    for (int stage = 0; stage < STAGE_COUNT; stage++)
      record->stages[stage].verdict = VERDICT_ERROR;
    if (WIFSIGNALED(status)) {
      set_error(record, "The grader's process for this exercise died: %s.\n", strsignal(WTERMSIG(status)));
    } else {
      set_error(record, "The grader's process for this exercise ended with status %d.\n",
                WEXITSTATUS(status));
    }
  }
  *worker = (struct worker){0};
}

static bool start_more(struct crew *crew) {
  bool busy = false;
  for (size_t i = 0; i < crew->grading->jobs && i < RECORD_MAX_EXERCISES; i++) {
    struct worker *worker = &crew->workers[i];
    while (!worker->pid && crew->next < crew->lab->exercise_count) {
      const size_t exercise = crew->next++;
      if (crew->lab->exercises[exercise].unchanged) continue; // its verdict is cached
      if (start_worker(crew, worker, exercise) == 0) break;
    }
    busy |= worker->pid != 0;
  }
  return busy;
}

// Waits for lines from any worker. Returns false if the user wants to stop.
static bool wait_for_news(struct crew *crew) {
  struct pollfd events[RECORD_MAX_EXERCISES + 1];
  for (size_t i = 0; i < RECORD_MAX_EXERCISES; i++)
    events[i] = (struct pollfd){crew->workers[i].pid ? crew->workers[i].pipe : -1, POLLIN, 0};
  events[RECORD_MAX_EXERCISES] = (struct pollfd){crew->signals, POLLIN, 0};
  if (poll(events, RECORD_MAX_EXERCISES + 1, 1000) < 0 && errno != EINTR) return false;
  for (size_t i = 0; i < RECORD_MAX_EXERCISES; i++) {
    struct worker *worker = &crew->workers[i];
    if (worker->pid && monotonic_seconds() - worker->heard > SILENT_SECONDS) kill(worker->pid, SIGKILL);
    if (worker->pid && events[i].revents && !listen(crew, worker)) end_worker(crew, worker);
  }
  return events[RECORD_MAX_EXERCISES].revents == 0;
}

static void stop_all(struct crew *crew) {
  for (size_t i = 0; i < RECORD_MAX_EXERCISES; i++) {
    if (!crew->workers[i].pid) continue;
    kill(crew->workers[i].pid, SIGKILL);
    end_worker(crew, &crew->workers[i]);
  }
}

void grade_stopping_signals(sigset_t *stopping) {
  struct sigaction action;
  sigemptyset(stopping);
  sigaddset(stopping, SIGINT);
  sigaddset(stopping, SIGTERM);
  if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(stopping, SIGHUP);
}

int grade_run(const struct grading *grading, struct lab_record *lab, grade_watcher *watcher, void *context) {
  struct crew *crew = calloc(1, sizeof *crew);
  if (!crew) return -1;
  double start = monotonic_seconds();
  sandbox_sweep_scratch();
  sigset_t stopping;
  grade_stopping_signals(&stopping);
  *crew = (struct crew){.grading = grading, .lab = lab, .watcher = watcher, .context = context};
  // An interrupted grader still has to kill its workers and remove their scratch directories.
  sigprocmask(SIG_BLOCK, &stopping, &crew->before);
  crew->signals = signalfd(-1, &stopping, SFD_CLOEXEC);
  bool going_on = true;
  while (going_on && start_more(crew))
    going_on = wait_for_news(crew);
  stop_all(crew);
  if (crew->signals >= 0) close(crew->signals);
  sigprocmask(SIG_SETMASK, &crew->before, NULL);
  lab->seconds = monotonic_seconds() - start;
  free(crew);
  return going_on ? 0 : -1;
}
