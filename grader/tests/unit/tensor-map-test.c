// Tensor maps: every documented constraint at its edges, by argument and message. Encoded values can be
// decoded again. Replaced fields. Invalid bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/base/tensor-map.h"

struct arguments { // the arguments, and memory for the arrays
  struct tensor_map_arguments a;
  uint64_t dim[5], strides[4];
  uint32_t box[5], element_strides[5];
};

static struct arguments *good(struct arguments *x) {
  *x = (struct arguments){.dim = {100, 50, 20, 10, 5},
                          .strides = {416, 20800, 416000, 4160000},
                          .box = {16, 8, 4, 2, 1},
                          .element_strides = {1, 2, 1, 3, 1}};
  x->a = (struct tensor_map_arguments){.data_type = TENSOR_F32,
                                       .rank = 5,
                                       .global_address = 0x7f0000010000,
                                       .global_dim = x->dim,
                                       .global_strides = x->strides,
                                       .box_dim = x->box,
                                       .element_strides = x->element_strides};
  return x;
}

enum target {
  TYPE,
  RANK,
  ADDRESS,
  DIM0,
  DIM1,
  STRIDE0,
  STRIDE3,
  BOX0,
  BOX2,
  ESTRIDE1,
  INTERLEAVE,
  SWIZZLE,
  L2,
  FILL
};

static void set(struct arguments *x, enum target target, uint64_t value) {
  switch (target) {
  case TYPE: x->a.data_type = (int)value; break;
  case RANK: x->a.rank = (uint32_t)value; break;
  case ADDRESS: x->a.global_address = value; break;
  case DIM0: x->dim[0] = value; break;
  case DIM1: x->dim[1] = value; break;
  case STRIDE0: x->strides[0] = value; break;
  case STRIDE3: x->strides[3] = value; break;
  case BOX0: x->box[0] = (uint32_t)value; break;
  case BOX2: x->box[2] = (uint32_t)value; break;
  case ESTRIDE1: x->element_strides[1] = (uint32_t)value; break;
  case INTERLEAVE: x->a.interleave = (int)value; break;
  case SWIZZLE: x->a.swizzle = (int)value; break;
  case L2: x->a.l2_promotion = (int)value; break;
  case FILL: x->a.oob_fill = (int)value; break;
  }
}

struct change {
  enum target target;
  uint64_t value;
};
struct edge {
  struct change changes[3]; // value 0 of the second and third: no change
  const char *message;      // NULL: the arguments are allowed
};

static const struct edge edges[] = {
    {{{RANK, 5}}, NULL},
    {{{RANK, 1}}, NULL},
    {{{RANK, 0}}, "tensorRank = 0: must be 1 to 5"},
    {{{RANK, 6}}, "tensorRank = 6: must be 1 to 5"},
    {{{TYPE, 12}}, NULL},
    {{{TYPE, 13}}, "compute capability 10.0"},
    {{{TYPE, 16}}, "tensorDataType = 16"},
    {{{ADDRESS, 0x7f0000010008}}, "globalAddress = 0x7f0000010008: must be a multiple of 16 bytes"},
    {{{ADDRESS, 0x7f0000010010}}, NULL},
    {{{ADDRESS, 0x7f0000010010}, {INTERLEAVE, 2}, {SWIZZLE, 1}}, "must be a multiple of 32 bytes"},
    {{{DIM0, 0}}, "globalDim[0] = 0: must be 1 to 2^32"},
    {{{DIM1, 1ull << 32}}, NULL},
    {{{DIM1, (1ull << 32) + 1}}, "globalDim[1] = 4294967297"},
    {{{STRIDE0, 1028}}, "globalStrides[0] = 1028 bytes: must be a multiple of 16"},
    {{{STRIDE0, 0}}, NULL},
    {{{STRIDE3, 1ull << 40}}, "globalStrides[3] = 1099511627776 bytes: must be less than 2^40"},
    {{{STRIDE3, (1ull << 40) - 16}}, NULL},
    {{{BOX0, 0}}, "boxDim[0] = 0: must be 1 to 256"},
    {{{BOX0, 256}}, NULL},
    {{{BOX0, 256}, {BOX2, 256}}, "larger than the 233472 bytes that a box may have"},
    {{{BOX0, 3}, {INTERLEAVE, 1}}, "must be a multiple of 16 bytes"},
    {{{BOX0, 260}}, "boxDim[0] = 260: must be 1 to 256"},
    {{{BOX0, 5}}, "= 20 bytes: must be a multiple of 16 bytes"},
    {{{BOX2, 257}}, "boxDim[2] = 257"},
    {{{ESTRIDE1, 8}}, NULL},
    {{{ESTRIDE1, 9}}, "elementStrides[1] = 9: must be 1 to 8"},
    {{{ESTRIDE1, 0}}, "elementStrides[1] = 0"},
    {{{INTERLEAVE, 3}}, "interleave = 3"},
    {{{INTERLEAVE, 1}}, NULL},
    {{{INTERLEAVE, 1}, {RANK, 2}}, "must be at least 3"},
    {{{INTERLEAVE, 2}}, NULL},
    {{{INTERLEAVE, 2}, {SWIZZLE, 2}}, NULL}, // the documentation forbids this, but an H100 accepts it
    {{{SWIZZLE, 1}, {BOX0, 8}}, NULL},
    {{{SWIZZLE, 1}, {BOX0, 12}}, "must be at most 32"},
    {{{SWIZZLE, 2}, {BOX0, 16}}, NULL},
    {{{SWIZZLE, 2}, {BOX0, 20}}, "must be at most 64"},
    {{{SWIZZLE, 3}, {BOX0, 32}}, NULL},
    {{{SWIZZLE, 3}, {BOX0, 36}}, "must be at most 128"},
    {{{SWIZZLE, 4}}, "compute capability 10.0"},
    {{{SWIZZLE, 7}}, "swizzle = 7"},
    {{{L2, 4}}, "l2Promotion = 4"},
    {{{FILL, 2}}, "oobFill = 2"},
    {{{FILL, 1}}, NULL},
    {{{FILL, 1}, {TYPE, TENSOR_S32}}, "needs a floating-point tensorDataType, not s32"},
};

