// Accesses of a whole warp in shared memory, by 32-bit and by generic addresses: whatever counts as strided
// has the places, the bank conflicts and the values that a look at each lane gives, and lies in bounds.
#include "virtual-hopper/execute/strided.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHARED = 8192, RANK = 3, BASE = 0, FRAME = 2048, ROUNDS = 60000 };
#define LOW ((uint32_t)RANK << SHARED_RANK_SHIFT | SHARED_FIRST_OFFSET)

struct fixture {
  _Alignas(64) uint8_t registers[FRAME];
  uint8_t shared[SHARED], expected[SHARED];
  struct launch launch;
  struct block block;
  struct warp warp;
  uint64_t random;
};

static uint32_t below(struct fixture *f, uint32_t most) {
  return (uint32_t)(machine_random(&f->random) >> 32) % most;
}

static struct fixture *fixture_new(uint64_t seed) {
  struct fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->random = seed;
  f->launch.shared_bytes = SHARED;
  f->block = (struct block){.launch = &f->launch, .rank = RANK, .shared = f->shared};
  f->warp.block = &f->block;
  f->warp.launch = &f->launch;
  f->warp.registers = f->registers;
  f->warp.lanes = UINT32_MAX;
  for (uint32_t i = 0; i < SHARED; i++)
    f->shared[i] = f->expected[i] = (uint8_t)below(f, 256);
  return f;
}

// Distances as kernels have them, and now and then any.
static int32_t distance(struct fixture *f, uint32_t bytes) {
  static const int32_t usual[] = {0, 1, 2, 4, 8, 16, 32, 33, 12, 20, -1, -4, -33, 31};
  const uint32_t kind = below(f, 16);
  if (kind < sizeof usual / sizeof *usual) return usual[kind] * (int32_t)bytes;
  return (int32_t)(below(f, kind == 15 ? UINT32_MAX : 700) - 350);
}

struct row {
  uint32_t offset[WARP_LANES]; // as 32 bits, the block's rank in front
  bool inside;
};

static struct row make_row(struct fixture *f, uint32_t bytes) {
  struct row row = {.inside = true};
  const uint32_t first = LOW + below(f, SHARED + 64) - 32;
  const uint32_t step = (uint32_t)distance(f, bytes);
  const uint32_t half = below(f, 2) ? 16 * step : 8 * (uint32_t)distance(f, bytes);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    row.offset[i] = (first & ~(below(f, 8) ? bytes - 1 : 0)) + i % 16 * step + i / 16 * half;
  if (below(f, 8) == 0) row.offset[below(f, WARP_LANES)] += bytes; // one lane elsewhere
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    const uint32_t inside = row.offset[i] - LOW;
    row.inside = row.inside && inside <= SHARED - bytes && row.offset[i] % bytes == 0;
  }
  return row;
}

static void check_values(struct fixture *f, struct access *a, const struct row *row, uint32_t bytes) {
  _Alignas(8) uint8_t from[WARP_LANES * 8], to[WARP_LANES * 8];
  const uint32_t width = bytes < 8 ? 4 : 8, skip = bytes - width;
  for (uint32_t i = 0; i < sizeof from; i++)
    from[i] = (uint8_t)below(f, 256);
  if (width == 4)
    strided_load32(a, skip, (uint32_t *)(void *)to);
  else
    strided_load64(a, skip, (uint64_t *)(void *)to);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    assert_memory_equal(to + (size_t)i * width, f->expected + (row->offset[i] - LOW) + skip, width);
  if (width == 4)
    strided_store32(a, skip, (const uint32_t *)(const void *)from);
  else
    strided_store64(a, skip, (const uint64_t *)(const void *)from);
  for (uint32_t i = 0; i < WARP_LANES; i++)
    memcpy(f->expected + (row->offset[i] - LOW) + skip, from + (size_t)i * width, width);
  assert_memory_equal(f->shared, f->expected, SHARED);
}

// Returns true when the access was strided.
static bool check(struct fixture *f, const struct op *op, const struct access_plan *plan,
                  const struct row *row) {
  struct access a, each;
  if (!strided_resolve(&f->warp, op, plan, &a)) return false;
  assert_true(row->inside);
  uint32_t low, high, least = UINT32_MAX, most = 0;
  strided_offsets(&a, &low, &high);
  struct bank_cycles cycles;
  const bool counted = strided_bank_cycles(&a, plan->bytes, &cycles);
  assert_true(access_resolve(&f->warp, op, plan, false, &each));
  strided_spell_out(&a);
  assert_int_equal(a.where, each.where);
  assert_ptr_equal(a.owner, each.owner);
  assert_memory_equal(a.address, each.address, sizeof a.address);
  assert_memory_equal(a.offset, each.offset, sizeof a.offset);
  assert_memory_equal(a.host, each.host, sizeof a.host);
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    least = a.offset[i] < least ? a.offset[i] : least;
    most = a.offset[i] > most ? a.offset[i] : most;
  }
  assert_int_equal(low, least);
  assert_int_equal(high, most);
  const struct bank_cycles real = bank_cycles(a.address, UINT32_MAX, plan->bytes);
  if (counted) assert_int_equal(cycles.all, real.all);
  if (counted) assert_int_equal(cycles.lost, real.lost);
  if (plan->bytes >= 4) check_values(f, &a, row, plan->bytes);
  return true;
}

