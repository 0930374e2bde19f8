// Tokens of PTX text, and the names they are made of.
// Each distinct spelling is kept once ("interned"), so later rooms may compare names by address.
#ifndef VIRTUAL_HOPPER_LEX_H
#define VIRTUAL_HOPPER_LEX_H

#include "virtual-hopper/ptx.h"

// Words with a meaning of their own, spelt without their dot.
// clang-format off
enum keyword {
  KEYWORD_NONE,
  // module level, PTX ISA 11.1 and 11.5
  KEYWORD_VERSION, KEYWORD_TARGET, KEYWORD_ADDRESS_SIZE, KEYWORD_FILE, KEYWORD_SECTION, KEYWORD_ALIAS,
  // functions, 11.2 and 11.3
  KEYWORD_ENTRY, KEYWORD_FUNC, KEYWORD_BRANCHTARGETS, KEYWORD_CALLTARGETS, KEYWORD_CALLPROTOTYPE,
  // how a function is to be launched or compiled, 11.4 and 11.7
  KEYWORD_MAXNTID, KEYWORD_REQNTID, KEYWORD_REQNCTAPERCLUSTER, KEYWORD_EXPLICITCLUSTER, KEYWORD_BLOCKSARECLUSTERS,
  KEYWORD_MAXCLUSTERRANK, KEYWORD_MAXNREG, KEYWORD_MINNCTAPERSM, KEYWORD_MAXNCTAPERSM, KEYWORD_NORETURN,
  KEYWORD_ABI_PRESERVE, KEYWORD_ABI_PRESERVE_CONTROL, KEYWORD_PRAGMA, KEYWORD_LOC,
  // linking, 11.6
  KEYWORD_EXTERN, KEYWORD_VISIBLE, KEYWORD_WEAK, KEYWORD_COMMON,
  // state spaces and attributes of variables, 5.1 and 5.4
  KEYWORD_REG, KEYWORD_CONST, KEYWORD_GLOBAL, KEYWORD_LOCAL, KEYWORD_PARAM, KEYWORD_SHARED,
  KEYWORD_ALIGN, KEYWORD_PTR, KEYWORD_ATTRIBUTE, KEYWORD_MANAGED, KEYWORD_V2, KEYWORD_V4, KEYWORD_V8,
  KEYWORD_TEXREF, KEYWORD_SAMPLERREF, KEYWORD_SURFREF,
  // words without a dot
  KEYWORD_CALL, KEYWORD_GENERIC, KEYWORD_FUNCTION_NAME, KEYWORD_INLINED_AT, KEYWORD_SINK,
  KEYWORD_SPECIAL,        // a special register, PTX ISA 10, or WARP_SZ
  KEYWORD_SPECIAL_VECTOR, // one with .x .y .z: %tid
};
// clang-format on

struct symbol; // the parser's: what a name stands for at present

// One spelling. Belongs to the arena.
struct name {
  struct name *next_in_bucket;
  struct symbol *symbol; // innermost declaration in force, NULL when there is none
  uint32_t hash, length;
  uint8_t keyword; // enum keyword
  uint8_t type;    // enum ptx_type of a type's name
  char text[];     // ends in a zero byte
};
struct name *name_of_text(const char *interned); // the name whose `text` this is

enum token_kind {
  TOKEN_END,         // of the text
  TOKEN_BAD,         // not PTX: lexer->problem says why
  TOKEN_NAME,        // %r1, foo, $L__BB0_1, _
  TOKEN_WORD,        // .async, .shared::cta, .2d: `name` is without the dot
  TOKEN_INTEGER,     // `value`, `is_unsigned` when spelt with U
  TOKEN_FLOAT,       // `value` holds the bits, `type` PTX_F32 (0f...) or PTX_F64
  TOKEN_STRING,      // "...": `start` and `length` without the quotes
  TOKEN_PUNCTUATION, // `punctuation`: one character, or two as PAIR('<', '<')
};
#define PUNCTUATION_PAIR(first, second) ((first) | (second) << 8)

struct token {
  enum token_kind kind;
  enum ptx_type type;
  bool is_unsigned;
  bool is_exact; // a float given by its bits
  int punctuation;
  struct name *name;
  uint64_t value;
  const char *start;
  uint32_t length;
  uint32_t line; // 1-based
};

struct lexer {
  const char *at;  // next byte
  const char *end; // a zero byte stands there
  uint32_t line;
  uint32_t hash_start, hash_factor;
  const char *problem; // of the last TOKEN_BAD
  // interned names:
  struct arena *arena;
  struct name **buckets;
  uint32_t bucket_count, name_count; // a power of two
};

// `text` must stay, and text[length] must be 0. The names go to `arena`. Returns false when memory is out.
bool lexer_open(struct lexer *lexer, struct arena *arena, const char *text, size_t length);
void lexer_close(struct lexer *lexer);

// Reads the next token. After TOKEN_BAD and TOKEN_END the lexer stays where it is.
void lex_next(struct lexer *lexer, struct token *token);

// The one name of this spelling; NULL when the arena's limit is passed.
struct name *lex_intern(struct lexer *lexer, const char *text, size_t length);

#endif