static void keeps_every_constraint(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
    _Alignas(64) uint8_t map[128];
    struct arguments x;
    char message[256];
    good(&x);
    for (int k = 0; k < 3; k++)
      if (k == 0 || edges[i].changes[k].value) set(&x, edges[i].changes[k].target, edges[i].changes[k].value);
    memset(map, 0x5a, sizeof map);
    int result = tensor_map_encode(map, &x.a, message, sizeof message);
    if (edges[i].message) {
      if (result != 1 || !strstr(message, edges[i].message))
        fail_msg("edge %zu: got %d \"%s\", expected \"%s\"", i, result, message, edges[i].message);
      assert_int_equal(map[0], 0x5a);
    } else if (result != 0) {
      fail_msg("edge %zu: got %d \"%s\", expected success", i, result, message);
    }
  }
}

static void refuses_bad_pointers(void **state) {
  (void)state;
  _Alignas(64) uint8_t map[128], beside[192];
  struct arguments x;
  char message[256];
  assert_int_equal(tensor_map_encode(NULL, &good(&x)->a, message, sizeof message), 1);
  assert_non_null(strstr(message, "tensorMap = NULL"));
  assert_int_equal(tensor_map_encode(map, &good(&x)->a, message, sizeof message), 0);
  assert_int_equal(tensor_map_encode(beside + 17, &good(&x)->a, message, sizeof message), 0); // as the driver
  assert_memory_equal(map, beside + 17, sizeof map);
  good(&x)->a.box_dim = NULL;
  assert_int_equal(tensor_map_encode(map, &x.a, message, sizeof message), 1);
  assert_non_null(strstr(message, "boxDim = NULL"));
  good(&x)->a.global_strides = NULL;
  assert_int_equal(tensor_map_encode(map, &x.a, message, sizeof message), 1);
  assert_non_null(strstr(message, "globalStrides = NULL"));
  x.a.rank = 1; // as the driver
  assert_int_equal(tensor_map_encode(map, &x.a, message, sizeof message), 1);
  assert_non_null(strstr(message, "although rank 1 has no strides"));
}

static void decodes_what_it_encoded(void **state) {
  (void)state;
  _Alignas(64) uint8_t image[128];
  struct arguments x;
  struct tensor_map map;
  char message[256];
  assert_int_equal(tensor_map_encode(image, &good(&x)->a, message, sizeof message), 0);
  assert_true(tensor_map_decode(image, &map, message, sizeof message));
  assert_int_equal(map.address, 0x7f0000010000);
  assert_int_equal(map.rank, 5);
  assert_int_equal(map.element_bytes, 4);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(map.dim[i], x.dim[i]);
    assert_int_equal(map.box[i], x.box[i]);
    assert_int_equal(map.stride[i], i ? x.strides[i - 1] : 4);
  }
  assert_int_equal(map.count[1], 4);
  assert_int_equal(map.count[3], 1);
  assert_int_equal(map.bytes, 4 * 16 * 4 * 4 * 1 * 1);
}

