// Grades a class on a Slurm cluster. In: a class whose submissions are taken in. Out: results in the same
// folder, which the nodes see as well. The idea: a job array whose tasks run `grader batch --share
// FIRST-LAST` and write the usual result files. So nothing is lost when a node fails (the task is requeued)
// or the array is cancelled.
#include "class/class.h"

#include "referee/grade.h"
#include "report/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MOST_TASKS: Slurm's MaxArraySize is 1001 unless a site has changed it.
enum { MOST_TASKS = 1000, JOB_ID = 64 };

static size_t count_unknown(const struct class *class) {
  size_t count = 0;
  for (size_t i = 0; i < class->roster.count; i++)
    count += !class->outcomes[i].known;
  return count;
}

// Prints 'text', quoted for a shell.
static void quote(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
  }
  fputc('\'', out);
}

struct script {
  const struct class *class;
  unsigned chunk;
  char *const *command;
};

static int write_script(FILE *out, const void *what) {
  const struct script *script = what;
  fprintf(out,
          "#!/bin/sh\n# One task of the array: the submissions of its chunk. Made by grader batch --slurm.\n"
          "first=$((SLURM_ARRAY_TASK_ID * %u))\nexec",
          script->chunk);
  for (char *const *word = script->command; *word; word++) {
    fputc(' ', out);
    quote(out, *word);
  }
  fprintf(out, " --share \"$first-$((first + %u))\"\n", script->chunk);
  return ferror(out) ? -1 : 0;
}

// Reads the first line that a command prints. -1: the command can't be run, or fails.
static int first_line(const char *command, char *line, size_t size) {
  FILE *pipe = popen(command, "re");
  line[0] = '\0';
  if (!pipe) return -1;
  if (fgets(line, (int)size, pipe)) line[strcspn(line, "\n")] = '\0';
  char rest[256];
  while (fgets(rest, sizeof rest, pipe)) {
  }
  return pclose(pipe) == 0 ? 0 : -1;
}

static int submit(const struct class *class, const struct slurm_options *options, unsigned tasks,
                  const char *script, char job[JOB_ID], char *error, size_t size) {
  char command[3 * PATH_MAX], *text = NULL, log[PATH_MAX];
  size_t length;
  FILE *stream = open_memstream(&text, &length);
  if (!stream) return class_fail(error, size, "out of memory");
  fprintf(stream,
          "sbatch --parsable --requeue --job-name=%s --array=0-%u --output=", class->grading->config.lab,
          tasks - 1);
  quote(stream, class_path(class, log, "logs", "slurm-%a", ".log"));
  fprintf(stream, " %s ", options->arguments ? options->arguments : "");
  quote(stream, script);
  fclose(stream);
  int status = text && length < sizeof command ? first_line(text, job, JOB_ID) : -1;
  free(text);
  job[strspn(job, "0123456789")] = '\0'; // the cluster's name may follow the number
  if (status == 0 && job[0]) return 0;
  return class_fail(error, size,
                    "sbatch took no job: its own message is above (is slurmctld running? sinfo tells)");
}

static volatile sig_atomic_t stopped;

static void stop(int signal) {
  (void)signal;
  stopped = 1;
}

// True while a task of the job is pending or running. A controller that doesn't answer may be restarting: it
// is asked again, for as long as a restart may take. One that doesn't know the job has finished it.
static bool is_pending(const char *job, time_t *answered) {
  enum { LONGEST_RESTART = 600 }; // seconds
  char command[128], line[256];
  snprintf(command, sizeof command, "squeue -h -j %.64s 2>&1", job);
  if (first_line(command, line, sizeof line) == 0) {
    *answered = time(NULL);
    return line[0] != '\0';
  }
  return !strstr(line, "Invalid job id") && time(NULL) - *answered < LONGEST_RESTART;
}

// Reads results as they come, until the job has left the queue.
static void watch(struct class *class, const char *job) {
  struct progress_display display = progress_open();
  size_t total = count_unknown(class);
  bool pending = true;
  time_t answered = time(NULL);
  while (pending && !stopped) {
    char line[160];
    struct timespec second = {.tv_sec = 1};
    nanosleep(&second, NULL);
    pending = is_pending(job, &answered);
    for (size_t i = 0; i < class->roster.count; i++)
      if (!class->outcomes[i].known) class->outcomes[i].known = result_read(class, i);
    snprintf(line, sizeof line, "%zu of %zu graded by Slurm's job %s", total - count_unknown(class), total,
             job);
    progress_show(&display, line);
  }
  progress_clear(&display);
}

int slurm_grade(struct class *class, const struct slurm_options *options, char *const *command, char *error,
                size_t size) {
  char path[PATH_MAX], job[JOB_ID], cancel[96];
  size_t unknown = count_unknown(class);
  if (unknown == 0) return 0;
  // A task costs about a second besides its work. A chunk of 8 keeps that small, and spreads a class over
  // many nodes.
  unsigned chunk = options->chunk ? options->chunk : 8;
  while ((class->roster.count + chunk - 1) / chunk > MOST_TASKS)
    chunk *= 2;
  struct script script = {class, chunk, command};
  class_path(class, path, "", "slurm", ".sh");
  if (class_write(path, false, write_script, &script, error, size) != 0) return -1;
  unsigned tasks = (unsigned)((class->roster.count + chunk - 1) / chunk);
  if (submit(class, options, tasks, path, job, error, size) != 0) return -1;
  printf("Slurm's job %s: %zu submissions in %u tasks\n", job, unknown, tasks);
  fflush(stdout);
  struct sigaction action = {.sa_handler = stop};
  sigset_t stopping;
  grade_stopping_signals(&stopping);
  for (int signal = 1; signal < NSIG; signal++)
    if (sigismember(&stopping, signal) == 1) sigaction(signal, &action, NULL);
  watch(class, job);
  if (!stopped) return 0;
  snprintf(cancel, sizeof cancel, "scancel %s", job);
  bool cancelled = system(cancel) == 0;
  return class_fail(error, size, cancelled ? "stopped" : "stopped, but %s failed: the job goes on", cancel);
}
