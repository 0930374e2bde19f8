// Texture and surface objects. In: the program's descriptions. Out: objects, which are addresses of
// base/texture.h's bytes in device memory, and CUDA errors.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/shim/runtime-array.h"

// What the program said; in a list of the process.
struct client_texture {
  struct client_texture *next;
  uint64_t handle;
  bool is_surface;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
};

// ---- what an object holds ---------------------------------------------------------------------------------

static int fill_array(const struct runtime_array *a, struct texture_object *t) {
  if (!a) return cudaErrorInvalidResourceHandle;
  runtime_texel(&a->texel, t);
  t->address = a->address;
  t->pitch = a->pitch;
  t->slice = a->slice;
  t->width = (uint32_t)a->extent.width;
  t->height = (uint32_t)runtime_rows(a);
  t->depth = (uint32_t)runtime_slices(a);
  return 0;
}

static int fill_memory(const struct cudaResourceDesc *r, struct texture_object *t) {
  const bool linear = r->resType == cudaResourceTypeLinear;
  const struct cudaChannelFormatDesc *texel = linear ? &r->res.linear.desc : &r->res.pitch2D.desc;
  const uint32_t bytes = runtime_texel(texel, t);
  if (!bytes) return cudaErrorInvalidChannelDescriptor;
  const size_t width = linear ? r->res.linear.sizeInBytes / bytes : r->res.pitch2D.width;
  const size_t height = linear ? 1 : r->res.pitch2D.height;
  const void *pointer = linear ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
  if (!pointer || !width || !height || width > UINT32_MAX || height > UINT32_MAX)
    return cudaErrorInvalidValue;
  if (!linear && r->res.pitch2D.pitchInBytes < width * bytes) return cudaErrorInvalidPitchValue;
  t->address = (uint64_t)(uintptr_t)pointer;
  t->pitch = linear ? 0 : r->res.pitch2D.pitchInBytes;
  t->width = (uint32_t)width;
  t->height = (uint32_t)height;
  t->depth = 1;
  t->is_fetched = linear;
  return 0;
}

static int fill_resource(const struct cudaResourceDesc *r, struct texture_object *t) {
  switch (r->resType) {
  case cudaResourceTypeArray: return fill_array(runtime_array(r->res.array.array), t);
  case cudaResourceTypeLinear:
  case cudaResourceTypePitch2D: return fill_memory(r, t);
  case cudaResourceTypeMipmappedArray: return client_unsupported("a texture of a mipmapped array");
  default: return cudaErrorInvalidValue;
  }
}

static int fill_reading(const struct cudaTextureDesc *d, struct texture_object *t) {
  if (d->sRGB) return client_unsupported("an sRGB texture");
  const bool scaled = d->readMode == cudaReadModeNormalizedFloat;
  if (scaled && t->format != TEXTURE_FLOAT && t->bits == 32) return cudaErrorInvalidNormSetting;
  t->scaled = scaled && t->format != TEXTURE_FLOAT;
  t->linear = d->filterMode == cudaFilterModeLinear;
  if (t->linear && t->format != TEXTURE_FLOAT && !t->scaled) return cudaErrorInvalidFilterSetting;
  t->normalized = d->normalizedCoords != 0;
  for (int i = 0; i < 3; i++)
    t->modes[i] = (uint8_t)d->addressMode[i]; // enum texture_address_mode counts as CUDA does
  for (int i = 0; i < 4; i++)
    t->border[i] = d->borderColor[i];
  return 0;
}

// ---- objects ----------------------------------------------------------------------------------------------

