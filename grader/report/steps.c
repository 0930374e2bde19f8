// In: a student's file, and the same file as it was handed out. Out: which lines are given, which steps are
// begun. The idea: a line is given if the skeleton has it; a step is what follows its TODO.
#include "report/steps.h"

#include "report/plain-file.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- lines of files ----

// The next line, trimmed; NULL: there is none.
static const char *next_line(FILE *file, char line[STEPS_LINE]) {
  if (!plain_file_line(file, line, STEPS_LINE)) return NULL;
  size_t length = strlen(line);
  while (length > 0 && isspace((unsigned char)line[length - 1]))
    line[--length] = '\0';
  return line + strspn(line, " \t");
}

unsigned steps_find_line(const char *path, unsigned after, bool (*wanted)(const char *line, const void *what),
                         const void *what) {
  char line[STEPS_LINE];
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

bool steps_contains(const char *line, const void *word) {
  return strstr(line, word) != NULL;
}

bool steps_begins_with(const char *line, const void *word) {
  return strncmp(line, word, strlen(word)) == 0;
}

static bool take_line(const char *line, const void *what) {
  struct steps_line *wanted = (struct steps_line *)(uintptr_t)what;
  if (--wanted->number > 0) return false;
  snprintf(wanted->text, sizeof wanted->text, "%s", line);
  return true;
}

bool steps_read_line(const char *path, unsigned number, struct steps_line *line) {
  line->number = number;
  return number > 0 && steps_find_line(path, 0, take_line, line) > 0;
}

bool steps_is_given(const char *path, const char *given, unsigned number) {
  struct steps_line line;
  return steps_read_line(path, number, &line) && steps_find_line(given, 0, is_same, line.text) > 0;
}

static unsigned count_lines(const char *path, const char *wanted) {
  char line[STEPS_LINE];
  const char *text;
  unsigned count = 0;
  FILE *file = *path ? plain_file_open(path) : NULL;
  while (file && (text = next_line(file, line)))
    count += is_same(text, wanted);
  if (file) fclose(file);
  return count;
}

bool steps_is_surely_given(const char *path, const char *given, unsigned number) {
  struct steps_line line;
  return steps_read_line(path, number, &line) && count_lines(given, line.text) > 0 &&
         count_lines(path, line.text) <= count_lines(given, line.text);
}

// ---- steps ----

bool steps_begins_one(const char *path, unsigned number) {
  struct steps_line line;
  return steps_read_line(path, number, &line) && strstr(line.text, "TODO(");
}

// In one pass: a file may have a hundred thousand of them.
unsigned steps_todo_above(const char *path, unsigned line) {
  char text[STEPS_LINE];
  unsigned last = 0;
  FILE *file = plain_file_open(path);
  for (unsigned number = 1; file && number < line && plain_file_line(file, text, STEPS_LINE); number++)
    if (steps_contains(text, "TODO(")) last = number;
  if (file) fclose(file);
  return last;
}

// The text of one step, from its TODO to the next, without blank lines and margins. malloc'ed; NULL: there is
// no such step.
static char *text_of_step(const char *path, unsigned step) {
  char line[STEPS_LINE], mark[24], *text = NULL;
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

static bool is_untouched(const char *path, const char *given, unsigned step) {
  char *asked = text_of_step(given, step), *written = asked ? text_of_step(path, step) : NULL;
  const bool same = written && strcmp(asked, written) == 0;
  free(asked);
  free(written);
  return same;
}

static bool is_asked(const char *given, unsigned step) {
  char *asked = text_of_step(given, step);
  free(asked);
  return asked != NULL;
}

static unsigned line_of_step(const char *path, unsigned step) {
  char mark[24];
  snprintf(mark, sizeof mark, "TODO(%u)", step);
  return steps_find_line(path, 0, steps_contains, mark);
}

static bool is_code(const char *line) {
  return strncmp(line, "//", 2) != 0 && line[strspn(line, "{}; \t")];
}

// How many lines the words of a TODO ask for: "(2 lines)". 0: they don't say.
static unsigned lines_asked(const char *step) {
  for (const char *at = step; (at = strchr(at, '(')); at++) {
    char *end;
    const unsigned long count = strtoul(at + 1, &end, 10);
    if (end > at + 1 && strncmp(end, " line", 5) == 0) return count < 99 ? (unsigned)count : 99;
  }
  return 0;
}

// A statement may take several lines, and a loop's head has semicolons of its own.
static unsigned statements(const char *step) {
  unsigned count = 0, depth = 0;
  for (const char *at = step; *at; at++) {
    if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n");
    if (!*at) break;
    depth += *at == '(';
    depth -= *at == ')' && depth > 0;
    count += *at == ';' && depth == 0;
  }
  return count;
}

// Statements that this step has beyond those that were given, and one for each line that it asks for.
static unsigned statements_too_many(const char *path, const char *given, unsigned step) {
  char *asked = text_of_step(given, step), *written = asked ? text_of_step(path, step) : NULL;
  const unsigned room = asked ? statements(asked) + lines_asked(asked) : 0,
                 used = written ? statements(written) : 0;
  free(asked);
  free(written);
  return used > room ? used - room : 0;
}

// Whether its lines stand under the next TODO: that step has as many statements too many.
static bool is_done_in_next(const char *path, const char *given, unsigned step) {
  char *asked = text_of_step(given, step);
  const unsigned lines = asked ? lines_asked(asked) : 0;
  free(asked);
  return lines && statements_too_many(path, given, step + 1) >= lines;
}

unsigned steps_first_untouched(const char *path, const char *given) {
  for (unsigned step = 1; is_asked(given, step); step++)
    if (is_untouched(path, given, step)) return line_of_step(path, step);
  return 0;
}

unsigned steps_first_missing(const char *path, const char *given) {
  for (unsigned step = 1; is_asked(given, step); step++)
    if (is_untouched(path, given, step) && !is_done_in_next(path, given, step))
      return line_of_step(path, step);
  return 0;
}

unsigned steps_not_begun(const char *path, const char *given, unsigned line) {
  struct steps_line todo;
  const char *at = steps_read_line(path, line, &todo) ? strstr(todo.text, "TODO(") : NULL;
  const unsigned long step = at ? strtoul(at + 5, NULL, 10) : 0;
  return step > 0 && step < 100 && is_untouched(path, given, (unsigned)step) ? (unsigned)step : 0;
}

// ---- what the student has changed ----

struct trimmed_lines {
  char **line;
  size_t count;
};

static void read_lines(const char *path, struct trimmed_lines *lines) {
  char line[STEPS_LINE];
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

unsigned steps_only_change(const char *path, const char *given) {
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
      if (is_code(own.line[i])) line = (unsigned)i + 1;
  }
  free_lines(&own);
  free_lines(&other);
  return line;
}

// ---- a step's own lines ----

static bool is_of_name(char letter) {
  return isalnum((unsigned char)letter) || letter == '_';
}

static bool names_call(const char *said, const char *name, size_t length) {
  for (const char *at = said; (at = strstr(at, name)); at++) {
    if ((at == said || !is_of_name(at[-1])) && (at[length] == '(' || at[length] == '<')) return true;
  }
  return false;
}

// Whether the line calls a function that `said` names with its bracket: "wait(bar, parity)".
static bool calls_named(const char *line, const char *said) {
  const char *end = strstr(line, "//");
  if (!end) end = line + strlen(line);
  for (const char *at = line; at < end; at++) {
    char name[64];
    size_t length = 0;
    while (at + length < end && is_of_name(at[length]))
      length++;
    if (length == 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    at += length;
    if ((*at == '(' || *at == '<') && length < sizeof name && strcmp(name, "if") != 0 &&
        names_call(said, name, length))
      return true;
    if (at >= end) break;
  }
  return false;
}

unsigned steps_own_line(const char *path, const char *given, unsigned todo, const char *said, bool *named) {
  char line[STEPS_LINE];
  const char *text;
  unsigned first = 0, found = 0;
  FILE *file = plain_file_open(path);
  for (unsigned number = 1; file && !found && (text = next_line(file, line)); number++) {
    if (number <= todo) continue;
    if (strstr(text, "TODO(")) break;
    if (!is_code(text) || steps_find_line(given, 0, is_same, text)) continue;
    if (!first) first = number;
    if (said && calls_named(text, said)) found = number;
  }
  if (file) fclose(file);
  *named = found;
  return found ? found : first;
}
