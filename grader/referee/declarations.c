// In: headers, as text. Out: what they declare. The idea: the interface is written in one form, "inline
// TYPE NAME(PARAMETERS) {", and so are launchers, so no C++ has to be parsed.
#include "referee/declarations.h"

#include "report/plain-file.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NAME_LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

enum { MOST_LETTERS = 63, MOST_WORDS = 12, MOST_DECLARED = 512, MOST_HEADER_BYTES = 1 << 18 };

// ---- reading
// ----------------------------------------------------------------------------------------------

// "uint32_t height CALLER": the last word is a macro that stands for parameters of which a caller knows
// nothing.
static void leave_out_macro(char *parameters) {
  char *last = strrchr(parameters, ' ');
  if (!last || last == parameters || last[1] == '\0' || last[strspn(last, " ABCDEFGHIJKLMNOPQRSTUVWXYZ_")])
    return;
  const char *before = last;
  while (before > parameters && strchr(NAME_LETTERS, before[-1]))
    before--;
  if (before > parameters && (before[-1] == ' ' || before[-1] == '*') && before < last) *last = '\0';
}

// Copies what stands between two parentheses, with single blanks. False: it is too long, or never closed.
static bool copy_parameters(const char *from, char *to, size_t size) {
  size_t length = 0;
  unsigned open = 0; // "float (&d)[128]"
  for (; *from && (open || *from != ')'); from++) {
    open += (*from == '(') - (*from == ')');
    bool blank = *from == ' ' || *from == '\n' || *from == '\t' || *from == '\r';
    if (blank && (length == 0 || to[length - 1] == ' ')) continue;
    if (length + 1 >= size) return false;
    to[length++] = blank ? ' ' : *from;
  }
  to[length] = '\0';
  leave_out_macro(to);
  return *from == ')';
}

static void count_parameters(struct declaration *declaration) {
  if (!declaration->parameters[0]) return;
  declaration->least = declaration->most = 1;
  for (const char *c = declaration->parameters; *c; c++)
    declaration->most += *c == ',';
  declaration->least = declaration->most;
  for (const char *c = declaration->parameters; *c; c++)
    declaration->least -= *c == '=';
}

static bool same_line_begins_with(const char *text, const char *at, const char *word) {
  while (at > text && at[-1] != '\n')
    at--;
  return strncmp(at, word, strlen(word)) == 0;
}

// `inlined` points at the word "inline" in `text`.
static void add(struct declarations *declared, const char *text, const char *inlined) {
  struct declaration declaration = {0};
  const char *open = strpbrk(inlined, "(;{}\""), *name = open;
  if (!open || *open != '(') return;
  while (name > inlined && strchr(NAME_LETTERS, name[-1]))
    name--;
  const size_t length = (size_t)(open - name);
  if (length == 0 || length >= sizeof declaration.name || declared->count >= MOST_DECLARED) return;
  memcpy(declaration.name, name, length);
  if (declarations_find(declared, declaration.name)) return;
  if (!copy_parameters(open + 1, declaration.parameters, sizeof declaration.parameters)) return;
  count_parameters(&declaration);
  declaration.header = declared->header_count; // its name is added next
  declaration.template = same_line_begins_with(text, inlined, "template");
  struct declaration *list = realloc(declared->list, (declared->count + 1) * sizeof *list);
  if (!list) return;
  declared->list = list;
  list[declared->count++] = declaration;
}

void declarations_add(struct declarations *declared, const char *header) {
  static const char *const words[] = {"__forceinline__ ", "static inline ", "\ncudaError_t ",
                                      "\n__device__ static ", "\nstatic cudaError_t "};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (const char *at = header; (at = strstr(at, words[i])); at += strlen(words[i]))
      add(declared, header, at + strlen(words[i]));
}

static void read_header(struct declarations *declared, const char *path) {
  FILE *file = plain_file_open(path);
  char *text = file ? malloc(MOST_HEADER_BYTES + 1) : NULL;
  if (text) {
    text[fread(text, 1, MOST_HEADER_BYTES, file)] = '\0';
    declarations_add(declared, text);
  }
  free(text);
  if (file) fclose(file);
}

static void add_header_name(struct declarations *declared, const char *name) {
  if (strlen(name) >= DECLARED_NAME || declared->header_count >= MOST_DECLARED) return;
  char(*headers)[DECLARED_NAME] = realloc(declared->headers, (declared->header_count + 1) * sizeof *headers);
  if (!headers) return;
  declared->headers = headers;
  snprintf(headers[declared->header_count++], sizeof *headers, "%s", name);
}

void declarations_read(struct declarations *declared, const char *folder) {
  // Overloads stand in several headers. The names must come in the same order on every machine.
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    const char *name = entries[i]->d_name, *ending = strrchr(name, '.');
    const bool header = ending && (strcmp(ending, ".h") == 0 || strcmp(ending, ".cuh") == 0);
    if (header && snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX) {
      read_header(declared, path);
      add_header_name(declared, name);
    }
    free(entries[i]);
  }
  free(entries);
}

