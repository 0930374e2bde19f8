// In: an equivalent-mutants file. Out: its entries, or the first mistake by its line. The idea: a line of the
// source is known by its text without the blanks around and between its words.
#include "mutants/equivalents.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1024 };

struct reader {
  struct equivalents *equivalents;
  char *exercise, *line; // that the next change is for
  unsigned which, at;
  size_t reasoned; // so many entries have a reason
};

// ---- lines of a source ----

// Writes one line's text with single blanks. Returns where the next line begins; NULL: this was the last one.
static const char *plain_line(const char *at, char text[LONGEST_LINE]) {
  size_t length = 0;
  for (; *at && *at != '\n'; at++) {
    if (!isspace((unsigned char)*at)) {
      if (length + 2 < LONGEST_LINE) text[length++] = *at;
    } else if (length > 0 && text[length - 1] != ' ' && length + 2 < LONGEST_LINE) {
      text[length++] = ' ';
    }
  }
  while (length > 0 && text[length - 1] == ' ')
    length--;
  text[length] = '\0';
  return *at ? at + 1 : NULL;
}

// The text of the mutant's line, and the number of that line among those with the same text.
static unsigned line_of(const char *source, const struct mutant *mutant, char text[LONGEST_LINE]) {
  char other[LONGEST_LINE];
  const char *begin = source + mutant->begin;
  unsigned which = 1;
  while (begin > source && begin[-1] != '\n')
    begin--;
  plain_line(begin, text);
  for (const char *at = source; at && at < begin;) {
    at = plain_line(at, other);
    which += strcmp(other, text) == 0;
  }
  return which;
}

// ---- reading ----

static bool add(struct reader *reader, const char *change) {
  struct equivalents *equivalents = reader->equivalents;
  struct equivalent *more = realloc(equivalents->list, (equivalents->count + 1) * sizeof *more);
  if (!more) return false;
  equivalents->list = more;
  struct equivalent *entry = &more[equivalents->count++];
  *entry = (struct equivalent){.exercise = strdup(reader->exercise),
                               .line = strdup(reader->line),
                               .change = strdup(change),
                               .which = reader->which,
                               .at = reader->at};
  return entry->exercise && entry->line && entry->change;
}

// Replaces a text that the reader keeps.
static bool keep(char **place, const char *text) {
  free(*place);
  *place = strdup(text);
  return *place != NULL;
}

// One line of the file: NULL, or what is wrong with it.
static const char *take(struct reader *reader, const char *text) {
  static const char memory[] = "out of memory";
  const char *value = strchr(text, ':');
  const size_t pending = reader->equivalents->count - reader->reasoned;
  if (!text[0] || text[0] == '#') return NULL;
  if (!value) return "must be KEY: TEXT, with exercise, line, change or reason as KEY";
  value += 1 + strspn(value + 1, " ");
  if (!value[0]) return "nothing stands after the colon";
  if (strncmp(text, "exercise:", 9) == 0) {
    if (pending) return "the changes above have no reason";
    free(reader->line);
    reader->line = NULL;
    return keep(&reader->exercise, value) ? NULL : memory;
  }
  if (strncmp(text, "line", 4) == 0) {
    char *end;
    reader->which = text[4] == ':' ? 1 : (unsigned)strtoul(text + 4, &end, 10);
    if (text[4] != ':' && (text[4] != ' ' || *end != ':' || reader->which == 0))
      return "must be `line: TEXT`, or `line 2: TEXT` for the second line with this text";
    return keep(&reader->line, value) ? NULL : memory;
  }
  if (strncmp(text, "change:", 7) == 0) {
    if (!reader->exercise || !reader->line) return "an exercise and a line must stand above a change";
    return add(reader, value) ? NULL : memory;
  }
  if (strncmp(text, "reason:", 7) != 0) return "must begin with exercise, line, change or reason";
  if (!pending) return "no change stands above this reason";
  reader->reasoned = reader->equivalents->count;
  return NULL;
}

// Takes entry by entry; one goes on in lines that begin with blanks.
static const char *read_entries(struct reader *reader, FILE *file) {
  char raw[LONGEST_LINE], text[LONGEST_LINE], entry[LONGEST_LINE] = "";
  const char *wrong = NULL;
  unsigned at = 0;
  while (!wrong && fgets(raw, sizeof raw, file)) {
    at++;
    plain_line(raw, text);
    const size_t length = strlen(entry);
    if (isblank((unsigned char)raw[0]) && text[0] && length > 0) {
      const size_t more = strlen(text);
      if (length + 1 + more >= sizeof entry) return "is too long";
      entry[length] = ' ';
      memcpy(entry + length + 1, text, more + 1);
      continue;
    }
    wrong = take(reader, entry);
    if (wrong) break;
    reader->at = at;
    memcpy(entry, text, sizeof entry);
  }
  if (!wrong) wrong = take(reader, entry);
  if (!wrong && reader->reasoned < reader->equivalents->count) wrong = "the last changes have no reason";
  return wrong;
}

int equivalents_read(const char *path, struct equivalents *equivalents, char *error, size_t size) {
  struct reader reader = {.equivalents = equivalents};
  *equivalents = (struct equivalents){0};
  FILE *file = fopen(path, "re");
  if (!file && errno == ENOENT) return 0;
  const char *wrong = file ? read_entries(&reader, file) : strerror(errno);
  if (file) fclose(file);
  if (wrong) snprintf(error, size, "%s:%u: %s", path, reader.at, wrong);
  free(reader.exercise);
  free(reader.line);
  return wrong ? -1 : 0;
}

void equivalents_free(struct equivalents *equivalents) {
  for (size_t i = 0; i < equivalents->count; i++) {
    free(equivalents->list[i].exercise);
    free(equivalents->list[i].line);
    free(equivalents->list[i].change);
  }
  free(equivalents->list);
  *equivalents = (struct equivalents){0};
}

// ---- finding ----

struct equivalent *equivalents_find(struct equivalents *equivalents, const char *exercise, const char *source,
                                    const struct mutant *mutant) {
  char line[LONGEST_LINE];
  const unsigned which = line_of(source, mutant, line);
  for (size_t i = 0; i < equivalents->count; i++) {
    struct equivalent *entry = &equivalents->list[i];
    if (entry->which != which || strcmp(entry->line, line) != 0) continue;
    if (strcmp(entry->exercise, exercise) != 0 || strcmp(entry->change, mutant->change) != 0) continue;
    entry->met = true;
    return entry;
  }
  return NULL;
}

// Prints the text, and goes on in another line where one gets too long.
static void print_wrapped(FILE *out, const char *text) {
  enum { WIDTH = 110 };
  int column = 0;
  for (const char *word = text; *word;) {
    const size_t length = strcspn(word, " ");
    if (column > 0 && column + 1 + (int)length > WIDTH) column = fprintf(out, "\n ") - 1;
    column += fprintf(out, "%s%.*s", column > 0 ? " " : "", (int)length, word);
    word += length;
    word += strspn(word, " ");
  }
  fputc('\n', out);
}

void equivalents_print(FILE *out, const char *source, const struct mutant *mutant) {
  char line[LONGEST_LINE], text[LONGEST_LINE + 32];
  const unsigned which = line_of(source, mutant, line);
  if (which > 1)
    snprintf(text, sizeof text, "line %u: %s", which, line);
  else
    snprintf(text, sizeof text, "line: %s", line);
  print_wrapped(out, text);
  snprintf(text, sizeof text, "change: %s", mutant->change);
  print_wrapped(out, text);
}
