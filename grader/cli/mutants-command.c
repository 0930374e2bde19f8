// mutants: which small mistakes the cases of a lab would let pass. In: a lab's solutions. Out: single changes
// in them that pass all that is graded on the virtual Hopper. The idea: the mutants are a class of
// submissions. Each is built and judged as a student's would be, by the same jobs, and is not judged again
// while nothing has changed.
//   build/mutants/LAB/EXERCISE.made/NAME/EXERCISE.cu   the mutants
//   build/mutants/LAB/EXERCISE/                        their results, as a batch keeps them
#include "class/class.h"
#include "class/collect.h"
#include "cli/commands.h"
#include "mutants/equivalents.h"
#include "mutants/mutants.h"
#include "mutants/program.h"
#include "referee/cases.h"
#include "referee/grade.h"
#include "report/glob-below.h"
#include "report/whole-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCE_BYTES = 1 << 20, MISFITS_NAMED = 3 };

enum fate {
  FATE_UNJUDGED,
  FATE_NOT_COMPILED,
  FATE_RULES,
  FATE_UNMET,
  FATE_VALUES,
  FATE_SAME,   // passes, and compiles to the solution's own program
  FATE_PASSED, // passes
  FATES
};

// One exercise's mutants.
struct trial {
  const struct arguments *arguments;
  const struct grading *grading;
  const char *exercise;
  struct equivalents *equivalents;
  char folder[PATH_MAX]; // the solutions
  char made[PATH_MAX], results[PATH_MAX];
  char object[PATH_MAX]; // of the solution
  char *source;
  struct mutants mutants;
  size_t *tried; // numbers of mutants
  size_t tried_count, listed;
  size_t fates[FATES];
  double seconds; // of all that was judged now, one after another
};

// What all exercises came to.
struct total {
  size_t passed, unjudged, wrong_entries;
  FILE *entries; // gets those that pass, as the list of equivalents has them
};

// ---- the mutants as submissions ----

static int read_source(struct trial *trial) {
  char path[PATH_MAX + RECORD_NAME + 8];
  snprintf(path, sizeof path, "%s/%s.cu", trial->folder, trial->exercise);
  FILE *file = fopen(path, "re");
  trial->source = calloc(1, MOST_SOURCE_BYTES + 1);
  if (!file || !trial->source) {
    if (file) fclose(file);
    return complain("%s: %s", path, strerror(errno));
  }
  const size_t length = fread(trial->source, 1, MOST_SOURCE_BYTES, file);
  const bool whole = !ferror(file) && feof(file) && strlen(trial->source) == length;
  fclose(file);
  if (!whole) return complain("%s can't be read as a text of less than 1 MiB", path);
  if (mutants_make(trial->source, &trial->mutants) == 0) return 0;
  return complain("%s: no mutants can be made: a bracket is left open, or there is no memory", path);
}

// Listed ones are tried only where all are asked for: that shows whether the list is right.
static int choose(struct trial *trial) {
  const size_t count = trial->mutants.count;
  size_t *order = calloc(count + 1, sizeof *order);
  trial->tried = calloc(count + 1, sizeof *trial->tried);
  if (!order || !trial->tried) {
    free(order);
    return complain("out of memory");
  }
  mutants_draw(&trial->mutants, trial->arguments->seed, order);
  const size_t most = trial->arguments->mutants ? trial->arguments->mutants : count;
  for (size_t i = 0; i < count; i++) {
    const bool listed = equivalents_find(trial->equivalents, trial->exercise, trial->source,
                                         &trial->mutants.list[order[i]]) != NULL;
    trial->listed += listed;
    if (trial->tried_count < most && (!listed || !trial->arguments->mutants))
      trial->tried[trial->tried_count++] = order[i];
  }
  free(order);
  return 0;
}

// Two mutants of one name in different versions of a source are told apart by their results' keys.
static void name_of(size_t number, char name[32]) {
  snprintf(name, 32, "m%05zu", number + 1);
}

struct one {
  const char *source;
  const struct mutant *mutant;
};

