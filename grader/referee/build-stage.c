// Stage 1. In: a student's source. Out: a program with the runner in it, in the task's scratch directory. The
// idea: an error that the compiler reports is the student's; if the compiler can't run at all, that is ours.
#include "referee/braces.h"
#include "referee/cases.h"
#include "referee/diagnostics.h"
#include "referee/empty-body.h"
#include "referee/fingerprint.h"
#include "referee/grading.h"
#include "referee/intake.h"
#include "referee/lean-build.h"
#include "referee/program-cache.h"
#include "referee/remarks.h"
#include "referee/slips.h"
#include "referee/source-line.h"
#include "report/plain-file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static bool is_skeleton(const struct task *task) {
  char fingerprint[FINGERPRINT_SIZE], copy[PATH_MAX + RECORD_NAME + 16];
  snprintf(copy, sizeof copy, "%s/source/%s.cu", task->scratch, task->exercise->name);
  return task->config->skeleton[0] && fingerprint_file(copy, fingerprint) == 0 &&
         strcmp(fingerprint, task->config->skeleton) == 0;
}

static int run_compiler(const struct task *task, const char *const *arguments, struct sandbox_result *result,
                        char *error, size_t size) {
  const struct kit *kit = &task->grading->kit;
  bool walls = task->grading->sandbox == SANDBOX_NAMESPACES;
  char path[8192], home[PATH_MAX + 8], scratch[PATH_MAX + 8], interface[PATH_MAX], runners[PATH_MAX],
      runtimes[PATH_MAX], hidden[PATH_MAX], solutions[PATH_MAX], lean[PATH_MAX], prefixes[PATH_MAX],
      lister[PATH_MAX];
  struct lean_environment lean_environment;
  const char *callers = getenv("PATH");
  // nvcc looks for the host's compiler, assembler and linker in the caller's PATH.
  snprintf(path, sizeof path, "PATH=%s:%s/bin", callers ? callers : "/usr/bin:/bin", kit->cuda_home);
  snprintf(home, sizeof home, "HOME=%s", task->scratch);
  snprintf(scratch, sizeof scratch, "TMPDIR=%s", walls ? "/tmp" : task->scratch);
  lean_build_environment(&lean_environment, task);
  const char *const environment[] = {path,
                                     home,
                                     scratch,
                                     "LANG=C",
                                     lean_environment.compiler,
                                     lean_environment.keeps,
                                     lean_environment.prefixes,
                                     NULL};
  const char *const readable[] = {kit->cuda_home,
                                  kit->nvcc,
                                  kit->packages,
                                  kit_path(kit, lean, "build/bin/lean-compiler"),
                                  kit_path(kit, prefixes, "build/lean"),
                                  kit_path(kit, lister, "build/bin/exported-names"),
                                  kit_path(kit, interface, "interface"),
                                  kit_path(kit, runners, "build/runner/%s", task->exercise->lab),
                                  kit_path(kit, runtimes, "build/lib"),
                                  NULL};
  struct sandbox_plan plan = {
      .mode = task->grading->sandbox,
      .arguments = arguments,
      .environment = environment,
      .directory = task->scratch,
      .temporary_bytes = 512 << 20,
      .few_devices = true,
      .readable = readable,
      .secret = {kit_path(kit, hidden, "grader"), kit_path(kit, solutions, "solutions")},
      .filter = SANDBOX_TOOLS,
      .limits = {.wall_seconds = SANDBOX_BUSY * task->grading->build_deadline,
                 .work_seconds = task->grading->build_deadline,
                 .cpu_seconds = (unsigned)task->grading->build_deadline + 1,
                 .address_space = (uint64_t)8 << 30,
                 .file_bytes = 128 << 20,
                 .more_processes = 64,
                 .output_bytes = 256 << 10},
  };
  return sandbox_run(&plan, result, error, size);
}