void declarations_free(struct declarations *declared) {
  free(declared->list);
  free(declared->headers);
  *declared = (struct declarations){0};
}

// ---- finding
// ----------------------------------------------------------------------------------------------

const struct declaration *declarations_find(const struct declarations *declared, const char *name) {
  for (size_t i = 0; i < declared->count; i++)
    if (strcmp(declared->list[i].name, name) == 0) return &declared->list[i];
  return NULL;
}

static unsigned least(unsigned a, unsigned b) {
  return a < b ? a : b;
}

// Letters missing, added, wrong, or swapped with their neighbours. Texts of at most MOST_LETTERS.
static unsigned letters_between(const char *a, size_t a_length, const char *b, size_t b_length) {
  unsigned rows[3][MOST_LETTERS + 1];
  for (unsigned j = 0; j <= b_length; j++)
    rows[0][j] = j;
  for (unsigned i = 1; i <= a_length; i++) {
    unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (unsigned j = 1; j <= b_length; j++) {
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a_length % 3][b_length];
}

struct word {
  const char *text;
  size_t length;
};

static unsigned split(const char *name, struct word words[MOST_WORDS]) {
  unsigned count = 0;
  for (name += strspn(name, "_"); *name && count < MOST_WORDS; name += strspn(name, "_")) {
    words[count] = (struct word){name, strcspn(name, "_")};
    name += words[count++].length;
  }
  return count;
}

// How many changes a word of that length may have and still be the same word, misspelt.
static unsigned allowed(size_t length) {
  return length < 3 ? 0 : length < 8 ? 1 : 2;
}

// The distance as sets of words: 1 for another order, plus the letters, plus 1 for each word of one side
// only.
static unsigned words_between(const char *misspelt, const char *right) {
  struct word a[MOST_WORDS], b[MOST_WORDS];
  const unsigned a_count = split(misspelt, a), b_count = split(right, b);
  unsigned distance = 1, pairs = 0, taken = 0;
  for (unsigned i = 0; i < a_count; i++) {
    unsigned best = b_count, fewest = DECLARED_FAR;
    for (unsigned j = 0; j < b_count; j++) {
      const unsigned letters = letters_between(a[i].text, a[i].length, b[j].text, b[j].length);
      if (taken >> j & 1 || letters > allowed(a[i].length) || letters >= fewest) continue;
      best = j;
      fewest = letters;
    }
    if (best == b_count) continue;
    taken |= 1U << best;
    distance += fewest;
    pairs++;
  }
  if (pairs < 2 || a_count - pairs > 1 || b_count - pairs > 1) return DECLARED_FAR + 1;
  return distance + (a_count - pairs) + (b_count - pairs);
}

// How many words of a misspelt name a right one has not.
static unsigned words_left_over(const char *misspelt, const char *right) {
  struct word a[MOST_WORDS], b[MOST_WORDS];
  const unsigned a_count = split(misspelt, a), b_count = split(right, b);
  unsigned left = 0;
  for (unsigned i = 0; i < a_count; i++) {
    unsigned j = 0;
    while (j < b_count &&
           letters_between(a[i].text, a[i].length, b[j].text, b[j].length) > allowed(a[i].length))
      j++;
    left += j == b_count;
  }
  return left;
}

unsigned declarations_distance(const char *misspelt, const char *right) {
  const size_t a = strlen(misspelt), b = strlen(right);
  if (a > MOST_LETTERS || b > MOST_LETTERS) return DECLARED_FAR + 1;
  const unsigned letters = letters_between(misspelt, a, right, b);
  const unsigned distance = letters <= allowed(a) ? letters : DECLARED_FAR + 1;
  return least(distance, words_between(misspelt, right));
}

const struct declaration *declarations_near(const struct declarations *declared, const char *name,
                                            unsigned *distance) {
  const struct declaration *near = NULL;
  unsigned letters = 0, left = 0;
  *distance = DECLARED_FAR + 1;
  for (size_t i = 0; i < declared->count; i++) {
    const char *other = declared->list[i].name;
    const unsigned here = declarations_distance(name, other);
    if (here > DECLARED_FAR || here > *distance) continue;
    // Of names equally near, the one that leaves out fewest words; of these, that with the fewest other
    // letters.
    const unsigned other_letters = letters_between(name, strlen(name), other, strlen(other));
    const unsigned other_left = words_left_over(name, other);
    if (here == *distance && (other_left > left || (other_left == left && other_letters >= letters)))
      continue;
    left = other_left;
    near = &declared->list[i];
    *distance = here;
    letters = other_letters;
  }
  return near;
}

const char *declarations_near_header(const struct declarations *declared, const char *name) {
  const char *near = NULL;
  unsigned distance = DECLARED_FAR;
  for (size_t i = 0; i < declared->header_count; i++) {
    const char *other = declared->headers[i];
    const size_t a = strlen(name), b = strlen(other);
    const unsigned here =
        a > MOST_LETTERS || b > MOST_LETTERS ? DECLARED_FAR : letters_between(name, a, other, b);
    if (here >= distance) continue;
    near = other;
    distance = here;
  }
  return near;
}