// Writes the object into device memory, and keeps what the program said. `texture` NULL: a surface.
static int make_object(unsigned long long *made, const struct texture_object *object,
                       const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture) {
  struct client *client = client_state();
  struct client_texture *kept = malloc(sizeof *kept);
  const struct client_rows rows = {(void *)(uintptr_t)object, sizeof *object, sizeof *object, 1};
  uint64_t address = 0;
  int status = kept ? client_allocate(&address, sizeof *object, 0) : cudaErrorMemoryAllocation;
  if (!status) status = client_write(address, sizeof *object, &rows, 0);
  if (status) {
    free(kept);
    return status;
  }
  *kept = (struct client_texture){.handle = address, .is_surface = !texture, .resource = *resource};
  if (texture) kept->texture = *texture;
  pthread_mutex_lock(&client->handles_mutex);
  kept->next = client->textures;
  client->textures = kept;
  pthread_mutex_unlock(&client->handles_mutex);
  *made = address;
  return 0;
}

// Copies what is kept of an object, and takes it from the list. False: there is no such object.
static bool find_object(unsigned long long handle, bool is_surface, bool take, struct client_texture *copy) {
  struct client *client = client_state();
  bool found = false;
  pthread_mutex_lock(&client->handles_mutex);
  for (struct client_texture **at = &client->textures; *at && !found; at = found ? at : &(*at)->next) {
    struct client_texture *t = *at;
    found = t->handle == handle && t->is_surface == is_surface;
    if (!found) continue;
    *copy = *t;
    if (take) {
      *at = t->next;
      free(t);
    }
    break;
  }
  pthread_mutex_unlock(&client->handles_mutex);
  return found;
}

static int destroy_object(unsigned long long handle, bool is_surface) {
  struct client_texture copy;
  if (!handle) return client_connect();
  if (!find_object(handle, is_surface, true, &copy)) return cudaErrorInvalidValue;
  return client_free(handle, 0);
}

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *texture,
                                           const struct cudaResourceViewDesc *view) {
  struct texture_object object = {.magic = TEXTURE_MAGIC};
  if (!made || !resource || !texture) return runtime_result(cudaErrorInvalidValue);
  int status = view ? client_unsupported("a resource view") : fill_resource(resource, &object);
  if (!status) status = fill_reading(texture, &object);
  if (!status) status = make_object(made, &object, resource, texture);
  return runtime_used(status);
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return runtime_used(destroy_object(object, false));
}

EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *made,
                                           const struct cudaResourceDesc *resource) {
  struct texture_object object = {.magic = TEXTURE_MAGIC, .is_surface = 1};
  if (!made || !resource || resource->resType != cudaResourceTypeArray)
    return runtime_result(cudaErrorInvalidValue);
  const struct runtime_array *a = runtime_array(resource->res.array.array);
  if (a && !(a->flags & cudaArraySurfaceLoadStore)) return runtime_result(cudaErrorInvalidValue);
  int status = fill_array(a, &object);
  if (!status) status = make_object(made, &object, resource, NULL);
  return runtime_used(status);
}

EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return runtime_used(destroy_object(object, true));
}

// ---- questions --------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                                    cudaTextureObject_t object) {
  struct client_texture copy;
  if (!resource || !find_object(object, false, false, &copy)) return runtime_result(cudaErrorInvalidValue);
  *resource = copy.resource;
  return runtime_used(0);
}

EXPORT cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture,
                                                   cudaTextureObject_t object) {
  struct client_texture copy;
  if (!texture || !find_object(object, false, false, &copy)) return runtime_result(cudaErrorInvalidValue);
  *texture = copy.texture;
  return runtime_used(0);
}

EXPORT cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                                    cudaSurfaceObject_t object) {
  struct client_texture copy;
  if (!resource || !find_object(object, true, false, &copy)) return runtime_result(cudaErrorInvalidValue);
  *resource = copy.resource;
  return runtime_used(0);
}

EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                        const struct cudaChannelFormatDesc *texel,
                                                        int device) {
  enum { MOST_TEXELS = 268435456 };
  struct texture_object unused;
  if (!width || !texel || device || !runtime_texel(texel, &unused))
    return runtime_result(cudaErrorInvalidValue);
  *width = MOST_TEXELS;
  return runtime_used(0);
}