// Whether the compiler compiles an empty source. If so, the student's source has made it fail.
static bool compiler_works(const struct task *task, const char *const *compile) {
  char empty[PATH_MAX + 16];
  const char *arguments[32];
  size_t count = 0;
  struct sandbox_result result = {0};
  char error[300];
  snprintf(empty, sizeof empty, "%s/empty.cu", task->scratch);
  FILE *file = fopen(empty, "we");
  if (!file) return false;
  fclose(file);
  for (; compile[count] && count + 1 < sizeof arguments / sizeof *arguments; count++)
    arguments[count] = strcmp(compile[count], task->main_source) == 0 ? empty : compile[count];
  arguments[count] = NULL;
  bool works = run_compiler(task, arguments, &result, error, sizeof error) == 0 && !result.timed_out &&
               !result.signal && result.exit_code == 0;
  sandbox_result_free(&result);
  return works;
}

static void conclude_given_up(const struct task *task, const char *const *compile,
                              const struct sandbox_result *result) {
  char *excerpt = diagnostics_excerpt(result->output, 12, 160);
  if (compiler_works(task, compile)) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed",
                                               "makes the compiler give up without naming an error");
    stage_detail(
        stage,
        "The compiler ended with %s %d and names no error in the source, but compiles an empty one.\n"
        "Is something included, unrolled or instantiated without end?\n%s",
        result->signal ? "signal" : "status", result->signal ? result->signal : result->exit_code,
        excerpt ? excerpt : "");
  } else {
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "could not be compiled");
    stage_detail(stage, "The compiler ended with %s %d and names no error in the source.\n%s",
                 result->signal ? "signal" : "status", result->signal ? result->signal : result->exit_code,
                 excerpt ? excerpt : "");
  }
  free(excerpt);
}

// Messages of compilers that a beginner can't understand, or that name no line.
static const struct explanation {
  const char *said, *means;
  const char *word; // a word of the line to edit; NULL: the compiler names the line
} explanations[] = {
    {"uses too much shared data",
     "The __shared__ arrays are too large: declared with a size, they may have 48 KiB together "
     "(0xc000 bytes).",
     "__shared__"},
    {"Copy one register into another with a different width",
     "The compiler names no line. This error means that shared and global memory have changed\n"
     "places: in each copy, the destination comes first, then the source.",
     "cp_async_bulk"},
    {"fatal   : Parsing error near",
     "The compiler names no line of the source. This error means that the text of an asm statement is no\n"
     "list of PTX instructions: a brace, a semicolon or a directive is where it can't be, or the ; at the\n"
     "end of an instruction is missing.",
     "asm"},
    {"fatal   : Unresolved extern function",
     "A function that runs on the GPU is declared and called, but the file does not define it.", NULL},
    {"linkage specification is not allowed", "Above this line a } is missing.", NULL},
    {"identifier \"printf\" is undefined", "At the top of the file: #include <stdio.h>", NULL},
};

static void explain_error(const struct task *task, struct stage_record *stage, const char *error) {
  for (size_t i = 0; i < sizeof explanations / sizeof *explanations; i++) {
    if (!strstr(error, explanations[i].said)) continue;
    stage_detail(stage, "%s\n", explanations[i].means);
    if (explanations[i].word) stage->line = source_line_of_word(task, explanations[i].word);
    stage->is_guess = explanations[i].word != NULL;
    return;
  }
}

// The student's file, malloc'ed; NULL: it can't be read.
static char *read_source(const struct task *task) {
  char path[PATH_MAX + RECORD_NAME + 16];
  snprintf(path, sizeof path, "%s/source/%s.cu", task->scratch, task->exercise->name);
  FILE *file = plain_file_open(path);
  char *text = file ? malloc(MOST_SOURCE_BYTES + 1) : NULL;
  if (text) text[fread(text, 1, MOST_SOURCE_BYTES, file)] = '\0';
  if (file) fclose(file);
  return text;
}

static void note_empty_body(struct task *task) {
  char *text = read_source(task), *blanked = text ? braces_blank(text) : NULL;
  if (blanked) task->empty_body = empty_body_line(blanked);
  free(blanked);
  free(text);
}

