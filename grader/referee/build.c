// In: a student's source. Out: a program with the runner in it, in the task's scratch directory. The idea: what the compiler
// refuses is the student's; what keeps the compiler from running at all is ours.
#include "referee/diagnostics.h"
#include "referee/fingerprint.h"
#include "referee/grading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCE_BYTES = 1 << 20, BUILD_SECONDS = 90 };

// The source can be read and is a plain file of sensible size. False: the stage is concluded.
static bool check_source(const struct task *task) {
  struct stat status;
  const char *file = kit_short_path(task->source, task->grading->directory);
  // lstat: a link might lead anywhere.
  if (lstat(task->source, &status) != 0) {
    struct stage_record *stage = task_conclude(
        task, STAGE_BUILD, VERDICT_FAIL, errno == ENOENT ? "missing" : "unreadable", "has no source file");
    stage_detail(stage, "%s: %s.\nA submission is a folder with the same file names as labs/%s.\n", file,
                 strerror(errno), task->exercise->lab);
    return false;
  }
  if (S_ISREG(status.st_mode) && status.st_size <= MOST_SOURCE_BYTES && access(task->source, R_OK) == 0)
    return true;
  struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "unreadable", "cannot be read");
  stage_detail(stage, "%s must be a plain, readable file of at most 1 MiB.\n", file);
  return false;
}

static bool is_skeleton(const struct task *task) {
  char fingerprint[FINGERPRINT_SIZE];
  return task->config->skeleton[0] && fingerprint_file(task->source, fingerprint) == 0 &&
         strcmp(fingerprint, task->config->skeleton) == 0;
}

static int run_compiler(const struct task *task, const char *const *arguments, struct sandbox_result *result,
                        char *error, size_t size) {
  const struct kit *kit = &task->grading->kit;
  char path[8192], home[PATH_MAX + 8], scratch[PATH_MAX + 8], hidden[PATH_MAX], solutions[PATH_MAX];
  const char *callers = getenv("PATH");
  // nvcc looks for the host's compiler, assembler and linker where the caller would.
  snprintf(path, sizeof path, "PATH=%s:%s/bin", callers ? callers : "/usr/bin:/bin", kit->cuda_home);
  snprintf(home, sizeof home, "HOME=%s", task->scratch);
  snprintf(scratch, sizeof scratch, "TMPDIR=%s", task->scratch);
  const char *const environment[] = {path, home, scratch, "LANG=C", NULL};
  const char *const readable[] = {kit->root, kit->cuda_home, NULL};
  const char *const hidden_paths[] = {kit_path(kit, hidden, "grader/hidden"),
                                      kit_path(kit, solutions, "solutions"), NULL};
  const char *const exceptions[] = {task->grading->submission, NULL};
  struct sandbox_plan plan = {
      .mode = task->grading->sandbox,
      .arguments = arguments,
      .environment = environment,
      .directory = task->scratch,
      .readable = readable,
      .hidden = hidden_paths,
      .exceptions = exceptions,
      .limits = {.wall_seconds = BUILD_SECONDS,
                 .cpu_seconds = BUILD_SECONDS,
                 .address_space = (uint64_t)16 << 30,
                 .file_bytes = 256 << 20,
                 .more_processes = 256,
                 .output_bytes = 256 << 10},
  };
  return sandbox_run(&plan, result, error, size);
}

static void conclude_failed(const struct task *task, const struct sandbox_result *result) {
  char name[128], *first = diagnostics_first_error(result->output, task->grading->directory);
  if (diagnostics_undefined_name(result->output, name, sizeof name)) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed", "does not link: nothing defines %s", name);
    stage_detail(stage,
                 "The entry points and their types are in labs/%s/%s.h; keep extern \"C\" before yours.\n",
                 task->exercise->lab, task->exercise->lab);
  } else if (first) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed", "does not compile");
    stage_detail(stage, "%s", first);
  } else {
    char *excerpt = diagnostics_excerpt(result->output, 12, 160);
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "could not be compiled");
    stage_detail(stage, "The compiler ended with %s %d and names no error in the source.\n%s",
                 result->signal ? "signal" : "status", result->signal ? result->signal : result->exit_code,
                 excerpt ? excerpt : "");
    free(excerpt);
  }
  free(first);
}

// Runs one command of the build. True if it succeeded, else the stage is concluded.
static bool run_step(const struct task *task, const char *const *arguments) {
  struct sandbox_result result;
  char error[300];
  if (run_compiler(task, arguments, &result, error, sizeof error) != 0) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "could not be compiled");
    stage_detail(stage, "%s\n", error);
    return false;
  }
  bool built = !result.timed_out && !result.signal && result.exit_code == 0;
  if (result.timed_out) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "too slow",
                                               "does not compile within %d s", BUILD_SECONDS);
    stage_detail(stage, "The compiler was stopped. Is something unrolled or instantiated without end?\n");
  } else if (!built) {
    conclude_failed(task, &result);
  }
  sandbox_result_free(&result);
  return built;
}

static bool compile_and_link(struct task *task) {
  const struct kit *kit = &task->grading->kit;
  char object[PATH_MAX + 16], interface[PATH_MAX], lab[PATH_MAX], runner[PATH_MAX],
      include_interface[PATH_MAX + 2], include_lab[PATH_MAX + 2];
  snprintf(object, sizeof object, "%s/student.o", task->scratch);
  snprintf(task->program, sizeof task->program, "%.*s/runner", (int)sizeof task->program - 8, task->scratch);
  snprintf(include_interface, sizeof include_interface, "-I%s", kit_path(kit, interface, "interface"));
  snprintf(include_lab, sizeof include_lab, "-I%s", kit_path(kit, lab, "labs/%s", task->exercise->lab));
  kit_path(kit, runner, "build/runner/%s/%s.o", task->exercise->lab, task->exercise->name);
  if (access(runner, R_OK) != 0) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "cannot be linked");
    stage_detail(stage, "%s is missing: type make build/runner/%s/%s.o in the kit.\n", runner,
                 task->exercise->lab, task->exercise->name);
    return false;
  }
  const char *const compile[] = {kit->nvcc,
                                 "-ccbin",
                                 kit->host_compiler,
                                 "-c",
                                 "-std=c++17",
                                 "-lineinfo",
                                 "--no-compress",
                                 "-gencode",
                                 "arch=compute_90,code=[sm_90,compute_90]",
                                 "-cudart",
                                 "shared",
                                 include_interface,
                                 include_lab,
                                 task->source,
                                 "-o",
                                 object,
                                 NULL};
  const char *const link[] = {
      kit->nvcc, "-ccbin", kit->host_compiler, "-nodlink", "-cudart", "shared", object, runner,
      "-ldl",    "-o",     task->program,      NULL};
  task_progress(task, "compiling");
  return run_step(task, compile) && run_step(task, link);
}

bool build_stage(struct task *task) {
  if (!check_source(task)) return false;
  if (is_skeleton(task)) {
    task->record->not_started = true;
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "--", "has not been started");
    stage_detail(stage, "The file is the skeleton as it was given out.\n");
    return false;
  }
  if (!task->grading->kit.nvcc[0]) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "cannot be compiled: no nvcc here");
    stage_detail(stage, "Type make in the kit: it says what is missing and installs it.\n");
    return false;
  }
  if (!compile_and_link(task)) return false;
  task_conclude(task, STAGE_BUILD, VERDICT_PASS, "ok", "compiles");
  return true;
}
