// In: an error, a source. Out: what to write instead, and where. The idea: of the source only comments,
// strings and brackets are understood; what can't be known from those is left to the compiler's own words.
#include "referee/slips.h"

#include "referee/braces.h"
#include "referee/slips-internal.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- an error, taken apart
// --------------------------------------------------------------------------------

const char *slip_line_of_text(const char *text, unsigned number) {
  while (number-- > 1 && text)
    if ((text = strchr(text, '\n'))) text++;
  return text;
}

unsigned slip_line_number(const char *text, const char *at) {
  unsigned line = 1;
  while (at-- > text)
    line += *at == '\n';
  return line;
}

size_t slip_line_length(const char *line) {
  return strcspn(line, "\r\n");
}

const char *slip_find_word(const char *text, const char *at, const char *name) {
  const size_t length = strlen(name);
  for (; length && (at = strstr(at, name)); at += length) {
    const bool begins = at == text || !strchr(SLIP_NAME_LETTERS, at[-1]);
    if (begins && (!at[length] || !strchr(SLIP_NAME_LETTERS, at[length]))) return at;
  }
  return NULL;
}

// The source line that the compiler shows: the one before the caret's. `caret` gets the caret's column.
static const char *shown_line(const char *error, size_t *caret) {
  const char *before = NULL;
  for (const char *line = error; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    *caret = strspn(line, " \t");
    if (before && line[*caret] == '^' && *caret >= 2) return before;
    before = line;
  }
  return NULL;
}

static bool same_words(const char *a, const char *b) {
  a += strspn(a, " \t");
  b += strspn(b, " \t");
  size_t length = slip_line_length(a), other = slip_line_length(b);
  while (length && isspace((unsigned char)a[length - 1]))
    length--;
  while (other && isspace((unsigned char)b[other - 1]))
    other--;
  const char *rest = b + (length < other ? length : other);
  rest += strspn(rest, " \t");
  if (strncmp(rest, "//", 2) == 0 || strncmp(rest, "/*", 2) == 0) other = length; // comments aren't shown
  const bool is_cut = length > 3 && strncmp(a + length - 3, "...", 3) == 0;
  return strncmp(a, b, is_cut ? length - 3 : length) == 0 && (is_cut || length == other);
}

// nvcc shows the source line two columns further right, and macros expanded. Of such a line only the name at
// the caret is looked for.
static void find_place(struct slip_error *error, const struct slip_source *source, const char *blanked) {
  const char *written = slip_line_of_text(source->text, error->line);
  size_t caret = 0;
  const char *shown = written ? shown_line(error->text, &caret) : NULL;
  if (!written) return;
  const size_t length = slip_line_length(written);
  error->at = blanked + (written - source->text);
  if (!shown) return;
  if (same_words(shown, written)) {
    error->at += caret - 2 < length ? caret - 2 : length;
    return;
  }
  error->is_expanded = true;
  char name[DECLARED_NAME];
  const size_t letters = caret < slip_line_length(shown) ? strspn(shown + caret, SLIP_NAME_LETTERS) : 0;
  snprintf(name, sizeof name, "%.*s", (int)letters, shown + (letters ? caret : 0));
  const char *found = letters && letters < sizeof name ? slip_find_word(blanked, error->at, name) : NULL;
  if (found && found < error->at + length) error->at = found;
}

static bool take_apart(const char *text, const struct slip_source *source, const char *blanked,
                       struct slip_error *error) {
  const size_t length = strlen(source->path);
  char *end;
  *error = (struct slip_error){.text = text};
  const char *message = strstr(text, "error: ");
  if (!message) return false;
  message += strlen("error: ");
  snprintf(error->message, sizeof error->message, "%.*s", (int)strcspn(message, "\n"), message);
  // nvcc: "PATH(LINE): ", the host's compiler: "PATH:LINE:COLUMN: "
  if (strncmp(text, source->path, length) != 0 || (text[length] != '(' && text[length] != ':')) return true;
  error->line = (unsigned)strtoul(text + length + 1, &end, 10);
  if (*end != (text[length] == '(' ? ')' : ':')) return text[length] == ':';
  find_place(error, source, blanked);
  return true;
}

