// In: declarations and definitions of kernels and functions, and aliases. Out: one entry per function, with
// its body. The one idea: the parser's lists collect one function at a time. When the body ends, the function
// moves to the arena and the lists serve the next function. PTX ISA 11.2, 11.3, 11.4.
#include "virtual-hopper/ptx/parse.h"

struct alias {
  struct name *alias, *target;
  uint32_t line;
};

static void begin_function(struct parser *parser) {
  struct list *lists[] = {
      &parser->registers, &parser->function_variables, &parser->instructions, &parser->labels,
      &parser->targets,   &parser->prototypes,         &parser->pending};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    lists[i]->count = 0;
  parser->scope_number = 1;
  parser->location = -1;
}

static void take_body(struct parser *parser, struct ptx_function *function) {
  function->register_count = (uint32_t)parser->registers.count;
  function->registers = list_take(parser, &parser->registers, 0, sizeof(struct ptx_register));
  function->variable_count = (uint32_t)parser->function_variables.count;
  function->variables = list_take(parser, &parser->function_variables, 0, sizeof(struct ptx_variable));
  function->instruction_count = (uint32_t)parser->instructions.count;
  function->instructions = list_take(parser, &parser->instructions, 0, sizeof(struct ptx_instruction));
  function->label_count = (uint32_t)parser->labels.count;
  function->labels = list_take(parser, &parser->labels, 0, sizeof(struct ptx_label));
  function->target_count = (uint32_t)parser->targets.count;
  function->targets = list_take(parser, &parser->targets, 0, sizeof(struct ptx_branch_targets));
  function->prototype_count = (uint32_t)parser->prototypes.count;
  function->prototypes = list_take(parser, &parser->prototypes, 0, sizeof(struct ptx_prototype));
}

// extent = integer ("," integer ("," integer)?)?; a missing integer is 1                   PTX ISA 11.4.2
static void parse_extent(struct parser *parser, uint32_t extent[3]) {
  extent[0] = extent[1] = extent[2] = 1;
  for (int i = 0; i < 3; i++) {
    uint32_t line = parser->token.line;
    uint64_t value = parse_integer(parser, "a number of threads or blocks");
    if (value == 0 || value > INT32_MAX)
      parse_fail_at(parser, line, "a launch extent must be between 1 and 2^31-1");
    extent[i] = (uint32_t)value;
    if (!parse_accept(parser, ',')) return;
  }
}

// directive = ".maxntid" extent | ".reqntid" extent | ".reqnctapercluster" extent | ".maxnreg" integer |
// ".minnctapersm" integer | ".explicitcluster" | ".blocksareclusters" | ".noreturn" | ".pragma" string ";" |
// attribute | other integer                                                               PTX ISA 11.4, 11.7
static void parse_function_directive(struct parser *parser, struct ptx_function *function) {
  enum keyword keyword = parser->token.name->keyword;
  bool unused;
  if (keyword == KEYWORD_ATTRIBUTE) return parse_attribute(parser, &unused);
  if (keyword != KEYWORD_NONE) parse_advance(parser);
  switch (keyword) {
  case KEYWORD_MAXNTID: parse_extent(parser, function->max_threads); break;
  case KEYWORD_REQNTID: parse_extent(parser, function->required_threads); break;
  case KEYWORD_REQNCTAPERCLUSTER: parse_extent(parser, function->required_cluster); break;
  case KEYWORD_EXPLICITCLUSTER: function->explicit_cluster = true; break;
  case KEYWORD_BLOCKSARECLUSTERS: function->blocks_are_clusters = true; break;
  case KEYWORD_NORETURN: function->is_noreturn = true; break;
  case KEYWORD_PRAGMA:
    parse_skip_string(parser);
    parse_expect(parser, ';');
    break;
  case KEYWORD_MAXNREG:
    function->max_registers = (uint32_t)parse_integer(parser, "a number of registers");
    break;
  case KEYWORD_MINNCTAPERSM:
    function->min_blocks = (uint32_t)parse_integer(parser, "a number of blocks");
    break;
  case KEYWORD_MAXNCTAPERSM:
  case KEYWORD_MAXCLUSTERRANK:
  case KEYWORD_ABI_PRESERVE:
  case KEYWORD_ABI_PRESERVE_CONTROL: // advice to the compiler, or limits for the chip
    parse_integer(parser, "a number");
    break;
  default: parse_expected(parser, "a function's directive, '{' or ';'");
  }
}

