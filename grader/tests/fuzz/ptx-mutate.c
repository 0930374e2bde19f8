// In: PTX that a fuzzer has. Out: PTX that differs by a few tokens. The idea: after random changes of bytes a
// text is no longer PTX, so the fuzzer does not get past the parser. This mutator swaps, doubles and removes
// tokens, makes types wider and sets numbers to edge values; then the text mostly stays PTX. Linked with the
// fuzzers that read PTX.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../unit/operand-matrix-forms.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MOST_TOKENS = 8192, MOST_BYTES = 1 << 16, MOST_CHANGES = 4 };
enum { FORM_COUNT = sizeof matrix_forms / sizeof *matrix_forms };
enum { OPERAND_COUNT = sizeof matrix_operands / sizeof *matrix_operands };

// Some edges are factors of 2^64 - 1: with such a row size some number of rows ends just before the wrap.
static const char *const edges[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "4",
                                    "8",
                                    "16",
                                    "31",
                                    "32",
                                    "33",
                                    "64",
                                    "127",
                                    "128",
                                    "255",
                                    "256",
                                    "65535",
                                    "65536",
                                    "0x7fffffff",
                                    "0x80000000",
                                    "0xffffffff",
                                    "0x100000000",
                                    "0x4000000000",
                                    "0x1000000000000000",
                                    "0x3333333333333333",
                                    "0x1111111111111111",
                                    "0x2000000000000000",
                                    "0x4000000000000000",
                                    "0x7fffffffffffffff",
                                    "0x8000000000000000",
                                    "0xfffffffffffffff0",
                                    "0xffffffffffffffff",
                                    "1.5",
                                    "0f7FC00000"};
static const char *const initialisers[] = {
    "{}", "{1}", "{{1},{}}", "{{},{},{},{},1}", "{1,{},{}}", "{{},{},{},{},{},1}", "{{},{},{},{},{},{g}}"};

struct text {
  uint8_t *bytes;
  size_t size, room;
};
struct token {
  size_t start, end;
};
struct tokens {
  struct token at[MOST_TOKENS];
  uint32_t count;
};

static uint64_t state;
static uint32_t pick(uint32_t below) { // splitmix64
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (uint32_t)((z ^ (z >> 31)) % below);
}

static bool in_word(uint8_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == ':';
}

// Finds the tokens of [from, to).
static void find_tokens(const struct text *t, size_t from, size_t to, struct tokens *tokens) {
  tokens->count = 0;
  for (size_t at = from; at < to && tokens->count < MOST_TOKENS;) {
    size_t start = at++;
    if (t->bytes[start] <= ' ') continue;
    if (in_word(t->bytes[start]) || t->bytes[start] == '%' || t->bytes[start] == '.')
      while (at < t->size && in_word(t->bytes[at]))
        at++;
    tokens->at[tokens->count++] = (struct token){start, at};
  }
}

// Replaces [start, end) by `length` bytes. Returns false when there is no room.
static bool splice(struct text *t, size_t start, size_t end, const void *bytes, size_t length) {
  static uint8_t copy[MOST_BYTES];
  if (length > sizeof copy || t->size - (end - start) + length > t->room) return false;
  memcpy(copy, bytes, length); // the bytes may lie in the text itself
  memmove(t->bytes + start + length, t->bytes + end, t->size - end);
  memcpy(t->bytes + start, copy, length);
  t->size = t->size - (end - start) + length;
  return true;
}

static bool splice_text(struct text *t, struct token at, const char *text) {
  return splice(t, at.start, at.end, text, strlen(text));
}

static bool is_number(const struct text *t, struct token token) {
  return t->bytes[token.start] >= '0' && t->bytes[token.start] <= '9';
}
static bool is_type(const struct text *t, struct token token) {
  size_t length = token.end - token.start - 1;
  if (t->bytes[token.start] != '.') return false;
  for (size_t i = 0; i < MATRIX_TYPES; i++)
    if (strlen(matrix_types[i]) == length && memcmp(t->bytes + token.start + 1, matrix_types[i], length) == 0)
      return true;
  return false;
}

// Finds a token for which `wanted` holds, starting at a random token. Returns false when no such token
// exists.
static bool find(const struct text *t, const struct tokens *tokens,
                 bool (*wanted)(const struct text *, struct token), struct token *found) {
  uint32_t from = pick(tokens->count);
  for (uint32_t i = 0; i < tokens->count; i++) {
    *found = tokens->at[(from + i) % tokens->count];
    if (wanted(t, *found)) return true;
  }
  return false;
}

