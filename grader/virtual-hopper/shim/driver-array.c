// CUDA arrays of the driver. In: the driver's descriptors; out: CUarray, which is what the runtime calls
// cudaArray_t (client-array.c), and CUresult numbers.
#include "virtual-hopper/shim/client-array.h"
#include "virtual-hopper/shim/driver.h"

static const struct {
  CUarray_format format;
  int bits;
  enum cudaChannelFormatKind kind;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};
enum { FORMATS = sizeof formats / sizeof *formats };

int driver_texel(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *texel) {
  if (channels != 1 && channels != 2 && channels != 4) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < FORMATS; i++) {
    if (formats[i].format != format) continue;
    const int bits = formats[i].bits, second = channels > 1 ? bits : 0, last = channels > 2 ? bits : 0;
    *texel = (struct cudaChannelFormatDesc){bits, second, last, last, formats[i].kind};
    return 0;
  }
  return client_unsupported("an array of the format 0x%x", (unsigned)format);
}

void driver_format(const struct cudaChannelFormatDesc *texel, CUarray_format *format, unsigned *channels) {
  *channels = texel->z ? 4 : texel->y ? 2 : 1;
  for (size_t i = 0; i < FORMATS; i++)
    if (formats[i].bits == texel->x && formats[i].kind == texel->f) *format = formats[i].format;
}

static CUresult create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  struct cudaChannelFormatDesc texel;
  if (!array || !d) return CUDA_ERROR_INVALID_VALUE;
  int status = driver_texel(d->Format, d->NumChannels, &texel);
  if (!status)
    status = client_array_create((struct client_array **)array, &texel,
                                 (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags);
  return driver_used(status);
}

EXPORT CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR all = {
      .Width = d->Width,
      .Height = d->Height,
      .Format = d->Format,
      .NumChannels = d->NumChannels,
      .Flags = CUDA_ARRAY3D_SURFACE_LDST}; // surfaces can be made of arrays that this function makes
  return create(array, &all);
}

EXPORT CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
  return create(array, d);
}

EXPORT CUresult cuArrayDestroy(CUarray array) {
  struct client_array *a = client_array(array);
  return driver_waited(a ? client_array_destroy(a) : (int)CUDA_ERROR_INVALID_HANDLE);
}

EXPORT CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
  const struct client_array *a = client_array(array);
  if (!d || !a) return d ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
  *d = (CUDA_ARRAY3D_DESCRIPTOR){
      .Width = a->extent.width, .Height = a->extent.height, .Depth = a->extent.depth, .Flags = a->flags};
  driver_format(&a->texel, &d->Format, &d->NumChannels);
  return driver_used(0);
}

EXPORT CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR all;
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = cuArray3DGetDescriptor_v2(&all, array);
  if (status) return status;
  *d = (CUDA_ARRAY_DESCRIPTOR){all.Width, all.Height, all.Format, all.NumChannels};
  return CUDA_SUCCESS;
}