// ---- what is written
// ----------------------------------------------------------------------------------------

static void print_line(FILE *out, const struct slip_source *source, unsigned number) {
  const char *line = slip_line_of_text(source->text, number);
  if (!line) return;
  const size_t indent = strspn(line, " \t");
  fputs("      ", out);
  for (size_t i = indent; i < slip_line_length(line) && i < indent + 160; i++)
    fputc(isprint((unsigned char)line[i]) ? line[i] : '?', out);
  fputc('\n', out);
}

void slip_point_at(FILE *out, const struct slip_source *source, unsigned line, const char *what) {
  fprintf(out, "%s(%u): error: %s\n", source->path, line, what);
  print_line(out, source, line);
}

void slip_print_noticed(FILE *out, const struct slip_error *error, unsigned line) {
  if (error->line > line)
    fprintf(out, "The compiler noticed it only at line %u: %s\n", error->line, error->message);
}

void slip_print_error(FILE *out, const struct slip_error *error, const struct slip_source *source) {
  size_t caret;
  const char *shown = error->is_expanded ? shown_line(error->text, &caret) : NULL;
  for (const char *line = error->text; *line;) {
    const size_t length = strcspn(line, "\n");
    const char *next = line + length + (line[length] == '\n');
    if (memmem(line, length, ": note ", 7)) {
      const char *more = strstr(line, "\nand "); // "and 3 more errors after it"
      if (!more) break;
      line = more + 1;
      continue;
    }
    if (line != error->text && memmem(line, length, " (declared at line ", 19)) {
      // of overloads the compiler lists all
    } else if (line == shown) {
      print_line(out, source, error->line);
      next += strcspn(next, "\n"); // the caret's line is of no use below another one
      next += *next == '\n';
    } else {
      fprintf(out, "%.*s\n", (int)length, line);
    }
    line = next;
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
  return memchr(at, '{', slip_line_length(at)) != NULL;
}

static bool explain_braces(FILE *out, const struct slip_error *error, const struct slip_source *source,
                           const char *blanked) {
  const bool nested =
      strstr(error->message, "expected a \";\"") && error->at && brace_on_line(error->at, blanked);
  if (!nested && !blames_braces(error->message)) return false;
  const struct brace_slip slip = braces_find_slip(blanked);
  if (!slip.line) return false;
  slip_point_at(
      out, source, slip.line,
      slip.kind == BRACE_OPEN ? "the { of this line is never closed: a } is missing"
      : slip.kind == BRACE_TOO_MANY
          ? "here is a } too many: no { is left that it could close"
          : "this } closes more than its indentation shows: above it a { is missing, or a } too many");
  slip_print_noticed(out, error, slip.line);
  return true;
}

// Whether a statement may end with this letter, so that a ; can be missing after it.
static bool ends_statement(char letter) {
  return strchr(SLIP_NAME_LETTERS, letter) || strchr(")]}\"'+-", letter);
}

// More ( than ) stand between the statement's begin and here.
static bool is_in_brackets(const char *blanked, const char *at) {
  int open = 0;
  while (at-- > blanked && *at != ';' && *at != '{' && *at != '}')
    open += (*at == '(') - (*at == ')');
  return open > 0;
}

static bool explain_semicolon(FILE *out, const struct slip_error *error, const struct slip_source *source,
                              const char *blanked) {
  const bool bracket = strcmp(error->message, "expected a \")\"") == 0;
  if ((strcmp(error->message, "expected a \";\"") != 0 && !bracket) || !error->at) return false;
  const char *before = error->at;
  unsigned line = error->line;
  while (before > blanked && isspace((unsigned char)before[-1]))
    line -= *--before == '\n';
  if (line == error->line || before == blanked || !ends_statement(before[-1])) return false;
  if (bracket && !is_in_brackets(blanked, before)) return false;
  slip_point_at(out, source, line,
                bracket ? "a ) is missing at the end of this line"
                        : "the ; is missing at the end of this line");
  slip_print_noticed(out, error, line);
  return true;
}

// ---- names
// ------------------------------------------------------------------------------------------------

// Copies the name between the first quotes of a message.
bool slip_quoted_name(const char *message, char name[DECLARED_NAME]) {
  const char *quote = strchr(message, '"');
  const size_t length = quote ? strspn(quote + 1, SLIP_NAME_LETTERS) : 0;
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

static void consider_all(const char *misspelt, const char *blanked, char best[DECLARED_NAME],
                         unsigned *distance) {
  for (const char *at = blanked; *(at += strcspn(at, SLIP_NAME_LETTERS));) {
    const size_t length = strspn(at, SLIP_NAME_LETTERS);
    char name[DECLARED_NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (length < sizeof name && !isdigit((unsigned char)*name)) consider(misspelt, name, best, distance);
    at += length;
  }
}

// What CUDA and the language declare, and what a macro of the interface makes.
static const char *const GIVEN_NAMES[] = {"__syncthreads",
                                          "__syncwarp",
                                          "threadIdx",
                                          "blockIdx",
                                          "blockDim",
                                          "gridDim",
                                          "cudaGetLastError",
                                          "cp_reduce_async_bulk_shared_to_global_add",
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
                                          "alignas",
                                          "true",
                                          "false",
                                          "if",
                                          "else",
                                          "for",
                                          "while",
                                          "return",
                                          "float",
                                          "const",
                                          "nullptr",
                                          "printf"};

// Looks among what CUDA declares and what the student's own file names.
static unsigned nearest_other(const char *misspelt, const char *blanked, char best[DECLARED_NAME]) {
  unsigned distance = DECLARED_FAR;
  for (size_t i = 0; i < sizeof GIVEN_NAMES / sizeof *GIVEN_NAMES; i++) {
    const bool is_type = strncmp(misspelt, GIVEN_NAMES[i], strlen(misspelt)) == 0 &&
                         strcmp(GIVEN_NAMES[i] + strlen(misspelt), "_t") == 0;
    if (is_type || strcasecmp(misspelt, GIVEN_NAMES[i]) == 0) {
      snprintf(best, DECLARED_NAME, "%s", GIVEN_NAMES[i]);
      return 1;
    }
    consider(misspelt, GIVEN_NAMES[i], best, &distance);
  }
  consider_all(misspelt, blanked, best, &distance);
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

// A function of the interface, or of a header that the file includes: those of other exercises are declared,
// too.
static bool is_at_hand(const struct slip_source *source, const struct declaration *function) {
  if (function->header >= source->declared->header_count) return true;
  const char *header = source->declared->headers[function->header];
  return strncmp(header, "tma-", 4) == 0 || strcmp(header, "tensor-map.h") == 0 ||
         strstr(source->text, header);
}

// "class "shape" has no member "quad"": what the file or its header names so.
static bool explain_no_member(FILE *out, const struct slip_error *error, const struct slip_source *source,
                              const char *blanked) {
  char name[DECLARED_NAME], other[DECLARED_NAME] = "";
  const char *member = strstr(error->message, "has no member \"");
  if (!member || !slip_quoted_name(member, name)) return false;
  unsigned distance = DECLARED_FAR;
  consider_all(name, blanked, other, &distance);
  if (!other[0]) return false;
  slip_print_error(out, error, source);
  fprintf(out, "Did you mean %s?\n", other);
  return true;
}

static bool explain_name(FILE *out, const struct slip_error *error, const struct slip_source *source,
                         const char *blanked) {
  char name[DECLARED_NAME], other[DECLARED_NAME] = "";
  unsigned distance;
  if (strncmp(error->message, "identifier \"", 12) != 0 || !strstr(error->message, "\" is undefined") ||
      !slip_quoted_name(error->message, name))
    return false;
  const struct declaration *near = declarations_near(source->declared, name, &distance);
  const struct declaration *longer = distance == 1 ? NULL : longer_name(source, name, error->at);
  if (longer) {
    near = longer;
    distance = 1;
  }
  const unsigned other_distance = nearest_other(name, blanked, other);
  if (near && distance == 0) return false;
  // A name that lacks what the student has written is the worse one.
  const bool is_shorter =
      near && other_distance == distance && strlen(near->name) < strlen(name) && strlen(other) > strlen(name);
  if ((!near || other_distance < distance || is_shorter) && other[0]) {
    slip_print_error(out, error, source);
    fprintf(out, "Did you mean %s?\n", other);
    return true;
  }
  if (!near || !is_at_hand(source, near)) return false;
  slip_print_error(out, error, source);
  fprintf(out, "Did you mean %s? It is called so: %s%s(%s)\n", near->name, near->name,
          near->template ? "<N>" : "", near->parameters);
  return true;
}

// "PATH:5:10: fatal error: NAME: No such file or directory"
static bool explain_include(FILE *out, const struct slip_error *error, const struct slip_source *source) {
  char name[DECLARED_NAME];
  const char *end = strstr(error->message, ": No such file or directory");
  if (!end || (size_t)(end - error->message) >= sizeof name) return false;
  snprintf(name, sizeof name, "%.*s", (int)(end - error->message), error->message);
  const char *near = declarations_near_header(source->declared, name);
  slip_print_error(out, error, source);
  if (near)
    fprintf(out, "Did you mean #include \"%s\"?\n", near);
  else
    fputs("Here are the headers of interface/, those of the lab's folder, and those that you hand in.\n",
          out);
  return true;
}

// The lab's header declares the launchers as C. A C function can't have two lists of parameters.
static bool explain_launcher(FILE *out, const struct slip_error *error, const struct slip_source *source) {
  char name[DECLARED_NAME];
  if (!strstr(error->message, "has \"C\" linkage") || !slip_quoted_name(error->message, name)) return false;
  const struct declaration *declared = declarations_find(source->declared, name);
  if (!declared) return false;
  slip_print_error(out, error, source);
  fprintf(out, "The lab's header declares it so: %s(%s)\nThe grader calls it with these types: take them.\n",
          name, declared->parameters);
  return true;
}

// ---- arguments
// --------------------------------------------------------------------------------------------

// The ( of the call whose arguments `at` is in; NULL: it is in none.
const char *slip_open_of_call(const char *blanked, const char *at) {
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
  while (begin > blanked && strchr(SLIP_NAME_LETTERS, begin[-1]))
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
static const struct declaration *called_function(const struct slip_error *error,
                                                 const struct slip_source *source, const char *blanked,
                                                 const char **open) {
  char name[DECLARED_NAME];
  if (strncmp(error->message, "no instance of ", 15) == 0) {
    if (!slip_quoted_name(error->message, name)) return NULL;
    const char *called = strstr(error->at, name);
    *open = called ? strchr(called, '(') : NULL;
    return declarations_find(source->declared, name);
  }
  if (strncmp(error->message, "too many arguments", 18) != 0 &&
      strncmp(error->message, "too few arguments", 17) != 0 &&
      strncmp(error->message, "argument of type ", 17) != 0 &&
      strncmp(error->message, "type name is not allowed", 24) != 0 &&
      strncmp(error->message, "initial value of reference to non-const", 39) != 0 &&
      strncmp(error->message, "no suitable conversion ", 23) != 0)
    return NULL;
  *open = slip_open_of_call(blanked, error->at);
  return *open ? function_before(source, blanked, *open) : NULL;
}

// "argument of type "uint64_t" is incompatible with parameter of type "const void *"": no address is given.
static bool lacks_address(const char *message) {
  const char *given = strstr(message, "argument of type \""),
             *wanted = strstr(message, "parameter of type \"");
  if (!given || !wanted)
    return strncmp(message, "no suitable conversion ", 23) == 0 && strstr(message, " *\"");
  return !memchr(given, '*', (size_t)(wanted - given)) && strchr(wanted, '*');
}

static void explain_types(FILE *out, const struct slip_error *error, const struct declaration *function) {
  const char *types = strstr(error->text, "argument types are: (");
  const size_t length = types ? strcspn(types, "\n") : 0;
  if (types && memmem(types, length, "(*)[", 4))
    fputs("The & of an array leads to all of it: name one element, &NAME[i].\n", out);
  else if (types && memmem(types, length, "(uint32_t", 9) && strstr(error->text, "map_to_block("))
    fputs("A barrier of another block has an address of 32 bits. Another function takes those.\n", out);
  else if (types && strstr(function->parameters, "uint64_t *bar") && !memmem(types, length, "uint64_t", 8))
    fputs("A barrier is declared so: __shared__ uint64_t bar;\n", out);
  else if (lacks_address(error->message))
    fputs("It takes an address: put & before the name.\n", out);
  else if (strncmp(error->message, "initial value of reference", 26) == 0)
    fputs("It takes the variable itself: without &.\n", out);
  else if (strstr(error->message, "type name") && strstr(function->parameters, "CUtensorMapDataType"))
    fputs("The map's type is a number with a name: CU_TENSOR_MAP_DATA_TYPE_UINT32, say.\n", out);
  else
    fputs("Do order and types of the arguments fit?\n", out);
}

static bool explain_arguments(FILE *out, const struct slip_error *error, const struct slip_source *source,
                              const char *blanked) {
  const char *open = NULL;
  if (!error->at) return false;
  const struct declaration *function = called_function(error, source, blanked, &open);
  if (!function || !open) return false;
  const unsigned given = count_arguments(open);
  slip_print_error(out, error, source);
  const bool is_empty = open - blanked >= 2 && open[-1] == '>' && open[-2] == '<';
  if (function->template && (given > function->most || open[-1] != '>' || is_empty))
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
static bool explain_assertion(FILE *out, const struct slip_error *error, const struct slip_source *source) {
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
  slip_point_at(out, source, line, what);
  return true;
}

// "ptxas FILE.ptx, line 94; error   : Unknown modifier '.asynch'": that is a line of PTX which nobody has
// seen. What is quoted stands in an asm statement of the student's.
static bool explain_assembler(FILE *out, const char *text, const struct slip_source *source) {
  const char *message = strncmp(text, "ptxas ", 6) == 0 ? strstr(text, "error   : ") : NULL;
  if (!message || strcspn(text, "\n") < (size_t)(message - text)) return false;
  message += strlen("error   : ");
  const char *quote = memchr(message, '\'', strcspn(message, "\n"));
  const size_t length = quote ? strcspn(quote + 1, "'\n") : 0;
  char word[DECLARED_NAME], what[300];
  if (length < 2 || length >= sizeof word) return false;
  snprintf(word, sizeof word, "%.*s", (int)length, quote + 1);
  const char *found = strstr(source->text, "asm");
  if (!found || !(found = strstr(found, word))) return false;
  snprintf(what, sizeof what, "the PTX assembler says: %.*s", (int)strcspn(message, "\n"), message);
  slip_point_at(out, source, slip_line_number(source->text, found), what);
  return true;
}

char *slip_text(const char *text, const struct slip_source *source) {
  char *blanked = braces_blank(source->text), *shown = NULL;
  size_t size;
  struct slip_error error;
  FILE *out = blanked ? open_memstream(&shown, &size) : NULL;
  const bool said =
      (out && explain_assembler(out, text, source)) ||
      (out && take_apart(text, source, blanked, &error) &&
       (slip_explain_letters(out, &error, source, blanked) || explain_braces(out, &error, source, blanked) ||
        explain_semicolon(out, &error, source, blanked) ||
        slip_explain_brackets(out, &error, source, blanked) ||
        slip_explain_scope(out, &error, source, blanked) || explain_name(out, &error, source, blanked) ||
        explain_no_member(out, &error, source, blanked) || explain_include(out, &error, source) ||
        explain_launcher(out, &error, source) || slip_explain_operand(out, &error, source, blanked) ||
        explain_arguments(out, &error, source, blanked) || explain_assertion(out, &error, source) ||
        slip_explain_remark(out, &error, source, blanked)));
  if (out) fclose(out);
  free(blanked);
  if (said) return shown;
  free(shown);
  return NULL;
}
