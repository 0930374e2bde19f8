// In: a class. Out: its results. The idea: each submission is graded in a process of its own, which writes
// its result itself; this process starts them, waits, and reports. A process that measures on a GPU waits for
// a free one (device/gpu-lock.h); meanwhile the CPU stages of the others run.
#include "class/class.h"
#include "class/same-files.h"
#include "monotonic.h"
#include "referee/grade.h"
#include "report/progress.h"
#include "virtual-hopper/base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 256 };

struct crew {
  struct class *class;
  struct progress_display display;
  pid_t pids[MOST_JOBS]; // 0: the slot is free
  size_t students[MOST_JOBS];
  bool *begun; // of each student
  size_t first, last, total, done, passed;
  double started;
  sigset_t waited, before;
};

static bool is_wanted(const struct class *class, size_t index) {
  return !class->outcomes[index].known && !class->outcomes[index].apart;
}

static void tell_progress(struct crew *crew) {
  char line[256];
  double spent = monotonic_seconds() - crew->started;
  size_t left = crew->total - crew->done, running = 0;
  const char *name = "";
  for (unsigned i = 0; i < crew->class->jobs; i++) {
    if (!crew->pids[i]) continue;
    running++;
    name = crew->class->roster.students[crew->students[i]].name;
  }
  if (crew->done == 0) {
    snprintf(line, sizeof line, "0 of %zu graded, %zu under way: %s", crew->total, running, name);
  } else {
    double rest = spent / (double)crew->done * (double)left;
    snprintf(line, sizeof line, "%zu of %zu graded, about %.0f %s to go; %zu under way: %s", crew->done,
             crew->total, rest < 90 ? rest : rest / 60, rest < 90 ? "s" : "min", running, name);
  }
  progress_show(&crew->display, line);
}

// ---- the child's side ----

static void redirect(const char *path) {
  int log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log < 0) return;
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
}

static int grade_here(struct class *class, size_t index, char *error, size_t size) {
  char folder[PATH_MAX], absolute[PATH_MAX];
  const char *name = class->roster.students[index].name;
  struct outcome *outcome = &class->outcomes[index];
  struct lab_record known;
  same_files_take(class, index, &known);
  class_path(class, folder, "submissions", name, "");
  const int graded = class->grade(class->context, folder, &known, &outcome->lab, error, size);
  lab_record_free(&known);
  if (graded != 0) return -1;
  // The output folder may be moved, and a student has no use for its path.
  if (realpath(folder, absolute)) grade_strip_places(&outcome->lab, absolute);
  grade_strip_places(&outcome->lab, GRADING_NOBODYS);
  grade_strip_places(&outcome->lab, folder);
  return result_save(class, index, error, size);
}

