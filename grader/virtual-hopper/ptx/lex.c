// In: PTX text. Out: one token at a time, with interned names.
// The one idea: every spelling has one `struct name`, so the parser looks up a symbol, a keyword or a type by
// following a pointer. PTX ISA 4 (syntax).
#include "virtual-hopper/ptx/lex.h"

#include "virtual-hopper/base/salt.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKET_COUNT = 4096, LONGEST_NAME = 64 << 10 };

// Character classes, PTX ISA 4.4.
enum { DIGIT = 1, LETTER = 2, UNDERSCORE = 4, DOLLAR = 8, HEX = 16, BLANK = 32 };
static const uint8_t character_class[256] = {
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\r'] = BLANK,
    ['\v'] = BLANK,
    ['\f'] = BLANK,
    ['_'] = UNDERSCORE,
    ['$'] = DOLLAR,
    ['0' ... '9'] = DIGIT | HEX,
    ['a' ... 'f'] = LETTER | HEX,
    ['g' ... 'z'] = LETTER,
    ['A' ... 'F'] = LETTER | HEX,
    ['G' ... 'Z'] = LETTER,
};

static bool is_class(char character, unsigned classes) {
  return character_class[(unsigned char)character] & classes;
}

// clang-format off
static const struct {
  const char *text;
  enum keyword keyword;
} keywords[] = {
    {"version", KEYWORD_VERSION}, {"target", KEYWORD_TARGET}, {"address_size", KEYWORD_ADDRESS_SIZE},
    {"file", KEYWORD_FILE}, {"section", KEYWORD_SECTION}, {"alias", KEYWORD_ALIAS},
    {"entry", KEYWORD_ENTRY}, {"func", KEYWORD_FUNC}, {"branchtargets", KEYWORD_BRANCHTARGETS},
    {"calltargets", KEYWORD_CALLTARGETS}, {"callprototype", KEYWORD_CALLPROTOTYPE},
    {"maxntid", KEYWORD_MAXNTID}, {"reqntid", KEYWORD_REQNTID},
    {"reqnctapercluster", KEYWORD_REQNCTAPERCLUSTER},
    {"explicitcluster", KEYWORD_EXPLICITCLUSTER}, {"blocksareclusters", KEYWORD_BLOCKSARECLUSTERS},
    {"maxclusterrank", KEYWORD_MAXCLUSTERRANK}, {"maxnreg", KEYWORD_MAXNREG},
    {"minnctapersm", KEYWORD_MINNCTAPERSM}, {"maxnctapersm", KEYWORD_MAXNCTAPERSM},
    {"noreturn", KEYWORD_NORETURN},
    {"abi_preserve", KEYWORD_ABI_PRESERVE}, {"abi_preserve_control", KEYWORD_ABI_PRESERVE_CONTROL},
    {"pragma", KEYWORD_PRAGMA}, {"loc", KEYWORD_LOC},
    {"extern", KEYWORD_EXTERN}, {"visible", KEYWORD_VISIBLE},
    {"weak", KEYWORD_WEAK}, {"common", KEYWORD_COMMON},
    {"reg", KEYWORD_REG}, {"const", KEYWORD_CONST}, {"global", KEYWORD_GLOBAL}, {"local", KEYWORD_LOCAL},
    {"param", KEYWORD_PARAM}, {"shared", KEYWORD_SHARED}, {"align", KEYWORD_ALIGN}, {"ptr", KEYWORD_PTR},
    {"attribute", KEYWORD_ATTRIBUTE}, {"managed", KEYWORD_MANAGED},
    {"v2", KEYWORD_V2}, {"v4", KEYWORD_V4}, {"v8", KEYWORD_V8},
    {"texref", KEYWORD_TEXREF}, {"samplerref", KEYWORD_SAMPLERREF}, {"surfref", KEYWORD_SURFREF},
    {"call", KEYWORD_CALL}, {"generic", KEYWORD_GENERIC}, {"function_name", KEYWORD_FUNCTION_NAME},
    {"inlined_at", KEYWORD_INLINED_AT}, {"_", KEYWORD_SINK},
    {"%tid", KEYWORD_SPECIAL_VECTOR}, {"%ntid", KEYWORD_SPECIAL_VECTOR}, {"%ctaid", KEYWORD_SPECIAL_VECTOR},
    {"%nctaid", KEYWORD_SPECIAL_VECTOR}, {"%clusterid", KEYWORD_SPECIAL_VECTOR},
    {"%nclusterid", KEYWORD_SPECIAL_VECTOR}, {"%cluster_ctaid", KEYWORD_SPECIAL_VECTOR},
    {"%cluster_nctaid", KEYWORD_SPECIAL_VECTOR}, {"%cluster_ctarank", KEYWORD_SPECIAL},
    {"%cluster_nctarank", KEYWORD_SPECIAL}, {"%is_explicit_cluster", KEYWORD_SPECIAL},
    {"%laneid", KEYWORD_SPECIAL}, {"%warpid", KEYWORD_SPECIAL}, {"%nwarpid", KEYWORD_SPECIAL},
    {"%smid", KEYWORD_SPECIAL}, {"%nsmid", KEYWORD_SPECIAL}, {"%gridid", KEYWORD_SPECIAL},
    {"%lanemask_eq", KEYWORD_SPECIAL}, {"%lanemask_le", KEYWORD_SPECIAL}, {"%lanemask_lt", KEYWORD_SPECIAL},
    {"%lanemask_ge", KEYWORD_SPECIAL}, {"%lanemask_gt", KEYWORD_SPECIAL}, {"%clock", KEYWORD_SPECIAL},
    {"%clock_hi", KEYWORD_SPECIAL}, {"%clock64", KEYWORD_SPECIAL}, {"%globaltimer", KEYWORD_SPECIAL},
    {"%globaltimer_lo", KEYWORD_SPECIAL}, {"%globaltimer_hi", KEYWORD_SPECIAL},
    {"%reserved_smem_offset_begin", KEYWORD_SPECIAL}, {"%reserved_smem_offset_end", KEYWORD_SPECIAL},
    {"%reserved_smem_offset_cap", KEYWORD_SPECIAL}, {"%reserved_smem_offset_0", KEYWORD_SPECIAL},
    {"%reserved_smem_offset_1", KEYWORD_SPECIAL}, {"%total_smem_size", KEYWORD_SPECIAL},
    {"%aggr_smem_size", KEYWORD_SPECIAL}, {"%dynamic_smem_size", KEYWORD_SPECIAL},
    {"%current_graph_exec", KEYWORD_SPECIAL}, {"WARP_SZ", KEYWORD_SPECIAL},
};
// clang-format on