// What the error means, for the one who wrote the line; NULL: the compiler has said it all.
static char *explain_slip(const struct task *task, const char *first) {
  char interface[PATH_MAX], lab[PATH_MAX], *slip = NULL;
  struct declarations declared = {0};
  char *text = read_source(task);
  if (text) {
    declarations_read(&declared, kit_path(&task->grading->kit, interface, "interface"));
    declarations_read(&declared, kit_path(&task->grading->kit, lab, "labs/%s", task->exercise->lab));
    const struct slip_source source = {
        .path = kit_short_path(task->source, task->grading->directory), .text = text, .declared = &declared};
    slip = slip_text(first, &source);
    declarations_free(&declared);
  }
  free(text);
  return slip;
}

// A compiler for whose files there is no room names an error, too, and sometimes a line of the source. Nobody
// is to lose points for that: whatever has failed beside so little room is ours. True: that is what was said.
static bool conclude_no_room(const struct task *task) {
  enum { LEAST = 32 << 20 }; // bytes, and a few files: far more than a build takes
  struct statvfs disk;
  if (statvfs(task->scratch, &disk) != 0) return false;
  const unsigned long long left = (unsigned long long)disk.f_bavail * disk.f_frsize;
  if (left >= LEAST && !(disk.f_files && disk.f_favail < 64)) return false;
  struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error",
                                             "could not be compiled: no room for its files");
  stage_detail(stage,
               "%s has %llu KiB and %llu files left.\n"
               "Make room there, or set TMPDIR to another folder; then grade again.\n",
               task->scratch, left >> 10, (unsigned long long)disk.f_favail);
  return true;
}

// Whether the machine has kept the compiler or the linker from its work: it could start no process, say, or
// not even an empty source can be compiled. True: that is what was said.
static bool conclude_refused(const struct task *task, const char *const *compile, const char *output,
                             const char *first) {
  size_t length = first ? strlen(first) : 0;
  const char *refusal = diagnostics_refusal(output, &length);
  if (!refusal && first && !diagnostics_names_place(first) && !compiler_works(task, compile)) refusal = first;
  if (!refusal) return false;
  struct stage_record *stage =
      task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "could not be compiled");
  stage_detail(
      stage,
      "%.*s\nNothing in the source is named. Does this machine lack processes (ulimit -u), memory or "
      "disk?\nGrade again once it has them, or with less at once: --jobs 1.\n",
      (int)strcspn(refusal, "\n"), refusal);
  return true;
}

// The grader links the source with a program of its own.
static void conclude_defined_again(const struct task *task, const char *name) {
  char word[136];
  struct stage_record *stage =
      task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed", "does not link: %s is there twice", name);
  stage_detail(stage, strcmp(name, "main") == 0
                          ? "The grader has a main() of its own, which calls your launcher. Take yours out.\n"
                          : "The grader defines it, too. Give yours another name, or make it static.\n");
  snprintf(word, sizeof word, "%s(", name);
  stage->line = source_line_of_word(task, word);
}

static void conclude_failed(const struct task *task, const char *const *compile,
                            const struct sandbox_result *result) {
  char name[128], folder[PATH_MAX + 8];
  snprintf(folder, sizeof folder, "%s/source", task->scratch);
  kit_strip_prefix(result->output, folder);
  char *first = diagnostics_first_error(result->output, task->grading->directory);
  if (diagnostics_undefined_name(result->output, name, sizeof name)) {
    struct stage_record *stage =
        task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed", "does not link: nothing defines %s", name);
    stage_detail(
        stage,
        "The entry points and their types are in labs/%s/%s.h; keep extern \"C\" before yours.\n"
        "To begin anew: make reset-%.*s puts the file back as it was given out, and keeps yours beside it.\n",
        task->exercise->lab, task->exercise->lab, (int)strspn(task->exercise->name, "0123456789"),
        task->exercise->name);
    stage->line = source_line_of_word(task, "extern \"C\"");
  } else if (diagnostics_defined_again(result->output, name, sizeof name)) {
    conclude_defined_again(task, name);
  } else if (conclude_refused(task, compile, result->output, first)) {
    // all is said
  } else if (first) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed", "does not compile");
    char *slip = explain_slip(task, first);
    stage_detail(stage, "%s", slip ? slip : first);
    if (!slip) explain_error(task, stage, first);
    free(slip);
    if (result->output_overflowed)
      stage_detail(stage, "The compiler printed more than 256 KiB and was stopped.\n");
  } else if (result->output_overflowed) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed",
                                               "makes the compiler print more than 256 KiB");
    stage_detail(stage, "The compiler was stopped. Read its first messages and correct what they name.\n");
  } else {
    conclude_given_up(task, compile, result);
  }
  free(first);
}

