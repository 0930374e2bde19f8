// Boxes against a model that knows no rows: the model computes the source and the destination of each element
// separately.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/machine/tensor-box.h"

enum { TENSOR_BYTES = 1 << 16, SHARED_BYTES = 1 << 16, MARGIN = 1024, CASES = 4000 };
#define BASE 0x680040000000ull

static uint64_t random_state = 12345;
static uint32_t pick(uint32_t below) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(random_state >> 33) % below;
}

struct random_box {
  struct tensor_box box;
  uint32_t offset; // offset of the tile in shared memory
  _Alignas(64) uint8_t image[128];
};

static const uint32_t sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};

// Returns the bytes of one step along dimension 0: an element, or a slice of an interleaved tensor.
static uint32_t unit_bytes(uint32_t type, uint32_t interleave) {
  return interleave ? 8u << interleave : sizes[type];
}

struct shape {
  uint32_t rank, type, interleave, swizzle, box[5], steps[5];
  uint64_t dim[5], stride[4], bytes;
};

static void make_tensor(struct shape *t) {
  t->rank = 1 + pick(5);
  t->type = pick(10);
  t->interleave = t->rank >= 3 && pick(3) == 0 ? 1 + pick(2) : 0;
  t->swizzle = pick(4);
  t->dim[0] = 1 + pick(t->interleave ? 12 : 40);
  t->bytes = t->dim[0] * unit_bytes(t->type, t->interleave);
  for (uint32_t i = 1; i < t->rank; i++) {
    t->dim[i] = 1 + pick(6);
    t->stride[i - 1] = (t->bytes + 31) / 32 * 32 + 32 * pick(3);
    t->bytes = t->stride[i - 1] * t->dim[i];
  }
}

// Makes the shape's box. Returns false when the box is too large for this test.
static bool make_shape(struct shape *t) {
  make_tensor(t);
  uint32_t size = sizes[t->type], span = 16u << t->swizzle;
  t->box[0] = 16 / size * (1 + pick(t->swizzle && !t->interleave ? span / 16 : t->interleave ? 2 : 6));
  t->steps[0] = 1 + pick(3);
  for (uint32_t i = 1; i < t->rank; i++) {
    bool channels = t->interleave && i + 2 == t->rank;
    t->box[i] = channels ? 1 + pick(40) : 1 + pick(6);
    t->steps[i] = 1 + (pick(3) ? 0 : pick(4));
  }
  uint64_t most = t->box[0] * unit_bytes(t->type, t->interleave) + 128;
  for (uint32_t i = 1; i < t->rank; i++)
    most *= t->box[i];
  return t->bytes <= TENSOR_BYTES && most <= SHARED_BYTES - 1024 && t->box[0] <= 256;
}

// Makes a random valid map whose tensor fits in TENSOR_BYTES, and coordinates near the tensor.
static void make_box(struct random_box *r, bool store) {
  struct shape t;
  char why[256];
  while (!make_shape(&t))
    continue;
  struct tensor_map_arguments a = {.data_type = (int)t.type,
                                   .rank = t.rank,
                                   .global_address = BASE,
                                   .global_dim = t.dim,
                                   .global_strides = t.stride,
                                   .box_dim = t.box,
                                   .element_strides = t.steps,
                                   .interleave = (int)t.interleave,
                                   .swizzle = (int)t.swizzle,
                                   .oob_fill = t.type >= 6 ? (int)pick(2) : 0};
  if (tensor_map_encode(r->image, &a, why, sizeof why) != 0) fail_msg("encode: %s", why);
  if (!tensor_map_decode(r->image, &r->box.map, why, sizeof why)) fail_msg("decode: %s", why);
  for (uint32_t i = 0; i < 5; i++) {
    int32_t reach = i < t.rank ? (int32_t)(t.dim[i] + t.box[i] + 2) : 1;
    r->box.coordinate[i] = i < t.rank ? (int32_t)pick((uint32_t)reach) - (store ? 0 : (int32_t)t.box[i]) : 0;
  }
  if (!t.interleave) r->box.coordinate[0] -= r->box.coordinate[0] % (int32_t)(16 / sizes[t.type]);
  r->offset = 1024 + 128 * pick(8);
}

static uint32_t elements_per_unit(const struct tensor_map *map) {
  return map->interleave ? (8u << map->interleave) / map->element_bytes : 1;
}