struct name *name_of_text(const char *interned) {
  return (struct name *)(uintptr_t)(interned - offsetof(struct name, text));
}

static void grow_buckets(struct lexer *lexer) {
  uint32_t count = lexer->bucket_count * 2;
  struct name **buckets = calloc(count, sizeof *buckets);
  if (!buckets) return; // longer chains are slower, not wrong
  for (uint32_t i = 0; i < lexer->bucket_count; i++) {
    for (struct name *name = lexer->buckets[i], *next; name; name = next) {
      next = name->next_in_bucket;
      name->next_in_bucket = buckets[name->hash & (count - 1)];
      buckets[name->hash & (count - 1)] = name;
    }
  }
  free(lexer->buckets);
  lexer->buckets = buckets;
  lexer->bucket_count = count;
}

static struct name *intern_hashed(struct lexer *lexer, const char *text, size_t length, uint32_t hash) {
  hash ^= hash >> 15; // FNV's low bits depend only on the low bits of the text
  struct name *name = lexer->buckets[hash & (lexer->bucket_count - 1)];
  for (; name; name = name->next_in_bucket) {
    if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0) return name;
  }
  name = arena_allocate(lexer->arena, sizeof *name + length + 1);
  if (!name) return NULL;
  memcpy(name->text, text, length);
  name->hash = hash;
  name->length = (uint32_t)length;
  if (++lexer->name_count > lexer->bucket_count) grow_buckets(lexer);
  struct name **bucket = &lexer->buckets[hash & (lexer->bucket_count - 1)];
  name->next_in_bucket = *bucket;
  *bucket = name;
  return name;
}

