// In: PTX text. Out: its syntax tree, or the line and the reason why the text is not PTX. The one idea: a
// recursive-descent parser. Each function parses one grammar rule, which stands above the function. One
// struct holds all state. An error ends the parse by longjmp. The struct owns all memory, so nothing leaks.
// This file holds the module level and the helpers that the other parse-*.c share.
#include "virtual-hopper/ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void parse_fail_at(struct parser *parser, uint32_t line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parser->error->message, sizeof parser->error->message, format, arguments);
  va_end(arguments);
  for (char *at = parser->error->message; *at; at++) { // the message may quote any bytes of the text
    if ((unsigned char)*at < ' ' || *at == 0x7f) *at = '?';
  }
  parser->error->line = line;
  longjmp(parser->failed, 1);
}

_Noreturn static void fail_for_memory(struct parser *parser) {
  parser->error->needs_memory = true;
  parse_fail_at(parser, parser->token.line,
                "the PTX needs more than the %zu MiB that its syntax tree may take",
                (parser->memory_limit + parser->list_limit) >> 20);
}

_Noreturn void parse_expected(struct parser *parser, const char *wanted) {
  const struct token *token = &parser->token;
  uint32_t length = token->length > 60 ? 60 : token->length;
  switch (token->kind) {
  case TOKEN_END: parse_fail_at(parser, token->line, "expected %s, but the text ends here", wanted);
  case TOKEN_BAD: parse_fail_at(parser, token->line, "expected %s, found %s", wanted, parser->lexer.problem);
  case TOKEN_STRING:
    parse_fail_at(parser, token->line, "expected %s, found \"%.*s\"", wanted, (int)length, token->start);
  default: parse_fail_at(parser, token->line, "expected %s, found '%.*s'", wanted, (int)length, token->start);
  }
}

void *parse_allocate(struct parser *parser, size_t count, size_t size) {
  void *memory = arena_allocate_array(parser->arena, count, size);
  if (!memory) fail_for_memory(parser);
  return memory;
}

struct name *parse_intern(struct parser *parser, const char *text, size_t length) {
  struct name *name = lex_intern(&parser->lexer, text, length);
  if (!name) fail_for_memory(parser);
  return name;
}

void *list_extend(struct parser *parser, struct list *list, size_t more, size_t item_size) {
  size_t most = parser->list_limit / item_size;
  if (more > most - list->count) fail_for_memory(parser);
  if (list->count + more > list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 64;
    while (capacity < list->count + more)
      capacity *= 2;
    size_t growth = (capacity - list->capacity) * item_size;
    if (growth > parser->list_limit - parser->list_bytes) fail_for_memory(parser);
    void *items = realloc(list->items, capacity * item_size);
    if (!items) fail_for_memory(parser);
    parser->list_bytes += growth;
    list->items = items;
    list->capacity = capacity;
  }
  void *first = (char *)list->items + list->count * item_size;
  memset(first, 0, more * item_size);
  list->count += more;
  return first;
}

void *list_take(struct parser *parser, struct list *list, size_t first, size_t item_size) {
  size_t count = list->count - first;
  if (count == 0) return NULL;
  void *items = parse_allocate(parser, count, item_size);
  memcpy(items, (char *)list->items + first * item_size, count * item_size);
  list->count = first;
  return items;
}

void parse_advance(struct parser *parser) {
  lex_next(&parser->lexer, &parser->token);
  if (parser->lexer.needs_memory) fail_for_memory(parser);
  if (parser->token.kind == TOKEN_BAD)
    parse_fail_at(parser, parser->token.line, "found %s", parser->lexer.problem);
}

bool parse_at(const struct parser *parser, int punctuation) {
  return parser->token.kind == TOKEN_PUNCTUATION && parser->token.punctuation == punctuation;
}

bool parse_at_word(const struct parser *parser, enum keyword keyword) {
  return parser->token.kind == TOKEN_WORD && parser->token.name->keyword == keyword;
}

bool parse_at_name(const struct parser *parser, enum keyword keyword) {
  return parser->token.kind == TOKEN_NAME && parser->token.name->keyword == keyword;
}

bool parse_accept(struct parser *parser, int punctuation) {
  if (!parse_at(parser, punctuation)) return false;
  parse_advance(parser);
  return true;
}

bool parse_accept_word(struct parser *parser, enum keyword keyword) {
  if (!parse_at_word(parser, keyword)) return false;
  parse_advance(parser);
  return true;
}

void parse_expect(struct parser *parser, int punctuation) {
  char wanted[] = {'\'', (char)punctuation, '\'', 0};
  if (!parse_accept(parser, punctuation)) parse_expected(parser, wanted);
}

struct name *parse_expect_name(struct parser *parser, const char *what) {
  if (parser->token.kind != TOKEN_NAME) parse_expected(parser, what);
  struct name *name = parser->token.name;
  parser->name_line = parser->token.line;
  parse_advance(parser);
  return name;
}

