// In: .file and .loc directives. Out: the module's files and source positions.
// The one idea: an `inlined_at` triple means the latest earlier .loc with the same numbers. That .loc may
// have its own inlined_at. So each position holds the index of its call site's position, and the chain ends
// at a line of the kernel. PTX ISA 11.5.
#include "virtual-hopper/base/salt.h"
#include "virtual-hopper/ptx/parse.h"

enum { FIRST_INDEX_SIZE = 1024 };

static struct ptx_location *location_at(struct parser *parser, uint32_t index) {
  return (struct ptx_location *)parser->locations.items + index;
}

static uint32_t hash_of(uint32_t file, uint32_t line, uint32_t column) {
  const struct salt *salt = salt_of_process();
  return (uint32_t)((((uint64_t)file << 32 | line) * salt->factor + column * (salt->start | 1)) >> 32);
}

// Returns the slot of the triple in the hash table. The slot holds the index + 1 of the triple's latest
// location, or 0.
static uint32_t *slot_of(struct parser *parser, uint32_t file, uint32_t line, uint32_t column) {
  uint32_t *slots = parser->location_index.items;
  uint32_t mask = (uint32_t)parser->location_index.count - 1; // a power of two
  uint32_t at = hash_of(file, line, column) & mask;
  for (; slots[at]; at = (at + 1) & mask) {
    const struct ptx_location *location = location_at(parser, slots[at] - 1);
    if (location->file == file && location->line == line && location->column == column) break;
  }
  return &slots[at];
}

// Keeps the table at most half full, so that slot_of takes few steps.
static void grow_index(struct parser *parser) {
  struct list *index = &parser->location_index;
  if (index->count > 2 * parser->locations.count) return;
  size_t size = index->count ? 2 * index->count : FIRST_INDEX_SIZE;
  index->count = 0;
  list_extend(parser, index, size, sizeof(uint32_t));
  for (uint32_t i = 0; i < parser->locations.count; i++) {
    const struct ptx_location *location = location_at(parser, i);
    // A later location replaces an earlier one.
    *slot_of(parser, location->file, location->line, location->column) = i + 1;
  }
}

static int32_t add_location(struct parser *parser, struct ptx_location location) {
  *(struct ptx_location *)list_extend(parser, &parser->locations, 1, sizeof location) = location;
  uint32_t index = (uint32_t)parser->locations.count - 1;
  if (parser->location_index.count > 2 * parser->locations.count) {
    *slot_of(parser, location.file, location.line, location.column) = index + 1;
  } else {
    grow_index(parser);
  }
  return (int32_t)index;
}

static uint32_t expect_number(struct parser *parser, const char *what, uint64_t most) {
  const struct token *token = &parser->token;
  if (token->kind != TOKEN_INTEGER || token->value > most) parse_expected(parser, what);
  uint32_t value = (uint32_t)token->value;
  parse_advance(parser);
  return value;
}

static struct ptx_location parse_triple(struct parser *parser) {
  struct ptx_location location = {.inlined_at = -1, .ptx_line = parser->token.line};
  location.file = expect_number(parser, "a file number", PARSE_LARGEST_FILE_NUMBER);
  location.line = expect_number(parser, "a line number", UINT32_MAX);
  location.column = expect_number(parser, "a column number", UINT32_MAX);
  return location;
}

// function-name = "," "function_name" label ("+" integer)?
// The function's name is text in the debug sections; the label points at that text.
static void parse_function_name(struct parser *parser) {
  parse_advance(parser);
  if (parser->token.kind == TOKEN_WORD) {
    parse_advance(parser); // a section: .debug_str
  } else {
    parse_expect_name(parser, "the label of a function's name");
  }
  parse_offset(parser);
}

// loc = ".loc" file line column function-name? ("," "inlined_at" file line column)?           PTX ISA 11.5.5
void parse_loc_directive(struct parser *parser) {
  struct ptx_location location = parse_triple(parser);
  while (parse_accept(parser, ',')) {
    if (parse_at_name(parser, KEYWORD_FUNCTION_NAME)) {
      parse_function_name(parser);
    } else if (parse_at_name(parser, KEYWORD_INLINED_AT)) {
      parse_advance(parser);
      struct ptx_location caller = parse_triple(parser);
      uint32_t known =
          parser->locations.count ? *slot_of(parser, caller.file, caller.line, caller.column) : 0;
      location.inlined_at = known ? (int32_t)known - 1 : add_location(parser, caller);
    } else {
      parse_expected(parser, "function_name or inlined_at");
    }
  }
  parser->location = add_location(parser, location);
}

// file = ".file" number string ("," timestamp "," size)?                                      PTX ISA 11.5.4
void parse_file_directive(struct parser *parser) {
  uint32_t number = expect_number(parser, "a file number up to 65536", PARSE_LARGEST_FILE_NUMBER);
  if (parser->token.kind != TOKEN_STRING) parse_expected(parser, "the file's name, a string");
  if (number >= parser->files.count) {
    list_extend(parser, &parser->files, number + 1 - parser->files.count, sizeof(char *));
  }
  struct name *name = parse_intern(parser, parser->token.start, parser->token.length);
  ((const char **)parser->files.items)[number] = name->text;
  parse_advance(parser);
  while (parse_accept(parser, ',')) {
    if (parser->token.kind != TOKEN_INTEGER) parse_expected(parser, "a time stamp or a size");
    parse_advance(parser);
  }
}
