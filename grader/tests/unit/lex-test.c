// The lexer: one table of texts with their expected tokens. The lexer also keeps each name only once.
#include "virtual-hopper/ptx/lex.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// Each token of the text in a short form: n:name  w:word  i:value  u:value  f:bits  d:bits  s:string  p:chars
// bad  end
static void describe(const struct token *token, char *text, size_t room) {
  int low = token->punctuation & 0xFF, high = token->punctuation >> 8;
  switch (token->kind) {
  case TOKEN_END: snprintf(text, room, "end"); break;
  case TOKEN_BAD: snprintf(text, room, "bad"); break;
  case TOKEN_NAME: snprintf(text, room, "n:%s", token->name->text); break;
  case TOKEN_WORD: snprintf(text, room, "w:%s", token->name->text); break;
  case TOKEN_INTEGER:
    snprintf(text, room, "%c:%" PRIu64, token->is_unsigned ? 'u' : 'i', token->value);
    break;
  case TOKEN_FLOAT:
    snprintf(text, room, "%c:%" PRIx64, token->type == PTX_F32 ? 'f' : 'd', token->value);
    break;
  case TOKEN_STRING: snprintf(text, room, "s:%.*s", (int)token->length, token->start); break;
  case TOKEN_PUNCTUATION:
    if (high) {
      snprintf(text, room, "p:%c%c", low, high);
    } else {
      snprintf(text, room, "p:%c", low);
    }
    break;
  }
}

static const struct {
  const char *text, *tokens;
} cases[] = {
    {"", "end"},
    {" \t\r\n\v\f", "end"},
    {"mov.u32 %r1, %tid.x;", "n:mov w:u32 n:%r1 p:, n:%tid w:x p:; end"},
    {"cp.async.bulk.shared::cluster.mbarrier::complete_tx::bytes",
     "n:cp w:async w:bulk w:shared::cluster w:mbarrier::complete_tx::bytes end"},
    {".2d .L2::128B .im2col::w::128", "w:2d w:L2::128B w:im2col::w::128 end"},
    {"$L__BB0_1: _ _a a$b", "n:$L__BB0_1 p:: n:_ n:_a n:a$b end"},
    {"0 42 0x2A 0X2a 017 0b101 0B11", "i:0 i:42 i:42 i:42 i:15 i:5 i:3 end"},
    {"7U 0xFFFFFFFFFFFFFFFFU 18446744073709551615", "u:7 u:18446744073709551615 i:18446744073709551615 end"},
    {"18446744073709551616", "bad"},
    {"0x1FFFFFFFFFFFFFFFF", "bad"},
    {"08", "bad"},
    {"0x", "bad"},
    {"12ab", "bad"},
    {"0f3F800000 0F3f800000 0d3FF0000000000000", "f:3f800000 f:3f800000 d:3ff0000000000000 end"},
    {"0f3F80000", "bad"},
    {"0f3F8000001", "bad"},
    {"0d3FF", "bad"},
    {"1.5 2. 1e2 1.5E-1", "d:3ff8000000000000 d:4000000000000000 d:4059000000000000 d:3fc3333333333333 end"},
    {"7 % 4 7%4 %r4 % %p", "i:7 p:% i:4 i:7 p:% i:4 n:%r4 p:% n:%p end"},
    {"<< >> <= >= == != && || < > ! | &", "p:<< p:>> p:<= p:>= p:== p:!= p:&& p:|| p:< p:> p:! p:| p:& end"},
    {"a // b\nc /* d\n e */ f # 1 \"x\"\ng", "n:a n:c n:f n:g end"},
    {"/* open", "bad"},
    {"/* open *", "bad"},
    {"/", "p:/ end"},
    {"\"a \\\" b\" \"\"", "s:a \\\" b s: end"},
    {"\"open", "bad"},
    {"\"open\\", "bad"},
    {"\"line\nend\"", "bad"},
    {". x", "bad"},
    {".a:: b", "w:a p:: p:: n:b end"},
    {"`", "bad"},
    {"\x80", "bad"},
    {"%", "p:% end"},
};

static void test_tokens(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct arena *arena = arena_create();
    struct lexer lexer;
    assert_true(lexer_open(&lexer, arena, cases[i].text, strlen(cases[i].text)));
    char got[512] = "";
    size_t length = 0;
    struct token token;
    do {
      char one[128];
      lex_next(&lexer, &token);
      describe(&token, one, sizeof one);
      length += (size_t)snprintf(got + length, sizeof got - length, "%s%s", length ? " " : "", one);
    } while (token.kind != TOKEN_END && token.kind != TOKEN_BAD);
    if (strcmp(got, cases[i].tokens) != 0)
      fail_msg("'%s': got '%s', expected '%s'", cases[i].text, got, cases[i].tokens);
    if (token.kind == TOKEN_BAD) assert_non_null(lexer.problem);
    lexer_close(&lexer);
    arena_destroy(arena);
  }
}

static void test_lines_are_counted(void **state) {
  (void)state;
  static const char text[] = "a\r\nb /*\n\n*/ c // x\n# 9 \"y\"\nd \"s\" e";
  static const uint32_t lines[] = {1, 2, 4, 6, 6, 6};
  struct arena *arena = arena_create();
  struct lexer lexer;
  struct token token;
  assert_true(lexer_open(&lexer, arena, text, strlen(text)));
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    lex_next(&lexer, &token);
    assert_int_equal(token.line, lines[i]);
  }
  lexer_close(&lexer);
  arena_destroy(arena);
}

static void test_a_name_is_kept_once(void **state) {
  (void)state;
  struct arena *arena = arena_create();
  struct lexer lexer;
  assert_true(lexer_open(&lexer, arena, "", 0));
  struct name *names[20000]; // enough to make the table grow
  for (int i = 0; i < 20000; i++) {
    char text[16];
    int length = snprintf(text, sizeof text, "%%r%d", i);
    names[i] = lex_intern(&lexer, text, (size_t)length);
  }
  for (int i = 0; i < 20000; i++) {
    char text[16];
    int length = snprintf(text, sizeof text, "%%r%d", i);
    assert_ptr_equal(lex_intern(&lexer, text, (size_t)length), names[i]);
    assert_string_equal(names[i]->text, text);
    assert_ptr_equal(name_of_text(names[i]->text), names[i]);
  }
  assert_int_equal(lex_intern(&lexer, "b32", 3)->type, PTX_B32);
  assert_int_equal(lex_intern(&lexer, "reg", 3)->keyword, KEYWORD_REG);
  assert_int_equal(lex_intern(&lexer, "%envreg31", 9)->keyword, KEYWORD_SPECIAL);
  assert_int_equal(lex_intern(&lexer, "%envreg32", 9)->keyword, KEYWORD_NONE);
  lexer_close(&lexer);
  arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tokens),
      cmocka_unit_test(test_lines_are_counted),
      cmocka_unit_test(test_a_name_is_kept_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
