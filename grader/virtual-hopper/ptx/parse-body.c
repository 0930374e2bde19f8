// In: the text between a function's braces. Out: its registers, variables, labels, tables and instructions.
// The one idea: a flat loop over statements. Braces only open and close scopes, so deep nesting needs no
// extra stack. PTX ISA 4.3, 11.3.
#include "virtual-hopper/ptx/parse.h"

// targets = (".branchtargets" | ".calltargets") name ("," name)* ";"                PTX ISA 11.3.1, 11.3.2
static void parse_targets(struct parser *parser, struct name *name) {
  struct symbol *symbol = scope_declare(parser, name, SYMBOL_TARGETS, 0);
  uint32_t line = parser->token.line;
  struct list *names = &parser->target_names;
  names->count = 0;
  parse_advance(parser);
  do {
    *(const char **)list_extend(parser, names, 1, sizeof(char *)) =
        parse_expect_name(parser, "a label or a function")->text;
  } while (parse_accept(parser, ','));
  parse_expect(parser, ';');
  struct ptx_branch_targets targets = {.name = symbol->unique_name, .count = (uint32_t)names->count};
  targets.labels = list_take(parser, names, 0, sizeof(char *));
  for (uint32_t i = 0; i < targets.count; i++) {
    scope_resolve(parser, &targets.labels[i], name_of_text(targets.labels[i]), line);
  }
  *(struct ptx_branch_targets *)list_extend(parser, &parser->targets, 1, sizeof targets) = targets;
}

// PTX ISA 11.3.3:
// prototype = ".callprototype" parameters? "_"? parameters? (".noreturn" | abi-preserve)* ";"
static void parse_prototype(struct parser *parser, struct name *name) {
  struct ptx_prototype prototype = {.name = scope_declare(parser, name, SYMBOL_PROTOTYPE, 0)->unique_name};
  parse_advance(parser);
  if (parse_at(parser, '(')) prototype.results = parse_parameters(parser, false, &prototype.result_count);
  if (parser->token.kind == TOKEN_NAME) parse_advance(parser);
  if (parse_at(parser, '('))
    prototype.parameters = parse_parameters(parser, false, &prototype.parameter_count);
  while (parser->token.kind == TOKEN_WORD) {
    bool has_number =
        parse_at_word(parser, KEYWORD_ABI_PRESERVE) || parse_at_word(parser, KEYWORD_ABI_PRESERVE_CONTROL);
    if (!has_number && !parse_at_word(parser, KEYWORD_NORETURN)) parse_expected(parser, "';' or .noreturn");
    parse_advance(parser);
    if (has_number) parse_integer(parser, "a number of registers");
  }
  parse_expect(parser, ';');
  *(struct ptx_prototype *)list_extend(parser, &parser->prototypes, 1, sizeof prototype) = prototype;
}

// labelled = name ":" (targets | prototype)?                                               PTX ISA 4.3, 11.3
// The caller has already read the name and the ':'.
static void parse_labelled(struct parser *parser, struct name *name) {
  if (parse_at_word(parser, KEYWORD_BRANCHTARGETS) || parse_at_word(parser, KEYWORD_CALLTARGETS)) {
    parse_targets(parser, name);
  } else if (parse_at_word(parser, KEYWORD_CALLPROTOTYPE)) {
    parse_prototype(parser, name);
  } else {
    struct ptx_label label = {.instruction = (uint32_t)parser->instructions.count};
    label.name = scope_declare(parser, name, SYMBOL_LABEL, 0)->unique_name;
    *(struct ptx_label *)list_extend(parser, &parser->labels, 1, sizeof label) = label;
  }
}

// directive = register-statement | variable-statement | loc | file | pragma ";"
static void parse_body_directive(struct parser *parser) {
  enum keyword keyword = parser->token.name->keyword;
  if (keyword == KEYWORD_REG) {
    parse_register_statement(parser);
  } else if (keyword == KEYWORD_EXTERN || parse_space_of_keyword(keyword) != PTX_SPACE_NONE) {
    struct linkage linkage = parse_linkage(parser);
    parse_variable_statement(parser, &linkage);
  } else if (keyword == KEYWORD_LOC) {
    parse_advance(parser);
    parse_loc_directive(parser);
  } else if (keyword == KEYWORD_FILE) {
    parse_advance(parser);
    parse_file_directive(parser);
  } else if (keyword == KEYWORD_PRAGMA) {
    parse_advance(parser);
    do {
      parse_skip_string(parser);
    } while (parse_accept(parser, ','));
    parse_expect(parser, ';');
  } else {
    parse_expected(parser, "an instruction, a label or a declaration");
  }
}

// statement = name ":" labelled | instruction | directive | ";"
static void parse_statement(struct parser *parser) {
  if (parse_accept(parser, ';')) return;
  if (parser->token.kind == TOKEN_WORD) return parse_body_directive(parser);
  if (parser->token.kind != TOKEN_NAME && !parse_at(parser, '@')) {
    parse_expected(parser, "an instruction, a label or a declaration");
  }
  struct instruction_start start = parse_guard(parser);
  struct name *name = parse_expect_name(parser, "an instruction");
  if (start.guard < 0 && parse_accept(parser, ':')) return parse_labelled(parser, name);
  parse_instruction(parser, &start, name);
}

// body = "{" (statement | "{" | "}")* "}", braces balanced
void parse_body(struct parser *parser) {
  uint32_t outside = parser->depth;
  uint32_t opened = parser->token.line;
  parse_expect(parser, '{'); // the function's own scope, which holds its parameters, is already open
  for (;;) {
    if (parse_at(parser, '{')) {
      scope_open(parser);
      parse_advance(parser);
    } else if (parse_at(parser, '}')) {
      parse_advance(parser);
      if (parser->depth == outside) return;
      scope_close(parser);
    } else if (parser->token.kind == TOKEN_END) {
      uint32_t line = parser->depth > outside ? parser->scopes[parser->depth].line : opened;
      parse_fail_at(parser, line, "this '{' is never closed");
    } else {
      parse_statement(parser);
    }
  }
}
