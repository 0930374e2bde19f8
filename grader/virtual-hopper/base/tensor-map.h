// Tensor maps. In: the arguments of cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col. Out: our own opaque
// 128 bytes, and, decoded from these bytes, the tensor and its box. This file uses no other room, because the
// replacement of libcuda encodes maps in the program's own process. PTX ISA 5.5 (tensors), 9.7.9.28
// (tensormap.replace); CUDA driver API, "Tensor Map Object Management".
#ifndef VIRTUAL_HOPPER_BASE_TENSOR_MAP_H
#define VIRTUAL_HOPPER_BASE_TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGNMENT = 64, TENSOR_MAX_RANK = 5 };

// The numbers of CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle and CUtensorMapFloatOOBfill.
enum tensor_type {
  TENSOR_U8,
  TENSOR_U16,
  TENSOR_U32,
  TENSOR_S32,
  TENSOR_U64,
  TENSOR_S64,
  TENSOR_F16,
  TENSOR_F32,
  TENSOR_F64,
  TENSOR_BF16,
  TENSOR_F32_FTZ,
  TENSOR_TF32,
  TENSOR_TF32_FTZ,
  TENSOR_TYPE_COUNT
};
enum tensor_interleave { TENSOR_INTERLEAVE_NONE, TENSOR_INTERLEAVE_16B, TENSOR_INTERLEAVE_32B };
enum tensor_swizzle { TENSOR_SWIZZLE_NONE, TENSOR_SWIZZLE_32B, TENSOR_SWIZZLE_64B, TENSOR_SWIZZLE_128B };
enum tensor_fill { TENSOR_FILL_ZERO, TENSOR_FILL_NAN };

// The arguments of the driver's function. Arrays have `rank` elements; global_strides has rank - 1.
struct tensor_map_arguments {
  int data_type;
  uint32_t rank;
  uint64_t global_address;
  const uint64_t *global_dim, *global_strides;
  const uint32_t *box_dim, *element_strides;
  int interleave, swizzle, l2_promotion, oob_fill;
  // Maps of im2col mode alone, else NULL: rank - 2 corners each, W first. box_dim then begins with the
  // channels and the pixels of a box; its other elements are 1.
  const int *lower_corner, *upper_corner;
};

// Encodes a map into 128 bytes at `map`: at any address, as the driver does (compilers put returned maps
// where stacks are aligned to 16 bytes). Returns a CUresult: 0, or 1 (invalid value) with the argument, its
// value and the rule in `message`. On failure `map` stays unchanged.
int tensor_map_encode(void *map, const struct tensor_map_arguments *arguments, char *message, size_t size);

struct tensor_map { // the decoded image
  uint64_t address;
  uint32_t rank;
  enum tensor_type type;
  uint32_t element_bytes;
  enum tensor_interleave interleave;
  enum tensor_swizzle swizzle;
  enum tensor_fill fill;
  uint64_t dim[TENSOR_MAX_RANK];    // elements; 1 beyond the rank, as in the other arrays
  uint64_t stride[TENSOR_MAX_RANK]; // bytes between neighbours along a dimension
  uint32_t box[TENSOR_MAX_RANK];    // elements spanned
  uint32_t element_stride[TENSOR_MAX_RANK];
  uint32_t count[TENSOR_MAX_RANK]; // elements copied along a dimension: ceil(box / element stride)
  // bytes of a step along dimension 0: one element, or a slice of 16 or 32 bytes of an interleaved tensor
  uint32_t unit_bytes;
  uint32_t row_bytes; // bytes of count[0] units
  uint32_t row_pitch; // bytes between rows in shared memory; with a swizzle, a multiple of its span
  uint32_t bytes;     // bytes of a whole box: bytes that are copied, and reported to the barrier
  uint32_t footprint; // bytes of shared memory from the first row's start to the last row's end
  // im2col mode: a box is box[1] pixels of box[0] channels, which walk from corner to corner of each image
  bool im2col;
  int32_t lower[TENSOR_MAX_RANK - 2], upper[TENSOR_MAX_RANK - 2]; // of W, H, D; upper: from the image's end
};

// Returns false, with the reason in `message`, when this device did not encode the map, or when
// tensormap.replace changed a field so that the map breaks a rule.
bool tensor_map_decode(const void *image, struct tensor_map *map, char *message, size_t size);

enum tensor_map_field {
  TENSOR_FIELD_GLOBAL_ADDRESS,
  TENSOR_FIELD_RANK,
  TENSOR_FIELD_BOX_DIM,
  TENSOR_FIELD_GLOBAL_DIM,
  TENSOR_FIELD_GLOBAL_STRIDE,
  TENSOR_FIELD_ELEMENT_STRIDE,
  TENSOR_FIELD_ELEMTYPE,
  TENSOR_FIELD_INTERLEAVE_LAYOUT,
  TENSOR_FIELD_SWIZZLE_MODE,
  TENSOR_FIELD_FILL_MODE
};
// tensormap.replace, with `value` in PTX's numbering. The image must be a map or 128 zero bytes. Fields are
// checked when the map is used, because several fields must often change together. Returns false only for a
// value that no map can hold, or for an image that is no map.
bool tensor_map_replace(void *image, enum tensor_map_field field, uint32_t ordinal, uint64_t value,
                        char *message, size_t size);

const char *tensor_type_name(enum tensor_type type); // "f32"
// "256 x 18 elements of 4 bytes": the counts of `rank` dimensions, the innermost first.
void tensor_box_name(const uint32_t *count, uint32_t rank, enum tensor_type type, char *text, size_t size);
// A swizzle moves 16-byte atoms of shared memory. Takes a byte's shared offset in the plain layout, and
// returns the byte's shared offset in the swizzled layout (PTX ISA 5.5.7). The result depends only on the
// offset, so a box need not start on the pattern's boundary.
static inline uint32_t tensor_swizzle_offset(enum tensor_swizzle swizzle, uint32_t offset) {
  switch (swizzle) {
  case TENSOR_SWIZZLE_32B: return offset ^ ((offset >> 3) & 0x10);
  case TENSOR_SWIZZLE_64B: return offset ^ ((offset >> 3) & 0x30);
  case TENSOR_SWIZZLE_128B: return offset ^ ((offset >> 3) & 0x70);
  default: return offset;
  }
}

#endif
