// In: the faults of a stage, its text, the student's file and the skeleton. Out: the line to edit.
// One idea: whoever may know the line is asked in turn, the surest first: the fault, the compiler, the referee, and at last the first TODO or kernel.
#include "report/edit-place.h"

#include "report/plain-file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 1024 };

// ---- lines of files --------------------------------------------------------------------------------------------------

// Calls `wanted` for each line, trimmed; returns the number of the first for which it is true, after line `after`. 0: none.
static unsigned find_line(const char *path, unsigned after,
                          bool (*wanted)(const char *line, const void *what), const void *what) {
  char line[LINE_ROOM];
  FILE *file = *path ? plain_file_open(path) : NULL;
  if (!file) return 0;
  unsigned found = 0;
  for (unsigned number = 1; !found && fgets(line, sizeof line, file); number++) {
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
      line[--length] = '\0';
    const char *text = line + strspn(line, " \t");
    if (number > after && wanted(text, what)) found = number;
  }
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

static unsigned line_of_fault(const json_t *fault, const char *path, const char *given, const char *name) {
  json_int_t edit = json_integer_value(json_object_get(fault, "edit"));
  const json_t *related = json_object_get(fault, "related");
  unsigned line = edit > 0 ? line_of_place(json_array_get(related, (size_t)edit - 1), path, given, name) : 0;
  if (!line) line = line_of_place(fault, path, given, name);
  if (edit < 0) {
    unsigned on_host = line_of_map(path, line);
    if (!on_host) on_host = find_line(path, 0, encodes_map, NULL);
    if (!on_host) on_host = line_of_launcher(path);
    if (on_host) return on_host;
  }
  for (size_t i = 0; !line && i < json_array_size(related); i++)
    line = line_of_place(json_array_get(related, i), path, given, name);
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
  if (!line && stage) line = stage->line;
  if (!line) line = find_line(path, 0, contains, "TODO(");
  if (!line) line = find_line(path, 0, contains, "__global__");
  return line ? line : 1;
}
