// In: files of suppressions, faults. Out: which faults are accepted, and why.
// One idea: a line of code is recognised by its text, not by its number, so a baseline survives edits
// elsewhere in the file; and a second mistake of the same kind, at another line, is not accepted with the
// first.
//
//   line   = [ RULE | "*" ] { key "=" value } "#" reason     RULE: of rules.def
//   key    = "kernel" | "file" | "frame" | "code" | "with" | "line"
//   value  = word | '"' text '"' | "'" text "'"
// Empty lines and lines that begin with # are left out.
#include "virtual-hopper/command/suppressions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/command/explain.h"

// ---- reading ----------------------------------------------------------------------------------------------

// Takes the next word, without its quotes. Returns what follows it, or NULL at an open quote. `word` is
// empty at the end of the text. A quote may stand inside a word: code="a b".
static const char *next_word(const char *at, char *word, size_t size) {
  size_t used = 0;
  char quote = 0;
  at += strspn(at, " \t");
  for (; *at && (quote || !strchr(" \t", *at)); at++) {
    if (!quote && (*at == '"' || *at == '\''))
      quote = *at;
    else if (quote == *at)
      quote = 0;
    else if (used + 1 < size)
      word[used++] = *at;
  }
  word[used] = '\0';
  return quote ? NULL : at;
}

static char *kept(const char *text) {
  char *copy = strdup(text);
  if (!copy) die("no memory for a suppression");
  return copy;
}

static const char *take_key(struct suppression *one, const char *word) {
  static const char unknown[] = "the keys are kernel=, file=, line=, frame=, code= and with=";
  const char *value = strchr(word, '=');
  if (!value || !value[1]) return unknown;
  const size_t length = (size_t)(value++ - word);
  const struct {
    const char *name, **place;
  } keys[] = {{"kernel", &one->kernel},
              {"file", &one->file},
              {"frame", &one->frame},
              {"code", &one->code},
              {"with", &one->with}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (strlen(keys[i].name) != length || strncmp(keys[i].name, word, length) != 0) continue;
    if (*keys[i].place) return "a key is given twice";
    *keys[i].place = kept(value);
    return NULL;
  }
  char *end;
  if (length != 4 || strncmp(word, "line", 4) != 0) return unknown;
  one->line = (uint32_t)strtoul(value, &end, 10);
  return *end || !one->line ? "line= wants a number from 1" : NULL;
}

// Takes the words before the reason. Returns NULL, or what is wrong.
static const char *take_words(struct suppression *one, const char *at, char *word, size_t size) {
  for (bool first = true;; first = false) {
    at = next_word(at, word, size);
    if (!at) return "a quote is left open";
    if (!*word) return first ? "a rule is missing; * stands for any" : NULL;
    const char *wrong = NULL;
    if (first && strcmp(word, "*") != 0) {
      one->rule = rule_find(word);
      if (one->rule == RULE_NONE) wrong = "there is no such rule";
    } else if (!first) {
      wrong = take_key(one, word);
    }
    if (wrong) return wrong;
  }
}

// The # that begins the reason: the first one outside quotes, behind a blank.
static char *reason_of(char *line) {
  char quote = 0;
  for (char *at = line; *at; at++) {
    if (quote ? *at == quote : *at == '"' || *at == '\'')
      quote = quote ? 0 : *at;
    else if (!quote && *at == '#' && (at == line || strchr(" \t", at[-1])))
      return at;
  }
  return NULL;
}

static const char *take_line(struct suppression *one, char *line, char *word, size_t size) {
  char *reason = reason_of(line);
  if (!reason) return "the reason is missing: .. # why this is accepted";
  *reason++ = '\0';
  reason += strspn(reason, " \t#");
  if (!*reason) return "the reason is empty";
  const char *wrong = take_words(one, line, word, size);
  one->reason = kept(reason);
  if (wrong) return wrong;
  const bool anything = !one->kernel && !one->file && !one->frame && !one->code && !one->with;
  return one->rule == RULE_NONE && anything ? "it would accept everything" : NULL;
}

static void add(struct suppressions *list, const struct suppression *one) {
  if (list->count == list->room) {
    list->room = list->room ? 2 * list->room : 16;
    list->all = reallocarray(list->all, list->room, sizeof *list->all);
    if (!list->all) die("no memory for %zu suppressions", list->room);
  }
  list->all[list->count++] = *one;
}