static bool succeeded(const struct sandbox_result *result) {
  return !result->timed_out && !result->output_overflowed && !result->signal && result->exit_code == 0;
}

static bool ran_out_of_time(const struct sandbox_result *result) {
  return result->timed_out || result->signal == SIGXCPU;
}

// How one command of the build has ended. True if it succeeded, else the stage is concluded. `warning`: see
// struct task; NULL: not asked for.
static bool conclude_step(const struct task *task, struct sandbox_result *result, const char *const *compile,
                          char **warning) {
  const bool built = succeeded(result);
  if (result->timed_out && !result->worked) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_UNGRADED, "--", CASE_TOO_BUSY);
    stage_detail(stage, "The compiler has hardly been given any time of a processor.\n");
    remark(task, REMARK_TOO_BUSY);
  } else if (ran_out_of_time(result)) {
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "too slow",
                                               "does not compile within %g s", task->grading->build_deadline);
    stage_detail(stage, "The compiler was stopped. Is something unrolled or instantiated without end?\n");
  } else if (!built && !conclude_no_room(task)) {
    conclude_failed(task, compile, result);
  }
  if (built && warning) {
    char name[RECORD_NAME + 8];
    snprintf(name, sizeof name, "%s.cu", task->exercise->name);
    *warning = diagnostics_first_warning(result->output, name, task->grading->directory);
  }
  sandbox_result_free(result);
  return built;
}

// Runs one command of the build, and concludes.
static bool run_step(const struct task *task, const char *const *arguments, const char *const *compile,
                     char **warning) {
  struct sandbox_result result;
  char error[300];
  if (run_compiler(task, arguments, &result, error, sizeof error) == 0)
    return conclude_step(task, &result, compile, warning);
  struct stage_record *stage =
      task_conclude(task, STAGE_BUILD, VERDICT_ERROR, "error", "could not be compiled");
  stage_detail(stage, "%s\n", error);
  return false;
}

// Compiles with as little of the headers as will do. A source that doesn't compile so is compiled with all of
// them, and judged by that.
static bool compile_source(struct task *task, const char *const *compile) {
  struct lean_build lean;
  struct sandbox_result result;
  char error[300];
  lean_build_make(&lean, task, compile);
  if (run_compiler(task, lean.arguments, &result, error, sizeof error) == 0) {
    // What names no error in the source would end so again.
    char *named = succeeded(&result) || ran_out_of_time(&result) || result.output_overflowed
                      ? NULL
                      : diagnostics_first_error(result.output, task->grading->directory);
    const bool again = named != NULL;
    free(named);
    if (!again) return conclude_step(task, &result, compile, &task->warning);
    sandbox_result_free(&result);
  }
  return run_step(task, compile, compile, &task->warning);
}

// The first line of what exported-names prints, if it was given an object with keys.
static void take_keys(struct task *task, const char *printed) {
  if (sscanf(printed, "= %64[0-9a-f] %64[0-9a-f]\n", task->keys.code, task->keys.lines) != 2)
    task->keys = (struct code_keys){.code = ""};
}

// Remarks on symbols that the program exports in place of a library's. `object`: it was linked from that just
// now; NULL: it was built before, and its keys are known.
static void look_at_symbols(struct task *task, const char *object) {
  char lister[PATH_MAX], error[300];
  kit_path(&task->grading->kit, lister, "build/bin/exported-names");
  const char *const arguments[] = {lister, task->program, object, NULL};
  struct sandbox_result result;
  if (run_compiler(task, arguments, &result, error, sizeof error) == 0 && result.exit_code == 0) {
    remark_symbols(task, result.output);
    if (object) take_keys(task, result.output);
  } else {
    remark(task, "Whether it replaces functions of a library could not be seen: %.200s.",
           result.output ? result.output : error);
  }
  sandbox_result_free(&result);
}

