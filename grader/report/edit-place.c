// In: the faults of a stage, its text, the student's file and the skeleton. Out: the line to edit. The idea:
// ask each source of a line in turn, the surest first: the fault, the compiler, the referee, and at last the
// first TODO or kernel.
#include "report/edit-place.h"

#include "report/plain-file.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 1024 };

static const char NAME_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// ---- lines of files ----

// The next line, trimmed; NULL: there is none.
static const char *next_line(FILE *file, char line[LINE_ROOM]) {
  if (!plain_file_line(file, line, LINE_ROOM)) return NULL;
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1]))
    line[--length] = '\0';
  return line + strspn(line, " \t");
}

// The number of the first line after line `after` for which `wanted` is true of the trimmed line; 0: there is
// none.
static unsigned find_line(const char *path, unsigned after,
                          bool (*wanted)(const char *line, const void *what), const void *what) {
  char line[LINE_ROOM];
  FILE *file = *path ? plain_file_open(path) : NULL;
  if (!file) return 0;
  const char *text;
  unsigned found = 0;
  for (unsigned number = 1; !found && (text = next_line(file, line)); number++)
    if (number > after && wanted(text, what)) found = number;
  fclose(file);
  return found;
}

static bool is_same(const char *line, const void *other) {
  return strcmp(line, other) == 0;
}

static bool contains(const char *line, const void *word) {
  return strstr(line, word) != NULL;
}

static bool begins_with(const char *line, const void *word) {
  return strncmp(line, word, strlen(word)) == 0;
}

// Whether the line encodes the tensor map of that name; `name` NULL: any tensor map.
static bool encodes_map(const char *line, const void *name) {
  return strncmp(line, "//", 2) != 0 &&
         (strstr(line, "tensor_map_encode") || strstr(line, "cuTensorMapEncode")) &&
         (!name || strstr(line, name));
}

// Whether the line declares NAME: "CUtensorMap NAME" or "CUtensorMap *NAME".
static bool holds_map(const char *line, const void *name) {
  const char *type = strstr(line, "CUtensorMap ");
  const char *at = type && strncmp(line, "//", 2) != 0 ? strstr(type, name) : NULL;
  return at && at > type && strspn(at, NAME_LETTERS) == strlen(name) && !strchr(NAME_LETTERS, at[-1]);
}

struct wanted_line {
  unsigned number;
  char text[LINE_ROOM];
};

static bool take_line(const char *line, const void *what) {
  struct wanted_line *wanted = (struct wanted_line *)(uintptr_t)what;
  if (--wanted->number > 0) return false;
  snprintf(wanted->text, sizeof wanted->text, "%s", line);
  return true;
}

static bool read_line(const char *path, unsigned number, struct wanted_line *line) {
  line->number = number;
  return number > 0 && find_line(path, 0, take_line, line) > 0;
}

static bool is_given(const char *path, const char *given, unsigned number) {
  struct wanted_line line;
  return read_line(path, number, &line) && find_line(given, 0, is_same, line.text) > 0;
}

static unsigned count_lines(const char *path, const char *wanted) {
  char line[LINE_ROOM];
  const char *text;
  unsigned count = 0;
  FILE *file = *path ? plain_file_open(path) : NULL;
  while (file && (text = next_line(file, line)))
    count += is_same(text, wanted);
  if (file) fclose(file);
  return count;
}

// False also if the student has written one more line of that text: either of them may be this one.
static bool is_surely_given(const char *path, const char *given, unsigned number) {
  struct wanted_line line;
  return read_line(path, number, &line) && count_lines(given, line.text) > 0 &&
         count_lines(path, line.text) <= count_lines(given, line.text);
}

// ---- the fault's place ----

static unsigned line_if_in(const json_t *place, const char *name) {
  const char *file = json_string_value(json_object_get(place, "file"));
  const char *slash = file ? strrchr(file, '/') : NULL;
  bool own = file && strcmp(slash ? slash + 1 : file, name) == 0;
  return own ? (unsigned)json_integer_value(json_object_get(place, "line")) : 0;
}

