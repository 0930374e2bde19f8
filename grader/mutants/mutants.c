// In: a source. Out: its mutants by place, each once, and a sample of them. The idea: the files that make
// changes add them in any order; here they are sorted, and get words that are unique in their line.
#include "mutants/mutants.h"

#include "mutants/making.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- making one ----

// Writes the text on one line, with single blanks and without comments, and cuts it where it gets long.
static void shorten(const char *text, char *shown, size_t size) {
  size_t length = 0;
  const char *at = text;
  while (*at && length + 5 < size) {
    const bool line = at[0] == '/' && at[1] == '/', block = at[0] == '/' && at[1] == '*';
    if (line) {
      at += strcspn(at, "\n");
    } else if (block) {
      const char *end = strstr(at + 2, "*/");
      at = end ? end + 2 : at + strlen(at);
    } else if (isspace((unsigned char)*at)) {
      at++;
    } else {
      shown[length++] = *at++;
      continue;
    }
    if (length > 0 && shown[length - 1] != ' ') shown[length++] = ' ';
  }
  while (length > 0 && shown[length - 1] == ' ')
    length--;
  snprintf(shown + length, size - length, "%s", *at ? " .." : "");
}

static void describe(struct mutant *mutant, const char *old) {
  enum { SHOWN = 72 };
  char from[SHOWN], to[SHOWN];
  shorten(old, from, sizeof from);
  shorten(mutant->replacement, to, sizeof to);
  if (!to[0] && strncmp(from, "if ", 3) == 0)
    snprintf(mutant->change, sizeof mutant->change, "the condition of `%s` is removed", from);
  else if (to[0] && strcmp(to, ";") != 0)
    snprintf(mutant->change, sizeof mutant->change, "`%s` becomes `%s`", from, to);
  else
    snprintf(mutant->change, sizeof mutant->change, "`%s` is removed", from);
}

char *make_text(const struct tokens *tokens, size_t first, size_t last) {
  const struct token *begin = &tokens->list[first], *end = &tokens->list[last];
  return strndup(tokens->source + begin->begin, end->begin + end->length - begin->begin);
}

static bool is_fixed(const struct tokens *tokens, size_t first, size_t last) {
  for (size_t i = first; i <= last; i++)
    if (tokens->list[i].fixed) return true;
  return false;
}

static struct mutant *new_mutant(struct mutants *mutants) {
  if (mutants->count == mutants->capacity) {
    mutants->capacity = 2 * mutants->capacity + 256;
    struct mutant *more = realloc(mutants->list, mutants->capacity * sizeof *more);
    if (!more) {
      mutants->out_of_memory = true;
      return NULL;
    }
    mutants->list = more;
  }
  return &mutants->list[mutants->count];
}

void make_change(struct mutants *mutants, const struct tokens *tokens, size_t first, size_t last,
                 const char *format, ...) {
  char *replacement = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&replacement, format, list) < 0) replacement = NULL;
  va_end(list);
  char *old = make_text(tokens, first, last);
  struct mutant *mutant = new_mutant(mutants);
  if (!replacement || !old || !mutant) mutants->out_of_memory = true;
  if (!mutants->out_of_memory && !is_fixed(tokens, first, last) && strcmp(old, replacement) != 0) {
    const struct token *begin = &tokens->list[first];
    *mutant = (struct mutant){.begin = begin->begin,
                              .end = begin->begin + strlen(old),
                              .replacement = replacement,
                              .line = begin->line,
                              .column = begin->column,
                              .answer = begin->answer};
    describe(mutant, old);
    replacement = NULL;
    mutants->count++;
  }
  free(replacement);
  free(old);
}

// ---- all of them ----

static int by_place(const void *left, const void *right) {
  const struct mutant *a = left, *b = right;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  return strcmp(a->replacement, b->replacement);
}

static void remove_doubles(struct mutants *mutants) {
  size_t kept = 0;
  for (size_t i = 0; i < mutants->count; i++) {
    if (kept > 0 && by_place(&mutants->list[kept - 1], &mutants->list[i]) == 0)
      free(mutants->list[i].replacement);
    else
      mutants->list[kept++] = mutants->list[i];
  }
  mutants->count = kept;
}

// Where a line has the same words twice, the second mutant gets "the 2nd " before them.
static void number_alike(struct mutants *mutants) {
  static const char *const endings[] = {"th", "st", "nd", "rd"};
  for (size_t i = mutants->count; i-- > 0;) {
    struct mutant *mutant = &mutants->list[i];
    unsigned before = 0;
    for (size_t k = i; k-- > 0 && mutants->list[k].line == mutant->line;)
      before += strcmp(mutants->list[k].change, mutant->change) == 0;
    if (before == 0) continue;
    char words[MUTANT_CHANGE];
    const unsigned number = before + 1;
    snprintf(words, sizeof words, "%s", mutant->change);
    snprintf(mutant->change, sizeof mutant->change, "the %u%s %.*s", number,
             endings[number % 10 < 4 && number / 10 % 10 != 1 ? number % 10 : 0], MUTANT_CHANGE - 20, words);
  }
}

int mutants_make(const char *source, struct mutants *mutants) {
  struct tokens tokens;
  *mutants = (struct mutants){0};
  const bool read = tokens_read(source, &tokens);
  if (read) {
    make_from_signs(mutants, &tokens);
    make_from_calls(mutants, &tokens);
    make_from_statements(mutants, &tokens);
  }
  tokens_free(&tokens);
  if (mutants->count > 0) qsort(mutants->list, mutants->count, sizeof *mutants->list, by_place);
  remove_doubles(mutants);
  number_alike(mutants);
  return read && !mutants->out_of_memory ? 0 : -1;
}

void mutants_free(struct mutants *mutants) {
  for (size_t i = 0; i < mutants->count; i++)
    free(mutants->list[i].replacement);
  free(mutants->list);
  *mutants = (struct mutants){0};
}

int mutant_write(FILE *out, const char *source, const struct mutant *mutant) {
  const bool written = fwrite(source, 1, mutant->begin, out) == mutant->begin &&
                       fputs(mutant->replacement, out) >= 0 && fputs(source + mutant->end, out) >= 0;
  return written ? 0 : -1;
}

// ---- a sample ----

// splitmix64
static uint64_t draw(uint64_t *state) {
  uint64_t value = *state += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

void mutants_draw(const struct mutants *mutants, uint64_t seed, size_t *order) {
  // A shuffle of all of them; then those from answers and the others in turn, each in its shuffled order.
  size_t *shuffled = calloc(mutants->count + 1, sizeof *shuffled);
  for (size_t i = 0; i < mutants->count; i++)
    order[i] = i;
  if (!shuffled) return;
  for (size_t i = mutants->count; i > 1; i--) {
    const size_t other = (size_t)(draw(&seed) % i), last = order[i - 1];
    order[i - 1] = order[other];
    order[other] = last;
  }
  memcpy(shuffled, order, mutants->count * sizeof *shuffled);
  size_t next[2] = {0, 0}; // [true]: of answers
  for (size_t i = 0; i < mutants->count; i++) {
    const bool wanted = i % 3 != 2;
    size_t found = mutants->count;
    for (int attempt = 0; attempt < 2 && found == mutants->count; attempt++) {
      size_t *at = &next[attempt == 0 ? wanted : !wanted];
      const bool answer = attempt == 0 ? wanted : !wanted;
      while (*at < mutants->count && mutants->list[shuffled[*at]].answer != answer)
        ++*at;
      found = *at;
      if (found < mutants->count) ++*at;
    }
    order[i] = shuffled[found];
  }
  free(shuffled);
}
