#include "virtual-hopper/rules/vocabulary.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/rules/fault.h"

static const struct word {
  const char *kit, *ptx, *named, *libcu, *cutlass;
} words[] = {
#define WORD(kit, ptx, libcu, cutlass)          {kit, ptx, ptx, libcu, cutlass},
#define PHRASE(kit, ptx, named, libcu, cutlass) {kit, ptx, named, libcu, cutlass},
#include "virtual-hopper/rules/vocabulary.def"
};
// Where a kernel waits by tokens alone.
#define TOKEN_LIBCU "barrier.wait(std::move(token)), or barrier.arrive_and_wait()"
static const struct word token_words[] = {
    {"while (!try_wait(bar, parity)) {}; or call wait(bar, parity), which does that",
     "repeat mbarrier.try_wait with the token until it returns true", "Such a loop", TOKEN_LIBCU, ""},
    {"while (!try_wait(bar, parity)) {}; or call wait(bar, parity)",
     "repeat mbarrier.try_wait with the token until it returns true", "Such a loop", TOKEN_LIBCU, ""},
    {"wait", "mbarrier.try_wait (in a loop) with the token of the thread's own arrival", "Such a loop",
     TOKEN_LIBCU, ""},
};
enum { WORDS = sizeof words / sizeof *words, MOST_SPELLINGS = 4, ARGUMENT = 16 };

// A text that grows to the end of its room, and then stays as it is.
struct buffer {
  char *text;
  size_t size;
};

__attribute__((format(printf, 2, 3))) static void append(struct buffer *b, const char *format, ...) {
  const size_t used = strlen(b->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(b->text + used, b->size - used, format, arguments);
  va_end(arguments);
}

static bool is_name_part(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *text) {
  while (is_name_part(*text))
    text++;
  return !*text;
}

// The end of a call's "(..)" that begins at `text`; NULL: it has none.
static const char *skip_arguments(const char *text) {
  int depth = 0;
  for (; *text; text++) {
    depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
    if (depth == 0) return text + 1;
  }
  return NULL;
}

// The end of the word at `text`, or NULL: it isn't there. argument: of the template, "" if it has none.
static const char *match(const struct word *w, const char *text, char argument[ARGUMENT]) {
  const size_t length = strlen(w->kit);
  argument[0] = '\0';
  if (strncmp(text, w->kit, length) != 0) return NULL;
  const char *end = text + length;
  if (!is_name(w->kit)) return end;
  if (*end == '<') {
    const size_t inside = strcspn(end + 1, ">");
    if (end[1 + inside] != '>' || inside >= ARGUMENT) return NULL;
    memcpy(argument, end + 1, inside);
    argument[inside] = '\0';
    end += inside + 2;
  }
  return *end == '(' ? skip_arguments(end) : NULL;
}

static const struct word *find(const char *text, bool tokens, const char **end, char argument[ARGUMENT]) {
  for (size_t i = 0; tokens && i < sizeof token_words / sizeof *token_words; i++) {
    *end = match(&token_words[i], text, argument);
    if (*end) return &token_words[i];
  }
  for (size_t i = 0; i < WORDS; i++) {
    *end = match(&words[i], text, argument);
    if (*end) return &words[i];
  }
  return NULL;
}

static void spell(struct buffer *b, const char *pattern, const char *argument) {
  for (; *pattern; pattern++) {
    if (*pattern == '%')
      append(b, "%s", argument);
    else
      append(b, "%c", *pattern);
  }
}

// How others spell a word that a text names.
struct spelling {
  const struct word *word;
  char argument[ARGUMENT];
};

static void note(struct spelling spellings[MOST_SPELLINGS], size_t *count, const struct word *w,
                 const char *argument) {
  for (size_t i = 0; i < *count; i++)
    if (spellings[i].word == w && strcmp(spellings[i].argument, argument) == 0) return;
  if (*count == MOST_SPELLINGS || (!*w->libcu && !*w->cutlass)) return;
  spellings[*count].word = w;
  memcpy(spellings[(*count)++].argument, argument, ARGUMENT);
}

// Returns how many words the text names that others spell otherwise.
static size_t translate(char *text, size_t size, bool tokens, struct spelling spellings[MOST_SPELLINGS]) {
  char translated[FAULT_REMEDY_BYTES + 256] = "", argument[ARGUMENT];
  struct buffer b = {translated, size < sizeof translated ? size : sizeof translated};
  size_t count = 0;
  for (const char *at = text; *at;) {
    const char *end = NULL;
    const bool begins = at == text || !is_name_part(at[-1]);
    const struct word *w = begins ? find(at, tokens, &end, argument) : NULL;
    if (!w) {
      append(&b, "%c", *at++);
      continue;
    }
    spell(&b, w->ptx, argument);
    note(spellings, &count, w, argument);
    at = end;
  }
  snprintf(text, size, "%s", translated);
  return count;
}

static void add_spelling(struct buffer *b, const struct spelling *s) {
  spell(b, s->word->named, s->argument);
  append(b, " is ");
  spell(b, s->word->libcu, s->argument);
  append(b, "%s", *s->word->libcu ? " in libcu++" : "");
  append(b, "%s", *s->word->libcu && *s->word->cutlass ? ", " : "");
  spell(b, s->word->cutlass, s->argument);
  append(b, "%s.", *s->word->cutlass ? " in CUTLASS" : "");
}

void vocabulary_translate(char *text, size_t size) {
  struct spelling spellings[MOST_SPELLINGS];
  translate(text, size, false, spellings);
}

void vocabulary_translate_fault(struct fault *fault, bool tokens) {
  struct spelling spellings[MOST_SPELLINGS];
  struct buffer remedy = {fault->remedy, sizeof fault->remedy};
  if (!*fault->remedy) append(&remedy, "%s", rule_of(fault->rule)->remedy);
  translate(fault->message, sizeof fault->message, tokens, spellings);
  translate(fault->role, sizeof fault->role, tokens, spellings);
  for (uint32_t i = 0; i < fault->related_count; i++)
    translate(fault->related[i].role, sizeof fault->related[i].role, tokens, spellings);
  const size_t count = translate(fault->remedy, sizeof fault->remedy, tokens, spellings);
  for (size_t i = 0; i < count; i++) {
    append(&remedy, i ? " " : "\n");
    add_spelling(&remedy, &spellings[i]);
  }
}