// Of the places that a call was inlined into: the innermost line that the student wrote, or else the
// innermost line in the file. 0: none of them is in the file.
static unsigned line_of_place(const json_t *place, const char *path, const char *given, const char *name) {
  unsigned innermost = line_if_in(place, name);
  if (innermost && !is_given(path, given, innermost)) return innermost;
  size_t index;
  const json_t *frame;
  json_array_foreach(json_object_get(place, "frames"), index, frame) {
    unsigned line = line_if_in(frame, name);
    if (line && !is_given(path, given, line)) return line;
    if (!innermost) innermost = line;
  }
  return innermost;
}

// The line that encodes the tensor map which the copy at `line` names as &map; 0: there is none.
static unsigned line_of_map(const char *path, unsigned line) {
  struct wanted_line copy;
  if (!read_line(path, line, &copy)) return 0;
  for (const char *at = strchr(copy.text, '&'); at; at = strchr(at + 1, '&')) {
    char name[64];
    size_t length = 1;
    while (length + 1 < sizeof name && (isalnum((unsigned char)at[length]) || at[length] == '_'))
      length++;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    unsigned found = length > 1 ? find_line(path, 0, encodes_map, name) : 0;
    if (found) return found;
  }
  return 0;
}

static unsigned line_of_launcher(const char *path) {
  unsigned launcher = find_line(path, 0, begins_with, "extern \"C\"");
  unsigned todo = launcher ? find_line(path, launcher, contains, "TODO(") : 0;
  return todo ? todo : launcher;
}

// ---- steps ----

static bool begins_a_step(const char *path, unsigned number) {
  struct wanted_line line;
  return read_line(path, number, &line) && strstr(line.text, "TODO(");
}

// In one pass: a file may have a hundred thousand of them.
static unsigned todo_above(const char *path, unsigned line) {
  char text[LINE_ROOM];
  unsigned last = 0;
  FILE *file = plain_file_open(path);
  for (unsigned number = 1; file && number < line && plain_file_line(file, text, LINE_ROOM); number++)
    if (contains(text, "TODO(")) last = number;
  if (file) fclose(file);
  return last;
}

// The text of one step, from its TODO to the next, without blank lines and margins. malloc'ed; NULL: there is
// no such step.
static char *text_of_step(const char *path, unsigned step) {
  char line[LINE_ROOM], mark[24], *text = NULL;
  const char *trimmed;
  size_t size;
  bool inside = false, found = false;
  FILE *file = *path ? plain_file_open(path) : NULL, *out = file ? open_memstream(&text, &size) : NULL;
  snprintf(mark, sizeof mark, "TODO(%u)", step);
  while (out && (trimmed = next_line(file, line))) {
    if (strstr(trimmed, "TODO(")) inside = strstr(trimmed, mark) != NULL;
    found = found || inside;
    if (inside && *trimmed) fprintf(out, "%s\n", trimmed);
  }
  if (file) fclose(file);
  if (out) fclose(out);
  if (found) return text;
  free(text);
  return NULL;
}

// The line of the first TODO whose step is as it was handed out; 0: there is none, or the skeleton isn't
// known.
static unsigned first_untouched(const char *path, const char *given) {
  for (unsigned step = 1;; step++) {
    char *asked = text_of_step(given, step), *written = asked ? text_of_step(path, step) : NULL, mark[24];
    bool same = written && strcmp(asked, written) == 0, last = !asked;
    free(asked);
    free(written);
    snprintf(mark, sizeof mark, "TODO(%u)", step);
    if (same) return find_line(path, 0, contains, mark);
    if (last) return 0;
  }
}

// ---- what the student has changed ----

struct trimmed_lines {
  char **line;
  size_t count;
};

