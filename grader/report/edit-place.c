// In: the faults of a stage, its text, the student's file and the skeleton. Out: the line to edit.
// One idea: whoever may know the line is asked in turn, the surest first: the fault, the compiler, the referee, and at last the first TODO or kernel.
#include "report/edit-place.h"

#include "report/plain-file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 1024 };

static const char NAME_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// ---- lines of files --------------------------------------------------------------------------------------------------

// The next line, trimmed; NULL: there is none.
static const char *next_line(FILE *file, char line[LINE_ROOM]) {
  if (!plain_file_line(file, line, LINE_ROOM)) return NULL;
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1]))
    line[--length] = '\0';
  return line + strspn(line, " \t");
}

// Calls `wanted` for each line, trimmed; returns the number of the first for which it is true, after line `after`. 0: none.
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

static bool encodes_map(const char *line, const void *name) { // name NULL: any map
  return strncmp(line, "//", 2) != 0 &&
         (strstr(line, "tensor_map_encode") || strstr(line, "cuTensorMapEncode")) &&
         (!name || strstr(line, name));
}

// "CUtensorMap NAME" or "CUtensorMap *NAME", with a blank or a comma behind.
static bool holds_map(const char *line, const void *name) {
  const char *type = strstr(line, "CUtensorMap ");
  const char *at = type && strncmp(line, "//", 2) != 0 ? strstr(type, name) : NULL;
  return at && strspn(at, NAME_LETTERS) == strlen(name) && !strchr(NAME_LETTERS, at[-1]);
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

// ---- the fault's place ---------------------------------------------------------------------------------------------------

static unsigned line_if_in(const json_t *place, const char *name) {
  const char *file = json_string_value(json_object_get(place, "file"));
  const char *slash = file ? strrchr(file, '/') : NULL;
  bool own = file && strcmp(slash ? slash + 1 : file, name) == 0;
  return own ? (unsigned)json_integer_value(json_object_get(place, "line")) : 0;
}

// Among the places that a call was inlined into, the innermost that the student wrote; else the innermost in the file. 0: none is in it.
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

// The line that encodes the map which the copy at `line` names by &map; 0: none does.
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

// ---- steps -----------------------------------------------------------------------------------------------------------

static unsigned todo_above(const char *path, unsigned line) {
  unsigned last = 0;
  for (unsigned next = find_line(path, 0, contains, "TODO("); next && next < line;
       next = find_line(path, next, contains, "TODO("))
    last = next;
  return last;
}

// The text of one step: from its comment to the next step's, without blank lines, margins and line ends; NULL: no such step. To be freed.
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

// The comment of the first step that is as it was given out; 0: none is, or it isn't known.
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

// ---- which line mends a fault ------------------------------------------------------------------------------------------

// Where a rule's remedy goes, seen from a place of the report: 0 is the fault's own, 1 the first related one. Of several entries the first
// that fits counts; the last one always does.
static const struct mend {
  const char *rule;
  unsigned place;
  enum {
    THERE,
    ABOVE,
    BELOW
  } side; // THERE: fits a line of the student's; ABOVE and BELOW: one that was given, and a step beside it
} MENDS[] = {
    {"tile-before-phase", 1, ABOVE}, // a wait, before the tile is read
    {"buffer-in-flight", 1, ABOVE},  // a wait, before the buffer is written
    {"buffer-still-read", 0, BELOW}, // an arrival, after the last read
    {"proxy-fence", 0, BELOW},       // a fence, after the write
    {"shared-race", 0, THERE},       // what the student wrote
    {"shared-race", 1, ABOVE},       // or a synchronisation, before the second access
    {"shared-race", 0, BELOW},       // or after the first
    {"out-of-bounds", 0, ABOVE},     // a wait, before what is read too early and leads astray
};

static unsigned line_of_nth(const json_t *fault, unsigned place, const char *path, const char *given,
                            const char *name) {
  const json_t *related = json_object_get(fault, "related");
  return line_of_place(place ? json_array_get(related, place - 1) : fault, path, given, name);
}

// A line that the skeleton gave is right: what is missing belongs to a step beside it.
static unsigned line_beside(const char *path, const char *given, unsigned line, bool below) {
  if (!line || !is_given(path, given, line)) return line;
  unsigned todo = first_untouched(path, given);
  if (!todo) todo = below ? find_line(path, line, contains, "TODO(") : todo_above(path, line);
  return todo ? todo : line;
}

static unsigned line_by_rule(const json_t *fault, const char *path, const char *given, const char *name) {
  const char *rule = json_string_value(json_object_get(fault, "rule"));
  const size_t count = sizeof MENDS / sizeof *MENDS;
  const bool two_places = json_array_size(json_object_get(fault, "related")) > 0;
  for (size_t i = 0; rule && two_places && i < count; i++) {
    if (strcmp(MENDS[i].rule, rule) != 0) continue;
    unsigned line = line_of_nth(fault, MENDS[i].place, path, given, name);
    const bool other = i + 1 < count && strcmp(MENDS[i + 1].rule, rule) == 0;
    const bool fits = line && is_given(path, given, line) == (MENDS[i].side != THERE);
    if (fits || !other) return line_beside(path, given, line, MENDS[i].side == BELOW);
  }
  // What is missing is most likely a step not begun.
  bool missing = rule && (strcmp(rule, "deadlock") == 0 || strcmp(rule, "exit-before-read") == 0);
  return missing ? first_untouched(path, given) : 0;
}

static unsigned line_on_host(const char *path, unsigned copy) {
  unsigned line = line_of_map(path, copy);
  if (!line) line = find_line(path, 0, encodes_map, NULL);
  return line ? line : line_of_launcher(path);
}

// The parameter or variable that holds the map which the copy at `line` names: it isn't where a map can be.
static unsigned line_of_holder(const char *path, unsigned line) {
  struct wanted_line copy;
  const char *at = read_line(path, line, &copy) ? strchr(copy.text, '&') : NULL;
  char name[64];
  size_t length = at ? strspn(at + 1, NAME_LETTERS) : 0;
  snprintf(name, sizeof name, "%.*s", (int)length, at ? at + 1 : "");
  return length ? find_line(path, 0, holds_map, name) : 0;
}

static unsigned line_of_fault(const json_t *fault, const char *path, const char *given, const char *name) {
  json_int_t edit = json_integer_value(json_object_get(fault, "edit"));
  const char *rule = json_string_value(json_object_get(fault, "rule"));
  unsigned line = edit > 0 ? line_of_nth(fault, (unsigned)edit, path, given, name) : 0;
  if (line) return line_beside(path, given, line, false);
  if (edit == 0) line = line_by_rule(fault, path, given, name);
  if (line) return line;
  line = line_of_nth(fault, 0, path, given, name);
  if (edit < 0) return line_on_host(path, line);
  if (rule && strcmp(rule, "bad-tensor-map") == 0) {
    unsigned holder = line_of_holder(path, line);
    if (holder) return holder;
  }
  for (unsigned i = 1; !line && i <= json_array_size(json_object_get(fault, "related")); i++)
    line = line_of_nth(fault, i, path, given, name);
  return line;
}

// ---- what else tells a line ----------------------------------------------------------------------------------------------

// "..NAME.cu:17" or, as nvcc has it, "..NAME.cu(17)"; 0: none.
static unsigned line_in_text(const char *text, const char *name) {
  for (const char *found = text; found && (found = strstr(found, name)); found++) {
    const char *after = found + strlen(name);
    if ((*after == ':' || *after == '(') && isdigit((unsigned char)after[1]))
      return (unsigned)strtoul(after + 1, NULL, 10);
  }
  return 0;
}

static bool begins_a_step(const char *path, unsigned number) {
  struct wanted_line line;
  return read_line(path, number, &line) && strstr(line.text, "TODO(");
}

unsigned edit_place(const char *path, const char *given, const char *name, const struct stage_record *stage) {
  unsigned line = 0;
  size_t index;
  const json_t *fault;
  json_array_foreach(stage ? stage->faults : NULL, index, fault) { // first the one that is told
    const char *rule = json_string_value(json_object_get(fault, "rule"));
    if (!line && rule && strcmp(rule, stage->rule) == 0) line = line_of_fault(fault, path, given, name);
  }
  json_array_foreach(stage ? stage->faults : NULL, index, fault) {
    if (!line) line = line_of_fault(fault, path, given, name);
  }
  if (!line && stage && stage->detail) line = line_in_text(stage->detail, name);
  if (!line && stage && stage->line) line = stage->line;
  if (!line || begins_a_step(path, line)) {
    unsigned untouched = first_untouched(path, given);
    if (untouched) line = untouched;
  }
  if (!line) line = find_line(path, 0, contains, "TODO(");
  if (!line) line = find_line(path, 0, contains, "__global__");
  return line ? line : 1;
}
