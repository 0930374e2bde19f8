// Texture and surface objects of the runtime. In: the program's descriptions. Out: objects
// (client-texture.c), and CUDA errors.
#include "virtual-hopper/shim/client-texture.h"
#include "virtual-hopper/shim/runtime.h"

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *texture,
                                           const struct cudaResourceViewDesc *view) {
  if (!made || !resource || !texture) return runtime_result(cudaErrorInvalidValue);
  return runtime_used(view ? client_unsupported("a resource view")
                           : client_texture_create(made, resource, texture));
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return runtime_used(client_texture_destroy(object, false));
}

EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *made,
                                           const struct cudaResourceDesc *resource) {
  if (!made || !resource) return runtime_result(cudaErrorInvalidValue);
  return runtime_used(client_surface_create(made, resource));
}

EXPORT cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return runtime_used(client_texture_destroy(object, true));
}

// ---- questions --------------------------------------------------------------------------------------------

EXPORT cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                                    cudaTextureObject_t object) {
  struct client_texture copy;
  if (!resource || !client_texture_find(object, false, &copy)) return runtime_result(cudaErrorInvalidValue);
  *resource = copy.resource;
  return runtime_used(0);
}

EXPORT cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture,
                                                   cudaTextureObject_t object) {
  struct client_texture copy;
  if (!texture || !client_texture_find(object, false, &copy)) return runtime_result(cudaErrorInvalidValue);
  *texture = copy.texture;
  return runtime_used(0);
}

EXPORT cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                                    cudaSurfaceObject_t object) {
  struct client_texture copy;
  if (!resource || !client_texture_find(object, true, &copy)) return runtime_result(cudaErrorInvalidValue);
  *resource = copy.resource;
  return runtime_used(0);
}

EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                        const struct cudaChannelFormatDesc *texel,
                                                        int device) {
  enum { MOST_TEXELS = 268435456 };
  struct texture_object unused;
  if (!width || !texel || device || !client_array_texel(texel, &unused))
    return runtime_result(cudaErrorInvalidValue);
  *width = MOST_TEXELS;
  return runtime_used(0);
}
