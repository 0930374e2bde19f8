// In: the operands of an instruction. Out: registers by index, symbols by name, constants by their bits.
// The one idea: operands are pushed on a stack while their list is read. When the list ends, the operands
// move to the arena in one piece. Names are resolved after that move, because an unresolved name is
// remembered by its operand's address.
// PTX ISA 6 (instruction operands).
#include "virtual-hopper/ptx/parse.h"

#include <stdio.h>
#include <string.h>

static struct ptx_operand *push(struct parser *parser, struct ptx_operand operand) {
  struct ptx_operand *pushed = list_extend(parser, &parser->operands, 1, sizeof operand);
  *pushed = operand;
  return pushed;
}

struct ptx_operand *parse_take_operands(struct parser *parser, size_t first, uint32_t *count) {
  *count = (uint32_t)(parser->operands.count - first);
  struct ptx_operand *operands = list_take(parser, &parser->operands, first, sizeof *operands);
  for (uint32_t i = 0; i < *count; i++) {
    if (operands[i].kind != PTX_OPERAND_SYMBOL) continue;
    uint32_t line = operands[i].register_index; // parse_named stored the line number here
    operands[i].register_index = 0;
    scope_resolve(parser, &operands[i].name, name_of_text(operands[i].name), line);
  }
  return operands;
}

// Replaces the operands from `first` on by one operand that contains them.
static void wrap(struct parser *parser, size_t first, struct ptx_operand whole) {
  whole.elements = parse_take_operands(parser, first, &whole.count);
  push(parser, whole);
}

static const char *name_of_register(struct parser *parser, uint32_t index) {
  return ((const struct ptx_register *)parser->registers.items)[index].name;
}

static void push_register(struct parser *parser, enum ptx_operand_kind kind, uint32_t index) {
  push(parser,
       (struct ptx_operand){.kind = kind, .register_index = index, .name = name_of_register(parser, index)});
}

// Returns the element that the suffix names, .x .y .z .w or .r .g .b .a. -1: there is no suffix. PTX ISA
// 6.4.2
static int element_of_suffix(const struct parser *parser) {
  if (parser->token.kind != TOKEN_WORD || parser->token.name->length != 1) return -1;
  const char *letters = "xyzwrgba", *found = strchr(letters, parser->token.name->text[0]);
  return found ? (int)(found - letters) % 4 : -1;
}

// vector-register = name ("." [xyzwrgba])?
static void parse_vector_register(struct parser *parser, const struct symbol *symbol) {
  int element = element_of_suffix(parser);
  if (element >= 0) {
    if ((uint32_t)element >= symbol->count) parse_expected(parser, "an element that the vector has");
    parse_advance(parser);
    push_register(parser, PTX_OPERAND_REGISTER, symbol->index + (uint32_t)element);
    return;
  }
  size_t first = parser->operands.count;
  for (uint32_t i = 0; i < symbol->count; i++)
    push_register(parser, PTX_OPERAND_REGISTER, symbol->index + i);
  wrap(parser, first, (struct ptx_operand){.kind = PTX_OPERAND_VECTOR});
}

// special = name ("." [xyzw])?                                                                 PTX ISA 10
static void parse_special(struct parser *parser, const struct name *name) {
  int element = name->keyword == KEYWORD_SPECIAL_VECTOR ? element_of_suffix(parser) : -1;
  const char *text = name->text;
  if (element >= 0) {
    char whole[64];
    int length = snprintf(whole, sizeof whole, "%s.%c", name->text, "xyzw"[element]);
    text = parse_intern(parser, whole, (size_t)length)->text;
    parse_advance(parser);
  }
  push(parser, (struct ptx_operand){.kind = PTX_OPERAND_SPECIAL, .name = text});
}

// named = "_" | register | vector-register | special | symbol
static void parse_named(struct parser *parser) {
  struct name *name = parser->token.name;
  const struct symbol *symbol = name->symbol;
  uint32_t line = parser->token.line;
  parse_advance(parser);
  if (name->keyword == KEYWORD_SINK) {
    push(parser, (struct ptx_operand){.kind = PTX_OPERAND_SINK, .name = name->text});
  } else if (symbol && symbol->kind == SYMBOL_REGISTER) {
    push_register(parser, PTX_OPERAND_REGISTER, symbol->index);
  } else if (symbol && symbol->kind == SYMBOL_VECTOR_REGISTER) {
    parse_vector_register(parser, symbol);
  } else if (!symbol && (name->keyword == KEYWORD_SPECIAL || name->keyword == KEYWORD_SPECIAL_VECTOR)) {
    parse_special(parser, name);
  } else if (!symbol && name->text[0] == '%') {
    parse_fail_at(parser, line, "the register '%.*s' is not declared", NAME_IN_MESSAGE(name));
  } else {
    push(parser,
         (struct ptx_operand){.kind = PTX_OPERAND_SYMBOL, .name = name->text, .register_index = line});
  }
}

static struct ptx_operand *last_operand(struct parser *parser) {
  return (struct ptx_operand *)parser->operands.items + parser->operands.count - 1;
}

static void parse_literal(struct parser *parser) {
  struct constant value = parse_constant(parser);
  bool is_float = value.type == PTX_F32 || value.type == PTX_F64;
  push(parser, (struct ptx_operand){.kind = is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INTEGER,
                                    .type = is_float ? value.type : PTX_TYPE_NONE,
                                    .integer = (int64_t)value.bits});
}

