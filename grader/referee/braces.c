// In: a source. Out: the brace to mend. The idea: each { is compared with the indentation of its
// statement, and the first } that stands further left shows that the { before it was left open.
#include "referee/braces.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// MOST_BACK: how far is looked back from a brace, for its statement and for its line. Without it a file of
// nothing but braces would take a time that grows with the square of its size.
enum { MOST_OPEN = 256, MOST_BACK = 1024 };

// ---- blanking
// ---------------------------------------------------------------------------------------------

// Past the string or character that begins at `at`.
static size_t end_of_text(const char *source, size_t at) {
  const char quote = source[at++];
  while (source[at] && source[at] != quote && source[at] != '\n')
    at += source[at] == '\\' && source[at + 1] ? 2 : 1;
  return source[at] == quote ? at + 1 : at;
}

static size_t end_of_line(const char *source, size_t at) {
  while (source[at] && source[at] != '\n')
    at += source[at] == '\\' && source[at + 1] == '\n' ? 2 : 1;
  return at;
}

// Past what begins at `at` and is no code; `at` itself if it is code.
static size_t end_of_blank(const char *source, size_t at, bool line_begins) {
  if (source[at] == '/' && source[at + 1] == '/') return end_of_line(source, at);
  if (source[at] == '#' && line_begins) return end_of_line(source, at);
  if (source[at] == '"') return end_of_text(source, at);
  // 1'000'000 holds no character.
  if (source[at] == '\'' && (at == 0 || !isalnum((unsigned char)source[at - 1])))
    return end_of_text(source, at);
  if (source[at] != '/' || source[at + 1] != '*') return at;
  const char *end = strstr(source + at + 2, "*/");
  return end ? (size_t)(end - source) + 2 : strlen(source);
}

char *braces_blank(const char *source) {
  char *blanked = strdup(source);
  bool line_begins = true;
  for (size_t at = 0; blanked && source[at];) {
    const size_t end = end_of_blank(source, at, line_begins);
    if (end == at) {
      line_begins = source[at] == '\n' || (line_begins && isspace((unsigned char)source[at]));
      at++;
      continue;
    }
    const bool is_text = source[at] == '"' || source[at] == '\'';
    for (; at < end; at++)
      if (blanked[at] != '\n') blanked[at] = ' ';
    // A string is an operand: something has to stand where it ends.
    if (is_text) blanked[end - 1] = '0';
  }
  return blanked;
}

// ---- matching
// ---------------------------------------------------------------------------------------------

struct open_brace {
  unsigned line, indent; // the indentation of the statement that the brace ends
  bool scope;            // of a namespace or extern "C": what is in it need not be indented
};

struct matching {
  struct open_brace open[MOST_OPEN];
  unsigned count;
  struct brace_slip slip; // the first
};

static const char *furthest_back(const char *text, const char *at) {
  return at - text > MOST_BACK ? at - MOST_BACK : text;
}

static const char *begin_of_line(const char *text, const char *at) {
  const char *first = furthest_back(text, at);
  while (at > first && at[-1] != '\n')
    at--;
  return at;
}

static unsigned indent_of(const char *text, const char *at) {
  return (unsigned)strspn(begin_of_line(text, at), " \t");
}

static const char *begin_of_statement(const char *text, const char *brace) {
  unsigned depth = 0;
  const char *at = brace, *first = furthest_back(text, brace);
  while (at > first) {
    depth += at[-1] == ')';
    depth -= at[-1] == '(' && depth > 0;
    if (depth == 0 && strchr(";{}", at[-1])) break;
    at--;
  }
  return at + strspn(at, " \t\r\n");
}

static void found(struct matching *matching, unsigned line, int kind) {
  if (matching->slip.line) return;
  matching->slip.line = line;
  matching->slip.kind = kind;
}

static void take_open(struct matching *matching, const char *text, const char *at, unsigned line) {
  const char *begin = begin_of_statement(text, at);
  if (matching->count < MOST_OPEN)
    matching->open[matching->count] =
        (struct open_brace){line, indent_of(text, begin),
                            strncmp(begin, "namespace", 9) == 0 || strncmp(begin, "extern", 6) == 0};
  matching->count++;
}

static void take_close(struct matching *matching, const char *text, const char *at, unsigned line) {
  if (matching->count == 0) {
    found(matching, line, BRACE_TOO_MANY);
    return;
  }
  matching->count--;
  if (matching->count >= MOST_OPEN) return;
  const struct open_brace *open = &matching->open[matching->count];
  const char *begin = begin_of_line(text, at);
  const unsigned indent = indent_of(text, at);
  if (line == open->line) return;
  const bool first = begin + indent == at;
  if (first && indent < open->indent) found(matching, open->line, BRACE_OPEN);
  if (first && indent > open->indent) found(matching, line, BRACE_CLOSES_ANOTHER);
  if (!first && begin[indent] == '}' && indent > open->indent) found(matching, line, BRACE_TOO_MANY);
}

// A definition begins in the first column while a brace is still open.
static void take_definition(struct matching *matching) {
  if (matching->count == 0 || matching->count > MOST_OPEN) return;
  const struct open_brace *open = &matching->open[matching->count - 1];
  if (!open->scope) found(matching, open->line, BRACE_OPEN);
}

struct brace_slip braces_find_slip(const char *blanked) {
  struct matching matching = {0};
  unsigned line = 1, closed_without = 0;
  for (const char *at = blanked; *at; at++) {
    const bool line_begins = at == blanked || at[-1] == '\n';
    if (line_begins && (isalpha((unsigned char)*at) || *at == '_')) take_definition(&matching);
    if (*at == '\n') line++;
    if (*at == '{') take_open(&matching, blanked, at, line);
    if (*at != '}') continue;
    closed_without += matching.count == 0;
    take_close(&matching, blanked, at, line);
  }
  // Where as many are closed as opened, the indentation is a matter of taste.
  if (matching.count == 0 && closed_without == 0) return (struct brace_slip){0};
  if (matching.count > 0 && matching.count <= MOST_OPEN)
    found(&matching, matching.open[matching.count - 1].line, BRACE_OPEN);
  return matching.slip;
}
