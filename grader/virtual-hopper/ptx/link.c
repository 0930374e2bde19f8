// In: PTX texts that refer to each other. Out: one text that the parser takes.
// One idea: the parser resolves .extern declarations by itself, so linking is a matter of names. Texts are
// read statement by statement at the outermost level; bodies are copied, with names and file numbers changed.
// The result is measured first, then written into exactly as many bytes. All that is held is the budget's.
//
//   text      = { header | file | section | function | variable | other }
//   header    = ( ".version" | ".target" | ".address_size" ) rest-of-line
//   function  = linkage ( ".entry" | ".func" ) results? name .. ( ";" | "{" .. "}" )
//   variable  = linkage space .. name .. ( ";" | "=" .. ";" )                    PTX ISA 11.2, 11.5, 11.6
#include "virtual-hopper/ptx/link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/budget.h"
#include "virtual-hopper/base/salt.h"

struct piece {
  const char *at;
  size_t length;
};

struct statement {
  struct piece text, name; // name: empty for a statement that defines nothing
  bool is_local, is_weak;  // local: neither .visible, .extern, .weak nor .common
  bool is_header;          // stands in the first text alone; so do the debug sections, which nobody reads
  bool is_left_out;        // a weak definition of a name that another text defines
};

struct text {
  struct statement *all;
  size_t count, room;
  uint32_t largest_file;
};

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool is_word(struct piece piece, const char *word) {
  return piece.length == strlen(word) && memcmp(piece.at, word, piece.length) == 0;
}

static bool same(struct piece a, struct piece b) {
  return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

// ---- tokens -----------------------------------------------------------------------------------------------

static const char *skip_comment(const char *at) {
  if (at[1] == '/') return at + strcspn(at, "\n");
  const char *end = strstr(at + 2, "*/");
  return end ? end + 2 : at + strlen(at);
}

// The token at `at`: blanks, a comment, a string, a name, a word with its dot, or one character.
static struct piece token_at(const char *at) {
  const char *end = at + 1;
  if (isspace((unsigned char)*at)) {
    while (isspace((unsigned char)*end))
      end++;
  } else if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
    end = skip_comment(at);
  } else if (*at == '"') {
    end += strcspn(end, "\"\n");
    end += *end == '"';
  } else if (in_name(*at) || (*at == '.' && in_name(at[1]))) {
    while (in_name(*end))
      end++;
  }
  return (struct piece){at, (size_t)(end - at)};
}

static bool is_blank(struct piece token) {
  return isspace((unsigned char)*token.at) || (*token.at == '/' && token.length > 1);
}

// ---- statements -------------------------------------------------------------------------------------------

static bool is_line(struct piece word) {
  static const char *const words[] = {".version", ".target", ".address_size", ".file"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_word(word, words[i])) return true;
  return false;
}

// What the tokens of a statement have shown so far.
struct reading {
  struct piece first, before; // the first token, and the one before
  int round, curly;           // open parentheses and brackets; open braces
  bool is_function, is_shared, has_value, is_extern;
};

static void take_token(struct reading *reading, struct statement *statement, struct piece token) {
  const bool outside = !reading->round && !reading->curly;
  if (!reading->first.length) reading->first = token;
  if (is_word(token, ".func") || is_word(token, ".entry")) reading->is_function = true;
  if (outside && is_word(token, ".extern")) reading->is_extern = true;
  if (outside && (is_word(token, ".visible") || is_word(token, ".common"))) reading->is_shared = true;
  if (outside && is_word(token, ".weak")) statement->is_weak = true;
  if (outside && *token.at == '=') reading->has_value = true;
  // A variable's name is the last one before [, = or ;. A function's is the only one outside parentheses.
  const bool named = in_name(*token.at) && !isdigit((unsigned char)*token.at);
  if (outside && named && !reading->has_value && !(reading->is_function && statement->name.length))
    statement->name = token;
  if (strchr("([", *token.at)) reading->round++;
  if (strchr(")]", *token.at)) reading->round--;
  if (*token.at == '{') reading->curly++;
  if (*token.at == '}') reading->curly--;
}

static bool is_end(const struct reading *reading, struct piece token) {
  if (reading->curly > 0) return false;
  return (*token.at == ';' && !reading->round) || (*token.at == '}' && !reading->has_value);
}

