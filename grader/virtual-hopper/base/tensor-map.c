// Encodes, alters and decodes tensor maps. The image is opaque to programs, as on the chip, but its format is
// ours: a mark, the fields as plain numbers and a checksum. So a copy detects when other data lies at a map's
// address. One bit is not ours: CUTLASS, and whatever makes its maps with it, clears bit 21 of the second
// word when the driver is 13.1 or older and the tensor has less than 128 KiB.
#include "virtual-hopper/base/tensor-map.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/cuda-errors.h"

#define IMAGE_MARK   0x504148434c414d54ull
#define FREE_BIT     (1ull << 21) // of an image's flags
#define DIM_LIMIT    (1ull << 32)
#define STRIDE_LIMIT (1ull << 40)
enum {
  BOX_MOST_BYTES = 233472,
  BOX_LIMIT = 256,
  PIXEL_LIMIT = 1024,
  ELEMENT_STRIDE_LIMIT = 8,
  STRIDE_UNIT = 16
};

struct image {
  uint64_t mark;
  uint64_t flags; // nothing but FREE_BIT, which means nothing here
  uint64_t address;
  uint64_t stride[TENSOR_MAX_RANK - 1];
  uint32_t dim_less_one[TENSOR_MAX_RANK];
  uint16_t box[TENSOR_MAX_RANK];
  uint8_t element_stride[TENSOR_MAX_RANK];
  uint8_t rank_less_one, type, interleave, swizzle, l2_promotion, fill;
  uint8_t im2col;
  int16_t corners[2][TENSOR_MAX_RANK - 2]; // lower, upper
  uint8_t unused[10];
  uint64_t checksum;
};
_Static_assert(sizeof(struct image) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

static const uint8_t element_bytes[TENSOR_TYPE_COUNT] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static const char *const type_names[TENSOR_TYPE_COUNT] = {
    "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"};
static const uint32_t swizzle_span[] = {0, 32, 64, 128};

const char *tensor_type_name(enum tensor_type type) {
  return type < TENSOR_TYPE_COUNT ? type_names[type] : "?";
}

void tensor_box_name(const uint32_t *count, uint32_t rank, enum tensor_type type, char *text, size_t size) {
  size_t used = 0;
  for (uint32_t i = 0; i < rank && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, i ? " x %u" : "%u", count[i]);
  if (used < size)
    snprintf(text + used, size - used, " elements of %u byte%s", element_bytes[type],
             element_bytes[type] == 1 ? "" : "s");
}

__attribute__((format(printf, 3, 4))) static bool refuse(char *message, size_t size, const char *format,
                                                         ...) {
  va_list arguments;
  va_start(arguments, format);
  if (size) vsnprintf(message, size, format, arguments);
  va_end(arguments);
  return false;
}

static uint64_t checksum(const struct image *image) {
  uint64_t words[TENSOR_MAP_BYTES / 8 - 1], sum = 0x9e3779b97f4a7c15ull;
  memcpy(words, image, sizeof words);
  words[offsetof(struct image, flags) / 8] |= FREE_BIT;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    sum = (sum ^ words[i]) * 0xbf58476d1ce4e5b9ull;
    sum ^= sum >> 29;
  }
  return sum;
}

// ---- rules for a map's fields, for the driver's call and for a map altered by tensormap.replace -----------

static bool is_float(enum tensor_type type) {
  return type >= TENSOR_F16;
}

