// In: an error of a compiler, a source. Out: what about brackets, letters and names explains it. The idea: a
// bracket that doesn't match, a letter of another alphabet and a name that is declared, but elsewhere, can be
// seen without understanding the language.
#include "referee/slips-internal.h"

#include "referee/braces.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- brackets
// ------------------------------------------------------------------------------------------------

enum { MOST_OPEN = 256, MOST_LINES_LATER = 3 };

struct bracket_slip {
  const char *at;  // the bracket that has no partner; NULL: there is none
  const char *end; // where that was seen
  char missing;    // 0: `at` is one too many
};

static bool is_word_before(const char *text, const char *at, const char *word) {
  const size_t length = strlen(word);
  while (at > text && isspace((unsigned char)at[-1]))
    at--;
  if ((size_t)(at - text) < length || strncmp(at - length, word, length) != 0) return false;
  return at - length == text || !strchr(SLIP_NAME_LETTERS, at[-1 - (ptrdiff_t)length]);
}

static char partner_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

// The first ( ) [ ] without a partner within its statement. Braces are left to braces.c.
static struct bracket_slip find_bracket_slip(const char *blanked) {
  const char *open[MOST_OPEN];
  unsigned depth = 0;
  for (const char *c = blanked; *c; c++) {
    const char top = depth ? *open[depth - 1] : '\0';
    const bool in_brackets = top == '(' || top == '[';
    if (*c == '(' || *c == '[' || *c == '{') {
      if (depth == MOST_OPEN) break;
      open[depth++] = c;
    } else if (*c == ')' || *c == ']') {
      if (!in_brackets) return (struct bracket_slip){c, c, '\0'};
      if (partner_of(top) != *c) return (struct bracket_slip){open[depth - 1], c, partner_of(top)};
      depth--;
    } else if (*c == '}' || *c == ';') {
      if (in_brackets && !(*c == ';' && is_word_before(blanked, open[depth - 1], "for")))
        return (struct bracket_slip){open[depth - 1], c, partner_of(top)};
      depth -= *c == '}' && depth > 0;
    }
  }
  return (struct bracket_slip){0};
}

// Where a quote is missing, brackets in a string are taken for code.
static bool blames_brackets(const char *message) {
  if (strstr(message, "quote") || strstr(message, "string")) return false;
  return strncmp(message, "expected ", 9) == 0 || strncmp(message, "expression must have integral", 29) == 0;
}

bool slip_explain_brackets(FILE *out, const struct slip_error *error, const struct slip_source *source,
                           const char *blanked) {
  const struct bracket_slip slip = find_bracket_slip(blanked);
  char what[100];
  if (!error->line || !slip.at || !blames_brackets(error->message)) return false;
  const unsigned line = slip_line_number(blanked, slip.at), seen = slip_line_number(blanked, slip.end);
  if (error->line < line || error->line > seen + MOST_LINES_LATER) return false;
  if (slip.missing)
    snprintf(what, sizeof what, "a %c of this line is never closed: a %c is missing", *slip.at, slip.missing);
  else
    snprintf(what, sizeof what, "here is a %c too many", *slip.at);
  slip_point_at(out, source, line, what);
  slip_print_noticed(out, error, line);
  return true;
}

// ---- letters
// -------------------------------------------------------------------------------------------------