static int write_one(FILE *out, const void *what) {
  const struct one *one = what;
  return mutant_write(out, one->source, one->mutant);
}

static int make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const int status = mkdir(path, 0777);
    *slash = '/';
    if (status != 0 && errno != EEXIST) return -1;
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

// The headers that lie beside the solution.
static int copy_headers(const struct trial *trial, const char *folder) {
  static const char *const endings[] = {"*.h", "*.cuh", "*.hpp", "*.inc"};
  int status = 0;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    glob_t found;
    glob_below(trial->folder, endings[i], &found);
    for (size_t k = 0; k < found.gl_pathc && status == 0; k++) {
      char path[PATH_MAX];
      const char *name = strrchr(found.gl_pathv[k], '/');
      snprintf(path, sizeof path, "%.*s%.255s", PATH_MAX - 256, folder, name);
      if (link(found.gl_pathv[k], path) != 0 && errno != EEXIST) status = -1;
    }
    globfree(&found);
  }
  return status;
}

static int write_mutants(struct trial *trial) {
  char folder[PATH_MAX + 40], path[PATH_MAX + RECORD_NAME + 64], name[32];
  remove_tree(trial->made);
  if (make_folders(trial->made) != 0) return complain("%s: %s", trial->made, strerror(errno));
  for (size_t i = 0; i < trial->tried_count; i++) {
    name_of(trial->tried[i], name);
    snprintf(folder, sizeof folder, "%s/%s", trial->made, name);
    snprintf(path, sizeof path, "%s/%s.cu", folder, trial->exercise);
    const struct one one = {trial->source, &trial->mutants.list[trial->tried[i]]};
    if (mkdir(folder, 0777) != 0 || copy_headers(trial, folder) != 0 ||
        whole_file_write(path, false, write_one, &one) != 0)
      return complain("%s: %s", path, strerror(errno));
  }
  return 0;
}

// ---- judging ----

static const char SAME_PROGRAM[] = "It compiles to the same program as the solution.";

// In the process of one mutant. If it passes, it may be the solution in other words.
static int grade_one(void *context, const char *submission, const struct lab_record *known,
                     struct lab_record *lab, char *error, size_t size) {
  const struct trial *trial = context;
  struct arguments one = *trial->arguments;
  one.known = known;
  char object[PATH_MAX + 16];
  one.exercise = trial->exercise;
  one.submission = submission;
  one.collected = true;
  one.output = NULL;
  one.jobs = one.cores = 1;
  if (grade_submission(&one, true, lab) != 0)
    return class_fail(error, size, "not graded: the reason is above");
  struct exercise_record *record = &lab->exercises[0];
  if (lab->exercise_count != 1 || record->verdict != VERDICT_PASS) return 0;
  snprintf(object, sizeof object, "%s/mutant.o", submission);
  if (program_compile(&trial->grading->kit, one.lab, submission, trial->exercise, object) &&
      program_is_same(object, trial->object)) {
    if (!record->remarks) record->remarks = json_array();
    json_array_append_new(record->remarks, json_string(SAME_PROGRAM));
  }
  unlink(object);
  return 0;
}

static bool is_same_program(const struct exercise_record *record) {
  size_t i;
  json_t *remark;
  json_array_foreach(record->remarks, i, remark) {
    const char *text = json_string_value(remark);
    if (text && strcmp(text, SAME_PROGRAM) == 0) return true;
  }
  return false;
}

static enum fate fate_of(const struct outcome *outcome) {
  const struct exercise_record *record = &outcome->lab.exercises[0];
  if (!outcome->known || outcome->lab.exercise_count != 1) return FATE_UNJUDGED;
  if (record->verdict == VERDICT_PASS) return is_same_program(record) ? FATE_SAME : FATE_PASSED;
  if (record->verdict != VERDICT_FAIL) return FATE_UNJUDGED;
  if (record->stages[STAGE_BUILD].verdict == VERDICT_FAIL) return FATE_NOT_COMPILED;
  if (record->stages[STAGE_RULES].verdict == VERDICT_FAIL)
    return record->stages[STAGE_RULES].unmet ? FATE_UNMET : FATE_RULES;
  return FATE_VALUES;
}