// Checks that the linker has left a plain file: the source may write into this folder, too.
static bool check_program(const struct task *task) {
  struct stat status;
  if (lstat(task->program, &status) == 0 && S_ISREG(status.st_mode)) return true;
  struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "failed", "does not link");
  stage_detail(stage, "The compiler and the linker ended well, but left no program.\n");
  return false;
}

// Links by gold, if there is one: it takes a third of the default linker's time. If it says anything, the
// program is linked by the default one as nvcc has it, and judged by that.
static bool link_program(const struct task *task, const char *const *compile, const char *object,
                         const char *runner) {
  const struct kit *kit = &task->grading->kit;
  char libraries[PATH_MAX + 8], other_libraries[PATH_MAX + 8], error[300];
  struct sandbox_result result;
  snprintf(libraries, sizeof libraries, "-L%s/lib64", kit->cuda_home);
  snprintf(other_libraries, sizeof other_libraries, "-L%s/lib", kit->cuda_home);
  const char *const quick[] = {
      kit->host_compiler, "-fuse-ld=gold", object, runner,        libraries, other_libraries,
      "-lcudart",         "-ldl",          "-o",   task->program, NULL};
  const char *const usual[] = {
      kit->nvcc, "-ccbin", kit->host_compiler, "-nodlink", "-cudart", "shared", object, runner,
      "-ldl",    "-o",     task->program,      NULL};
  if (access("/usr/bin/ld.gold", X_OK) == 0 && run_compiler(task, quick, &result, error, sizeof error) == 0) {
    const bool silent = !result.output || !result.output[0];
    if (ran_out_of_time(&result) || (succeeded(&result) && silent))
      return conclude_step(task, &result, compile, NULL);
    sandbox_result_free(&result);
  }
  return run_step(task, usual, compile, NULL);
}

// Makes task->program of `object` and `runner`, or takes the one that the same source has become before.
static bool make_program(struct task *task, const char *const *compile, const char *object,
                         const char *runner) {
  char key[SHA256_TEXT], again[SHA256_TEXT];
  note_empty_body(task);
  program_cache_key(task, compile, runner, key);
  if (program_cache_take(task, key)) {
    look_at_symbols(task, NULL);
    return true;
  }
  task_progress(task, "compiling");
  if (!compile_source(task, compile) || !link_program(task, compile, object, runner) || !check_program(task))
    return false;
  look_at_symbols(task, object);
  program_cache_key(task, compile, runner, again);
  program_cache_keep(task, key, again);
  return true;
}

static bool compile_and_link(struct task *task) {
  const struct kit *kit = &task->grading->kit;
  char object[PATH_MAX + 16], interface[PATH_MAX], runner[PATH_MAX], include_interface[PATH_MAX + 2],
      include_own[PATH_MAX + 2];
  snprintf(object, sizeof object, "%s/student.o", task->scratch);
  snprintf(task->program, sizeof task->program, "%.*s/runner", (int)sizeof task->program - 8, task->scratch);
  snprintf(include_interface, sizeof include_interface, "-I%s", kit_path(kit, interface, "interface"));
  snprintf(task->built_in, sizeof task->built_in, "%.*s/source", PATH_MAX - 16, task->scratch);
  snprintf(include_own, sizeof include_own, "-I%s", task->built_in);
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
                                 exercise_code(task->exercise),
                                 "-cudart",
                                 "shared",
                                 include_own,
                                 include_interface,
                                 task->main_source,
                                 "-o",
                                 object,
                                 NULL};
  return make_program(task, compile, object, runner);
}

bool build_stage(struct task *task) {
  if (!intake(task, task->main_source)) return false;
  if (is_skeleton(task)) {
    task->record->not_started = true;
    struct stage_record *stage = task_conclude(task, STAGE_BUILD, VERDICT_FAIL, "--", "has not been started");
    stage_detail(stage, "The file is the skeleton as it was given out.\n");
    return false;
  }
  remark_includes(task);
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
