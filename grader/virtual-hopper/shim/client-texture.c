// Texture and surface objects. In: descriptions, as the runtime has them. Out: objects, which are addresses
// of base/texture.h's bytes in device memory, and CUDA errors.
#include "virtual-hopper/shim/client-texture.h"

#include <stdlib.h>
#include <string.h>

// ---- what an object holds ---------------------------------------------------------------------------------

static int fill_array(const struct client_array *a, struct texture_object *t) {
  if (!a) return cudaErrorInvalidResourceHandle;
  client_array_texel(&a->texel, t);
  t->address = a->address;
  t->pitch = a->pitch;
  t->slice = a->slice;
  t->width = (uint32_t)a->extent.width;
  t->height = (uint32_t)client_array_rows(a);
  t->depth = (uint32_t)client_array_slices(a);
  return 0;
}

enum { TEXTURE_ALIGNMENT = 512 }; // cudaDevAttrTextureAlignment; an H100 refuses 256

static int fill_memory(const struct cudaResourceDesc *r, struct texture_object *t) {
  const bool linear = r->resType == cudaResourceTypeLinear;
  const struct cudaChannelFormatDesc *texel = linear ? &r->res.linear.desc : &r->res.pitch2D.desc;
  const uint32_t bytes = client_array_texel(texel, t);
  if (!bytes) return cudaErrorInvalidChannelDescriptor;
  const size_t width = linear ? r->res.linear.sizeInBytes / bytes : r->res.pitch2D.width;
  const size_t height = linear ? 1 : r->res.pitch2D.height;
  const void *pointer = linear ? r->res.linear.devPtr : r->res.pitch2D.devPtr;
  if (!pointer || !width || !height || width > UINT32_MAX || height > UINT32_MAX)
    return cudaErrorInvalidValue;
  if ((uintptr_t)pointer % TEXTURE_ALIGNMENT) return cudaErrorInvalidValue;
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
  case cudaResourceTypeArray: return fill_array(client_array(r->res.array.array), t);
  case cudaResourceTypeLinear:
  case cudaResourceTypePitch2D: return fill_memory(r, t);
  case cudaResourceTypeMipmappedArray: return client_unsupported("a texture of a mipmapped array");
  default: return cudaErrorInvalidValue;
  }
}

static int fill_reading(const struct cudaTextureDesc *d, struct texture_object *t) {
  if (d->sRGB) return client_unsupported("an sRGB texture");
  const bool scaled = d->readMode == cudaReadModeNormalizedFloat;
  t->scaled = scaled && t->format != TEXTURE_FLOAT && t->bits < 32;
  t->linear = d->filterMode == cudaFilterModeLinear;
  if (t->linear && t->format != TEXTURE_FLOAT && !t->scaled) return cudaErrorInvalidFilterSetting;
  if (scaled && t->bits == 32) return cudaErrorInvalidNormSetting;
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

int client_texture_destroy(unsigned long long handle, bool is_surface) {
  struct client_texture copy;
  if (!handle) return client_connect();
  if (!find_object(handle, is_surface, true, &copy)) return 0; // as a driver of CUDA 13.0 answers
  return client_free(handle, 0);
}

bool client_texture_find(unsigned long long handle, bool is_surface, struct client_texture *copy) {
  return find_object(handle, is_surface, false, copy);
}

int client_texture_create(unsigned long long *made, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture) {
  struct texture_object object = {.magic = TEXTURE_MAGIC};
  int status = fill_resource(resource, &object);
  if (!status) status = fill_reading(texture, &object);
  return status ? status : make_object(made, &object, resource, texture);
}

int client_surface_create(unsigned long long *made, const struct cudaResourceDesc *resource) {
  struct texture_object object = {.magic = TEXTURE_MAGIC, .is_surface = 1};
  const struct client_array *a = client_array(resource->res.array.array);
  if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  if (a && !(a->flags & cudaArraySurfaceLoadStore)) return cudaErrorInvalidValue;
  const int status = fill_array(a, &object);
  return status ? status : make_object(made, &object, resource, NULL);
}