static const char *headline_of(const struct outcome *outcome) {
  for (int stage = 0; outcome->known && stage < STAGE_COUNT; stage++)
    if (outcome->lab.exercises[0].stages[stage].verdict == VERDICT_FAIL ||
        outcome->lab.exercises[0].stages[stage].verdict == VERDICT_ERROR)
      return outcome->lab.exercises[0].stages[stage].headline;
  return outcome->known ? CASE_TOO_BUSY : "was not judged";
}

static void print_line(const struct trial *trial, const struct mutant *mutant) {
  const char *begin = trial->source + mutant->begin;
  while (begin > trial->source && begin[-1] != '\n')
    begin--;
  begin += strspn(begin, " \t");
  printf("      %.*s\n", (int)strcspn(begin, "\n"), begin);
}

// The complaints about one mutant, and its place in the counts.
static void take_fate(struct trial *trial, const struct outcome *outcome, const struct mutant *mutant,
                      struct total *total) {
  const enum fate fate = fate_of(outcome);
  const struct equivalent *listed =
      equivalents_find(trial->equivalents, trial->exercise, trial->source, mutant);
  const char *headline = headline_of(outcome);
  // How long a right but slow program may take is a matter of the machine.
  const bool slow = fate == FATE_UNJUDGED || strcmp(headline, CASE_NO_RETURN) == 0;
  trial->fates[fate]++;
  if (listed && slow) return;
  if (fate == FATE_UNJUDGED) {
    total->unjudged++;
    printf("  not sound: %s: line %u: %s can't be judged: it %s\n", trial->exercise, mutant->line,
           mutant->change, headline);
  } else if (fate == FATE_PASSED && !listed) {
    total->passed++;
    printf("  not sound: %s: line %u: %s passes all cases\n", trial->exercise, mutant->line, mutant->change);
    print_line(trial, mutant);
    fprintf(total->entries, "exercise: %s\n", trial->exercise);
    equivalents_print(total->entries, trial->source, mutant);
    fputs("reason:\n\n", total->entries);
  } else if (fate != FATE_PASSED && fate != FATE_SAME && listed) {
    total->wrong_entries++;
    printf("  not sound: %s: line %u: %s is listed as equivalent (equivalent-mutants:%u), but it %s\n",
           trial->exercise, mutant->line, mutant->change, listed->at, headline);
  }
}

static void take_fates(struct trial *trial, const struct class *class, struct total *total) {
  char name[32];
  // By line, whatever order they were drawn in.
  for (size_t number = 0; number < trial->mutants.count; number++) {
    name_of(number, name);
    for (size_t i = 0; i < class->roster.count; i++) {
      if (strcmp(class->roster.students[i].name, name) != 0) continue;
      take_fate(trial, &class->outcomes[i], &trial->mutants.list[number], total);
      trial->seconds += class->outcomes[i].known ? class->outcomes[i].lab.seconds : 0;
    }
  }
}

static void conclude(const struct trial *trial) {
  const size_t *fates = trial->fates;
  printf("%s: %zu single changes, %zu tried: %zu caught (%zu by rules, %zu by requirements, %zu by values), "
         "%zu don't compile, %zu are the same program, %zu pass; %zu listed as equivalent; %.0f s, one after "
         "another\n",
         trial->exercise, trial->mutants.count, trial->tried_count,
         fates[FATE_RULES] + fates[FATE_UNMET] + fates[FATE_VALUES], fates[FATE_RULES], fates[FATE_UNMET],
         fates[FATE_VALUES], fates[FATE_NOT_COMPILED], fates[FATE_SAME], fates[FATE_PASSED], trial->listed,
         trial->seconds);
  fflush(stdout);
}

