// In: a constant expression. Out: its value.
// The one idea: precedence climbing over C's operators. Operands are doubles or 64-bit integers; the integers
// are signed unless an operand is unsigned. Every operation is defined, so hostile text can't trap. PTX ISA
// 4.5.
#include "virtual-hopper/ptx/parse.h"

#include <math.h>
#include <string.h>

enum { WARP_SIZE = 32 };        // PTX ISA 4.5.1: WARP_SZ
enum { SUM = 9, PRODUCT = 10 }; // precedence of + - and precedence of * / %

static bool is_float(struct constant value) {
  return value.type == PTX_F32 || value.type == PTX_F64;
}

static double double_of(struct constant value) {
  double number;
  float single;
  uint32_t low = (uint32_t)value.bits;
  switch (value.type) {
  case PTX_F64: memcpy(&number, &value.bits, sizeof number); return number;
  case PTX_F32: memcpy(&single, &low, sizeof single); return single;
  case PTX_S64: return (double)(int64_t)value.bits;
  default: return (double)value.bits;
  }
}

static struct constant constant_of_double(double number) {
  struct constant value = {.type = PTX_F64};
  memcpy(&value.bits, &number, sizeof number);
  return value;
}

static struct constant constant_of_truth(bool truth) {
  return (struct constant){.type = PTX_S64, .bits = truth};
}

static bool is_true(struct constant value) {
  return is_float(value) ? double_of(value) != 0 : value.bits != 0;
}

static struct constant require_integer(struct parser *parser, struct constant value, uint32_t line) {
  if (is_float(value))
    parse_fail_at(parser, line, "this operator takes integers, not floating-point numbers");
  return value;
}

static struct constant parse_unary(struct parser *parser);
static struct constant parse_binary(struct parser *parser, int weakest);

// conditional = binary ("?" conditional ":" conditional)?
struct constant parse_constant(struct parser *parser) {
  parse_enter(parser);
  struct constant value = parse_binary(parser, 1);
  if (parse_accept(parser, '?')) {
    struct constant when_true = parse_constant(parser);
    parse_expect(parser, ':');
    struct constant when_false = parse_constant(parser);
    value = is_true(value) ? when_true : when_false;
  }
  parse_leave(parser);
  return value;
}

// Returns the precedence of the binary operator at the next token, as in C. 0: the token is no binary
// operator.
static int precedence(const struct parser *parser) {
  if (parser->token.kind != TOKEN_PUNCTUATION) return 0;
  switch (parser->token.punctuation) {
  case PUNCTUATION_PAIR('|', '|'): return 1;
  case PUNCTUATION_PAIR('&', '&'): return 2;
  case '|': return 3;
  case '^': return 4;
  case '&': return 5;
  case PUNCTUATION_PAIR('=', '='):
  case PUNCTUATION_PAIR('!', '='): return 6;
  case '<':
  case '>':
  case PUNCTUATION_PAIR('<', '='):
  case PUNCTUATION_PAIR('>', '='): return 7;
  case PUNCTUATION_PAIR('<', '<'):
  case PUNCTUATION_PAIR('>', '>'): return 8;
  case '+':
  case '-': return SUM;
  case '*':
  case '/':
  case '%': return PRODUCT;
  default: return 0;
  }
}

static struct constant apply_to_doubles(struct parser *parser, int operator, double a, double b,
                                        uint32_t line) {
  switch (operator) {
  case '+': return constant_of_double(a + b);
  case '-': return constant_of_double(a - b);
  case '*': return constant_of_double(a * b);
  case '/':
    return constant_of_double(b != 0 ? a / b : a == 0 || isnan(a) ? NAN : a > 0 ? INFINITY : -INFINITY);
  case '<': return constant_of_truth(a < b);
  case '>': return constant_of_truth(a > b);
  case PUNCTUATION_PAIR('<', '='): return constant_of_truth(a <= b);
  case PUNCTUATION_PAIR('>', '='): return constant_of_truth(a >= b);
  case PUNCTUATION_PAIR('=', '='): return constant_of_truth(a == b);
  case PUNCTUATION_PAIR('!', '='): return constant_of_truth(a != b);
  default: parse_fail_at(parser, line, "this operator takes integers, not floating-point numbers");
  }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder) {
  if (!is_signed) return remainder ? a % b : a / b;
  if (b == UINT64_MAX) return remainder ? 0 : 0 - a; // division by -1 is special: INT64_MIN / -1 would trap
  return remainder ? (uint64_t)((int64_t)a % (int64_t)b) : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t by, bool is_signed) {
  bool negative = is_signed && (int64_t)a < 0;
  if (by > 63) return negative ? UINT64_MAX : 0;
  return negative ? ~(~a >> by) : a >> by;
}

