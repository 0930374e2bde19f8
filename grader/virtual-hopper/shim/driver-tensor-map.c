// Encodes tensor maps in the program's process. The device uses the same code to decode them (tensor-map.c).
// In: the arguments of cuTensorMapEncodeTiled; out: a map of 128 bytes, or CUDA_ERROR_INVALID_VALUE and a
// sentence that says why.
#include "virtual-hopper/shim/driver.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/tensor-map.h"

// NVIDIA's driver only reports "invalid argument". This library reports the argument, its value and the rule,
// and records them as a fault.
static CUresult refuse(const char *function, const char *message) {
  char text[PROTOCOL_MAX_MESSAGE];
  snprintf(text, sizeof text, "%s: %s", function, message);
  client_complain("%s", text);
  struct protocol_host_fault body = {PROTOCOL_RULE_TENSOR_MAP_ARGUMENT, 0};
  struct client_request request = {.operation = PROTOCOL_HOST_FAULT,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .payload = text,
                                   .payload_bytes = strlen(text)};
  (void)client_call(&request);
  return CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType data_type, cuuint32_t rank,
                                       void *global_address, const cuuint64_t *global_dim,
                                       const cuuint64_t *global_strides, const cuuint32_t *box_dim,
                                       const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                                       CUtensorMapFloatOOBfill oob_fill) {
  struct tensor_map_arguments arguments = {
      .data_type = (int)data_type,
      .rank = rank,
      .global_address = (uint64_t)(uintptr_t)global_address,
      .global_dim = global_dim,
      .global_strides = global_strides,
      .box_dim = box_dim,
      .element_strides = element_strides,
      .interleave = (int)interleave,
      .swizzle = (int)swizzle,
      .l2_promotion = (int)l2_promotion,
      .oob_fill = (int)oob_fill,
  };
  char message[PROTOCOL_MAX_MESSAGE - 64] = "";
  int status = tensor_map_encode(map, &arguments, message, sizeof message);
  return status ? refuse("cuTensorMapEncodeTiled", message) : CUDA_SUCCESS;
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *global_address) {
  char message[PROTOCOL_MAX_MESSAGE - 64] = "";
  struct tensor_map decoded;
  if (!map || !tensor_map_decode(map, &decoded, message, sizeof message))
    return refuse("cuTensorMapReplaceAddress", map ? message : "tensorMap is NULL");
  unsigned alignment = decoded.interleave == TENSOR_INTERLEAVE_32B ? 32 : 16;
  if ((uintptr_t)global_address % alignment) {
    snprintf(message, sizeof message, "globalAddress = %p: must be a multiple of %u", global_address,
             alignment);
    return refuse("cuTensorMapReplaceAddress", message);
  }
  if (tensor_map_replace(map, TENSOR_FIELD_GLOBAL_ADDRESS, 0, (uint64_t)(uintptr_t)global_address, message,
                         sizeof message))
    return CUDA_SUCCESS;
  return refuse("cuTensorMapReplaceAddress", message);
}

EXPORT CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType data_type, cuuint32_t rank,
                                        void *global_address, const cuuint64_t *global_dim,
                                        const cuuint64_t *global_strides, const int *lower_corner,
                                        const int *upper_corner, cuuint32_t channels, cuuint32_t pixels,
                                        const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                                        CUtensorMapFloatOOBfill oob_fill) {
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
    return (CUresult)client_unsupported("cuTensorMapEncodeIm2col with interleaved channels");
  char message[PROTOCOL_MAX_MESSAGE - 64] = "pixelBoxLowerCorner, pixelBoxUpperCorner: must be arrays";
  if (!lower_corner || !upper_corner) return refuse("cuTensorMapEncodeIm2col", message);
  const uint32_t box[TENSOR_MAX_RANK] = {channels, pixels, 1, 1, 1};
  const struct tensor_map_arguments arguments = {.data_type = (int)data_type,
                                                 .rank = rank,
                                                 .global_address = (uint64_t)(uintptr_t)global_address,
                                                 .global_dim = global_dim,
                                                 .global_strides = global_strides,
                                                 .box_dim = box,
                                                 .element_strides = element_strides,
                                                 .interleave = (int)interleave,
                                                 .swizzle = (int)swizzle,
                                                 .l2_promotion = (int)l2_promotion,
                                                 .oob_fill = (int)oob_fill,
                                                 .lower_corner = lower_corner,
                                                 .upper_corner = upper_corner};
  const int status = tensor_map_encode(map, &arguments, message, sizeof message);
  return status ? refuse("cuTensorMapEncodeIm2col", message) : CUDA_SUCCESS;
}

EXPORT CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType data_type, cuuint32_t rank,
                                            void *global_address, const cuuint64_t *global_dim,
                                            const cuuint64_t *global_strides, int lower_corner_width,
                                            int upper_corner_width, cuuint32_t channels, cuuint32_t pixels,
                                            const cuuint32_t *element_strides,
                                            CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
                                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                                            CUtensorMapFloatOOBfill oob_fill) {
  (void)map, (void)data_type, (void)rank, (void)global_address, (void)global_dim, (void)global_strides,
      (void)lower_corner_width;
  (void)upper_corner_width, (void)channels, (void)pixels, (void)element_strides, (void)interleave, (void)mode,
      (void)swizzle;
  (void)l2_promotion, (void)oob_fill;
  return (CUresult)client_unsupported(
      "cuTensorMapEncodeIm2colWide (it needs compute capability 10.0, this is 9.0)");
}