static bool check_kinds(const struct tensor_map_arguments *a, char *message, size_t size) {
  if (a->data_type < 0 || a->data_type > 15)
    return refuse(message, size, "tensorDataType = %d: not a CUtensorMapDataType", a->data_type);
  if (a->data_type >= TENSOR_TYPE_COUNT)
    return refuse(
        message, size,
        "tensorDataType = %d: the packed 4- and 6-bit types need compute capability 10.0, this is 9.0",
        a->data_type);
  if (a->rank < 1 || a->rank > TENSOR_MAX_RANK)
    return refuse(message, size, "tensorRank = %u: must be 1 to 5", a->rank);
  if (a->interleave < 0 || a->interleave > TENSOR_INTERLEAVE_32B)
    return refuse(message, size, "interleave = %d: not a CUtensorMapInterleave", a->interleave);
  if (a->interleave != TENSOR_INTERLEAVE_NONE && a->rank < 3)
    return refuse(message, size, "tensorRank = %u: must be at least 3 for an interleaved layout", a->rank);
  if (a->swizzle < 0 || a->swizzle > 6)
    return refuse(message, size, "swizzle = %d: not a CUtensorMapSwizzle", a->swizzle);
  if (a->swizzle > TENSOR_SWIZZLE_128B)
    return refuse(message, size,
                  "swizzle = %d: atoms of 32 and 64 bytes need compute capability 10.0, this is 9.0",
                  a->swizzle);
  // The documentation requires the 32-byte swizzle for a 32-byte interleave. An H100's driver accepts every
  // swizzle.
  if (a->l2_promotion < 0 || a->l2_promotion > 3)
    return refuse(message, size, "l2Promotion = %d: not a CUtensorMapL2promotion", a->l2_promotion);
  if (a->oob_fill < 0 || a->oob_fill > TENSOR_FILL_NAN)
    return refuse(message, size, "oobFill = %d: not a CUtensorMapFloatOOBfill", a->oob_fill);
  if (a->oob_fill == TENSOR_FILL_NAN && !is_float((enum tensor_type)a->data_type))
    return refuse(message, size,
                  "oobFill = NAN_REQUEST_ZERO_FMA: needs a floating-point tensorDataType, not %s",
                  type_names[a->data_type]);
  return true;
}

static bool check_tensor(const struct tensor_map_arguments *a, char *message, size_t size) {
  uint64_t unit = a->interleave == TENSOR_INTERLEAVE_32B ? 32 : STRIDE_UNIT;
  const char *why = unit == 32 ? " for CU_TENSOR_MAP_INTERLEAVE_32B" : "";
  if (a->global_address % unit)
    return refuse(message, size, "globalAddress = 0x%llx: must be a multiple of %llu bytes%s",
                  (unsigned long long)a->global_address, (unsigned long long)unit, why);
  for (uint32_t i = 0; i < a->rank; i++)
    if (!(a->global_dim[i] >= 1 && a->global_dim[i] <= DIM_LIMIT))
      return refuse(message, size, "globalDim[%u] = %llu: must be 1 to 2^32", i,
                    (unsigned long long)a->global_dim[i]);
  for (uint32_t i = 0; i + 1 < a->rank; i++) {
    unsigned long long stride = a->global_strides[i];
    if (stride % unit)
      return refuse(message, size, "globalStrides[%u] = %llu bytes: must be a multiple of %llu%s", i, stride,
                    (unsigned long long)unit, why);
    if (stride >= STRIDE_LIMIT)
      return refuse(message, size, "globalStrides[%u] = %llu bytes: must be less than 2^40", i, stride);
  }
  return true;
}

// Returns the bytes of one step along dimension 0: one element, or a whole slice of an interleaved tensor.
static uint32_t unit_of(enum tensor_interleave interleave, enum tensor_type type) {
  return interleave == TENSOR_INTERLEAVE_NONE ? element_bytes[type] : 8u << interleave;
}

// Returns the number of steps of a box along a dimension. An H100 stores interleaved tensors as (N, C slices,
// D, H, W, slice). So dimension rank - 2 is the channels' dimension. Its coordinate and its size count
// slices. A box holds one slice, for any number of channels in its size.
static uint32_t steps(uint32_t rank, uint32_t dimension, uint32_t box, uint32_t element_stride,
                      enum tensor_interleave interleave) {
  if (interleave != TENSOR_INTERLEAVE_NONE && dimension + 2 == rank) return 1;
  if (interleave == TENSOR_INTERLEAVE_NONE && dimension == 0) element_stride = 1; // ignored (driver API)
  return (box + element_stride - 1) / element_stride;
}

static uint64_t box_bytes(const struct tensor_map_arguments *a) {
  enum tensor_interleave interleave = (enum tensor_interleave)a->interleave;
  enum tensor_type type = (enum tensor_type)a->data_type;
  uint64_t bytes = unit_of(interleave, type);
  // channels per slice; here channels count, in the copy they don't
  uint32_t slice = unit_of(interleave, type) / element_bytes[type];
  if (a->lower_corner) return bytes * a->box_dim[0] * a->box_dim[1];
  for (uint32_t i = 0; i < a->rank; i++) {
    bool channels = interleave != TENSOR_INTERLEAVE_NONE && i + 2 == a->rank;
    bytes *= channels ? (a->box_dim[i] + slice - 1) / slice
                      : steps(a->rank, i, a->box_dim[i], a->element_strides[i], interleave);
  }
  return bytes; // at most 32 * 256^5: no overflow
}

