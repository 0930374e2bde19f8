// Modules, kernels and variables. In: untrusted fat binaries and names. Out: handles. A handle is an index
// into the server's own tables, so it can be checked. Code that the device can't run is recorded as
// unsupported, with the remedy.
#include "virtual-hopper/server/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/base/fatbin.h"
#include "virtual-hopper/ptx/link.h"
#include "virtual-hopper/rules/fault.h"

enum { MOST_LINKED = 4096 }; // files of a program

void server_record_unsupported(struct server *server, const char *what) {
  struct unsupported unsupported = {.place = {.file = "", .instruction = ""}};
  snprintf(unsupported.what, sizeof unsupported.what, "%s", what);
  unsupported_record(vhopper_report(server->device), &unsupported);
}

// ---- modules ----------------------------------------------------------------------------------------------

// Finds the place of an unloaded module, or makes a new one. False: there are too many modules.
static bool module_place(struct server *server, size_t *place) {
  for (*place = 0; *place < server->module_count; (*place)++)
    if (!server->modules[*place].module) return true;
  if (!server_grow((void **)&server->modules, server->module_count, &server->module_room,
                   sizeof *server->modules, server->limits.modules))
    return false;
  server->modules[server->module_count++].module = NULL;
  return true;
}

// If we can't read the compiler's output, that is our limit. Code that a program makes at run time gets the
// driver's answer.
static void record_refused(struct server *server, bool made_at_run_time, const char *why) {
  if (made_at_run_time) {
    fault_module_loaded(vhopper_report(server->device), why);
    fault_refuse(vhopper_report(server->device), "A module that is loaded at run time is refused: %s", why);
  } else {
    server_record_unsupported(server, why);
  }
}

static int load_module(struct server *server, const char *ptx, size_t length, bool made_at_run_time) {
  size_t place;
  if (!module_place(server, &place)) return ERROR_MEMORY_ALLOCATION;
  char *error = NULL;
  int status = vhopper_module_load(server->device, ptx, length, &server->modules[place].module, &error);
  if (status) {
    char text[sizeof((struct unsupported *)0)->what];
    const char *message =
        error ? error : "a module of the program can't be loaded, and the device gave no reason";
    server_copy_text(text, sizeof text, (const uint8_t *)message, strlen(message));
    if (status == ERROR_INVALID_PTX) record_refused(server, made_at_run_time, text);
    if (status == ERROR_MEMORY_ALLOCATION) fault_refuse(vhopper_report(server->device), "%s", text);
    free(error);
    server->modules[place].module = NULL;
    return status;
  }
  if (made_at_run_time) fault_module_loaded(vhopper_report(server->device), NULL);
  server->answer.handle.handle = place;
  server->counters.live_modules++;
  return 0;
}

void server_know_modules(struct server *server, const void *section, size_t bytes) {
  free(server->own_modules);
  server->own_modules = malloc(bytes + 1);
  if (!server->own_modules) die("no memory for a program's modules of %zu bytes", bytes);
  if (bytes) memcpy(server->own_modules, section, bytes);
  server->own_modules_bytes = bytes;
}

static const char too_many[] = "one more module that is loaded at run time";
#ifdef VHOPPER_FUZZ_LIMITS // the budget of memory is to be met first
enum { WORK_OF_BYTE = 0 };
#else
enum { WORK_OF_BYTE = 2 }; // of PTX: it is parsed, and its kernels are decoded
#endif

static size_t same_bytes(const uint8_t *a, const uint8_t *b, size_t length) {
  size_t same = 0;
  while (same < length && a[same] == b[same])
    same++;
  return same;
}

