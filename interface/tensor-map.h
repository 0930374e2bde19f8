// In: the shape of a tensor in global memory and of the box to copy. Out: a CUtensorMap for the tensor copies
// of tma-interface.cuh. The idea: the driver answers every mistake with "invalid value", so each rule of
// cuTensorMapEncodeTiled (CUDA Driver API, Tensor Map Object Management) is checked here first, and the
// message names argument, value and rule. This is host code, C17 or C++. Dimension 0 is always the innermost
// one: for a matrix, x or the column.
#ifndef TMA_LAB_TENSOR_MAP_H
#define TMA_LAB_TENSOR_MAP_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#define TENSOR_MAP_MAX_RANK 5

// C and C++ differ in how to write a zeroed struct without a warning.
#ifdef __cplusplus
#define TENSOR_MAP_NO_OPTIONS \
  {}
#else
#define TENSOR_MAP_NO_OPTIONS \
  { 0 }
#endif

// In C++ a message begins with the caller's file and line, like those of CUDA_CHECK. C lacks the default
// arguments for that.
#ifdef __cplusplus
#define TENSOR_MAP_CALLER      , const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define TENSOR_MAP_SAME_CALLER , file, line
#else
#define TENSOR_MAP_CALLER
#define TENSOR_MAP_SAME_CALLER
#endif

// Zeroed (= TENSOR_MAP_NO_OPTIONS), it means: no interleave, no swizzle, no L2 promotion, zeros outside the
// tensor.
struct tensor_map_options {
  CUtensorMapDataType data_type;
  uint32_t rank;                                 // 1 to 5; 3 to 5 with interleave
  const void *global_address;                    // device memory, 16-byte aligned (32 with INTERLEAVE_32B)
  uint64_t global_dim[TENSOR_MAP_MAX_RANK];      // elements along each dimension, 1 to 2^32
  uint64_t global_strides[TENSOR_MAP_MAX_RANK];  // [i]: bytes to the next element along dimension i + 1
  uint32_t box_dim[TENSOR_MAP_MAX_RANK];         // elements of one copy, 1 to 256 along each dimension
  uint32_t element_strides[TENSOR_MAP_MAX_RANK]; // every n-th element, 1 to 8; 0: 1; [0]: only interleaved
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion l2_promotion;
  CUtensorMapFloatOOBfill oob_fill;
  int overlap_allowed; // 1: rows may share bytes, so that strides may be smaller than a row
};

// Bytes of one element; 0 for a type that Hopper doesn't know.
static inline uint32_t tensor_map_element_size(CUtensorMapDataType data_type) {
  switch (data_type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return 4;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
  default: return 0; // such as the packed 4- and 6-bit types of later chips
  }
}

static inline int tensor_map_is_floating(CUtensorMapDataType data_type) {
  return data_type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && data_type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline int
tensor_map_reject(char *message, size_t message_size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, message_size, format, arguments);
  va_end(arguments);
  return 0;
}