// Returns the steps of the box along a dimension, from the box and the strides alone. In an interleaved
// tensor a box holds one slice of dimension rank - 2.
static uint32_t steps_of(const struct tensor_map *map, uint32_t i) {
  uint32_t box = map->box[i], step = i || map->interleave ? map->element_stride[i] : 1;
  if (map->interleave && i + 2 == map->rank) return 1;
  return (box + step - 1) / step;
}

// The swizzle, computed in another way than in the code. Rows begin at whole spans (slices follow one another
// without a gap), and a chunk of a line is exchanged according to the line's number.
static uint32_t place_of(const struct random_box *r, uint32_t dense) {
  const struct tensor_map *map = &r->box.map;
  uint32_t span = map->swizzle && !map->interleave ? 16u << map->swizzle : 1,
           row = steps_of(map, 0) * elements_per_unit(map) * map->element_bytes;
  uint32_t plain = dense / row * ((row + span - 1) / span * span) + dense % row;
  uint32_t address = r->offset + plain, line = address / 128, chunk = address / 16 % 8,
           period = 1u << map->swizzle;
  return line * 128 + (chunk ^ line % period) * 16 + address % 16 - r->offset;
}

struct element {
  bool inside;
  uint64_t address;
  uint32_t place;
};

// Returns element number n of the box.
static struct element element_of(const struct random_box *r, uint32_t n) {
  const struct tensor_map *map = &r->box.map;
  struct element e = {.inside = true, .place = place_of(r, n * map->element_bytes)};
  e.address = n % elements_per_unit(map) * map->element_bytes;
  n /= elements_per_unit(map);
  for (uint32_t i = 0; i < map->rank; i++) {
    uint32_t step = i || map->interleave ? map->element_stride[i] : 1, count = steps_of(map, i);
    int64_t at = (int64_t)r->box.coordinate[i] + (int64_t)(n % count) * step;
    n /= count;
    if (at < 0 || at >= (int64_t)map->dim[i]) e.inside = false;
    e.address += (uint64_t)at * (i ? map->stride[i] : elements_per_unit(map) * map->element_bytes);
  }
  return e;
}

static uint32_t elements_of(const struct tensor_map *map) {
  return map->bytes / map->element_bytes;
}

static void fill_random(uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (uint8_t)pick(256);
}

static void loads_as_the_model(void **state) {
  (void)state;
  static uint8_t tensor[TENSOR_BYTES], shared[SHARED_BYTES + 2 * MARGIN], expected[SHARED_BYTES + 2 * MARGIN];
  fill_random(tensor, sizeof tensor);
  for (int c = 0; c < CASES; c++) {
    struct random_box r;
    make_box(&r, false);
    const struct tensor_map *map = &r.box.map;
    memset(shared, 0xa5, sizeof shared);
    memset(expected, 0xa5, sizeof expected);
    for (uint32_t n = 0; n < elements_of(map); n++) {
      struct element e = element_of(&r, n);
      uint8_t *to = expected + MARGIN + e.place;
      for (uint32_t i = 0; i < map->element_bytes; i++)
        to[i] = e.inside ? tensor[e.address + i] : map->fill == TENSOR_FILL_ZERO ? 0 : i % 2 ? 0x7f : 0xf7;
    }
    tensor_box_load(&r.box, tensor, shared + MARGIN, r.offset);
    if (memcmp(shared, expected, sizeof shared) != 0) {
      size_t at = 0;
      while (shared[at] == expected[at])
        at++;
      fail_msg("case %d (rank %u, swizzle %d): byte %zd of the tile is %02x, expected %02x", c, map->rank,
               (int)map->swizzle, (ptrdiff_t)at - MARGIN, shared[at], expected[at]);
    }
  }
}

// Bytes that a store may write after a row's last element: up to the next multiple of 16 bytes from the row's
// start, and inside the box.
static bool in_padding(const struct random_box *r, uint32_t n, uint64_t *address) {
  const struct tensor_map *map = &r->box.map;
  struct random_box wide = *r;
  uint64_t width = map->dim[0] * map->element_bytes;
  if (map->interleave) width = 0; // slices always end on a multiple of 16 bytes
  if (width) wide.box.map.dim[0] = (width + 15) / 16 * 16 / map->element_bytes;
  struct element e = element_of(&wide, n);
  *address = e.address;
  return e.inside;
}

// A row that lies wholly beyond the width writes no bytes, not even padding: its first element lies outside.
static bool row_begins_inside(const struct random_box *r) {
  return (uint64_t)r->box.coordinate[0] < r->box.map.dim[0];
}

