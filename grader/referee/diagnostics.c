// In: the text that nvcc, ptxas, the host compiler or the linker has printed. Out: its first error. The idea:
// of a hundred lines the first error is the one to correct; the others often follow from it.
#include "referee/diagnostics.h"

#include "referee/kit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 8, MOST_COLUMNS = 200 };

static size_t line_length(const char *line) {
  return strcspn(line, "\n");
}

static bool contains(const char *line, size_t length, const char *word) {
  return memmem(line, length, word, strlen(word)) != NULL;
}

// nvcc:  "file.cu(12): error: ..."
// gcc:   "file.cu:12:3: error: ..."
// ptxas: "ptxas file.ptx, line 12; error   : ...", and for text that it can't read "..; fatal   : ...";
//        of no line: "ptxas fatal   : Unresolved extern function 'f'". Other fatal ones may be for want of
//        memory.
static bool is_error(const char *line, size_t length) {
  return contains(line, length, "error:") || contains(line, length, "error :") ||
         contains(line, length, "error   :") || contains(line, length, "undefined reference") ||
         contains(line, length, "multiple definition") || contains(line, length, "; fatal   :") ||
         contains(line, length, "fatal   : Unresolved extern function") ||
         contains(line, length, ": Error: "); // the assembler
}

static bool is_head(const char *line, size_t length) {
  return is_error(line, length) || contains(line, length, "warning") || contains(line, length, "remark") ||
         contains(line, length, "detected in the compilation");
}

static void copy_line(FILE *out, const char *line, size_t length) {
  for (size_t i = 0; i < length && i < MOST_COLUMNS; i++) {
    unsigned char c = (unsigned char)line[i];
    fputc(c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : c, out);
  }
  fputs(length > MOST_COLUMNS ? "...\n" : "\n", out);
}

static size_t count_errors(const char *output) {
  size_t count = 0;
  for (const char *line = output; *line;) {
    size_t length = line_length(line);
    count += is_error(line, length);
    line += length + (line[length] == '\n');
  }
  return count;
}

// The line and those that belong to it, up to the next message.
static void copy_message(FILE *out, const char *line) {
  for (int i = 0; i < MOST_LINES && *line; i++) {
    size_t length = line_length(line);
    bool blank = strspn(line, " \t\r") >= length;
    if (i > 0 && (blank || is_head(line, length))) break;
    copy_line(out, line, length);
    line += length + (line[length] == '\n');
  }
}

char *diagnostics_first_error(const char *output, const char *directory) {
  const char *line = output;
  while (*line && !is_error(line, line_length(line))) {
    line += line_length(line);
    line += *line == '\n';
  }
  if (!*line) return NULL;
  char *text = NULL;
  size_t size, more = count_errors(line) - 1;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  copy_message(out, line);
  if (more > 0) fprintf(out, "and %zu more error%s after it\n", more, more > 1 ? "s" : "");
  fclose(out);
  if (text) kit_strip_prefix(text, directory);
  return text;
}

// nvcc: "file.cu(12): warning #174-D: expression has no effect"
static bool tells_of_a_mistake(const char *line, size_t length) {
  static const char *const mistakes[] = {"expression has no effect",
                                         "is used before its value is set",
                                         "missing return statement",
                                         "should return a value",
                                         "use of \"=\" where",
                                         "controlling expression is constant",
                                         "pointless comparison",
                                         "integer conversion",
                                         "shift count is too large",
                                         "is out of range",
                                         "division by zero",
                                         "result of operation is out of",
                                         "statement is unreachable",
                                         "array subscript",
                                         "out of bounds"};
  if (!contains(line, length, "): warning #") && !contains(line, length, ": warning: ")) return false;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    if (contains(line, length, mistakes[i])) return true;
  return false;
}

char *diagnostics_first_warning(const char *output, const char *name, const char *directory) {
  char *text = NULL;
  size_t size, length;
  for (const char *line = output; *line; line += length + (line[length] == '\n')) {
    length = line_length(line);
    if (*line == ' ' || !contains(line, length, name) || !tells_of_a_mistake(line, length)) continue;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    copy_message(out, line);
    fclose(out);
    if (text) kit_strip_prefix(text, directory);
    return text;
  }
  return NULL;
}

// "file.cu(12): ", "file.cu:12:", "ptxas .."
bool diagnostics_names_place(const char *error) {
  const size_t length = line_length(error);
  if (strncmp(error, "ptxas", 5) == 0) return true;
  for (size_t i = 0; i < length; i++) {
    if (error[i] != '(' && error[i] != ':') continue;
    const size_t digits = strspn(error + i + 1, "0123456789");
    if (digits && error[i + 1 + digits] == (error[i] == '(' ? ')' : ':')) return true;
  }
  return false;
}

const char *diagnostics_refusal(const char *output, size_t *length) {
  for (const char *line = output; *line; line += *length + (line[*length] == '\n')) {
    *length = line_length(line);
    // A line of the source, which the compiler quotes, stands further right.
    if (isspace((unsigned char)*line) || diagnostics_names_place(line)) continue;
    if (strncmp(line, "bwrap: ", 7) == 0 || strncmp(line, "sandbox: ", 9) == 0 ||
        contains(line, *length, "fork: Resource temporarily unavailable") ||
        contains(line, *length, "Failed to preprocess host compiler properties")) // nvcc, of no source yet
      return line;
  }
  return NULL;
}

// Copies what stands between these words, which end in `, and the next '.
static bool name_after(const char *output, const char *words, char *name, size_t size) {
  const char *found = strstr(output, words);
  if (!found) return false;
  found += strlen(words);
  snprintf(name, size, "%.*s", (int)strcspn(found, "'\n"), found);
  for (char *c = name; *c; c++)
    if (!isprint((unsigned char)*c)) *c = '?';
  return true;
}

bool diagnostics_undefined_name(const char *output, char *name, size_t size) {
  return name_after(output, "undefined reference to `", name, size);
}

bool diagnostics_defined_again(const char *output, char *name, size_t size) {
  return name_after(output, "multiple definition of `", name, size);
}

char *diagnostics_excerpt(const char *output, unsigned lines, unsigned columns) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  for (unsigned line = 0; line < lines && *output; line++) {
    size_t length = line_length(output);
    for (size_t i = 0; i < length && i < columns; i++) {
      unsigned char c = (unsigned char)output[i];
      fputc(c >= 0x20 && c < 0x7f ? c : c == '\t' ? ' ' : '?', out);
    }
    fputs(length > columns ? "...\n" : "\n", out);
    output += length + (output[length] == '\n');
  }
  if (*output) fputs("...\n", out);
  fclose(out);
  return text;
}
