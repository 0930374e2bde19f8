#include "class/source-text.h"

#include "class/failure.h"
#include "report/plain-file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 20 };

static const char *const language[] = {"alignas",
                                       "asm",
                                       "auto",
                                       "bool",
                                       "break",
                                       "case",
                                       "char",
                                       "const",
                                       "continue",
                                       "default",
                                       "do",
                                       "double",
                                       "else",
                                       "enum",
                                       "extern",
                                       "false",
                                       "float",
                                       "for",
                                       "goto",
                                       "if",
                                       "inline",
                                       "int",
                                       "int32_t",
                                       "int64_t",
                                       "long",
                                       "return",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "size_t",
                                       "static",
                                       "struct",
                                       "switch",
                                       "template",
                                       "true",
                                       "typename",
                                       "uint32_t",
                                       "uint64_t",
                                       "unsigned",
                                       "using",
                                       "void",
                                       "volatile",
                                       "while",
                                       "constexpr",
                                       "define",
                                       "threadIdx",
                                       "blockIdx",
                                       "blockDim",
                                       "gridDim",
                                       "__global__",
                                       "__device__",
                                       "__shared__",
                                       "__syncthreads",
                                       "__syncwarp",
                                       "__align__",
                                       "__launch_bounds__",
                                       "x",
                                       "y",
                                       "z"};

static uint64_t hash_bytes(const char *bytes, size_t length) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3U;
  return hash;
}

static bool is_name(int character) {
  return isalnum(character) || character == '_' || character > 127;
}

// ---- cutting ----

struct cutter {
  const char *text;
  size_t at, length;
  unsigned line;
};

static void step(struct cutter *cutter, size_t bytes) {
  for (; bytes > 0 && cutter->at < cutter->length; bytes--)
    cutter->line += cutter->text[cutter->at++] == '\n';
}

static bool starts(const struct cutter *cutter, const char *with) {
  size_t length = strlen(with);
  return cutter->length - cutter->at >= length && memcmp(cutter->text + cutter->at, with, length) == 0;
}

static void skip_line(struct cutter *cutter) {
  while (cutter->at < cutter->length && cutter->text[cutter->at] != '\n')
    step(cutter, 1);
}

static void skip_comment(struct cutter *cutter) {
  step(cutter, 2);
  while (cutter->at < cutter->length && !starts(cutter, "*/"))
    step(cutter, 1);
  step(cutter, 2);
}

// Goes to the next token. False at the end.
static bool next(struct cutter *cutter) {
  while (cutter->at < cutter->length) {
    if (isspace((unsigned char)cutter->text[cutter->at]))
      step(cutter, 1);
    else if (starts(cutter, "//") || starts(cutter, "#include") || starts(cutter, "#pragma once"))
      skip_line(cutter);
    else if (starts(cutter, "/*"))
      skip_comment(cutter);
    else
      return true;
  }
  return false;
}

// Bytes of the token at hand: a name, a number, a string, or one sign.
static size_t token_length(const struct cutter *cutter) {
  const char *from = cutter->text + cutter->at;
  size_t most = cutter->length - cutter->at, length = 0;
  if (*from == '"' || *from == '\'') {
    for (length = 1; length < most && from[length] != *from && from[length] != '\n'; length++)
      length += from[length] == '\\' && length + 1 < most;
    return length < most ? length + 1 : most;
  }
  while (length < most && is_name((unsigned char)from[length]))
    length++;
  return length ? length : 1;
}

// ---- names ----

static int compare_hashes(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static int add_name(struct given_names *given, uint64_t hash, char *error, size_t size) {
  if (given->count == given->room) {
    size_t room = given->room ? 2 * given->room : 1024;
    uint64_t *hashes = realloc(given->hashes, room * sizeof *hashes);
    if (!hashes) return class_fail(error, size, "out of memory");
    given->hashes = hashes;
    given->room = room;
  }
  given->hashes[given->count++] = hash;
  return 0;
}

// A byte more than the file seems to have, so that its end is seen; of a pipe, as much as may be.
static size_t expected_bytes(FILE *file) {
  struct stat found;
  const bool known = fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode) && found.st_size < MOST_BYTES;
  return known ? (size_t)found.st_size + 1 : MOST_BYTES + 1;
}