static int compile_solution(const struct trial *trial, char *error, size_t size) {
  if (program_compile(&trial->grading->kit, trial->arguments->lab, trial->folder, trial->exercise,
                      trial->object))
    return 0;
  return class_fail(error, size, "%.400s/%s.cu does not compile", trial->folder, trial->exercise);
}

static int judge(struct trial *trial, struct total *total) {
  if (trial->tried_count == 0) { // a class without students is none
    conclude(trial);
    return 0;
  }
  const struct arguments *arguments = trial->arguments;
  char error[700] = "";
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  struct class class = {.grading = trial->grading,
                        .output = trial->results,
                        .seed = arguments->seed,
                        .jobs = arguments->jobs ? arguments->jobs
                                : cores > 0     ? (unsigned)cores
                                                : 1,
                        .grade = grade_one,
                        .context = trial,
                        .quiet = true};
  const bool judged = class_open(&class, trial->made, true, error, sizeof error) == 0 &&
                      roster_read(trial->made, &class.roster, error, sizeof error) == 0 &&
                      class_collect(&class, error, sizeof error) == 0 &&
                      compile_solution(trial, error, sizeof error) == 0 &&
                      class_grade(&class, 0, class.roster.count, error, sizeof error) == 0;
  if (judged) take_fates(trial, &class, total);
  class_close(&class);
  if (!judged) return complain("%s: %s", trial->exercise, error);
  conclude(trial);
  return 0;
}

// ---- one exercise, and all of them ----

static int try_exercise(const struct arguments *arguments, const char *exercise, const char *folder,
                        struct equivalents *equivalents, struct total *total) {
  char error[600];
  struct trial trial = {.arguments = arguments, .exercise = exercise, .equivalents = equivalents};
  struct grading *grading = calloc(1, sizeof *grading);
  if (!grading) return complain("out of memory");
  *grading = (struct grading){
      .gpu_lock = -1, .host_deadline = arguments->deadline, .build_deadline = arguments->build_deadline};
  trial.grading = grading;
  snprintf(trial.folder, sizeof trial.folder, "%s", folder);
  int status = STATUS_ERROR;
  if (grading_set_up(grading, arguments->lab, exercise, "virtual", error, sizeof error) != 0) {
    complain("%s", error);
  } else {
    kit_path(&grading->kit, trial.made, "build/mutants/%s/%s.made", arguments->lab, exercise);
    kit_path(&grading->kit, trial.object, "build/mutants/%s/%s.o", arguments->lab, exercise);
    kit_path(&grading->kit, trial.results, "build/mutants/%s/%s", arguments->lab, exercise);
    status = read_source(&trial);
    if (status == 0) status = choose(&trial);
    if (status == 0) status = write_mutants(&trial);
    if (status == 0) status = judge(&trial, total);
  }
  mutants_free(&trial.mutants);
  free(trial.source);
  free(trial.tried);
  grading_tear_down(grading);
  free(grading);
  return status;
}

// Names the entries of an exercise that no mutant has met. Many of them are those of another solution.
static void name_misfits(const char *exercise, const struct equivalents *equivalents, struct total *total) {
  size_t misfits = 0;
  const struct equivalent *first = NULL, *last = NULL;
  for (size_t i = 0; i < equivalents->count; i++) {
    const struct equivalent *entry = &equivalents->list[i];
    if (entry->met || strcmp(entry->exercise, exercise) != 0) continue;
    if (!first) first = entry;
    last = entry;
    total->wrong_entries++;
    if (++misfits <= MISFITS_NAMED)
      printf("  not sound: %s: equivalent-mutants:%u fits nothing in the solution: %s in `%s`\n", exercise,
             entry->at, entry->change, entry->line);
  }
  if (misfits > MISFITS_NAMED)
    printf(
        "  not sound: %s: %zu entries of equivalent-mutants, lines %u to %u, fit nothing in the solution.\n"
        "      If they were written for another solution, take them away.\n",
        exercise, misfits, first->at, last->at);
}