static void read_lines(const char *path, struct trimmed_lines *lines) {
  char line[LINE_ROOM];
  const char *text;
  FILE *file = *path ? plain_file_open(path) : NULL;
  *lines = (struct trimmed_lines){0};
  while (file && (text = next_line(file, line))) {
    char **more = realloc(lines->line, (lines->count + 1) * sizeof *more), *copy = strdup(text);
    if (more) lines->line = more;
    if (!more || !copy) {
      free(copy);
      break;
    }
    lines->line[lines->count++] = copy;
  }
  if (file) fclose(file);
}

static void free_lines(struct trimmed_lines *lines) {
  for (size_t i = 0; i < lines->count; i++)
    free(lines->line[i]);
  free(lines->line);
}

static size_t steps_between(const struct trimmed_lines *lines, size_t begin, size_t end) {
  size_t steps = 0;
  for (size_t i = begin; i < end; i++)
    steps += strstr(lines->line[i], "TODO(") != NULL;
  return steps;
}

// The first line of code in the only step that differs from what was handed out; 0: there are several such
// steps, or none, or nothing was written there. All else is given and right, so the mistake lies in it.
static unsigned line_of_only_change(const char *path, const char *given) {
  struct trimmed_lines own, other;
  unsigned line = 0;
  read_lines(path, &own);
  read_lines(given, &other);
  const size_t least = own.count < other.count ? own.count : other.count;
  size_t begin = 0, end = 0; // so many lines are the same, at the beginning and at the end
  while (begin < least && strcmp(own.line[begin], other.line[begin]) == 0)
    begin++;
  while (end < least - begin && strcmp(own.line[own.count - 1 - end], other.line[other.count - 1 - end]) == 0)
    end++;
  // Whoever leaves the TODO's words where they are changes what follows them.
  size_t step = begin;
  while (step > 0 && step < other.count && strncmp(other.line[step - 1], "//", 2) == 0)
    step--;
  if (other.count > 0 && steps_between(&other, step, other.count - end) == 1) {
    for (size_t i = begin; !line && i < own.count - end; i++)
      if (own.line[i][0] && strncmp(own.line[i], "//", 2) != 0) line = (unsigned)i + 1;
  }
  free_lines(&own);
  free_lines(&other);
  return line;
}

// ---- which line mends a fault ----

// Where a rule is mended: MENDED in rules.def. Of several entries for a rule the first that fits is taken;
// the last always fits.
static const struct mend {
  enum rule_id rule;
  unsigned place;
  // THERE: fits a line that the student wrote. ABOVE, BELOW: fits a line of the skeleton, and means a step
  // above or below it.
  enum { THERE, ABOVE, BELOW } side;
} MENDS[] = {
#define MENDED(rule, place, side) {rule, place, side},
#include "virtual-hopper/rules/rules.def"
};

static enum rule_id rule_of_fault(const json_t *fault) {
  return rule_find(json_string_value(json_object_get(fault, "rule")));
}

static unsigned line_of_nth(const json_t *fault, unsigned place, const char *path, const char *given,
                            const char *name) {
  const json_t *related = json_object_get(fault, "related");
  return line_of_place(place ? json_array_get(related, place - 1) : fault, path, given, name);
}

// A line of the skeleton is right, so the step beside it is to be edited. A line that the student wrote is
// returned as it is.
static unsigned line_beside(const char *path, const char *given, unsigned line, bool below) {
  if (!line || !is_given(path, given, line)) return line;
  unsigned todo = first_untouched(path, given);
  if (!todo) todo = below ? find_line(path, line, contains, "TODO(") : todo_above(path, line);
  return todo ? todo : line;
}

