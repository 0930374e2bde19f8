// Texture and surface objects of the driver. In: the driver's descriptions, which are turned into the
// runtime's. Out: objects (client-texture.c), and CUresult numbers.
#include <string.h>

#include "virtual-hopper/shim/client-texture.h"
#include "virtual-hopper/shim/driver.h"

// ---- descriptions -----------------------------------------------------------------------------------------

static int to_resource(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *to) {
  *to = (struct cudaResourceDesc){.resType = (enum cudaResourceType)d->resType}; // both count alike
  switch (d->resType) {
  case CU_RESOURCE_TYPE_ARRAY: to->res.array.array = (cudaArray_t)d->res.array.hArray; return 0;
  case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return 0; // not supported, which making the object says
  case CU_RESOURCE_TYPE_LINEAR:
    to->res.linear.devPtr = (void *)(uintptr_t)d->res.linear.devPtr;
    to->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
    return driver_texel(d->res.linear.format, d->res.linear.numChannels, &to->res.linear.desc);
  case CU_RESOURCE_TYPE_PITCH2D:
    to->res.pitch2D.devPtr = (void *)(uintptr_t)d->res.pitch2D.devPtr;
    to->res.pitch2D.width = d->res.pitch2D.width;
    to->res.pitch2D.height = d->res.pitch2D.height;
    to->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
    return driver_texel(d->res.pitch2D.format, d->res.pitch2D.numChannels, &to->res.pitch2D.desc);
  default: return CUDA_ERROR_INVALID_VALUE;
  }
}

static void from_resource(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *d) {
  memset(d, 0, sizeof *d);
  d->resType = (CUresourcetype)from->resType;
  if (from->resType == cudaResourceTypeArray) {
    d->res.array.hArray = (CUarray)from->res.array.array;
  } else if (from->resType == cudaResourceTypeLinear) {
    d->res.linear.devPtr = (CUdeviceptr)(uintptr_t)from->res.linear.devPtr;
    d->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
    driver_format(&from->res.linear.desc, &d->res.linear.format, &d->res.linear.numChannels);
  } else {
    d->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)from->res.pitch2D.devPtr;
    d->res.pitch2D.width = from->res.pitch2D.width;
    d->res.pitch2D.height = from->res.pitch2D.height;
    d->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
    driver_format(&from->res.pitch2D.desc, &d->res.pitch2D.format, &d->res.pitch2D.numChannels);
  }
}

// Whole numbers of 8 and 16 bits are read as fractions, unless the flags say otherwise; others as they are.
static enum cudaTextureReadMode read_mode(const CUDA_TEXTURE_DESC *d, const struct cudaResourceDesc *r) {
  const struct client_array *a =
      r->resType == cudaResourceTypeArray ? client_array(r->res.array.array) : NULL;
  const struct cudaChannelFormatDesc texel = a                                      ? a->texel
                                             : r->resType == cudaResourceTypeLinear ? r->res.linear.desc
                                                                                    : r->res.pitch2D.desc;
  const bool as_is =
      d->flags & CU_TRSF_READ_AS_INTEGER || texel.f == cudaChannelFormatKindFloat || texel.x == 32;
  return as_is ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
}

static void to_texture(const CUDA_TEXTURE_DESC *d, const struct cudaResourceDesc *r,
                       struct cudaTextureDesc *to) {
  *to = (struct cudaTextureDesc){.filterMode = (enum cudaTextureFilterMode)d->filterMode,
                                 .readMode = read_mode(d, r),
                                 .sRGB = (d->flags & CU_TRSF_SRGB) != 0,
                                 .normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                                 .maxAnisotropy = d->maxAnisotropy,
                                 .mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
                                 .mipmapLevelBias = d->mipmapLevelBias,
                                 .minMipmapLevelClamp = d->minMipmapLevelClamp,
                                 .maxMipmapLevelClamp = d->maxMipmapLevelClamp,
                                 .disableTrilinearOptimization =
                                     (d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
                                 .seamlessCubemap = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
  for (int i = 0; i < 3; i++)
    to->addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
  for (int i = 0; i < 4; i++)
    to->borderColor[i] = d->borderColor[i];
}

static void from_texture(const struct cudaTextureDesc *from, CUDA_TEXTURE_DESC *d) {
  memset(d, 0, sizeof *d);
  d->filterMode = (CUfilter_mode)from->filterMode;
  d->flags = (from->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
             (from->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (from->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
             (from->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
  d->maxAnisotropy = from->maxAnisotropy;
  d->mipmapFilterMode = (CUfilter_mode)from->mipmapFilterMode;
  d->mipmapLevelBias = from->mipmapLevelBias;
  d->minMipmapLevelClamp = from->minMipmapLevelClamp;
  d->maxMipmapLevelClamp = from->maxMipmapLevelClamp;
  for (int i = 0; i < 3; i++)
    d->addressMode[i] = (CUaddress_mode)from->addressMode[i];
  for (int i = 0; i < 4; i++)
    d->borderColor[i] = from->borderColor[i];
}

// ---- objects ----------------------------------------------------------------------------------------------

EXPORT CUresult cuTexObjectCreate(CUtexObject *made, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view) {
  struct cudaResourceDesc r;
  struct cudaTextureDesc t;
  if (!made || !resource || !texture) return CUDA_ERROR_INVALID_VALUE;
  int status = view ? client_unsupported("a resource view") : to_resource(resource, &r);
  if (status) return driver_used(status);
  to_texture(texture, &r, &t);
  return driver_used(client_texture_create(made, &r, &t));
}

EXPORT CUresult cuTexObjectDestroy(CUtexObject object) {
  return driver_used(client_texture_destroy(object, false));
}

EXPORT CUresult cuSurfObjectCreate(CUsurfObject *made, const CUDA_RESOURCE_DESC *resource) {
  struct cudaResourceDesc r;
  if (!made || !resource) return CUDA_ERROR_INVALID_VALUE;
  const int status = to_resource(resource, &r);
  return driver_used(status ? status : client_surface_create(made, &r));
}

EXPORT CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return driver_used(client_texture_destroy(object, true));
}

// ---- questions --------------------------------------------------------------------------------------------

static CUresult tell_resource(CUDA_RESOURCE_DESC *resource, unsigned long long object, bool is_surface) {
  struct client_texture copy;
  if (!resource || !client_texture_find(object, is_surface, &copy)) return CUDA_ERROR_INVALID_VALUE;
  from_resource(&copy.resource, resource);
  return driver_used(0);
}

EXPORT CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object) {
  return tell_resource(resource, object, false);
}

EXPORT CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object) {
  return tell_resource(resource, object, true);
}

EXPORT CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object) {
  struct client_texture copy;
  if (!texture || !client_texture_find(object, false, &copy)) return CUDA_ERROR_INVALID_VALUE;
  from_texture(&copy.texture, texture);
  return driver_used(0);
}
