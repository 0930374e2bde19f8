// A device without kernels, for tests of what stands before one: memory in one mapping, modules by their PTX's text, launches
// that only record what they were given. Included by the one test that needs it; defines the functions of vhopper.h.
#ifndef TESTS_FAKE_DEVICE_H
#define TESTS_FAKE_DEVICE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "virtual-hopper/arena.h"
#include "virtual-hopper/fault.h"
#include "virtual-hopper/vhopper.h"

enum { FAKE_ALLOCATIONS = 4096, FAKE_PARAMETERS = 4 };
static const size_t fake_memory_bytes = (size_t)1 << 36;
static const uint64_t fake_base = 0x700000000000;

struct vhopper_function {
  struct vhopper_function_info info;
  struct vhopper_parameter parameters[FAKE_PARAMETERS];
};
struct vhopper_module {
  struct vhopper *device;
  struct vhopper_function add, none;
  uint64_t variable;
};
struct fake_allocation {
  uint64_t address;
  size_t bytes;
};

struct vhopper {
  uint8_t *memory;
  uint64_t next;
  struct fake_allocation allocations[FAKE_ALLOCATIONS];
  size_t allocation_count, module_count;
  int sticky, next_launch_error;
  uint64_t launches;
  struct vhopper_launch_config last_config;
  uint8_t last_parameters[64];
  const char *output;
  struct fault_report *report;
};

struct vhopper *vhopper_create(const struct vhopper_options *options) {
  (void)options;
  struct vhopper *v = calloc(1, sizeof *v);
  if (!v) die("no memory for a fake device");
  v->memory = mmap(NULL, fake_memory_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (v->memory == MAP_FAILED) die("no memory for a fake device");
  v->next = fake_base;
  v->report = fault_report_create();
  return v;
}

void vhopper_destroy(struct vhopper *v) {
  munmap(v->memory, fake_memory_bytes);
  fault_report_destroy(v->report);
  free(v);
}

int vhopper_allocate(struct vhopper *v, size_t bytes, uint64_t *address) {
  uint64_t left = fake_base + fake_memory_bytes - v->next;
  if (v->allocation_count == FAKE_ALLOCATIONS || bytes > left || left - bytes < 512) return 2;
  *address = v->next;
  v->allocations[v->allocation_count++] = (struct fake_allocation){v->next, bytes};
  v->next += (bytes + 511) / 256 * 256;
  return 0;
}

int vhopper_free(struct vhopper *v, uint64_t address) {
  for (size_t i = 0; i < v->allocation_count; i++) {
    if (v->allocations[i].address != address) continue;
    v->allocations[i] = v->allocations[--v->allocation_count];
    if (!v->allocation_count) v->next = fake_base;
    return 0;
  }
  return 1;
}

void *vhopper_host_view(struct vhopper *v, uint64_t address, size_t bytes) {
  for (size_t i = 0; i < v->allocation_count; i++) {
    const struct fake_allocation *one = &v->allocations[i];
    if (address >= one->address && bytes <= one->bytes && address - one->address <= one->bytes - bytes)
      return v->memory + (address - fake_base);
  }
  return NULL;
}

int vhopper_write(struct vhopper *v, uint64_t address, const void *source, size_t bytes) {
  void *view = vhopper_host_view(v, address, bytes);
  if (!view) return 1;
  memcpy(view, source, bytes);
  return 0;
}

int vhopper_copy(struct vhopper *v, uint64_t destination, uint64_t source, size_t bytes) {
  void *to = vhopper_host_view(v, destination, bytes), *from = vhopper_host_view(v, source, bytes);
  if (!to || !from) return 1;
  memmove(to, from, bytes);
  return 0;
}

int vhopper_fill(struct vhopper *v, uint64_t address, uint32_t pattern, size_t pattern_bytes, size_t bytes) {
  uint8_t *view = vhopper_host_view(v, address, bytes);
  if (!view) return 1;
  for (size_t i = 0; i < bytes; i++)
    view[i] = ((uint8_t *)&pattern)[i % pattern_bytes];
  return 0;
}

// Text that begins with "good" is a module with the kernels add(ptr, int) and none() and the variable v of 16 bytes.
int vhopper_module_load(struct vhopper *v, const char *ptx, size_t length, struct vhopper_module **module,
                        char **error) {
  if (length < 4 || memcmp(ptx, "good", 4) != 0) {
    *error = strdup("line 1: this is no PTX");
    return 218;
  }
  struct vhopper_module *made = calloc(1, sizeof *made);
  if (!made) die("no memory for a fake module");
  made->device = v;
  made->add.info = (struct vhopper_function_info){.name = "add",
                                                  .parameter_count = 2,
                                                  .parameter_bytes = 12,
                                                  .register_count = 16,
                                                  .max_threads_per_block = 1024,
                                                  .max_dynamic_shared_bytes = 49152};
  made->add.parameters[0] = (struct vhopper_parameter){0, 8};
  made->add.parameters[1] = (struct vhopper_parameter){8, 4};
  made->add.info.parameters = made->add.parameters;
  made->none.info = (struct vhopper_function_info){
      .name = "none", .max_threads_per_block = 1024, .max_dynamic_shared_bytes = 49152};
  if (vhopper_allocate(v, 16, &made->variable) != 0) made->variable = 0;
  v->module_count++;
  *module = made;
  return 0;
}

void vhopper_module_unload(struct vhopper *v, struct vhopper_module *module) {
  if (module->variable) (void)vhopper_free(v, module->variable);
  v->module_count--;
  free(module);
}

struct vhopper_function *vhopper_module_function(struct vhopper_module *module, const char *name) {
  return strcmp(name, "add") == 0 ? &module->add : strcmp(name, "none") == 0 ? &module->none : NULL;
}

int vhopper_module_variable(struct vhopper_module *module, const char *name, uint64_t *address,
                            size_t *bytes) {
  if (strcmp(name, "v") != 0) return 1;
  *address = module->variable;
  *bytes = 16;
  return 0;
}

struct vhopper_function_info *vhopper_function_info(struct vhopper_function *function) {
  return &function->info;
}

int vhopper_launch(struct vhopper *v, struct vhopper_function *function,
                   const struct vhopper_launch_config *config, const void *parameters) {
  v->launches++;
  v->last_config = *config;
  if (function->info.parameter_bytes) memcpy(v->last_parameters, parameters, function->info.parameter_bytes);
  v->sticky = v->next_launch_error;
  return v->sticky;
}

int vhopper_sticky_error(const struct vhopper *v) {
  return v->sticky;
}

void vhopper_reset(struct vhopper *v) {
  v->sticky = 0;
}

uint64_t vhopper_virtual_time(const struct vhopper *v) {
  return v->launches * 1000;
}

char *vhopper_take_output(struct vhopper *v, size_t *length) {
  char *text = v->output ? strdup(v->output) : NULL;
  *length = text ? strlen(text) : 0;
  v->output = NULL;
  return text;
}

struct fault_report *vhopper_report(struct vhopper *v) {
  return v->report;
}

#endif