// Closes the file; NULL is one that can't be opened. A file may grow while it is read.
static char *read_bytes(FILE *file, const char *path, size_t *length, char *error, size_t size) {
  size_t room = file ? expected_bytes(file) : 0;
  char *text = file ? malloc(room + 1) : NULL;
  if (!text) {
    class_fail(error, size, "%s: %s", path, strerror(errno));
    if (file) fclose(file);
    return NULL;
  }
  *length = fread(text, 1, room, file);
  char *larger = *length == room && room <= MOST_BYTES ? realloc(text, MOST_BYTES + 2) : NULL;
  if (larger) {
    text = larger;
    *length += fread(text + room, 1, MOST_BYTES + 1 - room, file);
    room = MOST_BYTES + 1;
  }
  bool failed = ferror(file) != 0 || (*length == room && room <= MOST_BYTES);
  fclose(file);
  if (failed || *length > MOST_BYTES) {
    class_fail(error, size, failed ? "%s: cannot be read" : "%s: has more than 1 MiB", path);
    free(text);
    return NULL;
  }
  text[*length] = '\0';
  return text;
}

int given_names_add(struct given_names *given, const char *path, char *error, size_t size) {
  int status = 0;
  struct cutter cutter = {.line = 1};
  if (given->count == 0)
    for (size_t i = 0; i < sizeof language / sizeof *language && status == 0; i++)
      status = add_name(given, hash_bytes(language[i], strlen(language[i])), error, size);
  char *text = status == 0 ? read_bytes(fopen(path, "re"), path, &cutter.length, error, size) : NULL;
  if (!text) return -1;
  cutter.text = text;
  while (status == 0 && next(&cutter)) {
    size_t length = token_length(&cutter);
    if (is_name((unsigned char)text[cutter.at]))
      status = add_name(given, hash_bytes(text + cutter.at, length), error, size);
    step(&cutter, length);
  }
  free(text);
  return status;
}

void given_names_sort(struct given_names *given) {
  if (given->count) qsort(given->hashes, given->count, sizeof *given->hashes, compare_hashes);
}

void given_names_free(struct given_names *given) {
  free(given->hashes);
  *given = (struct given_names){NULL, 0, 0};
}

static bool is_given(const struct given_names *given, uint64_t hash) {
  return given->count && bsearch(&hash, given->hashes, given->count, sizeof hash, compare_hashes);
}

// ---- a whole file ----

static int cut(const struct given_names *given, struct source_text *source, char *error, size_t size) {
  source->length = strlen(source->text) < source->length ? strlen(source->text) : source->length;
  struct cutter cutter = {.text = source->text, .length = source->length, .line = 1};
  source->tokens = malloc((source->length + 1) * sizeof *source->tokens);
  if (!source->tokens) return class_fail(error, size, "out of memory");
  while (next(&cutter)) {
    const size_t length = token_length(&cutter);
    const unsigned char first = (unsigned char)source->text[cutter.at];
    uint64_t hash = hash_bytes(source->text + cutter.at, length);
    if (is_name(first) && !isdigit(first) && !is_given(given, hash)) hash = 1;
    source->tokens[source->count++] = (struct source_token){hash, cutter.line};
    step(&cutter, length);
  }
  return 0;
}

int source_text_read(const char *path, const struct given_names *given, struct source_text *source,
                     char *error, size_t size) {
  *source = (struct source_text){NULL, 0, NULL, 0};
  source->text = read_bytes(fopen(path, "re"), path, &source->length, error, size);
  return source->text ? cut(given, source, error, size) : -1;
}

int source_text_take(const char *path, const struct given_names *given, struct source_text *source,
                     char *error, size_t size) {
  FILE *file = plain_file_open(path);
  *source = (struct source_text){NULL, 0, NULL, 0};
  if (file)
    source->text = read_bytes(file, path, &source->length, error, size);
  else
    class_fail(error, size, "%s: is no plain file, or cannot be read", path);
  return source->text ? cut(given, source, error, size) : 1;
}

void source_text_free(struct source_text *source) {
  free(source->text);
  free(source->tokens);
  *source = (struct source_text){NULL, 0, NULL, 0};
}