// CUTLASS clears bit 21 of a map's second word. A map without it is the same map.
static void leaves_a_bit_to_cutlass(void **state) {
  (void)state;
  _Alignas(64) uint64_t image[16];
  struct arguments x;
  struct tensor_map map;
  char message[256];
  good(&x)->a.global_address = 0x7f0000a40000; // has this bit itself
  assert_int_equal(tensor_map_encode(image, &x.a, message, sizeof message), 0);
  image[1] &= ~(1ull << 21);
  assert_true(tensor_map_decode(image, &map, message, sizeof message));
  assert_int_equal(map.address, 0x7f0000a40000);
  image[1] ^= 1ull << 20; // nobody has a reason to touch another one
  assert_false(tensor_map_decode(image, &map, message, sizeof message));
}

static void recognises_garbage(void **state) {
  (void)state;
  _Alignas(64) uint8_t image[128] = {0};
  struct arguments x;
  struct tensor_map map;
  char message[256];
  assert_false(tensor_map_decode(image, &map, message, sizeof message));
  assert_non_null(strstr(message, "zero"));
  for (int bit = 0; bit < 1024; bit += 7) {
    assert_int_equal(tensor_map_encode(image, &good(&x)->a, message, sizeof message), 0);
    image[bit / 8] ^= (uint8_t)(1 << bit % 8);
    assert_false(tensor_map_decode(image, &map, message, sizeof message));
  }
}

static void replaces_fields(void **state) {
  (void)state;
  _Alignas(64) uint8_t image[128];
  struct arguments x;
  struct tensor_map map;
  char why[256];
  assert_int_equal(tensor_map_encode(image, &good(&x)->a, why, sizeof why), 0);
  assert_true(tensor_map_replace(image, TENSOR_FIELD_GLOBAL_ADDRESS, 0, 0x7f0000020000, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_RANK, 0, 1, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_GLOBAL_DIM, 1, 77, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_GLOBAL_DIM, 0, 0, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_GLOBAL_STRIDE, 0, 800, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_BOX_DIM, 0, 4, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_ELEMENT_STRIDE, 1, 4, why, sizeof why));
  // .bf16 in PTX's numbering
  assert_true(tensor_map_replace(image, TENSOR_FIELD_ELEMTYPE, 0, 10, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_FILL_MODE, 0, 1, why, sizeof why));
  // 4 elements of 2 bytes are not a multiple of 16 bytes
  assert_false(tensor_map_decode(image, &map, why, sizeof why));
  assert_non_null(strstr(why, "multiple of 16"));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_BOX_DIM, 0, 32, why, sizeof why));
  assert_true(tensor_map_replace(image, TENSOR_FIELD_SWIZZLE_MODE, 0, 2, why, sizeof why));
  assert_true(tensor_map_decode(image, &map, why, sizeof why));
  assert_int_equal(map.address, 0x7f0000020000);
  assert_int_equal(map.rank, 2);
  assert_int_equal(map.dim[0], 1ull << 32);
  assert_int_equal(map.dim[1], 77);
  assert_int_equal(map.stride[1], 800);
  assert_int_equal(map.type, TENSOR_BF16);
  assert_int_equal(map.fill, TENSOR_FILL_NAN);
  assert_int_equal(map.swizzle, TENSOR_SWIZZLE_64B);
  assert_int_equal(map.count[1], 2);
}

static void refuses_impossible_replacements(void **state) {
  (void)state;
  _Alignas(64) uint8_t image[128];
  struct arguments x;
  char why[256];
  assert_int_equal(tensor_map_encode(image, &good(&x)->a, why, sizeof why), 0);
  assert_false(tensor_map_replace(image, TENSOR_FIELD_RANK, 0, 5, why, sizeof why));
  assert_false(tensor_map_replace(image, TENSOR_FIELD_BOX_DIM, 5, 4, why, sizeof why));
  assert_false(tensor_map_replace(image, TENSOR_FIELD_BOX_DIM, 0, 257, why, sizeof why));
  assert_false(tensor_map_replace(image, TENSOR_FIELD_GLOBAL_STRIDE, 4, 16, why, sizeof why));
  assert_false(tensor_map_replace(image, TENSOR_FIELD_ELEMTYPE, 0, 13, why, sizeof why));
  assert_false(tensor_map_replace(image, TENSOR_FIELD_SWIZZLE_MODE, 0, 4, why, sizeof why));
  image[3] ^= 1;
  assert_false(tensor_map_replace(image, TENSOR_FIELD_RANK, 0, 1, why, sizeof why));
  memset(image, 0, sizeof image); // a blank map may be filled in field by field
  assert_true(tensor_map_replace(image, TENSOR_FIELD_RANK, 0, 1, why, sizeof why));
}