// True when nvcc put this container into the program: the section contains the same bytes. Containers begin
// at multiples of 8. A section can be made so that much of the container is found at each of them: then it
// counts as none of nvcc's.
static bool is_own_module(struct server *server, const uint8_t *bytes, size_t length) {
  enum { ALIGNMENT = 8, MOST_IN_VAIN = 64 << 20, COMPARED_IN_A_UNIT = 64 };
  if (!server->own_modules) return true;
  const uint8_t *own = server->own_modules;
  size_t in_vain = 0;
  for (size_t at = 0; at + length <= server->own_modules_bytes && in_vain < MOST_IN_VAIN; at += ALIGNMENT) {
    if (!fatbin_is_container(own + at, length)) continue;
    const size_t same = same_bytes(own + at, bytes, length);
    if (same == length) return true;
    in_vain += same;
  }
  (void)server_charge(server, (server->own_modules_bytes + in_vain) / COMPARED_IN_A_UNIT, "%s", too_many);
  return false;
}

static bool has_room(const struct server *server) {
  return vhopper_module_bytes(server->device) <= server->limits.modules_memory &&
         budget_left(vhopper_budget(server->device)) > 0;
}

// The PTX of a payload's containers.
struct texts {
  char *all[MOST_LINKED];
  size_t count, bytes; // bytes: of the program's budget
  bool too_large;      // for the rest of the budget
};

static bool charge_bytes(struct server *server, uint64_t bytes) {
  uint64_t work;
  if (!checked_multiply(bytes, WORK_OF_BYTE, &work)) work = UINT64_MAX;
  return server_charge(server, work, "a module that holds %llu bytes of PTX", (unsigned long long)bytes);
}

static bool charge_text(struct server *server, struct texts *texts, size_t bytes) {
  texts->too_large |= !budget_take(vhopper_budget(server->device), BUDGET_MODULES, bytes);
  if (!texts->too_large) texts->bytes += bytes;
  return !texts->too_large;
}

// A program of separable compilation sends its linked machine code, then the containers of its files, one
// after the other. A container of a few KiB can hold PTX of many MiB: the budget counts each text at once.
// All that is unpacked has to fit into it, also what is empty or damaged, which would take time for ever.
static void extract_texts(struct server *server, const uint8_t *bytes, size_t size, struct texts *texts,
                          struct fatbin_error *error) {
  size_t total, length, may_unpack = budget_left(vhopper_budget(server->device));
  struct fatbin_error none = {.message = ""};
  *error = (struct fatbin_error){.message = ""};
  for (; size >= FATBIN_HEADER_BYTES && fatbin_is_container(bytes, size) && texts->count < MOST_LINKED;
       bytes += total, size -= total) {
    const size_t before = may_unpack;
    struct fatbin_error *said = texts->count || error->message[0] ? &none : error;
    char *ptx = fatbin_extract_ptx(bytes, size, &may_unpack, &length, said);
    if (ptx) texts->all[texts->count++] = ptx;
    texts->too_large |= !charge_bytes(server, said->too_large ? said->too_large : before - may_unpack);
    texts->too_large |= !ptx && !may_unpack;
    if (texts->too_large) return;
    if (ptx && !charge_text(server, texts, length)) return;
    total = fatbin_total_size(bytes, &none);
    if (!total || total > size) return;
  }
}

static char *link_texts(struct server *server, struct texts *texts, struct fatbin_error *error) {
  struct budget *budget = vhopper_budget(server->device);
  char *linked;
  size_t length;
  const enum ptx_link_result result = ptx_link(texts->all, texts->count, budget, &linked, &length);
  budget_give(budget, BUDGET_MODULES, texts->bytes);
  texts->bytes = linked ? length + 1 : 0;
  texts->too_large = result == PTX_LINK_TOO_LARGE;
  if (result == PTX_LINK_TOO_MANY)
    snprintf(error->message, sizeof error->message,
             "its %zu PTX texts can't be linked: they have more than %d functions and variables",
             texts->count, PTX_LINK_MOST_STATEMENTS);
  return linked;
}