// FNV-1a, with two constants that differ per process (base/salt.h).
static uint32_t hash_step(const struct lexer *lexer, uint32_t hash, char character) {
  return (hash ^ (unsigned char)character) * lexer->hash_factor;
}

struct name *lex_intern(struct lexer *lexer, const char *text, size_t length) {
  uint32_t hash = lexer->hash_start;
  for (size_t i = 0; i < length; i++)
    hash = hash_step(lexer, hash, text[i]);
  return intern_hashed(lexer, text, length, hash);
}

static bool intern_keywords(struct lexer *lexer) {
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    struct name *name = lex_intern(lexer, keywords[i].text, strlen(keywords[i].text));
    if (!name) return false;
    name->keyword = (uint8_t)keywords[i].keyword;
  }
  for (int register_number = 0; register_number < 32; register_number++) { // PTX ISA 10: %envreg<32>
    char text[16] = "%envreg";
    size_t length = strlen(text);
    if (register_number >= 10) text[length++] = (char)('0' + register_number / 10);
    text[length++] = (char)('0' + register_number % 10);
    struct name *name = lex_intern(lexer, text, length);
    if (!name) return false;
    name->keyword = KEYWORD_SPECIAL;
  }
  for (enum ptx_type type = PTX_TYPE_NONE + 1; type < PTX_TYPE_COUNT; type++) {
    const char *text = ptx_type_name(type);
    struct name *name = lex_intern(lexer, text, strlen(text));
    if (!name) return false;
    name->type = (uint8_t)type;
  }
  return true;
}

bool lexer_open(struct lexer *lexer, struct arena *arena, const char *text, size_t length) {
  *lexer = (struct lexer){.at = text, .end = text + length, .line = 1, .arena = arena};
  lexer->hash_start = (uint32_t)salt_of_process()->start;
  lexer->hash_factor = (uint32_t)salt_of_process()->factor;
  lexer->bucket_count = FIRST_BUCKET_COUNT;
  lexer->buckets = calloc(lexer->bucket_count, sizeof(struct name *));
  return lexer->buckets && intern_keywords(lexer);
}

void lexer_close(struct lexer *lexer) {
  free(lexer->buckets);
  lexer->buckets = NULL;
}

static void bad_token(struct lexer *lexer, struct token *token, const char *problem) {
  token->kind = TOKEN_BAD;
  lexer->problem = problem;
}

static void skip_to_end_of_line(struct lexer *lexer) {
  const char *newline = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
  lexer->at = newline ? newline : lexer->end;
}

// Skips a /* comment */. Returns false when the comment doesn't end. The lexer then stays at the comment's
// start, so that the message names that place.
static bool skip_block_comment(struct lexer *lexer) {
  uint32_t line = lexer->line;
  for (const char *at = lexer->at + 2; at < lexer->end; at++) {
    if (*at == '\n') line++;
    if (at[0] == '*' && at[1] == '/') {
      lexer->at = at + 2;
      lexer->line = line;
      return true;
    }
  }
  return false;
}

// Skips blanks, comments and `# 12 "file"` markers. Returns false at a comment that doesn't end.
// PTX ISA 4.1, 4.2.
static bool skip_blanks(struct lexer *lexer) {
  for (;;) {
    char character = *lexer->at;
    if (is_class(character, BLANK)) {
      lexer->at++;
    } else if (character == '\n') {
      lexer->line++;
      lexer->at++;
    } else if (character == '#' || (character == '/' && lexer->at[1] == '/')) {
      skip_to_end_of_line(lexer);
    } else if (character == '/' && lexer->at[1] == '*') {
      if (!skip_block_comment(lexer)) return false;
    } else {
      return true;
    }
  }
}