// Returns the statement around a token: from after the last ';', '{' or '}' to the next ';'.
static struct token statement(const struct text *t, struct token token) {
  while (token.start && !strchr(";{}", t->bytes[token.start - 1]))
    token.start--;
  while (token.end < t->size && t->bytes[token.end] != ';')
    token.end++;
  if (token.end < t->size) token.end++;
  return token;
}

static bool swap(struct text *t, struct token a, struct token b) {
  uint8_t first[256];
  if (a.start > b.start) {
    struct token c = a;
    a = b;
    b = c;
  }
  size_t length = a.end - a.start;
  if (length > sizeof first || a.end > b.start) return false;
  memcpy(first, t->bytes + a.start, length);
  size_t other = b.end - b.start;
  static uint8_t second[MOST_BYTES];
  memcpy(second, t->bytes + b.start, other);
  // the later token is replaced first
  return splice(t, b.start, b.end, first, length) && splice(t, a.start, a.end, second, other);
}

// Inserts a form; every other time one of its operands is of another kind.
static bool insert_form(struct text *t, struct token token) {
  static struct tokens tokens;
  const struct token at = statement(t, token);
  const char *form = matrix_forms[pick(FORM_COUNT)];
  if (!splice(t, at.end, at.end, ";\n", 2) || !splice(t, at.end, at.end, form, strlen(form))) return false;
  const char *operands = strchr(form, ' ');
  if (operands && pick(2)) {
    find_tokens(t, at.end + (size_t)(operands - form), at.end + strlen(form), &tokens);
    if (tokens.count) splice_text(t, tokens.at[pick(tokens.count)], matrix_operands[pick(OPERAND_COUNT)]);
  }
  return splice(t, at.end, at.end, "\n", 1);
}

// Copies the statement around one token behind the statement around another: what was right where it stood
// may come too late, or twice.
static bool copy_statement(struct text *t, struct token from, struct token to) {
  const struct token copied = statement(t, from), at = statement(t, to);
  return splice(t, at.end, at.end, t->bytes + copied.start, copied.end - copied.start);
}

static void insert(struct text *t, size_t *to, const char *text) {
  if (splice(t, *to, *to, text, strlen(text))) *to += strlen(text);
}

static void insert_forms(struct text *t, size_t *to, uint32_t count) {
  for (; count; count--) {
    insert(t, to, matrix_forms[pick(FORM_COUNT)]);
    insert(t, to, ";\n");
  }
}

// One thread allocates memory, uses it, and frees it while it is still used: what a warp remembers of memory
// and what is under way must not outlive it.
static void insert_heap(struct text *t, size_t *to) {
  insert(t, to,
         "mov.u32 %r4, %tid.x;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra M;\nmov.u64 %rd4, 4096;\n"
         "st.param.b64 [x], %rd4;\ncall (x), malloc, (x);\nld.param.b64 %rd1, [x];\n");
  insert_forms(t, to, 1 + pick(4));
  insert(t, to, "st.param.b64 [x], %rd1;\ncall free, (x);\n");
  insert_forms(t, to, pick(4));
}

// A kernel whose only parameters for calls have no bytes: there is no place for them anywhere.
static void insert_empty_calls(struct text *t) {
  static const char *const calls[] = {"call (e), f, (e);\n",
                                      "call free, (e);\n",
                                      "call (e), malloc, (e);\n",
                                      "call (e), vprintf, (e, e);\n",
                                      "call __assertfail, (e, e, e, e, e);\n",
                                      "ld.param.b64 %rd1, [e];\n",
                                      "st.param.b32 [e], %r1;\n"};
  size_t end = 0;
  insert(t, &end,
         ".version 8.5\n.target sm_90\n.address_size 64\n"
         ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
         ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n"
         ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 "
         "e);\n.func (.param .b8 r[0]) f(.param .b8 a[0])\n{\nret;\n}\n"
         ".visible .entry k(.param .u64 out, .param .align 16 .b8 n[64])\n{\n"
         ".reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n.param .b8 e[0];\n");
  for (uint32_t count = 1 + pick(3); count; count--)
    insert(t, &end, calls[pick(sizeof calls / sizeof *calls)]);
  insert(t, &end, "ret;\n}\n");
}

