// Launches. In: a launch as a stranger asks for it; out: what CUDA answers. A configuration that the chip can't run is
// refused here and at once; what goes wrong while the grid runs is a device error, told by every later reply.
#include "virtual-hopper/server-internal.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/arena.h"

enum {
  MAX_THREADS_PER_BLOCK = 1024,
  MAX_THREADS_PER_SM = 2048,
  MAX_BLOCKS_PER_SM = 32,
  MULTIPROCESSORS = 132,
  SHARED_PER_SM = 233472,
  SHARED_RESERVED_PER_BLOCK = 1024,
  REGISTERS_PER_SM = 65536,
  PORTABLE_CLUSTER = 8,
  LARGEST_CLUSTER = 16,
};

// Compute capability 9.0, CUDA C++ Programming Guide, "Technical specifications per compute capability".
static int check_shape(const struct protocol_launch *launch) {
  for (int i = 0; i < 3; i++)
    if (!launch->grid[i] || !launch->block[i]) return ERROR_INVALID_CONFIGURATION;
  if (launch->grid[0] > 2147483647u || launch->grid[1] > 65535 || launch->grid[2] > 65535) return ERROR_INVALID_CONFIGURATION;
  if (launch->block[0] > 1024 || launch->block[1] > 1024 || launch->block[2] > 64) return ERROR_INVALID_CONFIGURATION;
  if (launch->block[0] * launch->block[1] * launch->block[2] > MAX_THREADS_PER_BLOCK) return ERROR_INVALID_CONFIGURATION;
  return 0;
}

static int check_cluster(const struct protocol_launch *launch, const struct vhopper_function_info *info) {
  const uint32_t *cluster = launch->cluster;
  if (!cluster[0] && !cluster[1] && !cluster[2]) {
    cluster = info->cluster;
    if (!cluster[0]) return 0;
  } else if (info->cluster[0] && memcmp(cluster, info->cluster, sizeof info->cluster) != 0) {
    return ERROR_INVALID_CLUSTER_SIZE;
  }
  uint64_t blocks = 1;
  for (int i = 0; i < 3; i++) {
    if (!cluster[i] || cluster[i] > LARGEST_CLUSTER || launch->grid[i] % cluster[i]) return ERROR_INVALID_CLUSTER_SIZE;
    blocks *= cluster[i];
  }
  if (blocks > (launch->nonportable_cluster ? LARGEST_CLUSTER : PORTABLE_CLUSTER)) return ERROR_INVALID_CLUSTER_SIZE;
  return 0;
}

// A cooperative grid must be resident as a whole.
static int check_cooperative(const struct protocol_launch *launch, const struct vhopper_function_info *info) {
  uint32_t threads = (launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32 * 32;
  uint64_t shared = (uint64_t)info->static_shared_bytes + launch->dynamic_shared_bytes + SHARED_RESERVED_PER_BLOCK;
  uint64_t resident = MAX_BLOCKS_PER_SM;
  if (MAX_THREADS_PER_SM / threads < resident) resident = MAX_THREADS_PER_SM / threads;
  if (SHARED_PER_SM / shared < resident) resident = SHARED_PER_SM / shared;
  unsigned __int128 blocks = (unsigned __int128)launch->grid[0] * launch->grid[1] * launch->grid[2];
  return blocks > (unsigned __int128)resident * MULTIPROCESSORS ? ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : 0;
}

static int check_launch(const struct protocol_launch *launch, const struct vhopper_function_info *info) {
  int status = check_shape(launch);
  if (status) return status;
  uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
  if (info->max_threads_per_block && threads > info->max_threads_per_block) return ERROR_LAUNCH_OUT_OF_RESOURCES;
  if ((uint64_t)info->register_count * ((threads + 31) / 32 * 32) > REGISTERS_PER_SM) return ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (launch->dynamic_shared_bytes > info->max_dynamic_shared_bytes) return ERROR_INVALID_VALUE;
  status = check_cluster(launch, info);
  if (status) return status;
  return launch->cooperative ? check_cooperative(launch, info) : 0;
}

static void count_kernel(struct server *server, struct server_function *function, const char *name) {
  if (function->kernel == UINT32_MAX) {
    size_t index = 0;
    while (index < server->kernel_count && strcmp(server->kernels[index].name, name) != 0) index++;
    if (index == server->kernel_count) {
      if (!server_grow((void **)&server->kernels, server->kernel_count, &server->kernel_room, sizeof *server->kernels,
                       server->limits.kernels))
        return;
      char *copy = strdup(name);
      if (!copy) die("no memory for a kernel's name");
      server->kernels[server->kernel_count++] = (struct server_kernel){copy, 0};
    }
    function->kernel = (uint32_t)index;
  }
  server->kernels[function->kernel].launches++;
}

void server_collect_output(struct server *server) {
  size_t length = 0;
  char *text = vhopper_take_output(server->device, &length);
  if (text && length) {
    char *joined = realloc(server->output, server->output_bytes + length);
    if (!joined) die("no memory for %zu bytes that kernels printed", length);
    memcpy(joined + server->output_bytes, text, length);
    server->output = joined;
    server->output_bytes += length;
  }
  free(text);
}

int server_handle_launch(struct server *server) {
  const struct protocol_launch *launch = &server->body.launch;
  struct server_function *function = server_function_of(server, launch->function);
  if (!function) return ERROR_INVALID_DEVICE_FUNCTION;
  const struct vhopper_function_info *info = vhopper_function_info(function->function);
  int status = server->request.payload_bytes == info->parameter_bytes ? check_launch(launch, info) : ERROR_INVALID_VALUE;
  if (!status && server->limits.launches && server->counters.launches >= server->limits.launches)
    status = ERROR_LAUNCH_OUT_OF_RESOURCES;
  int before = vhopper_sticky_error(server->device);
  if (!status && before) status = before;
  if (status) {
    server->counters.failed_launches++;
    return status;
  }
  struct vhopper_launch_config config = {
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]},
      .dynamic_shared_bytes = launch->dynamic_shared_bytes,
      .cooperative = launch->cooperative != 0,
  };
  server->counters.launches++;
  count_kernel(server, function, info->name);
  status = vhopper_launch(server->device, function->function, &config, server->payload);
  server_collect_output(server);
  // A grid that was started and failed is no failure of the launch: the program learns of it when it waits.
  return status && vhopper_sticky_error(server->device) == status ? 0 : status;
}