// Returns the function's index in the module's list. A definition takes the index of its declaration.
static uint32_t place_function(struct parser *parser, struct name *name, uint32_t line) {
  uint32_t depth = parser->depth;
  const struct symbol *known = name->symbol;
  if (known && known->depth > 0) {
    parse_fail_at(parser, line, "'%.*s' names both a function and its result", NAME_IN_MESSAGE(name));
  }
  if (known && known->kind == SYMBOL_FUNCTION) return known->index;
  parser->depth = 0;
  uint32_t index = (uint32_t)parser->functions.count;
  scope_declare(parser, name, SYMBOL_FUNCTION, index);
  parser->depth = depth;
  list_extend(parser, &parser->functions, 1, sizeof(struct ptx_function));
  return index;
}

static void store_function(struct parser *parser, uint32_t index, const struct ptx_function *function) {
  struct ptx_function *stored = (struct ptx_function *)parser->functions.items + index;
  if (stored->has_body && function->has_body) {
    parse_fail_at(parser, function->line, "'%.*s' is defined twice, first on line %u",
                  NAME_IN_MESSAGE(name_of_text(function->name)), stored->line);
  }
  if (!stored->has_body) *stored = *function;
}

// function = (".entry" | ".func" attribute? parameters?) name parameters? directive* (";" | body)
// PTX ISA 11.2.1, 11.2.2
void parse_function(struct parser *parser, const struct linkage *linkage) {
  struct ptx_function function = {.is_extern = linkage->is_extern,
                                  .is_weak = linkage->is_weak,
                                  .is_visible = linkage->is_visible,
                                  .line = linkage->line,
                                  .is_entry = parse_at_word(parser, KEYWORD_ENTRY)};
  bool unused;
  begin_function(parser);
  scope_open(parser);
  parse_advance(parser);
  while (parse_at_word(parser, KEYWORD_ATTRIBUTE))
    parse_attribute(parser, &unused);
  if (!function.is_entry && parse_at(parser, '(')) {
    function.results = parse_parameters(parser, true, &function.result_count);
  }
  uint32_t line = parser->token.line;
  struct name *name = parse_expect_name(parser, "a function's name");
  function.name = parser->function_name = name->text;
  uint32_t index = place_function(parser, name, line);
  if (parse_at(parser, '(')) function.parameters = parse_parameters(parser, true, &function.parameter_count);
  while (parser->token.kind == TOKEN_WORD)
    parse_function_directive(parser, &function);
  if (parse_at(parser, '{')) {
    function.has_body = true;
    parse_body(parser);
  } else {
    parse_expect(parser, ';');
  }
  scope_close(parser);
  take_body(parser, &function);
  store_function(parser, index, &function);
  parser->location = -1;
}

// alias = ".alias" name "," name ";"                                                         PTX ISA 11.6.5
void parse_alias(struct parser *parser) {
  struct alias *alias = list_extend(parser, &parser->aliases, 1, sizeof *alias);
  alias->line = parser->token.line;
  alias->alias = parse_expect_name(parser, "the alias, a function's name");
  parse_expect(parser, ',');
  alias->target = parse_expect_name(parser, "the function that the alias stands for");
  parse_expect(parser, ';');
}

static struct ptx_function *function_named(struct parser *parser, const struct name *name, uint32_t line) {
  if (!name->symbol || name->symbol->kind != SYMBOL_FUNCTION) {
    parse_fail_at(parser, line, "'%.*s' is not a function of this module", NAME_IN_MESSAGE(name));
  }
  return (struct ptx_function *)parser->functions.items + name->symbol->index;
}

void parse_resolve_aliases(struct parser *parser) {
  const struct alias *aliases = parser->aliases.items;
  for (size_t i = 0; i < parser->aliases.count; i++) {
    struct ptx_function *alias = function_named(parser, aliases[i].alias, aliases[i].line);
    const struct ptx_function *target = function_named(parser, aliases[i].target, aliases[i].line);
    if (alias->has_body || !target->has_body) {
      parse_fail_at(parser, aliases[i].line, "an alias is a declared function that stands for a defined one");
    }
    const char *name = alias->name;
    bool is_weak = alias->is_weak, is_visible = alias->is_visible;
    *alias = *target;
    alias->name = name;
    alias->is_weak = is_weak;
    alias->is_visible = is_visible;
  }
}
