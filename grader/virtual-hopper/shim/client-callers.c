// Who calls this library: for `vhopper run`, which says where a launch, an allocation or a failed call comes
// from. In: the stack. Out: modules and offsets; vhopper looks up the lines. One idea: only a change is sent,
// so a loop of launches pays for the first one.
#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "virtual-hopper/shim/client.h"

static bool is_ours(const char *module) {
  const char *slash = strrchr(module, '/'), *name = slash ? slash + 1 : module;
  return strncmp(name, "libcudart.so", 12) == 0 || strncmp(name, "libcuda.so", 10) == 0;
}

// The module that a place lies in. dladdr would look through all names of that module, half a millisecond for
// the callers of a program's first launches.
struct module {
  uintptr_t place, base;
  const char *path; // empty: the program; NULL: not found
};

static int look_in(struct dl_phdr_info *info, size_t size, void *context) {
  struct module *m = context;
  (void)size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || m->place - info->dlpi_addr - part->p_vaddr >= part->p_memsz) continue;
    m->base = info->dlpi_addr;
    m->path = info->dlpi_name ? info->dlpi_name : "";
    return 1;
  }
  return 0;
}

static void find_program(char path[PATH_MAX]) {
  const ssize_t length = *path ? -1 : readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (length > 0) path[length] = '\0';
}

// Appends a line; the offset is the one that the module's own tables use. `program` is its path, once it is
// known.
static size_t add_caller(char *text, size_t size, const void *place, char program[PATH_MAX]) {
  struct module m = {.place = (uintptr_t)place};
  dl_iterate_phdr(look_in, &m);
  if (!m.path) return 0;
  if (!*m.path) find_program(program);
  const char *path = *m.path ? m.path : program;
  if (is_ours(path) || strchr(path, '\n')) return 0;
  // What is on the stack is the place behind the call.
  const int length = snprintf(text, size, "%s+0x%llx\n", path, (unsigned long long)(m.place - 1 - m.base));
  return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

// A call that is made later, by a thread of ours, has the callers that it had.
static const struct client_caller_list **kept_callers(void) {
  static _Thread_local const struct client_caller_list *kept;
  return &kept;
}

void client_callers_keep(struct client_caller_list *list) {
  list->count = backtrace(list->callers, CLIENT_CALLERS);
}

void client_callers_use(const struct client_caller_list *list) {
  *kept_callers() = list;
}

bool client_callers(struct client *client, char *text, size_t size) {
  struct client_caller_list now = {.count = 0};
  const struct client_caller_list *list = *kept_callers() ? *kept_callers() : &now;
  if (list == &now) client_callers_keep(&now);
  void *const *callers = list->callers;
  const int count = list->count;
  char program[PATH_MAX] = "";
  size_t used = 0;
  text[0] = '\0';
  if (count == client->caller_count && memcmp(callers, client->callers, (size_t)count * sizeof *callers) == 0)
    return false;
  memcpy(client->callers, callers, (size_t)count * sizeof *callers);
  client->caller_count = count;
  for (int i = 0; i < count; i++) {
    const size_t added = add_caller(text + used, size - used, callers[i], program);
    used += added;
    text[used] = '\0';
  }
  return true;
}

void client_caller_text(char *text, size_t size) {
  struct client_caller_list list;
  char place[PATH_MAX + 32] = "", program[PATH_MAX] = "";
  client_callers_keep(&list);
  for (int i = 0; i < list.count && !*place; i++)
    if (!add_caller(place, sizeof place, list.callers[i], program)) *place = '\0';
  place[strcspn(place, "\n")] = '\0';
  snprintf(text, size, "%s%s", *place ? ", called at " : "", place);
}

void client_call_failed(int error, const char *function, bool launch) {
  struct client *client = client_state();
  if (client_connect() != 0 || !client->is_run) return;
  struct protocol_call_failed body = {(uint32_t)error, launch};
  struct client_request request = {.operation = PROTOCOL_CALL_FAILED,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .payload = function,
                                   .payload_bytes = strlen(function)};
  (void)client_call(&request);
  atomic_store(&client->failure_was_told, true);
}

void client_error_seen(void) {
  struct client *client = client_state();
  if (!atomic_exchange(&client->failure_was_told, false)) return;
  struct client_request request = {.operation = PROTOCOL_CALLS_SEEN};
  (void)client_call(&request);
}
