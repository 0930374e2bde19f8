// In: an error, a source. Out: what to write instead, and where. The idea: of the source only comments,
// strings and brackets are understood; what can't be known from those is left to the compiler's own words.
#include "referee/slips.h"

#include "referee/braces.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NAME_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// The error, taken apart: "PATH(LINE): error: MESSAGE", the source line, and a caret below it.
struct error {
  const char *text;
  unsigned line;
  const char *at; // the caret's place in the blanked source; NULL: not known
  char message[300];
};

static const char *line_of_text(const char *text, unsigned number) {
  while (number-- > 1 && text)
    if ((text = strchr(text, '\n'))) text++;
  return text;
}

static size_t line_length(const char *line) {
  return strcspn(line, "\r\n");
}

// nvcc shows the source line two columns further right.
static const char *place_of_caret(const char *error, const char *blanked, unsigned line) {
  const char *source = line_of_text(blanked, line);
  for (const char *shown = error; source && shown && *shown; shown = strchr(shown, '\n')) {
    shown += *shown == '\n';
    const size_t column = strspn(shown, " \t");
    if (shown[column] == '^' && column >= 2)
      return source + (column - 2 < line_length(source) ? column - 2 : line_length(source));
  }
  return source;
}

static bool take_apart(const char *text, const struct slip_source *source, const char *blanked,
                       struct error *error) {
  const size_t length = strlen(source->path);
  char *end;
  *error = (struct error){.text = text};
  const char *message = strstr(text, "error: ");
  if (!message) return false;
  message += strlen("error: ");
  snprintf(error->message, sizeof error->message, "%.*s", (int)strcspn(message, "\n"), message);
  if (strncmp(text, source->path, length) != 0 || text[length] != '(') return true;
  error->line = (unsigned)strtoul(text + length + 1, &end, 10);
  if (*end == ')') error->at = place_of_caret(text, blanked, error->line);
  return *end == ')';
}

static void print_line(FILE *out, const struct slip_source *source, unsigned number) {
  const char *line = line_of_text(source->text, number);
  if (!line) return;
  const size_t indent = strspn(line, " \t");
  fputs("      ", out);
  for (size_t i = indent; i < line_length(line) && i < indent + 160; i++)
    fputc(isprint((unsigned char)line[i]) ? line[i] : '?', out);
  fputc('\n', out);
}

// The first line of the text is the one whose number the student is sent to.
static void point_at(FILE *out, const struct slip_source *source, unsigned line, const char *what) {
  fprintf(out, "%s(%u): error: %s\n", source->path, line, what);
  print_line(out, source, line);
}

static void print_noticed(FILE *out, const struct error *error, unsigned line) {
  if (error->line > line)
    fprintf(out, "The compiler noticed it only at line %u: %s\n", error->line, error->message);
}

static void print_error(FILE *out, const struct error *error) {
  for (const char *line = error->text; *line;) {
    const size_t length = strcspn(line, "\n");
    if (!memmem(line, length, ": note ", 7)) {
      fprintf(out, "%.*s\n", (int)length, line);
      line += length + (line[length] == '\n');
      continue;
    }
    const char *more = strstr(line, "\nand "); // "and 3 more errors after it"
    if (!more) break;
    line = more + 1;
  }
}

// ---- brackets and semicolons
// ------------------------------------------------------------------------------

static bool blames_braces(const char *message) {
  static const char *const messages[] = {"expected a declaration",
                                         "linkage specification is not allowed",
                                         "expected a \"}\"",
                                         "this declaration has no storage class or type specifier",
                                         "is not allowed at block scope",
                                         "explicit type is missing"};
  for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
    if (strstr(message, messages[i])) return true;
  return false;
}

// A function inside another one: the compiler gets stuck at its {.
static bool brace_on_line(const char *at, const char *blanked) {
  while (at > blanked && at[-1] != '\n')
    at--;
  return memchr(at, '{', line_length(at)) != NULL;
}

static bool explain_braces(FILE *out, const struct error *error, const struct slip_source *source,
                           const char *blanked) {
  const bool nested =
      strstr(error->message, "expected a \";\"") && error->at && brace_on_line(error->at, blanked);
  if (!nested && !blames_braces(error->message)) return false;
  const struct brace_slip slip = braces_find_slip(blanked);
  if (!slip.line) return false;
  point_at(out, source, slip.line,
           slip.kind == BRACE_OPEN ? "the { of this line is never closed: a } is missing"
           : slip.kind == BRACE_TOO_MANY
               ? "here is a } too many: no { is left that it could close"
               : "this } closes more than its indentation shows: above it a { is missing, or a } too many");
  print_noticed(out, error, slip.line);
  return true;
}

