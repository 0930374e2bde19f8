// In: preprocessed C++. Out: its pieces, each with the names that it declares and those that it uses.
// The idea: where a declaration ends is a matter of brackets.
#include "lean/outline.h"
#include "lean/prefix.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  struct pieces *pieces;
  struct lexer lexer;
  const char *keeps;
  bool ours;
  uint32_t line; // at `seen`, in the file that the last marker names
  size_t seen;   // of the text
  struct outline outline;
};

// ---- growing lists ----

static void *room_for(void *list, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room) return list;
  *room = *room ? 2 * *room : 1 << 12;
  list = realloc(list, *room * size);
  if (!list) abort();
  return list;
}

void pieces_add_name(struct pieces *pieces, uint32_t name) {
  if (word_kind(name) != WORD_OTHER) return;
  pieces->named = room_for(pieces->named, pieces->named_count, &pieces->named_room, sizeof *pieces->named);
  pieces->named[pieces->named_count++] = name;
}

static void add_use(struct pieces *pieces, uint32_t name) {
  if (word_kind(name) != WORD_OTHER) return;
  pieces->used = room_for(pieces->used, pieces->used_count, &pieces->used_room, sizeof *pieces->used);
  pieces->used[pieces->used_count++] = name;
}

static void count_lines(struct reader *reader, size_t end) {
  const char *text = reader->lexer.text;
  for (const char *at = text + reader->seen; (at = memchr(at, '\n', (size_t)(text + end - at))); at++)
    reader->line++;
  reader->seen = end;
}

static void add_piece(struct reader *reader, enum piece_kind kind) {
  struct pieces *pieces = reader->pieces;
  pieces->all = room_for(pieces->all, pieces->count, &pieces->room, sizeof *pieces->all);
  const struct piece none = {0}, *before = pieces->count ? &pieces->all[pieces->count - 1] : &none;
  const uint32_t named = before->names + before->name_count, used = before->uses + before->use_count;
  struct piece *piece = &pieces->all[pieces->count++];
  *piece = (struct piece){.kind = kind,
                          .ours = reader->ours,
                          .begin = before->end,
                          .end = reader->lexer.at,
                          .names = named,
                          .name_count = pieces->named_count - named,
                          .uses = used,
                          .use_count = pieces->used_count - used};
  count_lines(reader, piece->end);
  piece->line = reader->line;
}

// ---- tokens ----

// Whether the file is below one of the folders kept, or the source itself, which has no folder.
static bool is_ours(const char *keeps, const char *file, size_t length) {
  return path_is_below(keeps, file, length) || (length > 0 && file[0] != '/' && file[0] != '<');
}

// # LINE "FILE" FLAGS: the line that follows. False: it is no such directive.
static bool follow_marker(struct reader *reader, const struct token *token) {
  const char *text = reader->lexer.text + token->begin;
  const size_t length = token->end - token->begin;
  if (length < 3 || text[1] != ' ' || text[2] < '0' || text[2] > '9') return false;
  const char *quote = memchr(text, '"', length), *close = memrchr(text, '"', length);
  if (quote && close > quote) reader->ours = is_ours(reader->keeps, quote + 1, (size_t)(close - quote - 1));
  count_lines(reader, token->end);
  reader->line = (uint32_t)strtoul(text + 2, NULL, 10) - 1; // the line of the marker ends before it
  return true;
}

// The next token. Markers are followed wherever they stand: macros leave some within brackets.
static struct token next(struct reader *reader) {
  struct token token = lexer_next(&reader->lexer);
  if (token.kind == TOKEN_NAME) add_use(reader->pieces, token.name);
  if (token.kind == TOKEN_DIRECTIVE) follow_marker(reader, &token);
  return token;
}

// Whether the name `at`, between two tokens, is a parameter's or a namespace's: no type's.
static bool is_no_type(const struct token *before, const struct token *after) {
  const enum word_kind word = before->kind == TOKEN_NAME ? word_kind(before->name) : WORD_PLAIN;
  const bool typed = word == WORD_OTHER || word == WORD_TYPE || token_is_sign(before, '&') ||
                     token_is_sign(before, '*') || token_is_sign(before, '>');
  return token_is_sign(after, ':') ||
         (typed && (token_is_sign(after, ',') || token_is_sign(after, ')') || token_is_sign(after, '=')));
}

// Reads to the bracket that closes the one just read. `outline`: these are its first round brackets.
static void read_group(struct reader *reader, struct outline *outline) {
  struct token before[2] = {{0}, {0}};
  for (uint32_t depth = 1, read = 0; depth > 0; read++) {
    struct token token = next(reader);
    if (token.kind == TOKEN_END) return;
    if (outline && read == 0)
      outline->group_has_sign = token_is_sign(&token, '*') || token_is_sign(&token, '&');
    if (outline && read > 0 && outline->group_count > 0 && before[0].kind == TOKEN_NAME)
      outline->no_type[outline->group_count - 1] = is_no_type(&before[1], &token);
    if (token.kind == TOKEN_NAME && word_kind(token.name) == WORD_EFFECT) reader->outline.has_effect = true;
    before[1] = before[0];
    before[0] = token;
    if (outline && token.kind == TOKEN_NAME) {
      if (outline->group_count < MOST_GROUP)
        outline->group[outline->group_count++] = token.name;
      else
        outline->too_long = true;
    }
    if (token.kind != TOKEN_SIGN) continue;
    if (strchr("([{", token.sign)) depth++;
    if (strchr(")]}", token.sign)) depth--;
  }
}