void parse_skip_string(struct parser *parser) {
  if (parser->token.kind != TOKEN_STRING) parse_expected(parser, "a string");
  parse_advance(parser);
}

void parse_enter(struct parser *parser) {
  if (++parser->nesting > PARSE_DEEPEST_NESTING) {
    parse_fail_at(parser, parser->token.line, "nested more than %d levels deep", PARSE_DEEPEST_NESTING);
  }
}

void parse_leave(struct parser *parser) {
  parser->nesting--;
}

// version = ".version" major "." minor                                                      PTX ISA 11.1.1
// The lexer returns a float. The digits are read from the text, because 8.10 is not 8.1.
static void parse_version(struct parser *parser) {
  const struct token *token = &parser->token;
  unsigned major, minor;
  char digits[16] = "";
  if (token->kind == TOKEN_FLOAT && token->length < sizeof digits)
    memcpy(digits, token->start, token->length);
  int used = 0;
  if (sscanf(digits, "%4u.%4u%n", &major, &minor, &used) != 2 || digits[used]) {
    parse_expected(parser, "a version like 8.7");
  }
  parser->module->version_major = major;
  parser->module->version_minor = minor;
  parser->has_version = true;
  parse_advance(parser);
}

// target = ".target" name ("," name)*                                                       PTX ISA 11.1.2
static void parse_target(struct parser *parser) {
  parser->module->target = parse_expect_name(parser, "a target like sm_90")->text;
  parser->has_target = true;
  while (parse_accept(parser, ',')) {
    const struct name *option = parse_expect_name(parser, "an option like debug");
    parser->module->is_debug |= strcmp(option->text, "debug") == 0;
  }
}

// address-size = ".address_size" ("32" | "64")                                              PTX ISA 11.1.3
static void parse_address_size(struct parser *parser) {
  const struct token *token = &parser->token;
  if (token->kind != TOKEN_INTEGER || (token->value != 32 && token->value != 64))
    parse_expected(parser, "32 or 64");
  parser->module->address_size = (uint32_t)token->value;
  parse_advance(parser);
}

// section = ".section" word "{" anything, with balanced braces "}"                          PTX ISA 11.5.3
// The section holds DWARF data for debuggers. Nothing here needs that data.
static void parse_section(struct parser *parser) {
  if (parser->token.kind != TOKEN_WORD && parser->token.kind != TOKEN_NAME)
    parse_expected(parser, "a section's name");
  parse_advance(parser);
  uint32_t line = parser->token.line;
  parse_expect(parser, '{');
  for (uint64_t depth = 1; depth > 0; parse_advance(parser)) {
    if (parse_at(parser, '{')) depth++;
    if (parse_at(parser, '}')) depth--;
    if (parser->token.kind == TOKEN_END) parse_fail_at(parser, line, "this section's '{' is never closed");
  }
}

// declaration = linkage* (function | variable ";")
static void parse_declaration(struct parser *parser) {
  struct linkage linkage = parse_linkage(parser);
  enum keyword keyword = parser->token.kind == TOKEN_WORD ? parser->token.name->keyword : KEYWORD_NONE;
  if (keyword == KEYWORD_ENTRY || keyword == KEYWORD_FUNC) {
    parse_function(parser, &linkage);
  } else if (keyword == KEYWORD_REG) {
    parse_fail_at(parser, parser->token.line, "a register outside a function: declare it inside");
  } else if (parse_space_of_keyword(keyword) != PTX_SPACE_NONE) {
    parse_variable_statement(parser, &linkage);
  } else {
    parse_expected(parser, "a directive, a function or a variable");
  }
}

// module = (version | target | address-size | file | section | alias | pragma | declaration)*
static void parse_module_item(struct parser *parser) {
  enum keyword keyword = parser->token.kind == TOKEN_WORD ? parser->token.name->keyword : KEYWORD_NONE;
  void (*directive)(struct parser *) = NULL;
  switch (keyword) {
  case KEYWORD_VERSION: directive = parse_version; break;
  case KEYWORD_TARGET: directive = parse_target; break;
  case KEYWORD_ADDRESS_SIZE: directive = parse_address_size; break;
  case KEYWORD_FILE: directive = parse_file_directive; break;
  case KEYWORD_LOC: directive = parse_loc_directive; break;
  case KEYWORD_SECTION: directive = parse_section; break;
  case KEYWORD_ALIAS: directive = parse_alias; break;
  case KEYWORD_PRAGMA: directive = parse_skip_string; break;
  default: break;
  }
  if (!directive) return parse_declaration(parser);
  parse_advance(parser);
  directive(parser);
  if (keyword == KEYWORD_PRAGMA) parse_expect(parser, ';');
}

