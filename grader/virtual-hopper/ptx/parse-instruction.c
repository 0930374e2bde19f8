// In: one instruction. Out: its opcode, modifiers, guard, operands, source position and text. The one idea:
// all instructions have the same syntax. Only decode knows which modifiers and operands belong to which
// opcode. PTX ISA 4.3.2, 9.3.
#include "virtual-hopper/ptx/parse.h"

#include <string.h>

// guard = "@" "!"? predicate                                                                   PTX ISA 9.3
struct instruction_start parse_guard(struct parser *parser) {
  struct instruction_start start = {.text = parser->token.start, .line = parser->token.line, .guard = -1};
  if (!parse_accept(parser, '@')) return start;
  start.guard_negated = parse_accept(parser, '!');
  const struct token *token = &parser->token;
  const struct symbol *symbol = token->kind == TOKEN_NAME ? token->name->symbol : NULL;
  if (!symbol || symbol->kind != SYMBOL_REGISTER) parse_expected(parser, "a declared predicate register");
  const struct ptx_register *registers = parser->registers.items;
  if (registers[symbol->index].type != PTX_PRED) parse_expected(parser, "a register of type .pred");
  start.guard = (int32_t)symbol->index;
  parse_advance(parser);
  return start;
}

// Skips a comment at `at`, if there is a comment. The lexer has checked that the comment ends before `end`.
static const char *skip_comment(const char *at, const char *end) {
  if (at[0] == '/' && at[1] == '/') {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
  }
  if (at[0] == '/' && at[1] == '*') {
    const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
    return close ? close + 2 : end;
  }
  return at;
}

// Returns the statement as one line. Comments and runs of blanks become single blanks.
static const char *one_line(struct parser *parser, const char *at, const char *end) {
  char *line = parse_allocate(parser, (size_t)(end - at) + 1, 1);
  size_t length = 0;
  bool blank = false;
  while (at < end) {
    const char *after = skip_comment(at, end);
    if (after != at || (unsigned char)*at <= ' ') {
      blank = length > 0;
      at = after != at ? after : at + 1;
      continue;
    }
    if (blank) line[length++] = ' ';
    blank = false;
    line[length++] = *at++;
  }
  line[length] = 0;
  return line;
}

// modifiers = word*
static void parse_modifiers(struct parser *parser, struct ptx_instruction *instruction) {
  while (parser->token.kind == TOKEN_WORD) {
    if (instruction->modifier_count == PTX_MAX_MODIFIERS) {
      parse_fail_at(parser, parser->token.line, "an instruction with more than %d modifiers",
                    PTX_MAX_MODIFIERS);
    }
    instruction->modifiers[instruction->modifier_count++] = parser->token.name->text;
    parse_advance(parser);
  }
}

// instruction = guard? opcode modifiers (operand ("," operand)*)? ";"                          PTX ISA 4.3.2
// The caller has already read the guard and the opcode.
void parse_instruction(struct parser *parser, const struct instruction_start *start,
                       const struct name *opcode) {
  char first = opcode->text[0];
  if (first == '%' || first == '$' || first == '_') {
    parse_fail_at(parser, start->line, "expected an instruction, found '%.*s'", NAME_IN_MESSAGE(opcode));
  }
  struct ptx_instruction instruction = {.opcode = opcode->text,
                                        .guard = start->guard,
                                        .guard_negated = start->guard_negated,
                                        .location = parser->location,
                                        .ptx_line = start->line};
  parse_modifiers(parser, &instruction);
  parser->in_call = opcode->keyword == KEYWORD_CALL;
  parser->operands.count = 0;
  if (!parse_at(parser, ';')) {
    do {
      parse_operand(parser);
    } while (parse_accept(parser, ','));
  }
  if (!parse_at(parser, ';')) parse_expected(parser, "',' or ';'");
  instruction.operands = parse_take_operands(parser, 0, &instruction.operand_count);
  instruction.text = one_line(parser, start->text, parser->token.start);
  parse_advance(parser);
  *(struct ptx_instruction *)list_extend(parser, &parser->instructions, 1, sizeof instruction) = instruction;
}