// Whether a statement may end with this letter, so that a ; can be missing after it.
static bool ends_statement(char letter) {
  return strchr(NAME_LETTERS, letter) || strchr(")]}\"'+-", letter);
}

// More ( than ) stand between the statement's begin and here.
static bool is_in_brackets(const char *blanked, const char *at) {
  int open = 0;
  while (at-- > blanked && *at != ';' && *at != '{' && *at != '}')
    open += (*at == '(') - (*at == ')');
  return open > 0;
}

static bool explain_semicolon(FILE *out, const struct error *error, const struct slip_source *source,
                              const char *blanked) {
  const bool bracket = strcmp(error->message, "expected a \")\"") == 0;
  if ((strcmp(error->message, "expected a \";\"") != 0 && !bracket) || !error->at) return false;
  const char *before = error->at;
  unsigned line = error->line;
  while (before > blanked && isspace((unsigned char)before[-1]))
    line -= *--before == '\n';
  if (line == error->line || before == blanked || !ends_statement(before[-1])) return false;
  if (bracket && !is_in_brackets(blanked, before)) return false;
  point_at(out, source, line,
           bracket ? "a ) is missing at the end of this line" : "the ; is missing at the end of this line");
  print_noticed(out, error, line);
  return true;
}

// ---- names
// ------------------------------------------------------------------------------------------------

// Copies the name between the first quotes of a message.
static bool quoted_name(const char *message, char name[DECLARED_NAME]) {
  const char *quote = strchr(message, '"');
  const size_t length = quote ? strspn(quote + 1, NAME_LETTERS) : 0;
  if (length == 0 || length >= DECLARED_NAME) return false;
  memcpy(name, quote + 1, length);
  name[length] = '\0';
  return true;
}

static void consider(const char *misspelt, const char *name, char best[DECLARED_NAME], unsigned *distance) {
  const unsigned here = declarations_distance(misspelt, name);
  if (here == 0 || here >= *distance) return;
  snprintf(best, DECLARED_NAME, "%s", name);
  *distance = here;
}