static void finish_name(struct lexer *lexer, struct token *token, const char *start, uint32_t hash) {
  size_t length = (size_t)(lexer->at - start);
  if (length > LONGEST_NAME) return bad_token(lexer, token, "a name longer than 65536 characters");
  token->name = intern_hashed(lexer, start, length, hash);
  if (!token->name) {
    bad_token(lexer, token, "more names than memory allows");
    lexer->needs_memory = true;
  }
}

// name = [a-zA-Z] [a-zA-Z0-9_$]* | [_$%] [a-zA-Z0-9_$]*                                        PTX ISA 4.4
static void lex_name(struct lexer *lexer, struct token *token) {
  const char *start = lexer->at;
  uint32_t hash = hash_step(lexer, lexer->hash_start, *lexer->at++);
  while (is_class(*lexer->at, LETTER | DIGIT | UNDERSCORE | DOLLAR))
    hash = hash_step(lexer, hash, *lexer->at++);
  token->kind = TOKEN_NAME;
  finish_name(lexer, token, start, hash);
}

// word = "." [a-zA-Z0-9_]+ ("::" [a-zA-Z0-9_]+)*
static void lex_word(struct lexer *lexer, struct token *token) {
  const char *start = ++lexer->at;
  uint32_t hash = lexer->hash_start;
  for (;;) {
    while (is_class(*lexer->at, LETTER | DIGIT | UNDERSCORE))
      hash = hash_step(lexer, hash, *lexer->at++);
    if (!(lexer->at[0] == ':' && lexer->at[1] == ':' && is_class(lexer->at[2], LETTER | DIGIT | UNDERSCORE)))
      break;
    hash = hash_step(lexer, hash_step(lexer, hash, ':'), ':');
    lexer->at += 2;
  }
  if (lexer->at == start) return bad_token(lexer, token, "a '.' without a word after it");
  token->kind = TOKEN_WORD;
  finish_name(lexer, token, start, hash);
}

static unsigned digit_value(char digit) {
  if (is_class(digit, DIGIT)) return (unsigned)(digit - '0');
  return (unsigned)((digit | 0x20) - 'a') + 10;
}

// Reads digits of `base` (2, 8, 10 or 16). Returns the number of digits, or -1 when the value needs more than
// 64 bits.
static int read_digits(struct lexer *lexer, unsigned base, uint64_t *value) {
  int count = 0;
  bool overflow = false;
  *value = 0;
  for (; is_class(*lexer->at, HEX) && digit_value(*lexer->at) < base; lexer->at++) {
    overflow |= __builtin_mul_overflow(*value, (uint64_t)base, value);
    overflow |= __builtin_add_overflow(*value, (uint64_t)digit_value(*lexer->at), value);
    if (count < 1000) count++; // callers only compare the count with 0, 8 and 16
  }
  return overflow ? -1 : count;
}

// float = "0f" 8 hex digits | "0d" 16 hex digits                                               PTX ISA 4.5.2
static void lex_exact_float(struct lexer *lexer, struct token *token) {
  token->kind = TOKEN_FLOAT;
  token->is_exact = true;
  token->type = (lexer->at[1] | 0x20) == 'f' ? PTX_F32 : PTX_F64;
  lexer->at += 2;
  if (read_digits(lexer, 16, &token->value) != (token->type == PTX_F32 ? 8 : 16)) {
    bad_token(lexer, token, "0f needs 8 hexadecimal digits and 0d needs 16");
  }
}

// Returns true at a decimal float (1.5 1. 1e5), false at an integer.
static bool at_decimal_float(const struct lexer *lexer) {
  const char *at = lexer->at;
  while (is_class(*at, DIGIT))
    at++;
  if (*at == '.') return true;
  if ((*at | 0x20) != 'e') return false;
  at++;
  if (*at == '+' || *at == '-') at++;
  return is_class(*at, DIGIT);
}

