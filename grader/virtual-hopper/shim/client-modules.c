// The client's requests about modules and launches. In: images, names, arguments; out: CUDA errors.
// The client sends a module to the device when the program first needs a part of it. So a program linked with
// large libraries starts at once.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

#include <stdlib.h>
#include <string.h>

// A container's header: magic u32, version u16, header size u16, bytes after the header u64.
size_t client_image_bytes(const void *image) {
  // strncmp stops at the end of a text, which may be shorter than the four bytes of the magic number.
  if (strncmp(image, "\x50\xED\x55\xBA", 4) == 0) {
    uint16_t header;
    uint64_t bytes;
    memcpy(&header, (const char *)image + 6, sizeof header);
    memcpy(&bytes, (const char *)image + 8, sizeof bytes);
    return header + bytes;
  }
  // Like the driver, assume that every image that is not a binary is text. The parser rejects wrong text.
  return strncmp(image,
                 "\x7f"
                 "ELF",
                 4) == 0
             ? 0
             : strlen(image);
}

int client_module_load(struct client_module *module) {
  struct client *client = client_state();
  pthread_mutex_lock(&client->modules_mutex);
  if (!module->tried) {
    struct protocol_handle answer = {0};
    struct client_request request = {.operation = PROTOCOL_MODULE,
                                     .payload = module->image,
                                     .payload_bytes = module->bytes,
                                     .answer = &answer,
                                     .answer_bytes = sizeof answer};
    module->status = client_call(&request);
    module->handle = answer.handle;
    module->tried = true;
  }
  pthread_mutex_unlock(&client->modules_mutex);
  return module->status;
}

void client_module_unload(struct client_module *module) {
  if (!module->tried || module->status) return;
  struct protocol_module body = {module->handle};
  struct client_request request = {.operation = PROTOCOL_UNLOAD, .body = &body, .body_bytes = sizeof body};
  (void)client_call(&request);
  module->tried = false;
}

int client_function_resolve(struct client_function *function) {
  int status = client_module_load(function->module);
  if (status) return status;
  struct client *client = client_state();
  pthread_mutex_lock(&client->modules_mutex);
  if (!function->resolved) {
    struct protocol_module body = {function->module->handle};
    void *parameters = NULL;
    size_t bytes = 0;
    struct client_request request = {.operation = PROTOCOL_FUNCTION,
                                     .body = &body,
                                     .body_bytes = sizeof body,
                                     .payload = function->name,
                                     .payload_bytes = strlen(function->name),
                                     .answer = &function->info,
                                     .answer_bytes = sizeof function->info,
                                     .reply_payload = &parameters,
                                     .reply_bytes = &bytes};
    function->status = client_call(&request);
    function->parameters = parameters;
    function->resolved = true;
  }
  status = function->status;
  pthread_mutex_unlock(&client->modules_mutex);
  return status;
}

int client_variable(struct client_module *module, const char *name, struct protocol_location *location) {
  int status = client_module_load(module);
  if (status) return status;
  struct protocol_module body = {module->handle};
  struct client_request request = {.operation = PROTOCOL_VARIABLE,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .payload = name,
                                   .payload_bytes = strlen(name),
                                   .answer = location,
                                   .answer_bytes = sizeof *location};
  return client_call(&request);
}

int client_set_shared(struct client_function *function, size_t bytes) {
  int status = client_function_resolve(function);
  if (status) return status;
  if (bytes > UINT32_MAX) return ERROR_INVALID_VALUE;
  struct protocol_set_shared body = {function->info.function, (uint32_t)bytes, 0};
  struct client_request request = {
      .operation = PROTOCOL_SET_SHARED, .body = &body, .body_bytes = sizeof body};
  status = client_call(&request);
  if (!status) function->info.max_dynamic_shared_bytes = (uint32_t)bytes;
  return status;
}