// Looks among what CUDA declares and what the student's own file names.
static unsigned nearest_other(const char *misspelt, const char *blanked, char best[DECLARED_NAME]) {
  static const char *const given[] = {"__syncthreads",
                                      "__syncwarp",
                                      "threadIdx",
                                      "blockIdx",
                                      "blockDim",
                                      "gridDim",
                                      "cudaGetLastError",
                                      "cudaSuccess",
                                      "cudaErrorInvalidValue",
                                      "CUtensorMap",
                                      "uint32_t",
                                      "uint64_t",
                                      "int32_t",
                                      "size_t",
                                      "CU_TENSOR_MAP_DATA_TYPE_INT32",
                                      "CU_TENSOR_MAP_DATA_TYPE_UINT32",
                                      "CU_TENSOR_MAP_DATA_TYPE_FLOAT32",
                                      "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16",
                                      "CU_TENSOR_MAP_SWIZZLE_NONE",
                                      "CU_TENSOR_MAP_SWIZZLE_128B",
                                      "__shared__",
                                      "__global__",
                                      "__restrict__",
                                      "__device__",
                                      "__launch_bounds__",
                                      "alignas"};
  unsigned distance = DECLARED_FAR;
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    consider(misspelt, given[i], best, &distance);
  for (const char *at = blanked; *(at += strcspn(at, NAME_LETTERS));) {
    const size_t length = strspn(at, NAME_LETTERS);
    char name[DECLARED_NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (length < sizeof name && !isdigit((unsigned char)*name)) consider(misspelt, name, best, &distance);
    at += length;
  }
  return distance;
}

static unsigned count_arguments(const char *open);

// The function whose name begins with these words and that takes as many arguments as are given: of several
// the one with the shortest name, and of these the first in the alphabet. NULL: there is none, or this is no
// call.
static const struct declaration *longer_name(const struct slip_source *source, const char *name,
                                             const char *at) {
  const size_t length = strlen(name);
  const struct declaration *best = NULL;
  if (!at || strncmp(at, name, length) != 0 || at[length] != '(') return NULL;
  const unsigned given = count_arguments(at + length);
  for (size_t i = 0; i < source->declared->count; i++) {
    const struct declaration *d = &source->declared->list[i];
    if (strncmp(d->name, name, length) != 0 || d->name[length] != '_') continue;
    if (given < d->least || given > d->most) continue;
    const size_t letters = strlen(d->name), least = best ? strlen(best->name) : SIZE_MAX;
    if (letters < least || (letters == least && strcmp(d->name, best->name) < 0)) best = d;
  }
  return best;
}

static bool explain_name(FILE *out, const struct error *error, const struct slip_source *source,
                         const char *blanked) {
  char name[DECLARED_NAME], other[DECLARED_NAME] = "";
  unsigned distance;
  if (strncmp(error->message, "identifier \"", 12) != 0 || !strstr(error->message, "\" is undefined") ||
      !quoted_name(error->message, name))
    return false;
  const struct declaration *near = declarations_near(source->declared, name, &distance);
  const struct declaration *longer = distance == 1 ? NULL : longer_name(source, name, error->at);
  if (longer) {
    near = longer;
    distance = 1;
  }
  const unsigned other_distance = nearest_other(name, blanked, other);
  if (near && distance == 0) return false;
  if ((!near || other_distance < distance) && other[0]) {
    print_error(out, error);
    fprintf(out, "Did you mean %s?\n", other);
    return true;
  }
  if (!near) return false;
  print_error(out, error);
  fprintf(out, "Did you mean %s? It is called so: %s%s(%s)\n", near->name, near->name,
          near->template ? "<N>" : "", near->parameters);
  return true;
}

// "PATH:5:10: fatal error: NAME: No such file or directory"
static bool explain_include(FILE *out, const struct error *error, const struct slip_source *source) {
  char name[DECLARED_NAME];
  const char *end = strstr(error->message, ": No such file or directory");
  if (!end || (size_t)(end - error->message) >= sizeof name) return false;
  snprintf(name, sizeof name, "%.*s", (int)(end - error->message), error->message);
  const char *near = declarations_near_header(source->declared, name);
  print_error(out, error);
  if (near)
    fprintf(out, "Did you mean #include \"%s\"?\n", near);
  else
    fputs("Here are the headers of interface/, those of the lab's folder, and those that you hand in.\n",
          out);
  return true;
}

// The lab's header declares the launchers as C. A C function can't have two lists of parameters.
static bool explain_launcher(FILE *out, const struct error *error, const struct slip_source *source) {
  char name[DECLARED_NAME];
  if (!strstr(error->message, "has \"C\" linkage") || !quoted_name(error->message, name)) return false;
  const struct declaration *declared = declarations_find(source->declared, name);
  if (!declared) return false;
  print_error(out, error);
  fprintf(out, "The lab's header declares it so: %s(%s)\nThe grader calls it with these types: take them.\n",
          name, declared->parameters);
  return true;
}

// ---- arguments
// --------------------------------------------------------------------------------------------

// The ( of the call whose arguments `at` is in; NULL: it is in none.
static const char *open_of_call(const char *blanked, const char *at) {
  unsigned depth = 0;
  while (at-- > blanked && *at != ';' && *at != '{' && *at != '}') {
    if (*at == ')' || *at == ']') depth++;
    if (*at != '(' && *at != '[') continue;
    if (depth == 0) return *at == '(' ? at : NULL;
    depth--;
  }
  return NULL;
}

static const struct declaration *function_before(const struct slip_source *source, const char *blanked,
                                                 const char *open) {
  char name[DECLARED_NAME];
  const char *end = open;
  while (end > blanked && isspace((unsigned char)end[-1]))
    end--;
  const char *begin = end;
  while (begin > blanked && strchr(NAME_LETTERS, begin[-1]))
    begin--;
  if (end - begin >= DECLARED_NAME) return NULL;
  snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
  return declarations_find(source->declared, name);
}

// How many arguments stand between this ( and its ).
static unsigned count_arguments(const char *open) {
  unsigned depth = 0, commas = 0;
  bool some = false;
  for (const char *c = open + 1; *c && *c != ';' && !(depth == 0 && *c == ')'); c++) {
    some |= !isspace((unsigned char)*c);
    depth += *c == '(' || *c == '[' || *c == '{';
    depth -= depth > 0 && (*c == ')' || *c == ']' || *c == '}');
    commas += depth == 0 && *c == ',';
  }
  return some ? commas + 1 : 0;
}

// The function that an error about arguments is about, and the ( of its call.
static const struct declaration *called_function(const struct error *error, const struct slip_source *source,
                                                 const char *blanked, const char **open) {
  char name[DECLARED_NAME];
  if (strncmp(error->message, "no instance of ", 15) == 0) {
    if (!quoted_name(error->message, name)) return NULL;
    const char *called = strstr(error->at, name);
    *open = called ? strchr(called, '(') : NULL;
    return declarations_find(source->declared, name);
  }
  if (strncmp(error->message, "too many arguments", 18) != 0 &&
      strncmp(error->message, "too few arguments", 17) != 0 &&
      strncmp(error->message, "argument of type ", 17) != 0 &&
      strncmp(error->message, "no suitable conversion ", 23) != 0)
    return NULL;
  *open = open_of_call(blanked, error->at);
  return *open ? function_before(source, blanked, *open) : NULL;
}

static void explain_types(FILE *out, const struct error *error, const struct declaration *function) {
  const char *types = strstr(error->text, "argument types are: (");
  const size_t length = types ? strcspn(types, "\n") : 0;
  if (types && strstr(function->parameters, "uint64_t *bar") && !memmem(types, length, "uint64_t", 8))
    fputs("A barrier is declared so: __shared__ uint64_t bar;\n", out);
  else if (strncmp(error->message, "no suitable conversion ", 23) == 0 && strstr(error->message, " *\""))
    fputs("It takes an address: put & before the name.\n", out);
  else
    fputs("Do order and types of the arguments fit?\n", out);
}

static bool explain_arguments(FILE *out, const struct error *error, const struct slip_source *source,
                              const char *blanked) {
  const char *open = NULL;
  if (!error->at) return false;
  const struct declaration *function = called_function(error, source, blanked, &open);
  if (!function || !open) return false;
  const unsigned given = count_arguments(open);
  print_error(out, error);
  if (function->template && (given > function->most || open[-1] != '>'))
    fprintf(out, "It is called so, with a number between < and >: %s<0>(%s)\n", function->name,
            function->parameters);
  else if (function->template)
    fputs("The number between < and > must be known to the compiler: a literal or a constexpr.\n", out);
  else
    fprintf(out, "It is called so: %s(%s)\n", function->name, function->parameters);
  if (given < function->least || given > function->most)
    fprintf(out, "%s %u argument%s; %u %s given here.\n",
            function->least == function->most ? "That is" : "At most", function->most,
            function->most == 1 ? "" : "s", given, given == 1 ? "is" : "are");
  else if (!function->template)
    explain_types(out, error, function);
  return true;
}

// ---- a static_assert of the interface
// ---------------------------------------------------------------------

// "detected during instantiation of .. at line 61 of PATH": that is the student's line.
static bool explain_assertion(FILE *out, const struct error *error, const struct slip_source *source) {
  static const char failed[] = "static assertion failed with \"";
  const char *why = strstr(error->message, failed), *where = strstr(error->text, " at line ");
  char path[400];
  if (!why || !where || error->line) return false;
  const unsigned line = (unsigned)strtoul(where + strlen(" at line "), NULL, 10);
  const char *of = strstr(where, " of ");
  snprintf(path, sizeof path, "%.*s", of ? (int)strcspn(of + 4, "\n") : 0, of ? of + 4 : "");
  if (!line || strcmp(path, source->path) != 0) return false;
  why += strlen(failed);
  char what[200];
  snprintf(what, sizeof what, "%.*s", (int)strcspn(why, "\""), why);
  point_at(out, source, line, what);
  return true;
}

char *slip_text(const char *text, const struct slip_source *source) {
  char *blanked = braces_blank(source->text), *shown = NULL;
  size_t size;
  struct error error;
  FILE *out = blanked ? open_memstream(&shown, &size) : NULL;
  const bool said =
      out && take_apart(text, source, blanked, &error) &&
      (explain_braces(out, &error, source, blanked) || explain_semicolon(out, &error, source, blanked) ||
       explain_name(out, &error, source, blanked) || explain_include(out, &error, source) ||
       explain_launcher(out, &error, source) || explain_arguments(out, &error, source, blanked) ||
       explain_assertion(out, &error, source));
  if (out) fclose(out);
  free(blanked);
  if (said) return shown;
  free(shown);
  return NULL;
}