// Returns the PTX of all containers, linked; texts->bytes are the budget's. NULL: `error` says why there is
// none, or the texts are too large.
static char *extract_ptx(struct server *server, const uint8_t *bytes, size_t size, struct texts *texts,
                         struct fatbin_error *error) {
  char *linked = NULL;
  extract_texts(server, bytes, size, texts, error);
  const bool whole = !texts->too_large;
  if (whole && texts->count == 1) return texts->all[0];
  if (whole && texts->count) linked = link_texts(server, texts, error);
  for (size_t i = 0; i < texts->count; i++)
    free(texts->all[i]);
  return linked;
}

static int load_container(struct server *server, const uint8_t *payload, size_t bytes) {
  const bool own = is_own_module(server, payload, bytes);
  struct fatbin_error error = {.message = ""};
  struct texts texts = {.count = 0};
  char *ptx = extract_ptx(server, payload, bytes, &texts, &error);
  int status = ERROR_NO_KERNEL_IMAGE_FOR_DEVICE;
  if (ptx)
    status = load_module(server, ptx, strlen(ptx), !own);
  else if (texts.too_large)
    status = server_refuse_memory(server);
  else
    record_refused(server, !own, error.message);
  budget_give(vhopper_budget(server->device), BUDGET_MODULES, texts.bytes);
  free(ptx);
  return status;
}

int server_handle_module(struct server *server) {
  const uint8_t *payload = server->payload;
  size_t bytes = server->request.payload_bytes;
  if (!has_room(server)) return server_refuse_memory(server);
  if (!server_charge(server, (uint64_t)bytes * WORK_OF_BYTE, "%s", too_many)) return ERROR_MEMORY_ALLOCATION;
  if (!fatbin_is_container(payload, bytes))
    return load_module(server, (const char *)payload, strnlen((const char *)payload, bytes), true);
  int status = load_container(server, payload, bytes);
  size_t elf_length;
  uint8_t *elf = status ? NULL : fatbin_extract_elf(payload, bytes, &elf_length);
  if (elf) vhopper_module_measure(server->modules[server->answer.handle.handle].module, elf, elf_length);
  free(elf);
  return status;
}

static struct vhopper_module *module_of(struct server *server, uint64_t handle) {
  return handle < server->module_count ? server->modules[handle].module : NULL;
}

static void unload(struct server *server, size_t place) {
  for (size_t i = 0; i < server->function_count; i++)
    if (server->functions[i].module == place) server->functions[i].function = NULL;
  if (server->modules[place].module) {
    vhopper_module_unload(server->device, server->modules[place].module);
    server->counters.live_modules--;
  }
  server->modules[place].module = NULL;
}

int server_handle_unload(struct server *server) {
  if (!module_of(server, server->body.module.module)) return ERROR_INVALID_RESOURCE_HANDLE;
  unload(server, server->body.module.module);
  return 0;
}

void server_unload_modules(struct server *server) {
  for (size_t i = 0; i < server->module_count; i++)
    unload(server, i);
  server->module_count = 0;
  server->function_count = 0;
}

// ---- kernels ----------------------------------------------------------------------------------------------

static bool name_is_text(const struct server *server) {
  return strlen((const char *)server->payload) == server->request.payload_bytes &&
         server->request.payload_bytes > 0;
}

struct server_function *server_function_of(struct server *server, uint64_t handle) {
  if (handle >= server->function_count || !server->functions[handle].function) return NULL;
  return &server->functions[handle];
}

// Finds the handle of a known function, or makes a new one. False: there are too many functions.
static bool function_place(struct server *server, struct vhopper_function *function, uint64_t module,
                           size_t *place) {
  size_t vacant = server->function_count;
  for (size_t i = 0; i < server->function_count; i++) {
    if (server->functions[i].function == function) {
      *place = i;
      return true;
    }
    if (!server->functions[i].function && vacant == server->function_count) vacant = i;
  }
  *place = vacant;
  if (vacant == server->function_count) {
    if (!server_grow((void **)&server->functions, server->function_count, &server->function_room,
                     sizeof *server->functions, server->limits.functions))
      return false;
    server->function_count++;
  }
  server->functions[vacant] = (struct server_function){function, module, UINT32_MAX};
  return true;
}