static unsigned line_by_rule(const json_t *fault, const char *path, const char *given, const char *name) {
  const enum rule_id rule = rule_of_fault(fault);
  const size_t count = sizeof MENDS / sizeof *MENDS;
  const bool two_places = json_array_size(json_object_get(fault, "related")) > 0;
  for (size_t i = 0; rule && two_places && i < count; i++) {
    if (MENDS[i].rule != rule) continue;
    unsigned line = line_of_nth(fault, MENDS[i].place, path, given, name);
    const bool other = i + 1 < count && MENDS[i + 1].rule == rule;
    const bool fits = line && is_given(path, given, line) == (MENDS[i].side != THERE);
    if (fits || !other) return line_beside(path, given, line, MENDS[i].side == BELOW);
  }
  // Something is missing: most likely a step that is not begun.
  bool missing = rule == RULE_DEADLOCK || rule == RULE_BARRIER_NOT_INITIALISED;
  return missing ? first_untouched(path, given) : 0;
}

static unsigned line_on_host(const char *path, unsigned copy) {
  unsigned line = line_of_map(path, copy);
  if (!line) line = find_line(path, 0, encodes_map, NULL);
  return line ? line : line_of_launcher(path);
}

// A line of the skeleton that encodes a map is right. So the step above it is to be edited, if that is in the
// same function.
static unsigned step_of_host(const char *path, const char *given, unsigned line) {
  if (!line || !is_given(path, given, line)) return line;
  char text[LINE_ROOM];
  unsigned step = 0;
  FILE *file = plain_file_open(path);
  for (unsigned number = 1; file && number < line && plain_file_line(file, text, LINE_ROOM); number++)
    if (text[0] == '}')
      step = 0;
    else if (contains(text, "TODO("))
      step = number;
  if (file) fclose(file);
  return step ? step : line;
}

// The line of the parameter or variable that holds the tensor map which the copy at `line` names; 0: there is
// none. With the rule bad-tensor-map, that is a place where no tensor map may be.
static unsigned line_of_holder(const char *path, unsigned line) {
  struct wanted_line copy;
  const char *at = read_line(path, line, &copy) ? strchr(copy.text, '&') : NULL;
  char name[64];
  size_t length = at ? strspn(at + 1, NAME_LETTERS) : 0;
  snprintf(name, sizeof name, "%.*s", (int)length, at ? at + 1 : "");
  return length ? find_line(path, 0, holds_map, name) : 0;
}

// A call or launch in another stream than the one handed over: the fault has no place, since the host did it.
static unsigned line_in_launcher(const char *path) {
  const unsigned launcher = find_line(path, 0, begins_with, "extern \"C\"");
  unsigned line = find_line(path, launcher, contains, "cudaMem");
  if (!line) line = find_line(path, launcher, contains, "<<<");
  return line ? line : line_of_launcher(path);
}

// A step that is not begun and stands where something is missing: a wait before a tile is read or loaded
// again, or at the end, whatever other waits there are. 0: there is none.
static unsigned missing_step(const json_t *fault, const char *path, const char *given, const char *name) {
  const enum rule_id rule = rule_of_fault(fault);
  const bool at_end = rule == RULE_EXIT_BEFORE_READ || rule == RULE_EXIT_BEFORE_LANDING;
  if (!at_end && rule != RULE_TILE_BEFORE_PHASE && rule != RULE_BUFFER_STILL_READ) return 0;
  const unsigned todo = first_untouched(path, given);
  return at_end || todo < line_of_nth(fault, 1, path, given, name) ? todo : 0;
}

static unsigned line_of_fault(const json_t *fault, const char *path, const char *given, const char *name) {
  json_int_t edit = json_integer_value(json_object_get(fault, "edit"));
  unsigned line = missing_step(fault, path, given, name);
  if (line) return line;
  line = edit > 0 ? line_of_nth(fault, (unsigned)edit, path, given, name) : 0;
  if (!line && edit == FAULT_EDIT_HERE) line = line_of_nth(fault, 0, path, given, name);
  if (line) return line_beside(path, given, line, false);
  if (edit == 0 || edit == FAULT_EDIT_HERE) line = line_by_rule(fault, path, given, name);
  if (line) return line;
  line = line_of_nth(fault, 0, path, given, name);
  if (edit == FAULT_EDIT_HOST) return step_of_host(path, given, line_on_host(path, line));
  if (rule_of_fault(fault) == RULE_BAD_TENSOR_MAP) {
    unsigned holder = line_of_holder(path, line);
    if (holder) return holder;
  }
  for (unsigned i = 1; !line && i <= json_array_size(json_object_get(fault, "related")); i++)
    line = line_of_nth(fault, i, path, given, name);
  if (!line && rule_of_fault(fault) == RULE_STREAM_ORDER) line = line_in_launcher(path);
  return line;
}