// The tables of PTX ISA 5.5.7: the 16-byte chunk of the source that stands at each place of a 128-byte line.
static void swizzles_as_the_tables_say(void **state) {
  (void)state;
  static const uint8_t lines32[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}};
  static const uint8_t lines64[4][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}};
  static const uint8_t lines128[8][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
      {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
  for (uint32_t line = 0; line < 24; line++) {
    for (uint32_t chunk = 0; chunk < 8; chunk++) {
      const uint8_t places[4] = {(uint8_t)chunk, lines32[line % 2][chunk], lines64[line % 4][chunk],
                                 lines128[line % 8][chunk]};
      for (int swizzle = 0; swizzle < 4; swizzle++)
        for (uint32_t byte = 0; byte < 16; byte += 5)
          assert_int_equal(
              tensor_swizzle_offset((enum tensor_swizzle)swizzle, line * 128 + places[swizzle] * 16 + byte),
              line * 128 + chunk * 16 + byte);
    }
  }
}

// ---- im2col mode ------------------------------------------------------------------------------------------

struct corner_case {
  uint32_t rank, channels, pixels;
  int lower[3], upper[3];
  const char *problem;
};

static const struct corner_case corner_cases[] = {
    {5, 16, 1024, {-16, -1, 0}, {15, -2, -3}, NULL},
    {4, 16, 64, {-128, -1, 0}, {127, -2, 0}, NULL},
    {3, 32, 64, {-32768, 0, 0}, {32767, 0, 0}, NULL},
    {2, 16, 64, {0, 0, 0}, {0, 0, 0}, "tensorRank = 2: must be 3 to 5"},
    {5, 16, 64, {0, -17, 0}, {0, 0, 0}, "pixelBoxLowerCorner[1] = -17: must be -16 to 15"},
    {4, 16, 64, {0, 0, 0}, {128, 0, 0}, "pixelBoxUpperCorner[0] = 128: must be -128 to 127"},
    {4, 16, 64, {0, 10, 0}, {0, -10, 0}, "no pixel lies between"},
    {4, 16, 1025, {0, 0, 0}, {0, 0, 0}, "pixelsPerColumn = 1025: must be 1 to 1024"},
    {4, 16, 0, {0, 0, 0}, {0, 0, 0}, "pixelsPerColumn = 0"},
    {4, 257, 64, {0, 0, 0}, {0, 0, 0}, "channelsPerPixel = 257: must be 1 to 256"},
    {4, 3, 64, {0, 0, 0}, {0, 0, 0}, "channelsPerPixel = 3 elements of 4 bytes = 12 bytes"},
    {4, 256, 1024, {0, 0, 0}, {0, 0, 0}, "pixelsPerColumn: a box of 1048576 bytes"},
};

static void keeps_corners(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof corner_cases / sizeof *corner_cases; i++) {
    const struct corner_case *c = &corner_cases[i];
    struct arguments x;
    good(&x);
    _Alignas(64) uint8_t image[TENSOR_MAP_BYTES] = {0};
    char message[256];
    const uint32_t box[5] = {c->channels, c->pixels, 1, 1, 1};
    x.a.rank = c->rank;
    x.a.box_dim = box;
    x.a.lower_corner = c->lower;
    x.a.upper_corner = c->upper;
    const int status = tensor_map_encode(image, &x.a, message, sizeof message);
    assert_int_equal(status != 0, c->problem != NULL);
    if (c->problem && !strstr(message, c->problem)) fail_msg("case %zu: %s", i, message);
    if (c->problem) continue;
    struct tensor_map map;
    assert_true(tensor_map_decode(image, &map, message, sizeof message));
    assert_true(map.im2col);
    for (uint32_t k = 0; k + 2 < c->rank; k++) {
      assert_int_equal(map.lower[k], c->lower[k]);
      assert_int_equal(map.upper[k], c->upper[k]);
    }
    assert_int_equal(map.bytes, c->channels * c->pixels * 4); // steps of 2 and 3 leave out no pixel
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keeps_corners),
      cmocka_unit_test(keeps_every_constraint),
      cmocka_unit_test(refuses_bad_pointers),
      cmocka_unit_test(decodes_what_it_encoded),
      cmocka_unit_test(leaves_a_bit_to_cutlass),
      cmocka_unit_test(recognises_garbage),
      cmocka_unit_test(replaces_fields),
      cmocka_unit_test(refuses_impossible_replacements),
      cmocka_unit_test(swizzles_as_the_tables_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