static void describe_function(struct protocol_function *answer, const struct vhopper_function_info *info) {
  answer->parameter_count = info->parameter_count;
  answer->parameter_bytes = info->parameter_bytes;
  answer->static_shared_bytes = info->static_shared_bytes;
  answer->local_bytes = info->local_bytes;
  answer->constant_bytes = info->constant_bytes;
  answer->register_count = info->register_count;
  answer->max_threads_per_block = info->max_threads_per_block;
  answer->max_dynamic_shared_bytes = info->max_dynamic_shared_bytes;
  memcpy(answer->cluster, info->cluster, sizeof answer->cluster);
}

int server_handle_function(struct server *server) {
  struct vhopper_module *module = module_of(server, server->body.module.module);
  if (!module) return ERROR_INVALID_RESOURCE_HANDLE;
  if (!name_is_text(server)) return ERROR_INVALID_VALUE;
  struct vhopper_function *function = vhopper_module_function(module, (const char *)server->payload);
  if (!function) return ERROR_INVALID_DEVICE_FUNCTION;
  // the function is decoded now, with all functions that it can call
  if (!has_room(server)) return server_refuse_memory(server);
  const struct vhopper_function_info *info = vhopper_function_info(function);
  if (info->parameter_count > PROTOCOL_MAX_PARAMETERS ||
      info->parameter_bytes > PROTOCOL_MAX_PARAMETER_BYTES) {
    server_record_unsupported(server, "a kernel with more parameters than PTX ISA 11.2.1 allows");
    return ERROR_INVALID_DEVICE_FUNCTION;
  }
  size_t place;
  if (!function_place(server, function, server->body.module.module, &place)) return ERROR_MEMORY_ALLOCATION;
  server->answer.function.function = place;
  describe_function(&server->answer.function, info);
  if (!info->parameter_count) return 0;
  struct protocol_parameter *parameters = calloc(info->parameter_count, sizeof *parameters);
  if (!parameters) die("no memory for %u parameters", info->parameter_count);
  for (uint32_t i = 0; i < info->parameter_count; i++)
    parameters[i] = (struct protocol_parameter){info->parameters[i].offset, info->parameters[i].size};
  server->reply_payload = (uint8_t *)parameters;
  server->reply.payload_bytes = info->parameter_count * sizeof *parameters;
  return 0;
}

// cudaFuncAttributeMaxDynamicSharedMemorySize: 227 KiB for static and dynamic shared memory together.
int server_handle_set_shared(struct server *server) {
  struct server_function *function = server_function_of(server, server->body.set_shared.function);
  if (!function) return ERROR_INVALID_RESOURCE_HANDLE;
  struct vhopper_function_info *info = vhopper_function_info(function->function);
  enum { OPT_IN_BYTES = 232448 };
  uint32_t bytes = server->body.set_shared.bytes, fixed = info->static_shared_bytes,
           most = fixed < OPT_IN_BYTES ? OPT_IN_BYTES - fixed : 0;
  if (bytes > most) {
    fault_refuse(
        vhopper_report(server->device),
        "cudaFuncSetAttribute was asked for %u bytes of dynamic shared memory: the most for this kernel is "
        "%u, which is 227 KiB (%d bytes) less its %u static ones.",
        bytes, most, OPT_IN_BYTES, fixed);
    return ERROR_INVALID_VALUE;
  }
  info->max_dynamic_shared_bytes = bytes;
  return 0;
}

int server_handle_variable(struct server *server) {
  struct vhopper_module *module = module_of(server, server->body.module.module);
  if (!module) return ERROR_INVALID_RESOURCE_HANDLE;
  if (!name_is_text(server)) return ERROR_INVALID_VALUE;
  uint64_t address = 0;
  size_t bytes = 0;
  int status = vhopper_module_variable(module, (const char *)server->payload, &address, &bytes);
  if (status) return ERROR_INVALID_SYMBOL;
  server->answer.location = (struct protocol_location){address, bytes};
  return 0;
}