// Arithmetic converts both operands to unsigned when one is unsigned. A shift keeps the type of its left
// operand. PTX ISA 4.5.6.
static struct constant apply_to_integers(struct parser *parser, int operator, struct constant left,
                                         struct constant right, uint32_t line) {
  uint64_t a = left.bits, b = right.bits;
  bool is_signed = left.type == PTX_S64 && right.type == PTX_S64;
  struct constant value = {.type = is_signed ? PTX_S64 : PTX_U64};
  if ((operator== '/' || operator== '%') && b == 0) parse_fail_at(parser, line, "division by zero");
  switch (operator) {
  case '+': value.bits = a + b; return value;
  case '-': value.bits = a - b; return value;
  case '*': value.bits = a * b; return value;
  case '/': value.bits = divide(a, b, is_signed, false); return value;
  case '%': value.bits = divide(a, b, is_signed, true); return value;
  case '&': value.bits = a & b; return value;
  case '|': value.bits = a | b; return value;
  case '^': value.bits = a ^ b; return value;
  case PUNCTUATION_PAIR('<', '<'): return (struct constant){left.type, b > 63 ? 0 : a << b};
  case PUNCTUATION_PAIR('>', '>'):
    return (struct constant){left.type, shift_right(a, b, left.type == PTX_S64)};
  case '<': return constant_of_truth(is_signed ? (int64_t)a < (int64_t)b : a < b);
  case '>': return constant_of_truth(is_signed ? (int64_t)a > (int64_t)b : a > b);
  case PUNCTUATION_PAIR('<', '='): return constant_of_truth(is_signed ? (int64_t)a <= (int64_t)b : a <= b);
  case PUNCTUATION_PAIR('>', '='): return constant_of_truth(is_signed ? (int64_t)a >= (int64_t)b : a >= b);
  case PUNCTUATION_PAIR('=', '='): return constant_of_truth(a == b);
  default: return constant_of_truth(a != b);
  }
}

static struct constant apply(struct parser *parser, int operator, struct constant left, struct constant right,
                             uint32_t line) {
  if (operator== PUNCTUATION_PAIR('|', '|')) return constant_of_truth(is_true(left) || is_true(right));
  if (operator== PUNCTUATION_PAIR('&', '&')) return constant_of_truth(is_true(left) && is_true(right));
  if (!is_float(left) && !is_float(right)) return apply_to_integers(parser, operator, left, right, line);
  return apply_to_doubles(parser, operator, double_of(left), double_of(right), line);
}

// binary = unary (operator unary)*
// Parses operators whose precedence is `weakest` or higher.
static struct constant parse_binary(struct parser *parser, int weakest) {
  struct constant value = parse_unary(parser);
  for (int here = precedence(parser); here >= weakest && here > 0; here = precedence(parser)) {
    int operator= parser->token.punctuation;
    uint32_t line = parser->token.line;
    parse_advance(parser);
    value = apply(parser, operator, value, parse_binary(parser, here + 1), line);
  }
  return value;
}

static struct constant negate(struct constant value) {
  switch (value.type) {
  case PTX_F32: value.bits ^= (uint64_t)1 << 31; return value;
  case PTX_F64: value.bits ^= (uint64_t)1 << 63; return value;
  default: value.bits = 0 - value.bits; return value;
  }
}

// integer = number "U"?; signed when the value fits and there is no U                          PTX ISA 4.5.1
static struct constant constant_of_token(const struct token *token) {
  if (token->kind == TOKEN_FLOAT) return (struct constant){token->type, token->value};
  bool is_signed = !token->is_unsigned && token->value <= INT64_MAX;
  return (struct constant){is_signed ? PTX_S64 : PTX_U64, token->value};
}

