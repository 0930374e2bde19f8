// Fuzzes what the grader itself reads of a submission's source and of a compiler's words about it. In: what a
// compiler has printed, a source, a skeleton, another source; a zero byte ends each. Out: hints, places,
// remarks and likenesses that lie in the files and can be shown to anybody.
#include "class/similar.h"
#include "lean/reach.h"
#include "referee/diagnostics.h"
#include "referee/grading.h"
#include "referee/remarks.h"
#include "referee/slips.h"
#include "report/edit-place.h"
#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/rules/rules.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { HEAD = 8, SAID = 0, SOURCE, GIVEN, OTHER, PARTS };

static char folder[64], paths[PARTS][80];

static const char header[] =
    "__device__ static __forceinline__ void init_barrier(uint64_t *bar, uint32_t count = 1) {\n}\n"
    "template <int N> __device__ static __forceinline__ void tma_wait_until_pending() {\n}\n"
    "__device__ static __forceinline__ void cp_async_bulk_global_to_shared(void *smem_dest,\n"
    "                                        const void *gmem_src, uint32_t bytes, uint64_t *bar) {\n}\n";

// ---- files ------------------------------------------------------------------------------------------------

static void remove_folder(void) {
  for (int i = 0; i < PARTS; i++)
    unlink(paths[i]);
  rmdir(folder);
}

static void make_folder(void) {
  snprintf(folder, sizeof folder, "%s/source-fuzz-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(folder)) die("no folder to fuzz in");
  for (int i = 0; i < PARTS; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
  atexit(remove_folder);
}

static void write_file(const char *path, const char *text) {
  const size_t length = strlen(text);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || write(file, text, length) != (ssize_t)length || close(file) != 0) die("no file %s", path);
}

// ---- what must hold ---------------------------------------------------------------------------------------

// Looks for what a person would not see, by code of its own.
static void check_shown(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f) die("a control character is shown");
    const bool turns =
        c[0] == 0xe2 && ((c[1] == 0x80 && c[2] >= 0x8b && c[2] <= 0xae && !(c[2] >= 0x90 && c[2] <= 0xa7)) ||
                         (c[1] == 0x81 && c[2] >= 0xa0 && c[2] <= 0xaf));
    if (turns) die("a character is shown that turns a line round");
  }
}

static void check_printable(const char *text) {
  char small[40], *copy = printable_copy(text);
  if (!copy) die("no memory");
  check_shown(copy);
  snprintf(small, sizeof small, "%s", text);
  printable_make(small, sizeof small);
  check_shown(small);
  free(copy);
}

static void read_diagnostics(const char *said, const char *source) {
  char name[64], *first = diagnostics_first_error(said, "/kit"),
                 *excerpt = diagnostics_excerpt(said, 12, 160);
  struct declarations declared = {0};
  declarations_add(&declared, header);
  const struct slip_source where = {.path = "x.cu", .text = source, .declared = &declared};
  if (diagnostics_undefined_name(said, name, sizeof name)) check_shown(name);
  if (!excerpt) die("no excerpt");
  check_shown(excerpt);
  free(excerpt);
  // The text as a compiler would have printed it, and what is left of it when it is taken for no error.
  const char *texts[] = {first ? first : "", said};
  for (int i = 0; i < 2; i++) {
    char *slip = slip_text(texts[i], &where);
    if (slip && !slip[0]) die("a hint without a word");
    free(slip);
  }
  free(first);
  declarations_free(&declared);
}

// Of the source's own text nothing is taken out.
static void make_lean(const char *header, const char *source) {
  char *text = NULL, *left;
  size_t length;
  if (asprintf(&text, "%s\n# 1 \"/h\" 1 3\n%s\n# 2 \"x.cu\" 2\n%s", source, header, source) < 0)
    die("no memory");
  free(lean_text(text, strlen(text), "/opt", &length));
  free(text);
  left = lean_text(source, strlen(source), "/opt", &length);
  if (!strchr(source, '#') && (length != strlen(source) || memcmp(left, source, length) != 0))
    die("a source's own text is not left alone");
  free(left);
}

// A place in the file, as JSON of a fault has it.
static json_t *place(unsigned line, bool own) {
  return json_pack("{s:s, s:i}", "file", own ? "/a/x.cu" : "/b/tma-interface.cuh", "line", (int)line);
}

// Few rules have ways of their own to a line.
static const char *chosen_rule(const uint8_t head[HEAD]) {
  static const enum rule_id own[] = {RULE_BAD_TENSOR_MAP, RULE_DEADLOCK, RULE_EXIT_BEFORE_READ,
                                     RULE_PROXY_FENCE};
  return rule_name(head[5] < 128 ? own[head[5] % 4] : (enum rule_id)(head[5] % RULE_COUNT));
}