// The command's exercises: all of the lab, or the one that was asked for.
static int try_all(const struct arguments *arguments, const char *folder, struct equivalents *equivalents,
                   struct total *total) {
  size_t count;
  int status = 0;
  const struct exercise *const *list = exercises_of(arguments->lab, &count);
  const char *only = arguments->exercise;
  bool found = false;
  for (size_t i = 0; i < count && status == 0; i++) {
    const size_t digits = strspn(list[i]->name, "0123456789");
    const bool wanted = !only || strcmp(only, list[i]->name) == 0 ||
                        (strlen(only) == digits && strncmp(only, list[i]->name, digits) == 0);
    if (!wanted) continue;
    found = true;
    status = try_exercise(arguments, list[i]->name, folder, equivalents, total);
    // All mutants of the lab's own solution were made, so what none of them has met fits nothing.
    if (status == 0 && !arguments->submission) name_misfits(list[i]->name, equivalents, total);
  }
  if (status == 0 && !found) return complain("%s has no exercise `%.40s`", arguments->lab, only ? only : "");
  return status;
}

static void find_strangers(const char *lab, const struct equivalents *equivalents, struct total *total) {
  size_t count;
  const struct exercise *const *list = exercises_of(lab, &count);
  for (size_t i = 0; i < equivalents->count; i++) {
    bool known = false;
    for (size_t k = 0; k < count; k++)
      known |= strcmp(list[k]->name, equivalents->list[i].exercise) == 0;
    if (known) continue;
    total->wrong_entries++;
    printf("  not sound: equivalent-mutants:%u: %s has no exercise %s\n", equivalents->list[i].at, lab,
           equivalents->list[i].exercise);
  }
}

static void advise(const char *lab, const struct total *total, const char *entries) {
  if (!total->passed) return;
  printf(
      "What passes is a mistake that no case notices. Add what catches it: a public or hidden case, a tiny "
      "size,\na requirement, a rule. If the program is right all the same, say why in\n"
      "grader/hidden/%s/equivalent-mutants; %s has the lines for it.\n",
      lab, entries);
}

int command_mutants(int count, char **given) {
  struct arguments arguments;
  struct kit kit;
  struct equivalents equivalents = {0};
  struct total total = {0};
  char error[PATH_MAX + 200], path[PATH_MAX], entries[PATH_MAX], folder[PATH_MAX];
  if (arguments_read("mutants", TAKES_MUTANTS, count, given, &arguments) != 0) return STATUS_ERROR;
  if (!arguments.seed_given) arguments.seed = 1;
  arguments.device = "virtual";
  arguments.first_failure = true;
  arguments.trusted = true; // solutions, changed at one place
  if (kit_find(&kit, error, sizeof error) != 0) return complain("%s", error);
  size_t exercises;
  if (!exercises_of(arguments.lab, &exercises)) return complain("there is no lab `%.40s`", arguments.lab);
  kit_path(&kit, folder, "solutions/%s", arguments.lab);
  if (arguments.submission) snprintf(folder, sizeof folder, "%s", arguments.submission);
  kit_path(&kit, path, "grader/hidden/%s/equivalent-mutants", arguments.lab);
  if (equivalents_read(path, &equivalents, error, sizeof error) != 0) {
    equivalents_free(&equivalents);
    return complain("%s", error);
  }
  kit_path(&kit, entries, "build/mutants/%s", arguments.lab);
  const bool made = make_folders(entries) == 0;
  kit_path(&kit, entries, "build/mutants/%s/passed", arguments.lab);
  total.entries = made ? fopen(entries, "we") : NULL;
  int status = total.entries ? try_all(&arguments, folder, &equivalents, &total)
                             : complain("%s: %s", entries, strerror(errno));
  if (total.entries) fclose(total.entries);
  if (status == 0) {
    find_strangers(arguments.lab, &equivalents, &total);
    advise(arguments.lab, &total, kit_short_path(entries, kit.root));
    status = total.unjudged                        ? STATUS_ERROR
             : total.passed || total.wrong_entries ? STATUS_FELL_SHORT
                                                   : STATUS_PASSED;
  }
  equivalents_free(&equivalents);
  return status;
}