int suppressions_read(struct suppressions *list, const char *path, char *error, size_t size) {
  FILE *in = fopen(path, "re");
  char *line = NULL, word[1024] = "";
  size_t capacity = 0;
  int status = 0;
  if (!in) {
    snprintf(error, size, "%s: %s", path, strerror(errno));
    return -1;
  }
  for (uint32_t number = 1; !status && getline(&line, &capacity, in) > 0; number++) {
    line[strcspn(line, "\r\n")] = '\0';
    const char *begin = line + strspn(line, " \t");
    if (!*begin || *begin == '#') continue;
    struct suppression one = {.rule = RULE_NONE, .origin = kept(path), .number = number};
    const char *wrong = take_line(&one, line, word, sizeof word);
    add(list, &one); // also a wrong one, so that it is freed
    if (!wrong) continue;
    const char *like = one.rule == RULE_NONE && *word ? explain_like(word) : NULL;
    snprintf(error, size, "%s:%u: %s%s%.60s%s%s", path, number, wrong, *word ? ": " : "", word,
             like ? "; is it this one: " : "", like ? like : "");
    status = -1;
  }
  free(line);
  fclose(in);
  return status;
}

void suppressions_free(struct suppressions *list) {
  for (size_t i = 0; i < list->count; i++) {
    const struct suppression *one = &list->all[i];
    const char *texts[] = {one->kernel, one->file,   one->frame, one->code,
                           one->with,   one->reason, one->origin};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
      free((void *)(uintptr_t)texts[k]);
  }
  free(list->all);
  *list = (struct suppressions){0};
}

// ---- matching ---------------------------------------------------------------------------------------------

// A path fits its own end, from a folder's name on, and a pattern.
static bool path_fits(const char *pattern, const char *path) {
  if (!path || !*path) return false;
  const size_t wanted = strlen(pattern), length = strlen(path);
  if (length >= wanted && strcmp(path + length - wanted, pattern) == 0 &&
      (length == wanted || *pattern == '/' || path[length - wanted - 1] == '/'))
    return true;
  return fnmatch(pattern, path, 0) == 0;
}

static bool frame_fits(const char *pattern, const struct fault_place *place) {
  if (path_fits(pattern, place->file)) return true;
  for (uint32_t i = 0; i < place->inlined_count; i++)
    if (path_fits(pattern, place->inlined[i].file)) return true;
  return false;
}

// The source line at a place, with each run of blanks as one; without a source, the PTX instruction.
static void code_at(const struct fault_place *place, char text[FAULT_LINE_BYTES]) {
  char line[FAULT_LINE_BYTES];
  fault_source_line(place->file, place->line, line);
  if (!*line && place->instruction) snprintf(line, sizeof line, "%s", place->instruction);
  size_t used = 0;
  for (const char *at = line; *at; at++) {
    const bool blank = *at == ' ' || *at == '\t';
    if (blank && (used == 0 || text[used - 1] == ' ')) continue;
    text[used++] = blank ? ' ' : *at;
  }
  text[used] = '\0';
}

// Quotes that stand in the code are left out where it is written, so they are where it is compared.
static void without_quotes(char *text) {
  char *to = text;
  for (; *text; text++)
    if (*text != '"' && *text != '\'') *to++ = *text;
  *to = '\0';
}

static bool code_fits(const char *wanted, const struct fault_place *place) {
  char text[FAULT_LINE_BYTES];
  if (!place) return false;
  code_at(place, text);
  without_quotes(text);
  return strcmp(wanted, text) == 0;
}

static bool fits(const struct suppression *one, const struct fault *fault) {
  const struct fault_place *place = &fault->place;
  if (one->rule != RULE_NONE && one->rule != fault->rule) return false;
  if (one->kernel && fnmatch(one->kernel, fault->kernel, 0) != 0) return false;
  if (one->line && one->line != place->line) return false;
  if (one->file && !path_fits(one->file, place->file)) return false;
  if (one->frame && !frame_fits(one->frame, place)) return false;
  if (one->code && !code_fits(one->code, place)) return false;
  return !one->with || code_fits(one->with, fault->related_count ? &fault->related[0].place : NULL);
}

struct suppression *suppressions_find(struct suppressions *list, const struct fault *fault) {
  for (size_t i = 0; i < list->count; i++) {
    if (!fits(&list->all[i], fault)) continue;
    list->all[i].used++;
    return &list->all[i];
  }
  return NULL;
}

// ---- writing ----------------------------------------------------------------------------------------------

static void write_value(FILE *out, const char *key, const char *value) {
  char *shown = printable_copy(value);
  if (shown && *shown) {
    const bool plain = !strpbrk(shown, " \t#");
    without_quotes(shown);
    fprintf(out, plain ? " %s=%s" : " %s=\"%s\"", key, shown);
  }
  free(shown);
}

void suppression_write(FILE *out, const struct fault *fault, const char *file, const char *reason) {
  char code[FAULT_LINE_BYTES];
  fputs(rule_name(fault->rule), out);
  write_value(out, "kernel", fault->kernel);
  write_value(out, "file", file);
  code_at(&fault->place, code);
  if (*code)
    write_value(out, "code", code);
  else if (fault->place.line)
    fprintf(out, " line=%u", fault->place.line);
  if (fault->related_count) code_at(&fault->related[0].place, code);
  if (fault->related_count && *code) write_value(out, "with", code);
  fprintf(out, " # %s\n", reason);
}