// PTX ISA 5.5.4.1: how far from the image the corners may lie, and channels and pixels of a box.
static bool check_corners(const struct tensor_map_arguments *a, char *message, size_t size) {
  static const int most[] = {32767, 127, 15}; // ranks 3, 4, 5
  if (a->rank < 3) return refuse(message, size, "tensorRank = %u: must be 3 to 5 in im2col mode", a->rank);
  for (uint32_t i = 0; i + 2 < a->rank; i++) {
    const int low = a->lower_corner[i], high = a->upper_corner[i], limit = most[a->rank - 3];
    if (low < -limit - 1 || low > limit || high < -limit - 1 || high > limit)
      return refuse(message, size, "pixelBox%sCorner[%u] = %d: must be %d to %d for rank %u",
                    low < -limit - 1 || low > limit ? "Lower" : "Upper", i,
                    low < -limit - 1 || low > limit ? low : high, -limit - 1, limit, a->rank);
    if ((int64_t)a->global_dim[i + 1] + high - low < 1)
      return refuse(message, size,
                    "pixelBoxLowerCorner[%u] = %d, pixelBoxUpperCorner[%u] = %d: no pixel lies between", i,
                    low, i, high);
  }
  if (!(a->box_dim[0] >= 1 && a->box_dim[0] <= BOX_LIMIT))
    return refuse(message, size, "channelsPerPixel = %u: must be 1 to 256", a->box_dim[0]);
  if (!(a->box_dim[1] >= 1 && a->box_dim[1] <= PIXEL_LIMIT))
    return refuse(message, size, "pixelsPerColumn = %u: must be 1 to 1024", a->box_dim[1]);
  return true;
}

static bool check_box(const struct tensor_map_arguments *a, char *message, size_t size) {
  if (a->lower_corner && !check_corners(a, message, size)) return false;
  for (uint32_t i = 0; i < a->rank && !a->lower_corner; i++)
    if (!(a->box_dim[i] >= 1 && a->box_dim[i] <= BOX_LIMIT))
      return refuse(message, size, "boxDim[%u] = %u: must be 1 to 256 elements", i, a->box_dim[i]);
  for (uint32_t i = 0; i < a->rank; i++)
    if (!(a->element_strides[i] >= 1 && a->element_strides[i] <= ELEMENT_STRIDE_LIMIT))
      return refuse(message, size, "elementStrides[%u] = %u: must be 1 to 8", i, a->element_strides[i]);
  if (box_bytes(a) > BOX_MOST_BYTES)
    return refuse(message, size, "%s: a box of %llu bytes is larger than the %u bytes that a box may have",
                  a->lower_corner ? "pixelsPerColumn" : "boxDim", (unsigned long long)box_bytes(a),
                  BOX_MOST_BYTES);
  const char *name = a->lower_corner ? "channelsPerPixel" : "boxDim[0]";
  uint32_t inner = a->box_dim[0] * element_bytes[a->data_type], span = swizzle_span[a->swizzle];
  if (inner % 16)
    return refuse(message, size, "%s = %u elements of %u bytes = %u bytes: must be a multiple of 16 bytes",
                  name, a->box_dim[0], element_bytes[a->data_type], inner);
  if (a->interleave == TENSOR_INTERLEAVE_NONE && span && inner > span)
    return refuse(
        message, size,
        "%s = %u elements of %u bytes = %u bytes: must be at most %u with CU_TENSOR_MAP_SWIZZLE_%uB", name,
        a->box_dim[0], element_bytes[a->data_type], inner, span, span);
  return true;
}

