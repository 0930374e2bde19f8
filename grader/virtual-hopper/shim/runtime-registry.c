// The fat binaries, kernels and variables that a program registers before main. In: host addresses and names;
// out: the kernel or variable of a host address. Registration sends nothing to the device.
#include "virtual-hopper/shim/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum entry_kind { ENTRY_NONE, ENTRY_FUNCTION, ENTRY_VARIABLE, ENTRY_MANAGED };
struct entry {
  const void *key; // host address; ENTRY_MANAGED: of the pointer through which the host's code accesses it
  enum entry_kind kind;
  const void *library; // that the kernel was found in; NULL: the program registered it
  union {
    struct client_function *function;
    struct runtime_variable variable;
  };
};
struct binary {
  struct binary *next;
  struct client_module module;
};

// Static, because constructors register before main: no caller could keep the registry for them.
static struct registry {
  pthread_mutex_t mutex;
  struct binary *binaries;
  struct entry *entries;  // a hash table with open addressing
  size_t count, room;     // used and allocated entries; room is a power of two
  atomic_size_t unmapped; // ENTRY_MANAGED
} registry = {.mutex = PTHREAD_MUTEX_INITIALIZER};

// ---- the table --------------------------------------------------------------------------------------------

static struct entry *find_entry(struct entry *entries, size_t room, const void *key) {
  size_t index = ((uintptr_t)key >> 3) * 0x9E3779B97F4A7C15u & (room - 1);
  while (entries[index].key && entries[index].key != key)
    index = (index + 1) & (room - 1);
  return &entries[index];
}

static void add_entry(const struct entry *entry) {
  if (registry.count * 2 >= registry.room) {
    size_t room = registry.room ? registry.room * 2 : 64;
    struct entry *entries = calloc(room, sizeof *entries);
    if (!entries) return client_complain("no memory to register a kernel");
    for (size_t i = 0; i < registry.room; i++)
      if (registry.entries[i].key) *find_entry(entries, room, registry.entries[i].key) = registry.entries[i];
    free(registry.entries);
    registry.entries = entries;
    registry.room = room;
  }
  struct entry *place = find_entry(registry.entries, registry.room, entry->key);
  if (!place->key) registry.count++;
  *place = *entry;
}

static bool look_up(const void *key, enum entry_kind kind, struct entry *found) {
  bool result = false;
  pthread_mutex_lock(&registry.mutex);
  if (key && registry.room) {
    *found = *find_entry(registry.entries, registry.room, key);
    result = found->key && found->kind == kind;
  }
  pthread_mutex_unlock(&registry.mutex);
  return result;
}

struct client_function *runtime_function(const void *host_function_or_handle) {
  struct entry entry;
  return look_up(host_function_or_handle, ENTRY_FUNCTION, &entry) ? entry.function : NULL;
}

bool runtime_variable(const void *host_variable, struct runtime_variable *variable) {
  struct entry entry;
  if (!look_up(host_variable, ENTRY_VARIABLE, &entry)) return false;
  *variable = entry.variable;
  return true;
}

void runtime_forget_device(void) {
  pthread_mutex_lock(&registry.mutex);
  for (struct binary *binary = registry.binaries; binary; binary = binary->next)
    binary->module.tried = false;
  for (size_t i = 0; i < registry.room; i++) {
    if (!registry.entries[i].key || registry.entries[i].kind != ENTRY_FUNCTION) continue;
    struct client_function *function = registry.entries[i].function;
    free(function->parameters);
    function->parameters = NULL;
    function->resolved = false;
  }
  pthread_mutex_unlock(&registry.mutex);
}

// Takes all of a module, or of a library, out of the table. The caller holds the mutex.
static void drop_entries(const struct client_module *of_module, const void *of_library) {
  struct entry *entries = registry.entries;
  const size_t room = registry.room;
  registry.entries = NULL;
  registry.count = registry.room = 0;
  for (size_t i = 0; i < room; i++) {
    if (!entries[i].key || (of_library && entries[i].library == of_library)) continue;
    const struct client_module *module =
        entries[i].kind == ENTRY_FUNCTION ? entries[i].function->module : entries[i].variable.module;
    if (!of_module || module != of_module) add_entry(&entries[i]);
  }
  free(entries);
}

void runtime_add_kernel(struct client_function *function, const void *library) {
  pthread_mutex_lock(&registry.mutex);
  add_entry(
      &(struct entry){.key = function, .kind = ENTRY_FUNCTION, .library = library, .function = function});
  pthread_mutex_unlock(&registry.mutex);
}

void runtime_drop_library(const void *library) {
  pthread_mutex_lock(&registry.mutex);
  drop_entries(NULL, library);
  pthread_mutex_unlock(&registry.mutex);
}

// ---- functions that nvcc's generated code calls -----------------------------------------------------------

// With nvcc -rdc=true, the wrapper also lists the containers of all files, up to a NULL. The device needs
// their PTX, because the linked container has machine code alone. Returns one block with all of them.
static void join_containers(const struct client_wrapper *wrapper, struct client_module *module) {
  const void *const *files = wrapper->version == CLIENT_LINKED_VERSION ? wrapper->prelinked : NULL;
  size_t bytes = module->bytes;
  for (size_t i = 0; files && files[i]; i++)
    bytes += client_image_bytes(files[i]);
  char *joined = bytes > module->bytes ? malloc(bytes) : NULL;
  if (!joined) return;
  memcpy(joined, module->image, module->bytes);
  size_t used = module->bytes;
  for (size_t i = 0; files[i]; i++) {
    const size_t size = client_image_bytes(files[i]);
    memcpy(joined + used, files[i], size);
    used += size;
  }
  module->image = joined; // as long as the program: nvcc's own tables are, too
  module->bytes = bytes;
}

