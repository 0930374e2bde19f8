// Tokens of PTX text, and their names.
// Each distinct spelling is stored once ("interned"), so later rooms may compare names by address.
#ifndef VIRTUAL_HOPPER_PTX_LEX_H
#define VIRTUAL_HOPPER_PTX_LEX_H

#include "virtual-hopper/ptx/ptx.h"

// Words with a special meaning, spelt without their dot.
// clang-format off
enum keyword {
  KEYWORD_NONE,
  // module level, PTX ISA 11.1 and 11.5
  KEYWORD_VERSION, KEYWORD_TARGET, KEYWORD_ADDRESS_SIZE, KEYWORD_FILE, KEYWORD_SECTION, KEYWORD_ALIAS,
  // functions, 11.2 and 11.3
  KEYWORD_ENTRY, KEYWORD_FUNC, KEYWORD_BRANCHTARGETS, KEYWORD_CALLTARGETS, KEYWORD_CALLPROTOTYPE,
  // how to launch or compile a function, 11.4 and 11.7
  KEYWORD_MAXNTID, KEYWORD_REQNTID, KEYWORD_REQNCTAPERCLUSTER, KEYWORD_EXPLICITCLUSTER,
  KEYWORD_BLOCKSARECLUSTERS, KEYWORD_MAXCLUSTERRANK, KEYWORD_MAXNREG,
  KEYWORD_MINNCTAPERSM, KEYWORD_MAXNCTAPERSM, KEYWORD_NORETURN, KEYWORD_ABI_PRESERVE,
  KEYWORD_ABI_PRESERVE_CONTROL, KEYWORD_PRAGMA, KEYWORD_LOC,
  // linking, 11.6
  KEYWORD_EXTERN, KEYWORD_VISIBLE, KEYWORD_WEAK, KEYWORD_COMMON,
  // state spaces and attributes of variables, 5.1 and 5.4
  KEYWORD_REG, KEYWORD_CONST, KEYWORD_GLOBAL, KEYWORD_LOCAL, KEYWORD_PARAM, KEYWORD_SHARED,
  KEYWORD_ALIGN, KEYWORD_PTR, KEYWORD_ATTRIBUTE, KEYWORD_MANAGED, KEYWORD_V2, KEYWORD_V4, KEYWORD_V8,
  KEYWORD_TEXREF, KEYWORD_SAMPLERREF, KEYWORD_SURFREF,
  // words without a dot
  KEYWORD_CALL, KEYWORD_GENERIC, KEYWORD_FUNCTION_NAME, KEYWORD_INLINED_AT, KEYWORD_SINK,
  KEYWORD_SPECIAL,        // a special register, PTX ISA 10, or WARP_SZ
  KEYWORD_SPECIAL_VECTOR, // a special register with .x .y .z: %tid
};
// clang-format on

struct symbol; // defined by the parser: the present meaning of a name

// One spelling. Its memory belongs to the arena.
struct name {
  struct name *next_in_bucket;
  struct symbol *symbol; // innermost visible declaration, NULL when none exists
  uint32_t hash, length;
  uint8_t keyword; // enum keyword
  uint8_t type;    // enum ptx_type when the name is a type's, else PTX_TYPE_NONE
  char text[];     // ends in a zero byte
};
struct name *name_of_text(const char *interned); // returns the name that contains this `text`

enum token_kind {
  TOKEN_END,         // the end of the text
  TOKEN_BAD,         // not PTX: lexer->problem says why
  TOKEN_NAME,        // %r1, foo, $L__BB0_1, _
  TOKEN_WORD,        // .async, .shared::cta, .2d: `name` has no dot
  TOKEN_INTEGER,     // `value`; `is_unsigned` is true when spelt with U
  TOKEN_FLOAT,       // `value` holds the bits; `type` is PTX_F32 (0f...) or PTX_F64
  TOKEN_STRING,      // "...": `start` and `length` exclude the quotes
  TOKEN_PUNCTUATION, // `punctuation`: one character, or PUNCTUATION_PAIR('<', '<') for two
};
#define PUNCTUATION_PAIR(first, second) ((first) | (second) << 8)

struct token {
  enum token_kind kind;
  enum ptx_type type;
  bool is_unsigned;
  bool is_exact; // a float written as its bits
  int punctuation;
  struct name *name;
  uint64_t value;
  const char *start;
  uint32_t length;
  uint32_t line; // 1-based
};

struct lexer {
  const char *at;  // next byte
  const char *end; // points at a zero byte
  uint32_t line;
  uint32_t hash_start, hash_factor;
  const char *problem; // why the last TOKEN_BAD is bad
  bool needs_memory;   // there was no room for a name
  // interned names:
  struct arena *arena;
  struct name **buckets;
  uint32_t bucket_count, name_count; // bucket_count is a power of two
};

// `text` must stay valid until the last token is read, and text[length] must be 0. The names are stored in
// `arena`. Returns false when memory runs out.
bool lexer_open(struct lexer *lexer, struct arena *arena, const char *text, size_t length);
void lexer_close(struct lexer *lexer);

// Reads the next token. After TOKEN_BAD and TOKEN_END the lexer stays where it is.
void lex_next(struct lexer *lexer, struct token *token);

// Returns the single name with this spelling, or NULL when the arena's limit is exceeded.
struct name *lex_intern(struct lexer *lexer, const char *text, size_t length);

#endif