int tensor_map_encode(void *map, const struct tensor_map_arguments *a, char *message, size_t size) {
  bool good = true;
  if (size) message[0] = '\0';
  if (!map) good = refuse(message, size, "tensorMap = NULL: must be the address of a CUtensorMap");
  good = good && check_kinds(a, message, size);
  if (good && (!a->global_dim || !a->box_dim || !a->element_strides || (a->rank > 1 && !a->global_strides)))
    good = refuse(message, size, "%s = NULL: must be an array of %s elements",
                  !a->global_dim        ? "globalDim"
                  : !a->box_dim         ? "boxDim"
                  : !a->element_strides ? "elementStrides"
                                        : "globalStrides",
                  a->global_dim && a->box_dim && a->element_strides ? "tensorRank - 1" : "tensorRank");
  if (good && !a->global_strides) // the driver's answer, on an H100
    good = refuse(message, size, "globalStrides = NULL: must be an address, although rank 1 has no strides");
  if (!good || !check_tensor(a, message, size) || !check_box(a, message, size)) return ERROR_INVALID_VALUE;
  struct image image = {.mark = IMAGE_MARK,
                        .flags = FREE_BIT,
                        .address = a->global_address,
                        .rank_less_one = (uint8_t)(a->rank - 1),
                        .type = (uint8_t)a->data_type,
                        .interleave = (uint8_t)a->interleave,
                        .swizzle = (uint8_t)a->swizzle,
                        .l2_promotion = (uint8_t)a->l2_promotion,
                        .fill = (uint8_t)a->oob_fill};
  for (uint32_t i = 0; i < a->rank; i++) {
    image.dim_less_one[i] = (uint32_t)(a->global_dim[i] - 1);
    image.box[i] = (uint16_t)a->box_dim[i];
    image.element_stride[i] = (uint8_t)a->element_strides[i];
    if (i + 1 < a->rank) image.stride[i] = a->global_strides[i];
    if (!a->lower_corner || i + 2 >= a->rank) continue;
    image.im2col = true;
    image.corners[0][i] = (int16_t)a->lower_corner[i];
    image.corners[1][i] = (int16_t)a->upper_corner[i];
  }
  image.checksum = checksum(&image);
  memcpy(map, &image, sizeof image);
  return ERROR_NONE;
}

// ---- use --------------------------------------------------------------------------------------------------

static bool is_map(const struct image *image) {
  return image->mark == IMAGE_MARK && image->checksum == checksum(image);
}

static bool recognise(const struct image *image, char *message, size_t size) {
  if (is_map(image)) return true;
  static const struct image zero;
  if (memcmp(image, &zero, sizeof zero) == 0)
    return refuse(message, size, "all 128 bytes are zero: no map was ever written there");
  return refuse(
      message, size,
      "the 128 bytes are not a map made by cuTensorMapEncodeTiled, or were altered since by something else "
      "than tensormap.replace");
}

// Computes the box's layout in shared memory from the fields.
static void derive(struct tensor_map *map) {
  uint32_t rows = 1, span = swizzle_span[map->swizzle];
  if (map->interleave == TENSOR_INTERLEAVE_NONE) map->element_stride[0] = 1;
  for (uint32_t i = 0; i < TENSOR_MAX_RANK; i++) {
    map->count[i] = map->im2col ? map->box[i]
                    : i < map->rank
                        ? steps(map->rank, i, map->box[i], map->element_stride[i], map->interleave)
                        : 1;
    if (i > 0) rows *= map->count[i];
  }
  map->element_bytes = element_bytes[map->type];
  map->unit_bytes = map->stride[0] = unit_of(map->interleave, map->type);
  map->row_bytes = map->count[0] * map->unit_bytes;
  // A swizzled row is padded to the pattern's span. Rows of slices are never padded (measured on an H100).
  bool padded = span && map->interleave == TENSOR_INTERLEAVE_NONE;
  map->row_pitch = padded ? (map->row_bytes + span - 1) / span * span : map->row_bytes;
  map->bytes = rows * map->row_bytes;
  map->footprint = (rows - 1) * map->row_pitch + map->row_bytes;
  if (span) map->footprint = (map->footprint + span - 1) / span * span;
}

bool tensor_map_decode(const void *bytes, struct tensor_map *map, char *message, size_t size) {
  struct image image;
  memcpy(&image, bytes, sizeof image);
  if (!recognise(&image, message, size)) return false;
  *map = (struct tensor_map){.address = image.address, .rank = image.rank_less_one + 1u};
  for (uint32_t i = 0; i < TENSOR_MAX_RANK; i++) {
    bool used = i < map->rank;
    map->dim[i] = used ? image.dim_less_one[i] + 1ull : 1;
    map->box[i] = used ? image.box[i] : 1;
    map->element_stride[i] = used ? image.element_stride[i] : 1;
    map->stride[i] = used && i > 0 ? image.stride[i - 1] : 0;
  }
  map->im2col = image.im2col;
  for (uint32_t i = 0; i + 2 < TENSOR_MAX_RANK; i++) {
    map->lower[i] = image.corners[0][i];
    map->upper[i] = image.corners[1][i];
  }
  struct tensor_map_arguments a = {.data_type = image.type,
                                   .rank = map->rank,
                                   .global_address = image.address,
                                   .global_dim = map->dim,
                                   .global_strides = map->stride + 1,
                                   .box_dim = map->box,
                                   .element_strides = map->element_stride,
                                   .interleave = image.interleave,
                                   .swizzle = image.swizzle,
                                   .l2_promotion = image.l2_promotion,
                                   .oob_fill = image.fill,
                                   .lower_corner = map->im2col ? map->lower : NULL,
                                   .upper_corner = map->im2col ? map->upper : NULL};
  if (!check_kinds(&a, message, size) || !check_tensor(&a, message, size) || !check_box(&a, message, size))
    return false;
  map->type = (enum tensor_type)image.type;
  map->interleave = (enum tensor_interleave)image.interleave;
  map->swizzle = (enum tensor_swizzle)image.swizzle;
  map->fill = (enum tensor_fill)image.fill;
  derive(map);
  return true;
}