static const char *read_statement(const char *at, struct statement *statement) {
  struct reading reading = {0};
  *statement = (struct statement){.text.at = at};
  while (*at) {
    const struct piece token = token_at(at);
    at += token.length;
    if (is_blank(token)) continue;
    take_token(&reading, statement, token);
    if (is_line(reading.first)) {
      at += strcspn(at, "\n");
      break;
    }
    if (is_end(&reading, token)) break;
  }
  statement->text.length = (size_t)(at - statement->text.at);
  const bool declares = reading.is_extern || (reading.is_function && at[-1] == ';');
  const bool directive = is_line(reading.first) || is_word(reading.first, ".section") ||
                         is_word(reading.first, ".alias") || is_word(reading.first, ".pragma");
  if (declares || directive) statement->name.length = 0;
  statement->is_local = statement->name.length && !reading.is_shared && !statement->is_weak;
  statement->is_header =
      (is_line(reading.first) && !is_word(reading.first, ".file")) || is_word(reading.first, ".section");
  return at;
}

static void count_files(const char *at, struct text *text) {
  for (struct piece token; *at; at += token.length) {
    token = token_at(at);
    if (!is_word(token, ".file")) continue;
    const unsigned long number = strtoul(at + token.length, NULL, 10);
    if (number > text->largest_file && number <= UINT16_MAX) text->largest_file = (uint32_t)number;
  }
}

// While a list moves, both places are held.
static bool make_room(struct text *text, struct budget *budget) {
  const size_t room = text->room ? 2 * text->room : 64;
  if (!budget_take(budget, BUDGET_MODULES, room * sizeof *text->all)) return false;
  text->all = reallocarray(text->all, room, sizeof *text->all);
  if (!text->all) die("no memory to link %zu statements of PTX", room);
  budget_give(budget, BUDGET_MODULES, text->room * sizeof *text->all);
  text->room = room;
  return true;
}

static enum ptx_link_result read_statements(const char *at, struct text *text, struct budget *budget,
                                            size_t *left) {
  count_files(at, text);
  while (*at) {
    if ((*left)-- == 0) return PTX_LINK_TOO_MANY;
    if (text->count == text->room && !make_room(text, budget)) return PTX_LINK_TOO_LARGE;
    at = read_statement(at, &text->all[text->count++]);
  }
  return PTX_LINK_DONE;
}

// ---- names ------------------------------------------------------------------------------------------------

// A name, and its first definitions in two texts: the earliest text that has one, and another.
struct definition {
  struct piece name; // empty: a free place
  const struct statement *in[2];
  size_t text[2];
};

// Names are a stranger's and may be millions, so each is found in one step.
struct names {
  struct budget *budget;
  struct definition *places;
  size_t capacity, count; // capacity: a power of two
};

static struct definition *place_of(const struct names *names, struct piece name) {
  const struct salt *salt = salt_of_process();
  uint64_t hash = salt->start;
  for (size_t i = 0; i < name.length; i++)
    hash = (hash ^ (unsigned char)name.at[i]) * salt->factor;
  for (size_t at = (size_t)(hash >> 20);; at++) {
    struct definition *place = &names->places[at & (names->capacity - 1)];
    if (!place->name.length || same(place->name, name)) return place;
  }
}

static struct definition *find_name(const struct names *names, struct piece name) {
  struct definition *place = names->capacity ? place_of(names, name) : NULL;
  return place && place->name.length ? place : NULL;
}

static void drop_names(const struct names *names) {
  free(names->places);
  budget_give(names->budget, BUDGET_MODULES, names->capacity * sizeof *names->places);
}

static bool grow(struct names *names) {
  const struct names old = *names;
  const size_t capacity = old.capacity ? 2 * old.capacity : 256;
  if (!budget_take(names->budget, BUDGET_MODULES, capacity * sizeof *names->places)) return false;
  names->places = calloc(capacity, sizeof *names->places);
  if (!names->places) die("no memory to link %zu names of PTX", capacity);
  names->capacity = capacity;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.places[i].name.length) *place_of(names, old.places[i].name) = old.places[i];
  drop_names(&old);
  return true;
}

// Returns false when the budget has no room for the name.
static bool add_name(struct names *names, const struct statement *statement, size_t text) {
  if (2 * names->count >= names->capacity && !grow(names)) return false;
  struct definition *place = place_of(names, statement->name);
  if (!place->name.length) {
    *place = (struct definition){.name = statement->name, .in = {statement}, .text = {text}};
    names->count++;
  } else if (!place->in[1] && place->text[0] != text) {
    place->in[1] = statement;
    place->text[1] = text;
  }
  return true;
}

// The definition of a name in the texts but one; NULL: there is none.
static const struct statement *defined_elsewhere(const struct names *names, size_t but, struct piece name) {
  const struct definition *found = find_name(names, name);
  return !found ? NULL : found->text[0] != but ? found->in[0] : found->in[1];
}

// A weak definition gives way to one that isn't, and to an earlier one.
static void drop_weak(const struct names *names, struct text *text, size_t at) {
  for (size_t i = 0; i < text->count; i++) {
    struct statement *one = &text->all[i];
    if (!one->is_weak || !one->name.length) continue;
    const bool before = find_name(names, one->name)->text[0] < at;
    const struct statement *other = defined_elsewhere(names, at, one->name);
    if (other && !other->is_local && (before || !other->is_weak)) one->is_left_out = true;
  }
}

