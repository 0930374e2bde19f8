// Texture and surface objects, of the runtime and of the driver.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_TEXTURE_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_TEXTURE_H

#include <texture_types.h>

#include "virtual-hopper/shim/client-array.h"

// What the program said; in a list of the process.
struct client_texture {
  struct client_texture *next;
  uint64_t handle;
  bool is_surface;
  struct cudaResourceDesc resource;
  struct cudaTextureDesc texture;
};

// These return CUDA errors.
int client_texture_create(unsigned long long *made, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture);
int client_surface_create(unsigned long long *made, const struct cudaResourceDesc *resource);
int client_texture_destroy(unsigned long long handle, bool is_surface); // 0 is no object, and allowed
bool client_texture_find(unsigned long long handle, bool is_surface, struct client_texture *copy);

#endif