// parenthesised = "(" (".s64" | ".u64") ")" unary | "(" conditional ")"
static struct constant parse_parenthesised(struct parser *parser) {
  uint32_t line = parser->token.line;
  parse_expect(parser, '(');
  if (parser->token.kind == TOKEN_WORD) {
    enum ptx_type type = parser->token.name->type;
    if (type != PTX_S64 && type != PTX_U64) parse_expected(parser, "a cast: (.s64) or (.u64)");
    parse_advance(parser);
    parse_expect(parser, ')');
    struct constant value = require_integer(parser, parse_unary(parser), line);
    value.type = type;
    return value;
  }
  struct constant value = parse_constant(parser);
  parse_expect(parser, ')');
  return value;
}

// prefixed = ("+" | "-" | "!" | "~") unary
static struct constant parse_prefixed(struct parser *parser) {
  int operator= parser->token.punctuation;
  uint32_t line = parser->token.line;
  parse_advance(parser);
  struct constant value = parse_unary(parser);
  switch (operator) {
  case '-': return negate(value);
  case '!': return constant_of_truth(!is_true(value));
  case '~':
    value = require_integer(parser, value, line);
    value.bits = ~value.bits;
    return value;
  default: return value;
  }
}

// unary = prefixed | parenthesised | integer | float | "WARP_SZ"
static struct constant parse_unary(struct parser *parser) {
  const struct token *token = &parser->token;
  struct constant value;
  parse_enter(parser);
  if (parse_at(parser, '(')) {
    value = parse_parenthesised(parser);
  } else if (parse_at(parser, '+') || parse_at(parser, '-') || parse_at(parser, '!') ||
             parse_at(parser, '~')) {
    value = parse_prefixed(parser);
  } else if (token->kind == TOKEN_INTEGER || token->kind == TOKEN_FLOAT) {
    value = constant_of_token(token);
    parse_advance(parser);
  } else if (parse_at_name(parser, KEYWORD_SPECIAL) && token->name->text[0] == 'W') {
    value = (struct constant){PTX_S64, WARP_SIZE};
    parse_advance(parser);
  } else {
    parse_expected(parser, "a number");
  }
  parse_leave(parser);
  return value;
}

bool parse_at_constant(const struct parser *parser) {
  return parser->token.kind == TOKEN_INTEGER || parser->token.kind == TOKEN_FLOAT || parse_at(parser, '(') ||
         parse_at(parser, '+') || parse_at(parser, '-') || parse_at(parser, '~') || parse_at(parser, '!') ||
         (parse_at_name(parser, KEYWORD_SPECIAL) && parser->token.name->text[0] == 'W');
}

uint64_t parse_integer(struct parser *parser, const char *what) {
  uint32_t line = parser->token.line;
  if (!parse_at_constant(parser)) parse_expected(parser, what);
  struct constant value = parse_constant(parser);
  if (is_float(value)) parse_fail_at(parser, line, "expected %s, found a floating-point number", what);
  return value.bits;
}

uint64_t parse_count_before_angle(struct parser *parser, const char *what) {
  uint32_t line = parser->token.line;
  if (!parse_at_constant(parser)) parse_expected(parser, what);
  struct constant value = parse_binary(parser, SUM);
  if (is_float(value)) parse_fail_at(parser, line, "expected %s, found a floating-point number", what);
  return value.bits;
}

// offset = (("+" | "-") product)*         [%rd1+8]  [%rd1+-4]  symbol+4*8
int64_t parse_offset(struct parser *parser) {
  uint64_t offset = 0;
  while (parse_at(parser, '+') || parse_at(parser, '-')) {
    bool minus = parse_at(parser, '-');
    uint32_t line = parser->token.line;
    parse_advance(parser);
    struct constant term = parse_binary(parser, PRODUCT);
    if (is_float(term)) parse_fail_at(parser, line, "an offset in bytes is an integer");
    offset = minus ? offset - term.bits : offset + term.bits;
  }
  return (int64_t)offset;
}
