// What launches touch: notes of whole chunks by one instruction, and chunk by chunk. In: random notes of two
// launches. Out: the conflict that arrays with a place for each byte have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/touched.h"
#include "virtual-hopper/ptx/ptx.h"

enum { BYTES = 160 << 10, CHUNK = 64, OPS = 3, ROUNDS = 400, NOTES = 12 };

struct bytes { // of a launch
  uint8_t how[BYTES];
  const struct op *reader[BYTES / CHUNK], *writer[BYTES / CHUNK];
};

static uint32_t state;
static struct ptx_instruction sources[OPS];
static struct op ops[OPS];

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

static void keep_first(const struct op **kept, const struct op *op) {
  if (!*kept || op->source->ptx_line < (*kept)->source->ptx_line) *kept = op;
}

// Bytes anywhere, chunks, or pages; few of them, or many.
static void draw_run(uint32_t *from, uint32_t *bytes) {
  static const uint32_t steps[] = {1, CHUNK, 4096};
  const uint32_t step = steps[draw(3)], most = draw(2) ? 40 * step : BYTES;
  *from = draw(BYTES / step) * step;
  *bytes = (1 + draw(most / step)) * step;
  if (*bytes > BYTES - *from) *bytes = BYTES - *from;
}

static void note(struct touched *t, struct bytes *known, uint64_t base) {
  static const unsigned hows[] = {TOUCH_READS, TOUCH_WRITES, TOUCH_READS | TOUCH_STRONG,
                                  TOUCH_WRITES | TOUCH_STRONG};
  const struct op *op = &ops[draw(OPS)];
  const unsigned how = hows[draw(6) % 4];
  uint32_t from, bytes;
  draw_run(&from, &bytes);
  touched_note(t, base + from, bytes, how, op);
  for (uint32_t i = from; i < from + bytes; i++) {
    known->how[i] |= (uint8_t)how;
    keep_first(how & TOUCH_READS ? &known->reader[i / CHUNK] : &known->writer[i / CHUNK], op);
  }
}

static void forget(struct touched *t, struct bytes *known, uint64_t base) {
  const uint32_t from = draw(BYTES - 256), bytes = 1 + draw(256);
  touched_forget(t, base + from, bytes);
  memset(known->how + from, 0, bytes);
}

// Bytes that both write don't conflict: nothing is really written, so the values are the same.
static bool meet_at(unsigned a, unsigned b) {
  return !(a & b & TOUCH_STRONG) &&
         ((a & TOUCH_WRITES && b & TOUCH_READS) || (a & TOUCH_READS && b & TOUCH_WRITES));
}

static bool are_synchronised(const struct bytes *a, const struct bytes *b) {
  bool found = false;
  for (uint32_t i = 0; i < BYTES && !found; i++)
    found = a->how[i] & TOUCH_STRONG && a->how[i] & TOUCH_WRITES && b->how[i] & TOUCH_STRONG;
  return found;
}

static void expect_same(const struct touched *a, const struct touched *b, const struct bytes *known_a,
                        const struct bytes *known_b, uint64_t base) {
  struct touch_conflict found;
  uint32_t at = 0;
  while (at < BYTES && !meet_at(known_a->how[at], known_b->how[at]))
    at++;
  const bool meet = at < BYTES && !are_synchronised(known_a, known_b);
  assert_int_equal(touched_meet(a, b, &found), meet);
  if (at == BYTES) return;
  const uint32_t chunk = at / CHUNK;
  assert_int_equal(found.address, base + at);
  assert_ptr_equal(found.earlier,
                   known_a->how[at] & TOUCH_WRITES ? known_a->writer[chunk] : known_a->reader[chunk]);
  assert_ptr_equal(found.later,
                   known_b->how[at] & TOUCH_WRITES ? known_b->writer[chunk] : known_b->reader[chunk]);
}

// A word that is written in one piece doesn't conflict with what is only read by strong accesses.
static bool meets_region(unsigned how, bool writes, bool as_word) {
  if (how & TOUCH_WRITES) return true;
  return writes && how & TOUCH_READS && !(as_word && how & TOUCH_STRONG);
}

static void expect_region(const struct touched *t, const struct bytes *known, uint64_t base) {
  struct touch_conflict found;
  uint32_t from, bytes;
  draw_run(&from, &bytes);
  const bool writes = draw(2), as_word = draw(2);
  const struct stream_region region = {base + from, bytes, bytes, 1};
  uint32_t at = from;
  while (at < from + bytes && !meets_region(known->how[at], writes, as_word))
    at++;
  assert_int_equal(touched_meet_region(t, &region, writes, as_word, &found), at < from + bytes);
  if (at < from + bytes) assert_int_equal(found.address, base + at);
}

static void expect_page_use(const struct touched *t, const struct bytes *known, uint64_t base) {
  for (uint32_t page = 0; page < BYTES / 4096; page++) {
    unsigned use = 0;
    for (uint32_t i = page * 4096; i < (page + 1) * 4096; i++)
      use |= known->how[i] & (TOUCH_READS | TOUCH_WRITES);
    assert_int_equal(touched_page_use(t, base / 4096 + page), use);
  }
}

static void random_notes(void **unused) {
  static struct bytes known[2];
  struct memory *memory = memory_create(1 << 20, NULL);
  uint64_t base;
  (void)unused;
  for (uint32_t i = 0; i < OPS; i++) {
    sources[i].ptx_line = 10 - i;
    ops[i].source = &sources[i];
  }
  assert_int_equal(memory_allocate(memory, BYTES, 4096, &base), 0);
  assert_int_equal(base % 4096, 0);
  for (state = 1; state < ROUNDS; state++) {
    const uint32_t round = state;
    struct touched *t[2] = {touched_create(memory, NULL, false), touched_create(memory, NULL, true)};
    memset(known, 0, sizeof known);
    for (uint32_t i = draw(NOTES) + 1; i > 0; i--) {
      const uint32_t which = draw(2);
      if (draw(5))
        note(t[which], &known[which], base);
      else
        forget(t[which], &known[which], base);
    }
    expect_same(t[0], t[1], &known[0], &known[1], base);
    expect_region(t[0], &known[0], base);
    expect_page_use(t[1], &known[1], base);
    touched_destroy(t[0]);
    touched_destroy(t[1]);
    state = round;
  }
  memory_destroy(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_notes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