static inline int tensor_map_check_modes(const struct tensor_map_options *o, char *message,
                                         size_t message_size) {
  if (tensor_map_element_size(o->data_type) == 0)
    return tensor_map_reject(message, message_size,
                             "tensorDataType = %d: must be one of the types of sm_90, 0 to 12",
                             (int)o->data_type);
  if ((int)o->interleave < 0 || (int)o->interleave > CU_TENSOR_MAP_INTERLEAVE_32B)
    return tensor_map_reject(message, message_size, "interleave = %d: must be NONE (0), 16B (1) or 32B (2)",
                             (int)o->interleave);
  if ((int)o->swizzle < 0 || (int)o->swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
    return tensor_map_reject(message, message_size,
                             "swizzle = %d: must be NONE (0), 32B (1), 64B (2) or 128B (3) on sm_90",
                             (int)o->swizzle);
  if ((int)o->l2_promotion < 0 || (int)o->l2_promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
    return tensor_map_reject(message, message_size,
                             "l2Promotion = %d: must be NONE (0), 64B (1), 128B (2) or 256B (3)",
                             (int)o->l2_promotion);
  if ((int)o->oob_fill < 0 || (int)o->oob_fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return tensor_map_reject(message, message_size,
                             "oobFill = %d: must be NONE (0) or NAN_REQUEST_ZERO_FMA (1)", (int)o->oob_fill);
  if (o->oob_fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !tensor_map_is_floating(o->data_type))
    return tensor_map_reject(message, message_size,
                             "oobFill = NAN_REQUEST_ZERO_FMA: must be NONE for the integer tensorDataType %d",
                             (int)o->data_type);
  if (o->interleave == CU_TENSOR_MAP_INTERLEAVE_32B && o->swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
    return tensor_map_reject(message, message_size, "swizzle = %d: must be 32B (1) with INTERLEAVE_32B",
                             (int)o->swizzle);
  return 1;
}

static inline int tensor_map_check_tensor(const struct tensor_map_options *o, char *message,
                                          size_t message_size) {
  const uint32_t least_rank = o->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 1 : 3;
  const uint64_t alignment = o->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  const char *because = alignment == 32 ? " with INTERLEAVE_32B" : "";
  if (o->rank < least_rank || o->rank > TENSOR_MAP_MAX_RANK)
    return tensor_map_reject(message, message_size, "tensorRank = %u: must be %u to 5%s", o->rank, least_rank,
                             least_rank == 3 ? " with an interleaved layout" : "");
  if (o->global_address == NULL)
    return tensor_map_reject(message, message_size, "globalAddress = null: must point to device memory");
  if ((uintptr_t)o->global_address % alignment != 0)
    return tensor_map_reject(message, message_size, "globalAddress = %p: must be a multiple of %u%s",
                             o->global_address, (unsigned)alignment, because);
  for (uint32_t i = 0; i < o->rank; i++)
    if (o->global_dim[i] == 0 || o->global_dim[i] > (uint64_t)1 << 32)
      return tensor_map_reject(message, message_size, "globalDim[%u] = %llu elements: must be 1 to 2^32", i,
                               (unsigned long long)o->global_dim[i]);
  for (uint32_t i = 0; i + 1 < o->rank; i++) {
    if (o->global_strides[i] % alignment != 0)
      return tensor_map_reject(
          message, message_size, "globalStrides[%u] = %llu bytes: must be a multiple of %u%s (%s)", i,
          (unsigned long long)o->global_strides[i], (unsigned)alignment, because,
          i == 0 && o->global_strides[0] == o->global_dim[0] * tensor_map_element_size(o->data_type)
              ? "that is a row's own bytes: pass the pitch, the bytes from one row to the next"
              : "strides count bytes, not elements");
    if (o->global_strides[i] >= (uint64_t)1 << 40)
      return tensor_map_reject(message, message_size,
                               "globalStrides[%u] = %llu bytes: must be less than 2^40", i,
                               (unsigned long long)o->global_strides[i]);
  }
  return 1;
}

// Every stride must be at least one whole row. The usual mistake is a pitch counted in elements.
static inline int tensor_map_check_overlap(const struct tensor_map_options *o, char *message,
                                           size_t message_size) {
  const uint64_t row_bytes = o->global_dim[0] * tensor_map_element_size(o->data_type);
  const int turned_fits =
      o->rank == 2 && o->global_dim[1] * tensor_map_element_size(o->data_type) <= o->global_strides[0];
  if (o->overlap_allowed) return 1;
  for (uint32_t i = 0; i + 1 < o->rank; i++)
    if (o->global_dim[i + 1] > 1 && o->global_strides[i] < row_bytes)
      return tensor_map_reject(
          message, message_size,
          "globalStrides[%u] = %llu bytes: must be at least globalDim[0] = %llu elements of %u bytes = "
          "%llu bytes (%s)",
          i, (unsigned long long)o->global_strides[i], (unsigned long long)o->global_dim[0],
          tensor_map_element_size(o->data_type), (unsigned long long)row_bytes,
          o->global_strides[i] == o->global_dim[i]
              ? "that is the size itself: strides count bytes, not elements"
          : turned_fits ? "width first, in elements: are width and height the right way round?"
                        : "strides count bytes, not elements; sizes count elements");
  return 1;
}

static inline int tensor_map_check_box(const struct tensor_map_options *o, char *message,
                                       size_t message_size) {
  const uint32_t element_size = tensor_map_element_size(o->data_type);
  const uint32_t inner_bytes = o->box_dim[0] * element_size;
  const uint32_t swizzle_bytes = 16u << o->swizzle;
  for (uint32_t i = 0; i < o->rank; i++) {
    if (o->box_dim[i] == 0 || o->box_dim[i] > 256)
      return tensor_map_reject(message, message_size, "boxDim[%u] = %u elements: must be 1 to 256%s", i,
                               o->box_dim[i],
                               element_size > 1 && o->box_dim[i] > 256 && o->box_dim[i] % element_size == 0 &&
                                       o->box_dim[i] / element_size <= 256
                                   ? " (boxes count elements, not bytes)"
                                   : "");
    if (o->element_strides[i] > 8)
      return tensor_map_reject(message, message_size, "elementStrides[%u] = %u: must be 1 to 8", i,
                               o->element_strides[i]);
  }
  if (o->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return 1;
  if (inner_bytes % 16 != 0)
    return tensor_map_reject(
        message, message_size,
        "boxDim[0] = %u elements of %u bytes = %u bytes: must be a multiple of 16 bytes%s", o->box_dim[0],
        element_size, inner_bytes,
        o->rank == 2 && o->box_dim[1] * element_size % 16 == 0
            ? " (width first: are the box's sides the right way round?)"
            : "");
  if (o->swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && inner_bytes > swizzle_bytes)
    return tensor_map_reject(
        message, message_size,
        "boxDim[0] = %u elements of %u bytes = %u bytes: must be at most %u bytes with SWIZZLE_%uB",
        o->box_dim[0], element_size, inner_bytes, swizzle_bytes, swizzle_bytes);
  return 1;
}

// Returns 1 if every documented rule is kept; else 0, and `message` names argument and rule. Needs no driver.
static inline int tensor_map_check(const CUtensorMap *map, const struct tensor_map_options *o, char *message,
                                   size_t message_size) {
  // Any address of the host's will do, though the driver's documentation asks for a multiple of 64: that is
  // what a kernel's map needs, in a parameter or in global memory (PTX ISA, "Tensor Map").
  if (map == NULL) return tensor_map_reject(message, message_size, "tensorMap = NULL: must be a map");
  return tensor_map_check_modes(o, message, message_size) &&
         tensor_map_check_tensor(o, message, message_size) &&
         tensor_map_check_overlap(o, message, message_size) && tensor_map_check_box(o, message, message_size);
}

typedef CUresult (*tensor_map_encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                               const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                               const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                               CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static inline void tensor_map_complain(const char *message TENSOR_MAP_CALLER) {
#ifdef __cplusplus
  fprintf(stderr, "%s:%d: ", file, line);
#endif
  fprintf(stderr, "tensor map: %s\n", message);
}

// Finds the driver's function at run time, so that programs need not be linked with libcuda.
static inline cudaError_t tensor_map_find_driver(tensor_map_encode_function *encode) {
  enum cudaDriverEntryPointQueryResult found;
  void *function = NULL;
#if CUDART_VERSION >= 12050
  cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
#else
  cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
  if (error == cudaSuccess && (found != cudaDriverEntryPointSuccess || function == NULL))
    error = cudaErrorNotSupported;
  if (error != cudaSuccess)
    fprintf(stderr, "tensor map: the driver has no cuTensorMapEncodeTiled (CUDA 12.0): %s\n",
            cudaGetErrorString(error));
  *encode = (tensor_map_encode_function)function;
  return error;
}

// Encodes the map; or prints on stderr what is wrong, and returns cudaErrorInvalidValue or the runtime's
// error.
static inline cudaError_t tensor_map_encode(CUtensorMap *map,
                                            const struct tensor_map_options *options TENSOR_MAP_CALLER) {
  struct tensor_map_options o = *options;
  tensor_map_encode_function encode;
  char message[256];
  for (uint32_t i = 0; i < TENSOR_MAP_MAX_RANK; i++)
    if (o.element_strides[i] == 0) o.element_strides[i] = 1;
  if (!tensor_map_check(map, &o, message, sizeof message)) {
    tensor_map_complain(message TENSOR_MAP_SAME_CALLER);
    return cudaErrorInvalidValue;
  }
  cudaError_t error = tensor_map_find_driver(&encode);
  if (error != cudaSuccess) return error;
  CUresult result = encode(map, o.data_type, o.rank, (void *)(uintptr_t)o.global_address,
                           (const cuuint64_t *)o.global_dim, (const cuuint64_t *)o.global_strides, o.box_dim,
                           o.element_strides, o.interleave, o.swizzle, o.l2_promotion, o.oob_fill);
  if (result == CUDA_SUCCESS) return cudaSuccess;
  snprintf(message, sizeof message, "cuTensorMapEncodeTiled answers %d, though every documented rule is kept",
           (int)result);
  tensor_map_complain(message TENSOR_MAP_SAME_CALLER);
  return cudaErrorInvalidValue;
}

// The common case: a matrix of `width` by `height` elements whose rows are `pitch_bytes` apart, copied in
// boxes of `box_width` by `box_height` elements.
static inline cudaError_t tensor_map_encode_2d(CUtensorMap *map, CUtensorMapDataType data_type,
                                               const void *global_address, uint64_t width, uint64_t height,
                                               uint64_t pitch_bytes, uint32_t box_width,
                                               uint32_t box_height TENSOR_MAP_CALLER) {
  struct tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = data_type;
  options.rank = 2;
  options.global_address = global_address;
  options.global_dim[0] = width;
  options.global_dim[1] = height;
  options.global_strides[0] = pitch_bytes;
  options.box_dim[0] = box_width;
  options.box_dim[1] = box_height;
  options.l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return tensor_map_encode(map, &options TENSOR_MAP_SAME_CALLER);
}

#endif