static void strided_is_as_lane_by_lane(void **state) {
  (void)state;
  struct fixture *f = fixture_new(7);
  uint32_t strided = 0, inside = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t bytes = 1u << below(f, 5), offset = below(f, 3) * 64;
    const bool narrow = below(f, 2), generic = !narrow && below(f, 2);
    const struct access_plan plan = {.bytes = bytes, .storage = 4, .narrow = narrow};
    const struct op op = {.a = BASE, .immediate = offset, .space = generic ? PTX_SPACE_NONE : PTX_SHARED};
    const struct row row = make_row(f, bytes);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
      const uint32_t base = row.offset[i] - offset;
      if (narrow)
        warp_register32(&f->warp, BASE)[i] = base;
      else
        warp_register64(&f->warp, BASE)[i] = (generic ? SHARED_WINDOW : 0) + row.offset[i] - offset;
    }
    strided += check(f, &op, &plan, &row);
    inside += row.inside;
  }
  print_message("%u strided of %u inside\n", strided, inside);
  assert_true(strided > ROUNDS / 8); // both kinds are met
  assert_true(inside > strided);
  free(f);
}

// Some lanes don't run: their registers may hold anything, so nothing is known.
static void parts_of_warps_are_not_strided(void **state) {
  (void)state;
  struct fixture *f = fixture_new(1);
  const struct access_plan plan = {.bytes = 4, .storage = 4, .narrow = true};
  const struct op op = {.a = BASE, .space = PTX_SHARED};
  struct access a;
  for (uint32_t i = 0; i < WARP_LANES; i++)
    warp_register32(&f->warp, BASE)[i] = LOW + 4 * i;
  assert_true(strided_resolve(&f->warp, &op, &plan, &a));
  f->warp.lanes = UINT32_MAX >> 1;
  assert_false(strided_resolve(&f->warp, &op, &plan, &a));
  free(f);
}

// How often a bank is wanted in vain, counted word by word, if the access goes in so many parts.
static struct bank_cycles count_parts(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t parts) {
  const uint32_t size = WARP_LANES / parts;
  struct bank_cycles cycles = {0};
  for (uint32_t part = 0; part < parts; part++) {
    uint32_t words[BANKS] = {0}, most = 0;
    for (uint32_t i = part * size; i < (part + 1) * size; i++) {
      bool again = !(lanes >> i & 1);
      for (uint32_t k = part * size; k < i && !again; k++)
        again = lanes >> k & 1 && address[k] / BANK_BYTES == address[i] / BANK_BYTES;
      const uint32_t here = again ? 0 : ++words[address[i] / BANK_BYTES % BANKS];
      most = here > most ? here : most;
    }
    cycles.all += most;
    cycles.lost += most > 1 ? most - 1 : 0;
  }
  return cycles;
}

static struct bank_cycles count_cycles(const uint64_t address[WARP_LANES], uint32_t lanes, uint32_t bytes) {
  const uint32_t parts = bytes <= 4 ? 1 : bytes / 4;
  bool shares[2] = {true, true};
  for (uint32_t i = 0; i < WARP_LANES; i++)
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t other = i ^ (k + 1);
      if (lanes >> i & lanes >> other & 1 && address[i] != address[other]) shares[k] = false;
    }
  const struct bank_cycles together = count_parts(address, lanes, parts > 1 ? parts / 2 : 1);
  if (parts > 1 && (shares[0] || shares[1]) && !together.lost && together.all) return together;
  return count_parts(address, lanes, parts);
}

// Cycles as an H100 takes them, by time-registers: of accesses by lane / divide % modulo.
static void lanes_that_share_go_together(void **state) {
  (void)state;
  static const struct {
    uint32_t bytes, divide, modulo, cycles;
  } readings[] = {{4, 1, 32, 1},  {4, 32, 1, 1},  {8, 1, 32, 2},  {8, 32, 1, 1},
                  {8, 16, 2, 1},  {8, 2, 16, 1},  {8, 1, 2, 1},   {8, 1, 4, 2},
                  {8, 1, 16, 2},  {16, 1, 32, 4}, {16, 32, 1, 2}, {16, 16, 2, 2},
                  {16, 2, 16, 2}, {16, 1, 2, 2},  {16, 1, 4, 4},  {16, 1, 16, 4}};
  for (size_t r = 0; r < sizeof readings / sizeof *readings; r++) {
    uint64_t address[WARP_LANES];
    for (uint32_t i = 0; i < WARP_LANES; i++)
      address[i] = LOW + i / readings[r].divide % readings[r].modulo * readings[r].bytes;
    const struct bank_cycles found = bank_cycles(address, UINT32_MAX, readings[r].bytes);
    assert_int_equal(found.all, readings[r].cycles);
    assert_int_equal(found.lost, 0);
  }
}

// Lanes that go where data say, some of them to one place; all of them or a part; near and far apart.
static void scattered_lanes_meet_as_counted(void **state) {
  (void)state;
  struct fixture *f = fixture_new(3);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t bytes = 1u << below(f, 5), lanes = below(f, 2) ? UINT32_MAX : below(f, UINT32_MAX);
    const uint64_t room = 128u << below(f, 13), base = below(f, 2) ? LOW : SHARED_WINDOW + LOW;
    uint64_t address[WARP_LANES];
    for (uint32_t i = 0; i < WARP_LANES; i++)
      address[i] = base + below(f, (uint32_t)room) / bytes * bytes;
    const uint32_t sharing = below(f, 4); // 1, 2: with the neighbour, with the one beyond
    for (uint32_t i = 0; i < WARP_LANES && (sharing == 1 || sharing == 2); i++)
      address[i] = address[i & ~sharing];
    const struct bank_cycles counted = count_cycles(address, lanes, bytes),
                             found = bank_cycles(address, lanes, bytes);
    assert_int_equal(found.all, counted.all);
    assert_int_equal(found.lost, counted.lost);
  }
  free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strided_is_as_lane_by_lane),
      cmocka_unit_test(parts_of_warps_are_not_strided),
      cmocka_unit_test(scattered_lanes_meet_as_counted),
      cmocka_unit_test(lanes_that_share_go_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