// Of all places of a fault one on a line that the student wrote, the related ones first: that the fault's own
// is no better is known by then. 0: there is none.
static unsigned line_of_own(const json_t *fault, const char *path, const char *given, const char *name) {
  const unsigned count = (unsigned)json_array_size(json_object_get(fault, "related"));
  for (unsigned i = 1; i <= count + 1; i++) {
    unsigned line = line_of_nth(fault, i % (count + 1), path, given, name);
    if (line && !is_given(path, given, line)) return line;
  }
  return 0;
}

static bool has_a_side(const json_t *fault) {
  const enum rule_id rule = rule_of_fault(fault);
  for (size_t i = 0; rule && i < sizeof MENDS / sizeof *MENDS; i++)
    if (MENDS[i].rule == rule) return true;
  return false;
}

// A line of the skeleton is right. So either a step is missing, or the mistake is in a line that the student
// wrote. `fault`: NULL, if none has led to this line.
static unsigned line_of_student(const json_t *fault, unsigned line, const char *path, const char *given,
                                const char *name) {
  if (!line || begins_a_step(path, line) || !is_surely_given(path, given, line)) return line;
  unsigned own = fault ? first_untouched(path, given) : 0;
  if (!own) own = line_of_only_change(path, given);
  if (!own && fault && !has_a_side(fault)) own = line_of_own(fault, path, given, name);
  return own ? own : line;
}

// ---- other sources of a line ----

// The line in "NAME.cu:17" or, as nvcc writes it, "NAME.cu(17)"; 0: there is none.
static unsigned line_in_text(const char *text, const char *name) {
  for (const char *found = text; found && (found = strstr(found, name)); found++) {
    const char *after = found + strlen(name);
    if ((*after == ':' || *after == '(') && isdigit((unsigned char)after[1]))
      return (unsigned)strtoul(after + 1, NULL, 10);
  }
  return 0;
}

static unsigned line_of_faults(const struct stage_record *stage, const char *path, const char *given,
                               const char *name) {
  unsigned line = 0;
  size_t index;
  const json_t *fault;
  // The fault that the message is about comes first.
  json_array_foreach(stage->faults, index, fault) {
    const char *rule = json_string_value(json_object_get(fault, "rule"));
    if (!line && rule && strcmp(rule, stage->rule) == 0)
      line = line_of_student(fault, line_of_fault(fault, path, given, name), path, given, name);
  }
  json_array_foreach(stage->faults, index, fault) {
    if (!line) line = line_of_student(fault, line_of_fault(fault, path, given, name), path, given, name);
  }
  return line;
}

unsigned edit_place(const char *path, const char *given, const char *name, const struct stage_record *stage,
                    bool *is_guess) {
  unsigned line = stage ? line_of_faults(stage, path, given, name) : 0, untouched = 0;
  *is_guess = stage && stage->is_guess;
  if (!line && stage) {
    if (stage->detail) line = line_in_text(stage->detail, name);
    if (!line) line = stage->line;
    unsigned own = line_of_student(NULL, line, path, given, name);
    if (*is_guess) own = first_untouched(path, given) ? 0 : line_of_only_change(path, given);
    if (own && *is_guess) *is_guess = false;
    if (own) line = own;
  }
  if (!line || begins_a_step(path, line)) untouched = first_untouched(path, given);
  if (untouched) line = untouched;
  if (untouched) *is_guess = false;
  if (!line) line = find_line(path, 0, contains, "TODO(");
  if (!line) line = find_line(path, 0, contains, "__global__");
  return line ? line : 1;
}