static void finish_module(struct parser *parser) {
  struct ptx_module *module = parser->module;
  if (!parser->has_version) parse_fail_at(parser, 1, "no .version directive: is this PTX?");
  if (!parser->has_target) parse_fail_at(parser, 1, "no .target directive: is this PTX?");
  parse_resolve_aliases(parser);
  scope_check_unresolved(parser);
  if (parser->files.count == 0) *(const char **)list_extend(parser, &parser->files, 1, sizeof(char *)) = "";
  for (size_t i = 0; i < parser->files.count; i++) {
    const char **file = (const char **)parser->files.items + i;
    if (!*file) *file = ""; // the text never declared this file number
  }
  struct ptx_location *locations = parser->locations.items;
  for (size_t i = 0; i < parser->locations.count; i++) {
    if (locations[i].file >= parser->files.count) locations[i].file = 0;
  }
  module->file_count = (uint32_t)parser->files.count;
  module->files = list_take(parser, &parser->files, 0, sizeof(char *));
  module->location_count = (uint32_t)parser->locations.count;
  module->locations = list_take(parser, &parser->locations, 0, sizeof(struct ptx_location));
  module->variable_count = (uint32_t)parser->variables.count;
  module->variables = list_take(parser, &parser->variables, 0, sizeof(struct ptx_variable));
  module->function_count = (uint32_t)parser->functions.count;
  module->functions = list_take(parser, &parser->functions, 0, sizeof(struct ptx_function));
}

static void parse_module(struct parser *parser) {
  parser->module = parse_allocate(parser, 1, sizeof *parser->module);
  parser->module->arena = parser->arena;
  parser->module->address_size = 32; // PTX ISA 11.1.3: the default
  parse_advance(parser);
  while (parser->token.kind != TOKEN_END) {
    if (!parse_accept(parser, ';')) parse_module_item(parser);
  }
  finish_module(parser);
}

static void release_parser(struct parser *parser) {
  struct list *lists[] = {
      &parser->files,          &parser->locations,  &parser->variables,
      &parser->functions,      &parser->unresolved, &parser->aliases,
      &parser->location_index, &parser->registers,  &parser->function_variables,
      &parser->instructions,   &parser->labels,     &parser->targets,
      &parser->prototypes,     &parser->pending,    &parser->parameters,
      &parser->target_names,   &parser->operands,   &parser->bytes,
      &parser->relocations,
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    free(lists[i]->items);
  lexer_close(&parser->lexer);
  free(parser);
}

// Returns a copy of the text up to its first zero byte, with a zero byte at the end. Embedded PTX is padded
// with zero bytes. Returns NULL, and fills `error`, when other bytes follow a zero byte.
static char *copy_of_text(const char *text, size_t *length, struct ptx_error *error) {
  size_t used = strnlen(text, *length);
  for (size_t i = used; i < *length; i++) {
    if (!text[i]) continue;
    snprintf(error->message, sizeof error->message, "a zero byte in the middle of the text: is this PTX?");
    return NULL;
  }
  char *copy = malloc(used + 1);
  if (!copy) die("out of memory (%zu bytes wanted)", used);
  memcpy(copy, text, used);
  copy[used] = 0;
  *length = used;
  return copy;
}

struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *error) {
  return ptx_parse_within(text, length, SIZE_MAX, error);
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

struct ptx_module *ptx_parse_within(const char *text, size_t length, size_t bytes, struct ptx_error *error) {
  *error = (struct ptx_error){.line = 1};
  if (length > PARSE_LONGEST_TEXT) {
    snprintf(error->message, sizeof error->message, "the text is longer than %d MiB",
             PARSE_LONGEST_TEXT >> 20);
    return NULL;
  }
  char *copy = copy_of_text(text, &length, error);
  if (!copy) return NULL;
  struct parser *parser = calloc(1, sizeof *parser);
  if (!parser) die("out of memory (%zu bytes wanted)", sizeof *parser);
  struct arena *arena = arena_create();
  parser->memory_limit = smaller(PARSE_MEMORY_LIMIT, bytes | 1); // 0 would mean no limit
  arena_limit(arena, parser->memory_limit);
  enum { SMALL = 1 << 20 };
  parser->list_limit = smaller(PARSE_LIST_LIMIT, bytes / 2 > SMALL ? bytes / 2 : SMALL);
  parser->arena = arena;
  parser->error = error;
  parser->location = -1;
  if (!lexer_open(&parser->lexer, arena, copy, length)) die("out of memory");
  struct ptx_module *volatile module = NULL; // volatile: set between setjmp and longjmp
  if (setjmp(parser->failed) == 0) {
    parse_module(parser);
    module = parser->module;
  }
  release_parser(parser);
  free(copy);
  if (!module) arena_destroy(arena);
  return module;
}