// ---- writing ----------------------------------------------------------------------------------------------

struct writing {
  char *out;            // NULL: the result is only measured
  size_t length;        // so far
  struct names renamed; // local names of this text that another text has, too
  size_t number;
  uint32_t first_file; // added to the numbers of files
};

static void put(struct writing *to, const char *bytes, size_t length) {
  if (to->out) memcpy(to->out + to->length, bytes, length);
  to->length += length;
}

static void put_number(struct writing *to, unsigned long number) {
  char digits[32];
  put(to, digits, (size_t)snprintf(digits, sizeof digits, "%lu", number));
}

static const char *write_number(struct writing *to, const char *at) {
  const size_t blank = strspn(at, " \t");
  char *end;
  if (!isdigit((unsigned char)at[blank])) return at;
  const unsigned long number = strtoul(at + blank, &end, 10);
  put(to, at, blank);
  put_number(to, number + to->first_file);
  return end;
}

static void write_statement(struct writing *to, struct piece text) {
  for (const char *at = text.at, *end = at + text.length; at < end;) {
    const struct piece token = token_at(at);
    put(to, token.at, token.length);
    at += token.length;
    if (is_word(token, ".loc") || is_word(token, ".file") || is_word(token, "inlined_at"))
      at = write_number(to, at);
    if (!in_name(*token.at) || !find_name(&to->renamed, token)) continue;
    put(to, "$", 1);
    put_number(to, to->number);
  }
}

static bool write_text(struct writing *to, const struct names *names, const struct text *text) {
  bool good = true;
  to->renamed = (struct names){.budget = names->budget};
  for (size_t i = 0; i < text->count && good; i++)
    if (text->all[i].is_local && defined_elsewhere(names, to->number, text->all[i].name))
      good = add_name(&to->renamed, &text->all[i], to->number);
  for (size_t i = 0; i < text->count && good; i++)
    if (!text->all[i].is_left_out && !(to->number && text->all[i].is_header))
      write_statement(to, text->all[i].text);
  put(to, "\n", 1);
  drop_names(&to->renamed);
  return good;
}

// Writes into `out`, or measures only. Returns the length; 0: the budget has no room for the names.
static size_t write_all(char *out, const struct names *names, const struct text *texts, size_t count) {
  struct writing to = {.out = out};
  for (; to.number < count; to.number++) {
    if (!write_text(&to, names, &texts[to.number])) return 0;
    to.first_file += texts[to.number].largest_file;
  }
  return to.length;
}

static char *join(const struct names *names, const struct text *texts, size_t count, size_t *length) {
  *length = write_all(NULL, names, texts, count);
  if (!*length || !budget_take(names->budget, BUDGET_MODULES, *length + 1)) return NULL;
  char *joined = malloc(*length + 1);
  if (!joined) die("no memory for %zu bytes of linked PTX", *length);
  if (write_all(joined, names, texts, count) == *length) {
    joined[*length] = 0;
    return joined;
  }
  free(joined);
  budget_give(names->budget, BUDGET_MODULES, *length + 1);
  return NULL;
}

static enum ptx_link_result link_statements(struct text *texts, size_t count, struct budget *budget,
                                            char **joined, size_t *length) {
  struct names names = {.budget = budget};
  bool good = true;
  for (size_t t = 0; t < count; t++)
    for (size_t i = 0; i < texts[t].count && good; i++)
      if (texts[t].all[i].name.length) good = add_name(&names, &texts[t].all[i], t);
  for (size_t t = 0; t < count && good; t++)
    drop_weak(&names, &texts[t], t);
  *joined = good ? join(&names, texts, count, length) : NULL;
  drop_names(&names);
  return *joined ? PTX_LINK_DONE : PTX_LINK_TOO_LARGE;
}

enum ptx_link_result ptx_link(char *const *texts, size_t count, struct budget *budget, char **joined,
                              size_t *length) {
  struct text *read = calloc(count + 1, sizeof *read);
  size_t left = PTX_LINK_MOST_STATEMENTS;
  enum ptx_link_result result = PTX_LINK_DONE;
  *joined = NULL;
  if (!read) die("no memory to link %zu texts of PTX", count);
  for (size_t t = 0; t < count && result == PTX_LINK_DONE; t++)
    result = read_statements(texts[t], &read[t], budget, &left);
  if (result == PTX_LINK_DONE) result = link_statements(read, count, budget, joined, length);
  for (size_t t = 0; t < count; t++) {
    free(read[t].all);
    budget_give(budget, BUDGET_MODULES, read[t].room * sizeof *read[t].all);
  }
  free(read);
  return result;
}