// PTX and the driver number the element types differently (PTX ISA 9.7.9.28, table 33).
static const uint8_t type_of_ptx[] = {TENSOR_U8,   TENSOR_U16,  TENSOR_U32,     TENSOR_S32,     TENSOR_U64,
                                      TENSOR_S64,  TENSOR_F16,  TENSOR_F32,     TENSOR_F32_FTZ, TENSOR_F64,
                                      TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ};

static bool replace_field(struct image *image, enum tensor_map_field field, uint32_t n, uint64_t value,
                          char *message, size_t size) {
  unsigned long long shown = value;
  uint32_t last = field == TENSOR_FIELD_GLOBAL_STRIDE ? TENSOR_MAX_RANK - 2 : TENSOR_MAX_RANK - 1;
  bool indexed = field >= TENSOR_FIELD_BOX_DIM && field <= TENSOR_FIELD_ELEMENT_STRIDE;
  if (indexed && n > last) return refuse(message, size, "ordinal %u: must be 0 to %u", n, last);
  switch (field) {
  case TENSOR_FIELD_GLOBAL_ADDRESS: image->address = value; return true;
  case TENSOR_FIELD_GLOBAL_STRIDE: image->stride[n] = value; return true;
  case TENSOR_FIELD_GLOBAL_DIM:
    image->dim_less_one[n] = (uint32_t)value - 1;
    return true; // 0 means 2^32, as in the field itself
  case TENSOR_FIELD_RANK:
    if (value >= TENSOR_MAX_RANK)
      return refuse(message, size, "rank = %llu: one less than the rank, so 0 to 4", shown);
    image->rank_less_one = (uint8_t)value;
    return true;
  case TENSOR_FIELD_BOX_DIM:
    if (value > BOX_LIMIT)
      return refuse(message, size, "box_dim[%u] = %llu: must be 1 to 256 elements", n, shown);
    image->box[n] = (uint16_t)value;
    return true;
  case TENSOR_FIELD_ELEMENT_STRIDE:
    if (value > ELEMENT_STRIDE_LIMIT)
      return refuse(message, size, "element_stride[%u] = %llu: must be 1 to 8", n, shown);
    image->element_stride[n] = (uint8_t)value;
    return true;
  case TENSOR_FIELD_ELEMTYPE:
    if (value >= sizeof type_of_ptx)
      return refuse(message, size, "elemtype = %llu: must be 0 to 12 on compute capability 9.0", shown);
    image->type = type_of_ptx[value];
    return true;
  case TENSOR_FIELD_INTERLEAVE_LAYOUT:
    if (value > TENSOR_INTERLEAVE_32B)
      return refuse(message, size, "interleave_layout = %llu: must be 0 to 2", shown);
    image->interleave = (uint8_t)value;
    return true;
  case TENSOR_FIELD_SWIZZLE_MODE:
    if (value > TENSOR_SWIZZLE_128B)
      return refuse(message, size, "swizzle_mode = %llu: must be 0 to 3 on compute capability 9.0", shown);
    image->swizzle = (uint8_t)value;
    return true;
  case TENSOR_FIELD_FILL_MODE:
    if (value > TENSOR_FILL_NAN) return refuse(message, size, "fill_mode = %llu: must be 0 or 1", shown);
    image->fill = (uint8_t)value;
    return true;
  }
  return refuse(message, size, "no such field");
}

bool tensor_map_replace(void *bytes, enum tensor_map_field field, uint32_t ordinal, uint64_t value,
                        char *message, size_t size) {
  struct image image;
  memcpy(&image, bytes, sizeof image);
  static const struct image zero;
  if (memcmp(&image, &zero, sizeof zero) != 0 && !recognise(&image, message, size)) return false;
  image.mark = IMAGE_MARK;
  if (!replace_field(&image, field, ordinal, value, message, size)) return false;
  image.checksum = checksum(&image);
  memcpy(bytes, &image, sizeof image);
  return true;
}