static void lex_decimal_float(struct lexer *lexer, struct token *token) {
  char *after;
  double value = strtod(lexer->at, &after);
  lexer->at = after;
  token->kind = TOKEN_FLOAT;
  token->type = PTX_F64;
  memcpy(&token->value, &value, sizeof value);
}

// integer = (0x hex+ | 0b binary+ | 0 octal* | decimal+) U?                                    PTX ISA 4.5.1
static void lex_integer(struct lexer *lexer, struct token *token) {
  token->kind = TOKEN_INTEGER;
  unsigned base = 10, prefix = 0;
  if (lexer->at[0] == '0') {
    char letter = lexer->at[1] | 0x20;
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    prefix = base == 8 ? 0 : 2;
  }
  lexer->at += prefix;
  int count = read_digits(lexer, base, &token->value);
  if (count < 0) return bad_token(lexer, token, "an integer that needs more than 64 bits");
  if (count == 0) return bad_token(lexer, token, "a number without digits");
  if (*lexer->at == 'U') {
    token->is_unsigned = true;
    lexer->at++;
  }
}

static void lex_number(struct lexer *lexer, struct token *token) {
  char letter = lexer->at[1] | 0x20;
  if (lexer->at[0] == '0' && (letter == 'f' || letter == 'd')) {
    lex_exact_float(lexer, token);
  } else if (at_decimal_float(lexer)) {
    lex_decimal_float(lexer, token);
  } else {
    lex_integer(lexer, token);
  }
  if (token->kind != TOKEN_BAD && is_class(*lexer->at, LETTER | DIGIT | UNDERSCORE | DOLLAR)) {
    bad_token(lexer, token, "a number that runs into a letter or a digit that does not belong to it");
  }
}

static void lex_string(struct lexer *lexer, struct token *token) {
  const char *start = lexer->at + 1, *at = start;
  while (*at != '"' && *at != '\n' && at < lexer->end)
    at += at[0] == '\\' && at + 1 < lexer->end ? 2 : 1;
  if (at >= lexer->end || *at != '"') return bad_token(lexer, token, "a string without its closing quote");
  token->kind = TOKEN_STRING;
  token->start = start;
  token->length = (uint32_t)(at - start);
  lexer->at = at + 1;
}

static void lex_punctuation(struct lexer *lexer, struct token *token) {
  static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  char first = lexer->at[0], second = lexer->at[1];
  token->kind = TOKEN_PUNCTUATION;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (first == pairs[i][0] && second == pairs[i][1]) {
      token->punctuation = PUNCTUATION_PAIR(first, second);
      lexer->at += 2;
      return;
    }
  }
  if (!first || !strchr(",;:{}()[]<>@!+-*/%&|^~?=", first)) {
    return bad_token(lexer, token, "a character that PTX does not use here");
  }
  token->punctuation = (unsigned char)first;
  lexer->at++;
}

// Returns true when a '%' starts a name (%r1), false when it is the remainder operator (7 % 4).
static bool at_percent_name(const struct lexer *lexer) {
  return lexer->at[0] == '%' && is_class(lexer->at[1], LETTER | UNDERSCORE | DOLLAR);
}

void lex_next(struct lexer *lexer, struct token *token) {
  bool ended = skip_blanks(lexer);
  *token = (struct token){.start = lexer->at, .line = lexer->line};
  const char *start = lexer->at;
  char first = *start;
  if (!ended) {
    bad_token(lexer, token, "a comment without its end");
  } else if (start >= lexer->end) {
    token->kind = TOKEN_END;
  } else if (is_class(first, LETTER | UNDERSCORE | DOLLAR) || at_percent_name(lexer)) {
    lex_name(lexer, token);
  } else if (is_class(first, DIGIT)) {
    lex_number(lexer, token);
  } else if (first == '.') {
    lex_word(lexer, token);
  } else if (first == '"') {
    lex_string(lexer, token);
  } else {
    lex_punctuation(lexer, token);
  }
  if (token->kind == TOKEN_BAD) lexer->at = start;
  if (token->kind != TOKEN_STRING) token->length = (uint32_t)(lexer->at - start);
}