static json_t *fault(const uint8_t head[HEAD]) {
  json_t *made = place(head[1], head[0] & 1), *frames = json_array(), *related = json_array();
  json_array_append_new(frames, place(head[2], head[0] & 2));
  json_array_append_new(frames, place(head[3], true));
  if (head[0] & 4) json_array_append_new(related, place(head[4], head[0] & 8));
  json_object_set_new(made, "frames", frames);
  json_object_set_new(made, "related", related);
  json_object_set_new(made, "rule", json_string(chosen_rule(head)));
  if (head[0] & 16) json_object_set_new(made, "edit", json_integer(head[6] % 6 - 3));
  return made;
}

static void find_place(const uint8_t head[HEAD], const char *said) {
  struct stage_record stage = {.faults = json_array(), .line = head[7], .detail = (char *)(uintptr_t)said};
  bool guess;
  if (head[0] & 32) json_array_append_new(stage.faults, fault(head));
  snprintf(stage.rule, sizeof stage.rule, "%s", chosen_rule(head));
  if (edit_place(paths[SOURCE], head[0] & 64 ? paths[GIVEN] : "", "x.cu", &stage, &guess) == 0)
    die("no line to edit");
  json_decref(stage.faults);
}

static void notice(const char *said) {
  struct exercise_record record = {.remarks = NULL};
  struct task *task = calloc(1, sizeof *task);
  size_t index;
  const json_t *remark;
  if (!task) die("no memory");
  task->record = &record;
  snprintf(task->main_source, sizeof task->main_source, "%s", paths[SOURCE]);
  remark_includes(task);
  remark_symbols(task, said);
  json_array_foreach(record.remarks, index, remark) check_shown(json_string_value(remark));
  json_decref(record.remarks);
  free(task);
}

static void check_runs(const struct similar *similar, const struct similar_pair *pair) {
  struct similar_run *runs = NULL;
  size_t count = 0, end = 0;
  if (similar_runs(similar, pair, SIMILAR_MOST_RUNS, &runs, &count, NULL, 0) != 0) die("no runs");
  for (size_t i = 0; i < count; i++) {
    if (runs[i].first < end || runs[i].length < SIMILAR_GRAM) die("runs that overlap");
    end = runs[i].first + runs[i].length;
    if (end > similar->files[pair->first].source.count ||
        runs[i].second + runs[i].length > similar->files[pair->second].source.count)
      die("a run beyond its file");
  }
  free(runs);
}

static void compare(void) {
  static const int files[] = {SOURCE, OTHER};
  struct given_names given = {NULL, 0, 0};
  struct similar similar = {NULL, 0, NULL, 0, NULL, 0};
  struct source_text skeleton;
  char error[400] = "";
  bool good = given_names_add(&given, paths[GIVEN], error, sizeof error) == 0;
  given_names_sort(&given);
  good = good && source_text_read(paths[GIVEN], &given, &skeleton, error, sizeof error) == 0;
  if (!good || similar_hand_out(&similar, &skeleton, error, sizeof error) != 0) die("%s", error);
  source_text_free(&skeleton);
  for (int i = 0; i < 2; i++) {
    struct source_text source;
    if (source_text_read(paths[files[i]], &given, &source, error, sizeof error) != 0 ||
        similar_add(&similar, "somebody", false, &source, error, sizeof error) != 0)
      die("%s", error);
  }
  if (similar_compare(&similar, error, sizeof error) != 0) die("%s", error);
  check_runs(&similar, &(struct similar_pair){.first = 0, .second = 1});
  similar_free(&similar);
  given_names_free(&given);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  char *parts[PARTS];
  if (length < HEAD) return 0;
  if (!folder[0]) make_folder();
  size_t at = HEAD;
  for (int i = 0; i < PARTS; i++) {
    const size_t left = length - at, taken = left ? strnlen((const char *)bytes + at, left) : 0;
    parts[i] = strndup((const char *)bytes + at, taken);
    if (!parts[i]) die("no memory");
    at += taken + (taken < left);
    if (i != SAID) write_file(paths[i], parts[i]);
    check_printable(parts[i]);
  }
  make_lean(parts[OTHER], parts[SOURCE]);
  read_diagnostics(parts[SAID], parts[SOURCE]);
  find_place(bytes, parts[SAID]);
  notice(parts[SAID]);
  compare();
  for (int i = 0; i < PARTS; i++)
    free(parts[i]);
  return 0;
}