// operands = operand ("," operand)*
// Reads up to the token `end` and consumes `end`, too.
static void parse_operands_until(struct parser *parser, int end) {
  do {
    parse_operand(parser);
  } while (parse_accept(parser, ','));
  parse_expect(parser, end);
}

// address = "[" (named | constant) offset "]"                                                  PTX ISA 6.4.1
// tensor = "[" (named | constant) offset ("," operand)+ "]"                                  PTX ISA 6.4.1.1
static void parse_address(struct parser *parser) {
  struct ptx_operand address = {.kind = PTX_OPERAND_ADDRESS};
  size_t first = parser->operands.count;
  parse_expect(parser, '[');
  bool is_named = parser->token.kind == TOKEN_NAME && !parse_at_constant(parser);
  if (is_named) {
    uint32_t line = parser->token.line;
    parse_named(parser);
    enum ptx_operand_kind kind = last_operand(parser)->kind;
    if (kind != PTX_OPERAND_REGISTER && kind != PTX_OPERAND_SYMBOL) {
      parse_fail_at(parser, line, "an address starts with a register, a variable or a number");
    }
    address.integer = parse_offset(parser);
  } else {
    address.integer = (int64_t)parse_integer(parser, "a register, a variable or a number");
  }
  if (parse_accept(parser, ',')) {
    address.kind = PTX_OPERAND_TENSOR;
    if (!is_named)
      push(parser, (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .integer = address.integer});
    parse_operands_until(parser, ']');
  } else {
    parse_expect(parser, ']');
  }
  wrap(parser, first, address);
}

// vector = "{" operand ("," operand)* "}"                                                      PTX ISA 6.4.2
static void parse_vector(struct parser *parser) {
  size_t first = parser->operands.count;
  parse_expect(parser, '{');
  parse_operands_until(parser, '}');
  wrap(parser, first, (struct ptx_operand){.kind = PTX_OPERAND_VECTOR});
}

// arguments = "(" (operand ("," operand)*)? ")"                                      PTX ISA 9.7.12.5 (call)
static void parse_arguments(struct parser *parser) {
  size_t first = parser->operands.count;
  parse_expect(parser, '(');
  if (!parse_accept(parser, ')')) parse_operands_until(parser, ')');
  wrap(parser, first, (struct ptx_operand){.kind = PTX_OPERAND_LIST});
}

// Returns the token after the next token, and consumes nothing.
static struct token peek(struct parser *parser) {
  const char *at = parser->lexer.at;
  uint32_t line = parser->lexer.line;
  struct token token;
  lex_next(&parser->lexer, &token);
  parser->lexer.at = at;
  parser->lexer.line = line;
  return token;
}

static bool names_register(const struct token *token) {
  if (token->kind != TOKEN_NAME || !token->name->symbol) return false;
  return token->name->symbol->kind == SYMBOL_REGISTER || token->name->symbol->kind == SYMBOL_VECTOR_REGISTER;
}

// signed = ("!" | "-") register
static void parse_signed_register(struct parser *parser) {
  enum ptx_operand_kind kind = parse_at(parser, '!') ? PTX_OPERAND_NOT : PTX_OPERAND_NEGATED;
  uint32_t line = parser->token.line;
  parse_advance(parser);
  parse_named(parser);
  struct ptx_operand *operand = last_operand(parser);
  if (operand->kind != PTX_OPERAND_REGISTER) parse_fail_at(parser, line, "'!' and '-' take one register");
  operand->kind = kind;
}

// Returns true when the token is a WARP_SZ that stands alone. Decode receives a lone WARP_SZ by name. Inside
// an expression, WARP_SZ is replaced by its value.
static bool at_lone_warp_size(struct parser *parser) {
  if (!parse_at_name(parser, KEYWORD_SPECIAL) || parser->token.name->text[0] != 'W') return false;
  struct token next = peek(parser);
  return next.kind == TOKEN_PUNCTUATION && strchr(",;]})", next.punctuation);
}

// pair = operand "|" operand                                                            PTX ISA 9.7.7 (setp)
static void parse_second_of_pair(struct parser *parser) {
  size_t first = parser->operands.count - 1;
  parse_expect(parser, '|');
  if (parser->token.kind != TOKEN_NAME) parse_expected(parser, "the second register of a pair");
  parse_named(parser);
  wrap(parser, first, (struct ptx_operand){.kind = PTX_OPERAND_PAIR});
}

// operand = vector | address | tensor | arguments | signed | constant | named offset | pair    PTX ISA 6
void parse_operand(struct parser *parser) {
  parse_enter(parser);
  if (parse_at(parser, '{')) {
    parse_vector(parser);
  } else if (parse_at(parser, '[')) {
    parse_address(parser);
  } else if (parser->in_call && parse_at(parser, '(')) {
    parse_arguments(parser);
  } else if (parse_at(parser, '!') || parse_at(parser, '-')) {
    struct token next = peek(parser);
    if (names_register(&next)) {
      parse_signed_register(parser);
    } else {
      parse_literal(parser);
    }
  } else if (parse_at_constant(parser) && !at_lone_warp_size(parser)) {
    parse_literal(parser);
  } else if (parser->token.kind == TOKEN_NAME) {
    parse_named(parser);
    if (last_operand(parser)->kind == PTX_OPERAND_SYMBOL) {
      int64_t offset = parse_offset(parser);
      last_operand(parser)->integer = offset;
    }
    if (parse_at(parser, '|')) parse_second_of_pair(parser);
  } else {
    parse_expected(parser, "an operand");
  }
  parse_leave(parser);
}