// The keyboard's letter that one copied out of a document looks like; NULL: like none.
static const char *look_alike(const char *letter) {
  static const struct {
    const char *copied, *meant;
  } pairs[] = {
      {"\xe2\x80\x9c", "\""}, {"\xe2\x80\x9d", "\""},      {"\xe2\x80\x98", "'"},      {"\xe2\x80\x99", "'"},
      {"\xe2\x88\x92", "-"},  {"\xe2\x80\x93", "-"},       {"\xe2\x80\x94", "-"},      {"\xcd\xbe", ";"},
      {"\xef\xbc\x9b", ";"},  {"\xef\xbc\x88", "("},       {"\xef\xbc\x89", ")"},      {"\xef\xbc\x8c", ","},
      {"\xc3\x97", "*"},      {"\xe2\x89\xa4", "<="},      {"\xe2\x89\xa5", ">="},     {"\xe2\x89\xa0", "!="},
      {"\xc2\xa0", " "},      {"\xe2\x80\x8b", "nothing"}, {"\xef\xbb\xbf", "nothing"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strncmp(letter, pairs[i].copied, strlen(pairs[i].copied)) == 0) return pairs[i].meant;
  return NULL;
}

// Comments and strings, where all letters are right, are blank by now.
bool slip_explain_letters(FILE *out, const struct slip_error *error, const struct slip_source *source,
                          const char *blanked) {
  const char *line = error->line ? slip_line_of_text(blanked, error->line) : NULL, *letter = line;
  if (!line) return false;
  while (*letter && *letter != '\n' && !((unsigned char)*letter & 0x80))
    letter++;
  if (!((unsigned char)*letter & 0x80)) return false;
  const char *meant = look_alike(letter);
  if (!meant && !strstr(error->message, "character") && !strstr(error->message, "token")) return false;
  char what[160];
  if (meant)
    snprintf(what, sizeof what, "column %zu holds a letter that only looks like %s%s%s",
             (size_t)(letter - line) + 1, isalpha((unsigned char)*meant) ? "" : "`", meant,
             isalpha((unsigned char)*meant) ? "" : "`");
  else
    snprintf(what, sizeof what, "column %zu holds a letter that can't stand in code",
             (size_t)(letter - line) + 1);
  slip_point_at(out, source, error->line, what);
  fputs("It came with copied text. Type this place anew.\n", out);
  return true;
}

// ---- names
// ---------------------------------------------------------------------------------------------------

static const char *skip_blanks_back(const char *text, const char *at) {
  while (at > text && isspace((unsigned char)at[-1]))
    at--;
  return at;
}

static const char *skip_name_back(const char *text, const char *at) {
  while (at > text && strchr(SLIP_NAME_LETTERS, at[-1]))
    at--;
  return at;
}

static bool is_statement_word(const char *name, size_t length) {
  static const char *const words[] = {"return", "else", "case", "goto", "delete", "new", "throw", "sizeof"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == length && strncmp(words[i], name, length) == 0) return true;
  return false;
}

// "TYPE NAME", "TYPE *NAME", "TYPE &NAME"; `name` points at the name.
static bool is_declaration(const char *text, const char *name) {
  const char *end = skip_blanks_back(text, name);
  const bool pointer = end == name && end > text && (end[-1] == '*' || end[-1] == '&');
  if (pointer) {
    end--;
    // `a & b` has a blank on both sides, `int &b` on one: without it this may be an expression.
    if (end == text || !isspace((unsigned char)end[-1])) return false;
    end = skip_blanks_back(text, end);
  }
  const char *begin = skip_name_back(text, end);
  if (begin == end || isdigit((unsigned char)*begin)) return false;
  return !is_statement_word(begin, (size_t)(end - begin));
}

// Whether this place stands between the ( and ) of a for, an if or a while.
static bool is_in_head_of_statement(const char *blanked, const char *at) {
  const char *open = slip_open_of_call(blanked, at);
  return open && (is_word_before(blanked, open, "for") || is_word_before(blanked, open, "if") ||
                  is_word_before(blanked, open, "while"));
}

// Where the names of this declaration end. `is_bare`: it is that of a statement without braces.
static const char *end_of_scope(const char *blanked, const char *at, bool *is_bare) {
  const bool of_statement = is_in_head_of_statement(blanked, at);
  int brackets = 0, braces = 0;
  *is_bare = false;
  for (bool in_head = false; *at; at++) {
    brackets += (*at == '(') - (*at == ')');
    braces += (*at == '{') - (*at == '}');
    if (brackets < 0) {
      in_head = true;
      brackets = 0;
      const char *next = at + 1 + strspn(at + 1, " \t\r\n");
      *is_bare = of_statement && *next != '{';
    }
    if (braces < 0) return at;
    if (in_head && brackets == 0 && braces == 0 && (*at == '}' || *at == ';')) return at;
  }
  return at;
}

static bool explain_header(FILE *out, const struct slip_error *error, const struct slip_source *source,
                           const char *name) {
  const struct declaration *declared = declarations_find(source->declared, name);
  if (!declared || declared->header >= source->declared->header_count) return false;
  const char *header = source->declared->headers[declared->header];
  if (strncmp(header, "tma-", 4) != 0 && strcmp(header, "tensor-map.h") != 0) return false;
  // The headers of the interface's parts come with the whole.
  if (strncmp(header, "tma-", 4) == 0) header = "tma-interface.cuh";
  if (strstr(source->text, header)) return false;
  slip_print_error(out, error, source);
  fprintf(out, "At the top of the file: #include \"%s\"\n", header);
  return true;
}

// A name that the file uses as a member only: "s.full".
static bool explain_member(FILE *out, const struct slip_error *error, const struct slip_source *source,
                           const char *blanked, const char *name) {
  for (const char *at = blanked; (at = slip_find_word(blanked, at, name)); at += strlen(name)) {
    if (at - blanked < 2 || at == error->at) continue;
    const bool dot = at[-1] == '.', arrow = at[-1] == '>' && at[-2] == '-';
    const char *end = at - (arrow ? 2 : 1), *begin = skip_name_back(blanked, end);
    if ((!dot && !arrow) || begin == end) continue;
    slip_print_error(out, error, source);
    fprintf(out, "Did you mean %.*s%s? Line %u writes it so.\n", (int)(at - begin), begin, name,
            slip_line_number(blanked, at));
    return true;
  }
  return false;
}

// The last declaration of a name before a place, or the first one after it; NULL: there is none.
static const char *find_declaration(const char *blanked, const char *place, const char *name) {
  const char *found = NULL;
  for (const char *at = blanked; (at = slip_find_word(blanked, at, name)); at += strlen(name)) {
    if (at == place || !is_declaration(blanked, at)) continue;
    if (at > place && found) break;
    found = at;
    if (at > place) break;
  }
  return found;
}

// Whether the function that `at` is in has ended before `later`.
static bool is_in_another_function(const char *blanked, const char *at, const char *later) {
  int depth = 0;
  for (const char *c = blanked; c < later; c++) {
    depth += (*c == '{') - (*c == '}');
    if (c > at && depth <= 0) return true;
  }
  return false;
}

static void explain_lines(FILE *out, const struct slip_error *error, const char *blanked, const char *found) {
  bool is_bare;
  const unsigned line = slip_line_number(blanked, found);
  const unsigned last = slip_line_number(blanked, end_of_scope(blanked, found, &is_bare));
  if (found > error->at && is_in_another_function(blanked, error->at, found)) {
    fprintf(out, "Line %u declares it, in another function: hand it over as an argument.\n", line);
  } else if (line > error->line) {
    fprintf(out, "Line %u declares it. What is declared is known from there on only.\n", line);
  } else if (is_bare) {
    fprintf(out,
            "Line %u declares it, but for one statement alone, which ends at line %u: where more belong to "
            "it,\nthey stand between { and }.\n",
            line, last);
  } else {
    fprintf(out,
            "Line %u declares it, but only for what follows up to the } of line %u. Hand it over, or declare "
            "it\nwhere all that use it can see it.\n",
            line, last);
  }
}

bool slip_explain_scope(FILE *out, const struct slip_error *error, const struct slip_source *source,
                        const char *blanked) {
  char name[DECLARED_NAME];
  if (strncmp(error->message, "identifier \"", 12) != 0 || !strstr(error->message, "\" is undefined") ||
      !error->at || !slip_quoted_name(error->message, name))
    return false;
  if (explain_header(out, error, source, name)) return true;
  const char *found = find_declaration(blanked, error->at, name);
  if (!found) return explain_member(out, error, source, blanked, name);
  const struct brace_slip slip = braces_find_slip(blanked);
  if (slip.line && slip.line <= error->line && slip.line >= slip_line_number(blanked, found)) {
    slip_point_at(out, source, slip.line,
                  slip.kind == BRACE_OPEN ? "the { of this line is never closed: a } is missing"
                                          : "here a } is too many, or above it a { is missing");
    slip_print_noticed(out, error, slip.line);
    return true;
  }
  slip_print_error(out, error, source);
  explain_lines(out, error, blanked, found);
  return true;
}

// ""error" has already been declared in the current scope"
bool slip_explain_twice(FILE *out, const struct slip_error *error, const char *blanked) {
  char name[DECLARED_NAME];
  if (!slip_quoted_name(error->message, name)) return false;
  const char *found = find_declaration(blanked, error->at, name);
  if (!found || found > error->at) return false;
  fprintf(out, "Line %u declares it. To give it another value, leave out the type here.\n",
          slip_line_number(blanked, found));
  return true;
}