static void add_bytes(uint8_t *destination, const uint8_t *source, uint32_t bytes, void *context) {
  *(uint32_t *)context += bytes;
  for (uint32_t i = 0; i < bytes; i++)
    destination[i] = (uint8_t)(destination[i] + source[i]);
}

static void stores_as_the_model(void **state) {
  (void)state;
  static uint8_t tensor[TENSOR_BYTES + 4096], shared[SHARED_BYTES + MARGIN], expected[TENSOR_BYTES + 4096];
  fill_random(shared, sizeof shared);
  for (int c = 0; c < CASES; c++) {
    struct random_box r;
    make_box(&r, true);
    const struct tensor_map *map = &r.box.map;
    bool reduce = c % 3 == 0;
    uint32_t combined = 0;
    fill_random(tensor, sizeof tensor);
    memcpy(expected, tensor, sizeof tensor);
    for (uint32_t n = 0; n < elements_of(map) && row_begins_inside(&r); n++) {
      uint64_t address;
      if (!in_padding(&r, n, &address)) continue;
      uint32_t place = element_of(&r, n).place;
      for (uint32_t i = 0; i < map->element_bytes; i++)
        expected[address + i] = (uint8_t)(shared[place + i] + (reduce ? expected[address + i] : 0));
    }
    tensor_box_store(&r.box, tensor, shared, r.offset, reduce ? add_bytes : NULL, &combined);
    if (memcmp(tensor, expected, sizeof tensor) != 0) {
      size_t at = 0;
      while (tensor[at] == expected[at])
        at++;
      fail_msg(
          "case %d (rank %u, swizzle %d, %u bytes an element): byte %zu of the tensor is %02x, expected %02x",
          c, map->rank, (int)map->swizzle, map->element_bytes, at, tensor[at], expected[at]);
    }
  }
}

static void stops_at_the_allocation(void **state) {
  (void)state;
  _Alignas(64) uint8_t image[128];
  uint64_t dim[1] = {5}, stride[1] = {0};
  uint32_t box[1] = {8}, step[1] = {1};
  struct tensor_map_arguments a = {.data_type = TENSOR_F32,
                                   .rank = 1,
                                   .global_address = BASE,
                                   .global_dim = dim,
                                   .global_strides = stride,
                                   .box_dim = box,
                                   .element_strides = step};
  struct tensor_box b = {0};
  char why[256];
  assert_int_equal(tensor_map_encode(image, &a, why, sizeof why), 0);
  assert_true(tensor_map_decode(image, &b.map, why, sizeof why));
  uint8_t tensor[64] = {0}, shared[32];
  memset(shared, 1, sizeof shared);
  b.end = b.map.address + 20;
  tensor_box_store(&b, tensor, shared, 1024, NULL, NULL);
  assert_int_equal(tensor[19], 1);
  assert_int_equal(tensor[20], 0);
  b.end = b.map.address + 64;
  tensor_box_store(&b, tensor, shared, 1024, NULL, NULL);
  assert_int_equal(tensor[31], 1);
  assert_int_equal(tensor[32], 0);
}

// bounds: lowest address, highest, bytes of a unit, bytes inside
static void note_extent(const struct tensor_row *row, void *context) {
  uint64_t *bounds = context;
  if (!row->inside) return;
  bounds[3] += (uint64_t)row->inside * bounds[2];
  if (row->address < bounds[0]) bounds[0] = row->address;
  if (row->address + (uint64_t)row->inside * bounds[2] > bounds[1])
    bounds[1] = row->address + (uint64_t)row->inside * bounds[2];
}

static void knows_its_extent(void **state) {
  (void)state;
  for (int c = 0; c < CASES; c++) {
    struct random_box r;
    make_box(&r, false);
    uint64_t bounds[4] = {UINT64_MAX, 0, r.box.map.unit_bytes, 0}, first, end;
    tensor_box_each_row(&r.box, note_extent, bounds);
    bool inside = tensor_box_extent(&r.box, &first, &end);
    assert_int_equal(inside, bounds[1] != 0);
    assert_int_equal(tensor_box_bytes_inside(&r.box), bounds[3]);
    if (!inside) continue;
    assert_int_equal(first, bounds[0]);
    assert_int_equal(end, bounds[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_as_the_model),
      cmocka_unit_test(stores_as_the_model),
      cmocka_unit_test(stops_at_the_allocation),
      cmocka_unit_test(knows_its_extent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