// A program that shares page-locked memory with its kernels may look at that memory while they run. Of
// managed memory it is only known afterwards which pages the kernel has touched, so the launch ends first,
// unless it waits for the host.
static enum protocol_early choose_early(void) {
  if (client_has_managed()) return PROTOCOL_WHEN_IT_WAITS;
  return client_has_hosts() ? PROTOCOL_BEFORE_IT_BEGINS : PROTOCOL_AT_ITS_END;
}

// Page-locked memory among the parameters is the kernel's until the host has waited.
static void guard_parameters(const void *parameters, size_t bytes, uint32_t stream, uint64_t operation) {
  uint64_t word;
  for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
    memcpy(&word, (const char *)parameters + at, sizeof word);
    client_guard_parameter((const void *)(uintptr_t)word, stream, operation);
  }
}

int client_launch_now(struct client_function *function, struct protocol_launch *launch,
                      const void *parameters, size_t bytes, uint64_t stream, uint32_t in) {
  // The functions before may write managed memory.
  if (client_later_launch(function, launch, parameters, bytes, stream, in)) return 0;
  launch->early = (uint16_t)choose_early();
  launch->function = function->info.function;
  launch->nonportable_cluster = function->nonportable_cluster;
  struct client_request request = {.operation = PROTOCOL_LAUNCH,
                                   .body = launch,
                                   .body_bytes = sizeof *launch,
                                   .payload = parameters,
                                   .payload_bytes = bytes,
                                   .in = in,
                                   .stream = stream};
  const bool guards = client_has_hosts() && in < PROTOCOL_GRAPH;
  const uint64_t before = guards ? client_last_operation(in) : 0;
  const int status = client_call(&request);
  if (!status && guards) guard_parameters(parameters, bytes, in, before + 1);
  if (!status && !request.runs_on && client_has_managed()) client_managed_guard();
  return status;
}

int client_launch_packed(struct client_function *function, struct protocol_launch *launch,
                         const void *parameters, size_t bytes, void *stream) {
  struct client_stream found = {0};
  const uint32_t in = client_in(stream);
  bool captured = false;
  int status = client_function_resolve(function);
  if (!status) status = client_captures(in, &captured);
  if (status) return status;
  if (captured) return client_capture_launch(function, launch, parameters, bytes, in);
  launch->programmatic &= client_launch_follows(stream);
  (void)client_stream_find(stream, &found);
  return client_launch_now(function, launch, parameters, bytes, found.identifier, in);
}

int client_pack(struct client_function *function, void **arguments, char **parameters) {
  const int status = client_function_resolve(function);
  if (status) return status;
  const struct protocol_function *info = &function->info;
  if (info->parameter_count && !arguments) return ERROR_INVALID_VALUE;
  *parameters = calloc(1, info->parameter_bytes + 1);
  if (!*parameters) return ERROR_MEMORY_ALLOCATION;
  for (uint32_t i = 0; i < info->parameter_count; i++)
    memcpy(*parameters + function->parameters[i].offset, arguments[i], function->parameters[i].size);
  return 0;
}

int client_pack_extra(void **extra, const void **block, size_t *bytes) {
  enum { END, BUFFER_POINTER, BUFFER_SIZE }; // CU_LAUNCH_PARAM_*
  *block = NULL;
  *bytes = 0;
  for (; (uintptr_t)*extra != END; extra += 2) {
    switch ((uintptr_t)*extra) {
    case BUFFER_POINTER: *block = extra[1]; break;
    case BUFFER_SIZE: *bytes = *(size_t *)extra[1]; break;
    default: return ERROR_INVALID_VALUE;
    }
  }
  return *bytes && !*block ? ERROR_INVALID_VALUE : 0;
}

int client_launch(struct client_function *function, struct protocol_launch *launch, void **arguments,
                  void *stream) {
  char *parameters;
  int status = client_pack(function, arguments, &parameters);
  if (status) return status;
  status = client_launch_packed(function, launch, parameters, function->info.parameter_bytes, stream);
  free(parameters);
  return status;
}

struct client_function *client_function_checked(const void *handle) {
  struct client_function *function = (struct client_function *)(uintptr_t)handle;
  return function && function->magic == CLIENT_FUNCTION_MAGIC ? function : NULL;
}