EXPORT void **__cudaRegisterFatBinary(void *image) {
  const struct client_wrapper *wrapper = image;
  struct binary *binary = calloc(1, sizeof *binary);
  if (!binary) return NULL;
  if (wrapper->magic == CLIENT_WRAPPER_MAGIC) {
    binary->module.image = wrapper->data;
    binary->module.bytes = client_image_bytes(wrapper->data);
    join_containers(wrapper, &binary->module);
  }
  if (!binary->module.bytes) client_complain("a fat binary of the program is of an unknown format");
  pthread_mutex_lock(&registry.mutex);
  binary->next = registry.binaries;
  registry.binaries = binary;
  pthread_mutex_unlock(&registry.mutex);
  return (void **)binary;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function,
                                   const char *name, int thread_limit, uint3 *thread, uint3 *block,
                                   dim3 *block_size, dim3 *grid_size, int *warp_size) {
  (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_size, (void)grid_size,
      (void)warp_size;
  struct client_function *function = calloc(1, sizeof *function);
  if (!handle || !function) return free(function);
  *function = (struct client_function){.magic = CLIENT_FUNCTION_MAGIC,
                                       .module = &((struct binary *)handle)->module,
                                       .name = name,
                                       .carveout = -1};
  pthread_mutex_lock(&registry.mutex);
  add_entry(&(struct entry){.key = host_function, .kind = ENTRY_FUNCTION, .function = function});
  // A kernel is also found by its handle.
  add_entry(&(struct entry){.key = function, .kind = ENTRY_FUNCTION, .function = function});
  pthread_mutex_unlock(&registry.mutex);
}

EXPORT void __cudaRegisterVar(void **handle, char *host_variable, char *device_address, const char *name,
                              int is_external, size_t bytes, int is_constant, int is_global) {
  (void)device_address, (void)is_external, (void)is_constant, (void)is_global;
  if (!handle) return;
  struct entry entry = {.key = host_variable, .kind = ENTRY_VARIABLE};
  entry.variable = (struct runtime_variable){&((struct binary *)handle)->module, name, bytes};
  pthread_mutex_lock(&registry.mutex);
  add_entry(&entry);
  pthread_mutex_unlock(&registry.mutex);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address,
                                     const char *name, int is_external, size_t bytes, int is_constant,
                                     int is_global) {
  (void)device_address, (void)is_external, (void)is_constant, (void)is_global;
  if (!handle) return;
  struct entry entry = {.key = host_pointer, .kind = ENTRY_MANAGED};
  entry.variable = (struct runtime_variable){&((struct binary *)handle)->module, name, bytes};
  pthread_mutex_lock(&registry.mutex);
  add_entry(&entry);
  atomic_fetch_add(&registry.unmapped, 1);
  pthread_mutex_unlock(&registry.mutex);
}

// Takes a __managed__ variable of the module whose pointer the host's code does not have yet.
static bool take_managed(const struct client_module *module, struct entry *found) {
  bool result = false;
  pthread_mutex_lock(&registry.mutex);
  for (size_t i = 0; i < registry.room && !result; i++) {
    struct entry *entry = &registry.entries[i];
    result = entry->key && entry->kind == ENTRY_MANAGED && entry->variable.module == module;
    if (!result) continue;
    *found = *entry;
    entry->kind = ENTRY_NONE;
    atomic_fetch_sub(&registry.unmapped, 1);
  }
  pthread_mutex_unlock(&registry.mutex);
  return result;
}

// The variable's symbol is its address.
void runtime_map_managed(const struct client_module *module) {
  struct entry entry;
  while (atomic_load(&registry.unmapped) && take_managed(module, &entry)) {
    void **host_pointer = (void **)(uintptr_t)entry.key;
    const int status = client_managed_variable(entry.variable.module, entry.variable.name, host_pointer);
    if (status) {
      client_complain("the __managed__ variable %s has no memory (error %d)", entry.variable.name, status);
      continue;
    }
    entry.key = *host_pointer;
    entry.kind = ENTRY_VARIABLE;
    pthread_mutex_lock(&registry.mutex);
    add_entry(&entry);
    pthread_mutex_unlock(&registry.mutex);
  }
}

// Called before the host's code first accesses a __managed__ variable.
EXPORT char __cudaInitModule(void **handle) {
  if (handle) runtime_map_managed(&((struct binary *)handle)->module);
  return 1;
}

EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host_variable, size_t bytes) {
  (void)handle, (void)host_variable, (void)bytes;
  (void)client_unsupported("access of device code to the host's variable %s", name);
}

EXPORT void __cudaRegisterUnifiedTable(void **handle, void *table) {
  (void)handle, (void)table;
}

// Called when the program unloads a library. Another library may reuse the host addresses of its kernels, so
// their entries must go.
EXPORT void __cudaUnregisterFatBinary(void **handle) {
  struct binary *gone = (struct binary *)handle;
  client_guards_finish();
  pthread_mutex_lock(&registry.mutex);
  drop_entries(&gone->module, NULL);
  for (struct binary **link = &registry.binaries; *link; link = &(*link)->next) {
    if (*link != gone) continue;
    *link = gone->next;
    break;
  }
  pthread_mutex_unlock(&registry.mutex);
}