// Writes the module of the operand matrix with one form, or with some around memory that is freed; it has
// declarations of every kind. Returns the place of the forms.
static struct token begin_anew(struct text *t) {
  const size_t start = strlen(MATRIX_MODULE);
  size_t end = start;
  if (start + strlen(MATRIX_END) + 1 > t->room) return (struct token){0, t->size};
  t->size = 0;
  if (!pick(16)) {
    insert_empty_calls(t);
    return (struct token){0, t->size};
  }
  splice(t, 0, 0, MATRIX_MODULE, start);
  if (pick(4))
    insert_forms(t, &end, 1);
  else
    insert_heap(t, &end);
  splice(t, end, end, MATRIX_END, strlen(MATRIX_END));
  return (struct token){start, end};
}

// Returns the length of an array. Often the products and sums of such lengths wrap.
static const char *length_of_array(void) {
  static const char *const wrapping[] = {"0", "0x3333333333333333", "0x1111111111111111",
                                         "0x4000000000000000", "0x20000000"};
  return pick(2) ? wrapping[pick(sizeof wrapping / sizeof *wrapping)]
                 : edges[pick(sizeof edges / sizeof *edges)];
}

static void insert_variable(struct text *t, struct token token) {
  static const char *const spaces[] = {"\n.global .b8 z", "\n.shared .b32 z", "\n.local .b64 z",
                                       "\n.const .u16 z", "\n.param .b8 z"};
  char name[2] = {(char)('a' + pick(26)), 0};
  size_t to = statement(t, token).end;
  insert(t, &to, spaces[pick(sizeof spaces / sizeof *spaces)]);
  insert(t, &to, name);
  for (uint32_t i = 0, dimensions = 1 + pick(3); i < dimensions; i++) {
    insert(t, &to, "[");
    if (i || pick(2)) insert(t, &to, length_of_array());
    insert(t, &to, "]");
  }
  if (pick(4)) {
    insert(t, &to, " = ");
    insert(t, &to, initialisers[pick(sizeof initialisers / sizeof *initialisers)]);
  }
  insert(t, &to, ";\n");
}

// As many names of one length as a text may hold: whoever looks for each among all of them is slow.
static void insert_many_names(struct text *t, struct token token) {
  char one[32];
  size_t to = statement(t, token).end;
  for (uint32_t i = 0, count = 64 + pick(64); i < count; i++) {
    snprintf(one, sizeof one, ".global .b8 m%03u;\n", i);
    insert(t, &to, one);
  }
}

// Changes something in [from, to).
static bool change(struct text *t, size_t from, size_t to) {
  static struct tokens tokens;
  find_tokens(t, from, to < t->size ? to : t->size, &tokens);
  if (!tokens.count) return false;
  struct token a = tokens.at[pick(tokens.count)], b = tokens.at[pick(tokens.count)], found, s;
  switch (pick(15)) {
  case 0: return swap(t, a, b);
  case 1: return splice(t, a.end, a.end, t->bytes + a.start, a.end - a.start);
  case 2: return splice(t, a.start, a.end, "", 0);
  case 3: return splice(t, a.start, a.end, t->bytes + b.start, b.end - b.start);
  case 4:
  case 5:
    return find(t, &tokens, is_type, &found) &&
           splice(t, found.start + 1, found.end, matrix_types[b.start % MATRIX_TYPES],
                  strlen(matrix_types[b.start % MATRIX_TYPES]));
  case 6:
  case 7:
    return find(t, &tokens, is_number, &found) &&
           splice_text(t, found, edges[pick(sizeof edges / sizeof *edges)]);
  case 8: s = statement(t, a); return splice(t, s.end, s.end, t->bytes + s.start, s.end - s.start);
  case 9: s = statement(t, a); return splice(t, s.start, s.end, "", 0);
  case 13: return copy_statement(t, a, b);
  case 10: return insert_form(t, a);
  case 11:
  case 12: return splice_text(t, a, matrix_operands[pick(OPERAND_COUNT)]);
  default: (pick(8) ? insert_variable : insert_many_names)(t, a); return true;
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  struct text t = {data, size, max_size < MOST_BYTES ? max_size : MOST_BYTES};
  state = seed;
  // changes bytes, or inserts words of the dictionary
  if (pick(8) == 0 || size > t.room) return LLVMFuzzerMutate(data, size, max_size);
  struct token all = {0, t.room}, where = size == 0 || pick(6) == 0 ? begin_anew(&t) : all;
  for (uint32_t i = 1 + pick(MOST_CHANGES); i > 0; i--)
    change(&t, where.start, where.end);
  return t.size;
}