// template < ... >: round brackets inside may hold a comparison.
static void read_head(struct reader *reader) {
  struct outline *outline = &reader->outline;
  for (uint32_t depth = 1; depth > 0;) {
    struct token token = next(reader);
    if (token.kind == TOKEN_END) return;
    if (token.kind == TOKEN_NAME && outline->head_count < MOST_GROUP)
      outline->head[outline->head_count++] = token.name;
    if (token.kind != TOKEN_SIGN) continue;
    if (strchr("([{", token.sign)) read_group(reader, NULL);
    if (token.sign == '<') depth++;
    if (token.sign == '>') depth--;
  }
}

static void read_directive(struct reader *reader, const struct token *token) {
  const bool marker = follow_marker(reader, token);
  add_piece(reader, marker ? PIECE_MARKER : PIECE_KEPT);
}

// What has a meaning of its own before the outline is asked: an attribute, a template's head. True: it is
// read.
static bool read_aside(struct reader *reader, const struct token *token) {
  const bool attribute = token->kind == TOKEN_NAME && word_kind(token->name) == WORD_ATTRIBUTE;
  if (token->kind == TOKEN_DIRECTIVE) return true;
  if (!attribute && !token_is_name(token, TEMPLATE)) return false;
  const struct lexer before = reader->lexer;
  const struct token bracket = lexer_next(&reader->lexer);
  if (attribute && token_is_sign(&bracket, '('))
    read_group(reader, NULL);
  else if (!attribute && token_is_sign(&bracket, '<'))
    read_head(reader);
  else
    reader->lexer = before;
  return true;
}

static void read_brackets(struct reader *reader, const struct token *token) {
  struct outline *outline = &reader->outline;
  const bool first = token_is_sign(token, '(') && !outline->has_group;
  if (token->kind != TOKEN_SIGN || !strchr("([{", token->sign)) return;
  outline->has_group = outline->has_group || first;
  const uint32_t used = reader->pieces->used_count;
  read_group(reader, first ? outline : NULL);
  if (!token_is_sign(token, '{')) return;
  outline->braced = used;
  outline->braced_count = reader->pieces->used_count - used;
}

// Reads one declaration to its end. `token`: its first one.
static void read_piece(struct reader *reader, struct token token) {
  struct outline *outline = &reader->outline;
  outline->count = outline->group_count = outline->head_count = outline->braced_count = 0;
  outline->has_group = outline->group_has_sign = outline->too_long = outline->has_effect = false;
  for (; !token_is_sign(&token, ';'); token = next(reader)) {
    const bool closes =
        token_is_sign(&token, '}') || token_is_sign(&token, ')') || token_is_sign(&token, ']');
    if (token.kind == TOKEN_END || closes || (token_is_sign(&token, '{') && outline_opens_scope(outline))) {
      add_piece(reader, PIECE_KEPT);
      return;
    }
    if (read_aside(reader, &token)) continue;
    const bool body = token_is_sign(&token, '{') && outline_opens_body(outline);
    outline_add(outline, token);
    read_brackets(reader, &token);
    if (body) break;
  }
  const uint32_t named = reader->pieces->named_count;
  const enum piece_kind kind = outline_name(reader->pieces, outline);
  // What is named by nothing could never be needed.
  add_piece(reader, kind == PIECE_NAMED && reader->pieces->named_count == named ? PIECE_KEPT : kind);
}

// Whether the directive says something about the declaration behind it, so stays or goes with it.
static bool is_about_next(const struct reader *reader, const struct token *token) {
  static const char *const abouts[] = {"nv_exec_check_disable", "hd_warning_disable"};
  for (size_t i = 0; i < sizeof abouts / sizeof *abouts; i++)
    if (memmem(reader->lexer.text + token->begin, token->end - token->begin, abouts[i], strlen(abouts[i])))
      return true;
  return false;
}

// Reads the directives, and the declaration behind them.
static void read_piece_behind(struct reader *reader, struct token token) {
  while (token.kind == TOKEN_DIRECTIVE)
    token = next(reader);
  read_piece(reader, token);
}

void pieces_read(struct pieces *pieces, const char *text, size_t length, const char *keeps) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (!reader) abort();
  *reader = (struct reader){.pieces = pieces, .keeps = keeps, .ours = true};
  reader->lexer = (struct lexer){.text = text, .length = length, .names = &pieces->names};
  words_add(&pieces->names);
  for (struct token token; (token = next(reader)).kind != TOKEN_END;)
    if (token.kind == TOKEN_DIRECTIVE && !is_about_next(reader, &token))
      read_directive(reader, &token);
    else
      read_piece_behind(reader, token);
  reader->lexer.at = length;
  add_piece(reader, PIECE_KEPT);
  free(reader);
}

void pieces_free(struct pieces *pieces) {
  names_free(&pieces->names);
  free(pieces->all);
  free(pieces->named);
  free(pieces->used);
  *pieces = (struct pieces){0};
}