static pid_t start(struct crew *crew, size_t index) {
  struct class *class = crew->class;
  char path[PATH_MAX];
  fflush(NULL);
  const pid_t parent = getpid(), pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(EXIT_FAILURE); // the parent died before prctl
  sigprocmask(SIG_SETMASK, &crew->before, NULL);
  redirect(class_path(class, path, "logs", class->roster.students[index].name, ".log"));
  char error[700] = "";
  int status = grade_here(class, index, error, sizeof error);
  if (status != 0) fprintf(stderr, "grader: %s\n", error);
  fflush(NULL);
  _exit(status == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

// ---- the parent's side ----

// The submission's name, and its authors' if they are called otherwise.
static const char *shown_name(const struct student *student, char shown[STUDENT_NAMES]) {
  char names[STUDENT_NAMES];
  roster_names(student, names);
  if (strcmp(names, student->name) == 0) return student->name;
  snprintf(shown, STUDENT_NAMES, "%s (%.250s)", student->name, names);
  for (char *c = shown; *c; c++)
    if ((unsigned char)*c < 0x20) *c = '?';
  printable_make(shown, STUDENT_NAMES);
  return shown;
}

// What the grader of this submission said last, if its log tells.
static void last_words(const char *log, char *text, size_t size) {
  FILE *file = fopen(log, "re");
  text[0] = '\0';
  while (file && fgets(text, (int)size, file)) {
  }
  if (file) fclose(file);
  text[strcspn(text, "\n")] = '\0';
  printable_make(text, size);
}

static void take_result(struct crew *crew, size_t index, int status) {
  struct class *class = crew->class;
  struct outcome *outcome = &class->outcomes[index];
  const struct student *student = &class->roster.students[index];
  char path[PATH_MAX];
  crew->done++;
  // A result with a grader error counts in this run. The next run grades again.
  outcome->known = WIFEXITED(status) && WEXITSTATUS(status) == 0 && result_read(class, index);
  if (class->quiet) return;
  progress_clear(&crew->display);
  if (!outcome->known) {
    char said[400];
    class_path(class, path, "logs", student->name, ".log");
    last_words(path, said, sizeof said);
    printf("%-32s not graded: see %s%s%s\n", student->name, path, said[0] ? "\n    " : "", said);
    return;
  }
  struct score score = lab_score(&outcome->lab);
  enum verdict verdict = lab_verdict(&outcome->lab);
  char shown[STUDENT_NAMES];
  printf("%-32s %-10s %g of %g points\n", shown_name(student, shown), verdict_name(verdict), score.points,
         score.maximum);
  fflush(stdout);
}

static bool is_under_way(const void *context, size_t student) {
  const struct crew *crew = context;
  for (unsigned slot = 0; slot < crew->class->jobs; slot++)
    if (crew->pids[slot] && crew->students[slot] == student) return true;
  return false;
}

// Who comes next, or crew->last: nobody now. Whose files are those of somebody under way waits for the
// verdict; where a part of them is, only if there is other work.
static size_t choose(const struct crew *crew) {
  size_t later = crew->last;
  for (size_t i = crew->first; i < crew->last; i++) {
    size_t exercises, same;
    if (crew->begun[i] || !is_wanted(crew->class, i)) continue;
    if (crew->class->each) return i;
    same = same_files_count(crew->class, i, is_under_way, crew, &exercises);
    if (same == 0) return i;
    if (same < exercises && later == crew->last) later = i;
  }
  return later;
}

static void start_more(struct crew *crew) {
  for (unsigned slot = 0; slot < crew->class->jobs; slot++) {
    if (crew->pids[slot]) continue;
    const size_t next = choose(crew);
    if (next == crew->last) return;
    pid_t pid = start(crew, next);
    if (pid < 0) return; // no process can be started now; tried again when one ends
    crew->pids[slot] = pid;
    crew->students[slot] = next;
    crew->begun[next] = true;
  }
}

static bool busy(const struct crew *crew) {
  for (unsigned slot = 0; slot < crew->class->jobs; slot++)
    if (crew->pids[slot]) return true;
  return false;
}

static void reap(struct crew *crew) {
  for (unsigned slot = 0; slot < crew->class->jobs; slot++) {
    int status;
    if (!crew->pids[slot] || waitpid(crew->pids[slot], &status, WNOHANG) != crew->pids[slot]) continue;
    crew->pids[slot] = 0;
    take_result(crew, crew->students[slot], status);
  }
}

// SIGTERM lets the children clean up before they end.
static void stop_all(struct crew *crew) {
  for (unsigned slot = 0; slot < crew->class->jobs; slot++)
    if (crew->pids[slot]) kill(crew->pids[slot], SIGTERM);
  for (unsigned slot = 0; slot < crew->class->jobs; slot++)
    if (crew->pids[slot]) waitpid(crew->pids[slot], NULL, 0);
}

// Waits for a child's end, a signal to stop, or a second. True: stop.
static bool wait_for_news(const struct crew *crew) {
  struct timespec second = {.tv_sec = 1};
  int signal = sigtimedwait(&crew->waited, NULL, &second);
  return signal > 0 && signal != SIGCHLD;
}

int class_grade(struct class *class, size_t first, size_t last, char *error, size_t size) {
  struct crew *crew = calloc(1, sizeof *crew);
  bool *begun = calloc(class->roster.count + 1, sizeof *begun);
  if (!crew || !begun) {
    free(crew);
    free(begun);
    return class_fail(error, size, "out of memory");
  }
  *crew = (struct crew){.class = class,
                        .begun = begun,
                        .first = first,
                        .last = last,
                        .started = monotonic_seconds(),
                        .display = progress_open()};
  if (class->jobs > MOST_JOBS) class->jobs = MOST_JOBS;
  for (size_t i = first; i < last; i++)
    crew->total += is_wanted(class, i);
  grade_stopping_signals(&crew->waited);
  sigaddset(&crew->waited, SIGCHLD);
  sigprocmask(SIG_BLOCK, &crew->waited, &crew->before);
  bool stopped = false;
  while (start_more(crew), busy(crew) && !stopped) {
    tell_progress(crew);
    stopped = wait_for_news(crew);
    reap(crew);
  }
  progress_clear(&crew->display);
  if (stopped) stop_all(crew);
  sigprocmask(SIG_SETMASK, &crew->before, NULL);
  free(begun);
  free(crew);
  return stopped ? class_fail(error, size, "stopped") : 0;
}
