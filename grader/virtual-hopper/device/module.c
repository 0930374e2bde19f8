// Modules: PTX text becomes a syntax tree, and its variables get places in device memory. Functions are
// decoded at their first launch, so functions that never run don't matter.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/cubin.h"
#include "virtual-hopper/device/device.h"
#include "virtual-hopper/rules/fault.h"

enum { STATIC_AND_DYNAMIC_BY_DEFAULT = 49152 };

static bool is_placed(const struct ptx_variable *v) {
  return (v->space == PTX_GLOBAL || v->space == PTX_CONST) && !v->is_extern;
}

static int place_variable(struct vhopper_module *m, const struct ptx_variable *v) {
  uint64_t address;
  int status = memory_allocate(m->device->memory, v->size ? v->size : 1,
                               v->alignment > 256 ? v->alignment : 256, &address);
  if (status) return status;
  memory_name(m->device->memory, address, v->name);
  if (v->space == PTX_CONST) memory_mark_constant(m->device->memory, address);
  if (v->initial) memcpy(memory_host(m->device->memory, address, v->size), v->initial, v->size);
  m->variables[m->variable_count++] = (struct placed_variable){v, address};
  return 0;
}

struct module_names {
  struct name_index variables, functions; // -> module->variables, ptx->functions
};

static void index_names(struct vhopper_module *m, struct module_names *names) {
  for (uint32_t i = 0; i < m->variable_count; i++)
    name_index_add(&names->variables, m->arena, m->variables[i].variable->name, i);
  for (uint32_t i = 0; i < m->ptx->function_count; i++)
    name_index_add(&names->functions, m->arena, m->ptx->functions[i].name, i);
}

static bool symbol_address(const struct vhopper_module *m, const struct module_names *names, const char *name,
                           uint64_t *address) {
  uint32_t i;
  if (name_index_find(&names->variables, name, &i))
    *address = m->variables[i].address;
  else if (name_index_find(&names->functions, name, &i))
    *address = FUNCTION_WINDOW + 16ull * i;
  else
    return false;
  return true;
}

static bool relocate(struct vhopper_module *m, const struct module_names *names,
                     const struct placed_variable *placed, char *error, size_t size) {
  const struct ptx_variable *v = placed->variable;
  for (size_t i = 0; i < v->relocation_count; i++) {
    const struct ptx_relocation *r = &v->relocations[i];
    uint64_t address;
    if (!symbol_address(m, names, r->symbol, &address)) {
      snprintf(error, size,
               "line %u of the PTX: the initialiser of %s names %s, which this module doesn't define",
               v->line, v->name, r->symbol);
      return false;
    }
    uint64_t value = (address + (uint64_t)r->addend) >> r->shift;
    memcpy(memory_host(m->device->memory, placed->address + r->offset, r->size), &value, r->size);
  }
  return true;
}

static int place_all(struct vhopper_module *m, char *error, size_t size) {
  m->variables = arena_allocate_array(m->arena, m->ptx->variable_count + 1, sizeof *m->variables);
  for (uint32_t i = 0; i < m->ptx->variable_count; i++) {
    if (!is_placed(&m->ptx->variables[i])) continue;
    if (place_variable(m, &m->ptx->variables[i]) == 0) continue;
    snprintf(error, size, "no device memory is left for the variable %s of %zu bytes",
             m->ptx->variables[i].name, m->ptx->variables[i].size);
    return ERROR_MEMORY_ALLOCATION;
  }
  m->placement = (struct placement){m->variables, m->variable_count};
  struct module_names names = {0};
  index_names(m, &names);
  for (size_t i = 0; i < m->variable_count; i++)
    if (!relocate(m, &names, &m->variables[i], error, size)) return ERROR_INVALID_PTX;
  return 0;
}

static void module_free(struct vhopper_module *m) {
  for (size_t i = 0; i < m->variable_count; i++)
    memory_free(m->device->memory, m->variables[i].address, NULL);
  for (struct vhopper_function *f = m->functions, *next; f; f = next) {
    next = f->next;
    program_release(f->program);
    free(f);
  }
  budget_give(&m->device->budget, BUDGET_MODULES, m->charged);
  ptx_module_free(m->ptx);
  arena_destroy(m->arena);
  free(m->measured);
  free(m);
}

// Charges the module's present memory, with all its decoded functions, to the program's budget.
static void charge(struct vhopper_module *m) {
  size_t bytes = arena_used(m->ptx->arena) + arena_used(m->arena);
  budget_count(&m->device->budget, BUDGET_MODULES, bytes - m->charged);
  m->charged = bytes;
}

// A program whose kernels use the kit's interface gets its reports in the interface's words.
static void choose_words(struct vhopper *v, const struct ptx_module *ptx) {
  for (uint32_t i = 0; i < ptx->file_count; i++)
    if (ptx->files[i] && fault_is_interface(ptx->files[i])) fault_use_words(v->report, FAULT_WORDS_KIT);
}

int vhopper_module_load(struct vhopper *v, const char *ptx, size_t length, struct vhopper_module **module,
                        char **error) {
  struct ptx_error problem = {0};
  char text[512];
  *module = NULL;
  *error = NULL;
  struct ptx_module *parsed = ptx_parse_within(ptx, length, budget_left(&v->budget), &problem);
  if (!parsed) {
    const bool spent = problem.needs_memory && v->budget.limit;
    snprintf(text, sizeof text, "line %u of the PTX: %s", problem.line, problem.message);
    if (spent) budget_describe(&v->budget, text, sizeof text);
    *error = strdup(text);
    return spent ? ERROR_MEMORY_ALLOCATION : ERROR_INVALID_PTX;
  }
  struct vhopper_module *m = calloc(1, sizeof *m);
  if (!m) die("out of memory for a module");
  *m = (struct vhopper_module){.device = v, .ptx = parsed, .arena = arena_create()};
  fault_look_at_files(parsed);
  int status = place_all(m, text, sizeof text);
  charge(m);
  if (status) {
    *error = strdup(text);
    module_free(m);
    return status;
  }
  choose_words(v, parsed);
  m->next = v->modules;
  v->modules = m;
  *module = m;
  return 0;
}

void vhopper_module_unload(struct vhopper *v, struct vhopper_module *module) {
  for (struct vhopper_module **link = &v->modules; *link; link = &(*link)->next) {
    if (*link != module) continue;
    *link = module->next;
    device_forget_launch(v); // its record may point to instructions of the module
    stream_order_forget_programs(v->streams);
    module_free(module);
    return;
  }
}

size_t vhopper_module_bytes(const struct vhopper *v) {
  size_t bytes = 0;
  for (const struct vhopper_module *m = v->modules; m; m = m->next)
    bytes += m->charged;
  return bytes;
}

void device_unload_all(struct vhopper *v) {
  while (v->modules)
    vhopper_module_unload(v, v->modules);
}

int vhopper_module_variable(struct vhopper_module *module, const char *name, uint64_t *address,
                            size_t *bytes) {
  for (size_t i = 0; i < module->variable_count; i++) {
    if (strcmp(module->variables[i].variable->name, name) != 0) continue;
    *address = module->variables[i].address;
    *bytes = module->variables[i].variable->size;
    return 0;
  }
  return ERROR_INVALID_SYMBOL;
}

// ---- functions --------------------------------------------------------------------------------------------

struct vhopper_function *vhopper_module_function(struct vhopper_module *module, const char *name) {
  for (struct vhopper_function *f = module->functions; f; f = f->next)
    if (strcmp(f->source->name, name) == 0) return f;
  for (uint32_t i = 0; i < module->ptx->function_count; i++) {
    const struct ptx_function *source = &module->ptx->functions[i];
    if (!source->is_entry || !source->has_body || strcmp(source->name, name) != 0) continue;
    struct vhopper_function *f = calloc(1, sizeof *f);
    if (!f) die("out of memory for a function");
    *f = (struct vhopper_function){.module = module, .source = source, .next = module->functions};
    module->functions = f;
    return f;
  }
  return NULL;
}

struct program *device_program(struct vhopper_function *f) {
  if (f->program) return f->program;
  f->program = program_decode(f->module->ptx, f->source, &f->module->placement, f->module->arena);
  charge(f->module);
  return f->program;
}

static uint32_t constant_bytes(const struct ptx_module *ptx) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < ptx->variable_count; i++)
    if (ptx->variables[i].space == PTX_CONST) bytes += ptx->variables[i].size;
  return (uint32_t)bytes;
}

static void add_measured(void *context, const struct cubin_kernel *kernel) {
  struct vhopper_module *module = context;
  enum { MOST_MEASURED = 1 << 16 };
  if (module->measured_count == MOST_MEASURED) return;
  if (module->measured_count == module->measured_room) {
    module->measured_room = module->measured_room ? 2 * module->measured_room : 16;
    module->measured = realloc(module->measured, module->measured_room * sizeof *module->measured);
    if (!module->measured) die("out of memory for a module");
  }
  size_t size = strlen(kernel->name) + 1;
  char *name = arena_allocate_array(module->arena, size, 1);
  memcpy(name, kernel->name, size);
  module->measured[module->measured_count++] = (struct measured_kernel){name, kernel->registers};
}

void vhopper_module_measure(struct vhopper_module *module, const void *elf, size_t length) {
  enum { KEEPS_LOOPS = 1 }; // up to this level
  const int level = cubin_level(elf, length);
  if (!cubin_each(elf, length, add_measured, module)) module->measured_count = 0;
  module->ptx->keeps_loops |= level != CUBIN_NO_LEVEL && level <= KEEPS_LOOPS;
  charge(module);
}

// Guess without machine code: as many registers as the PTX names, but the largest allowed block must still
// fit into a multiprocessor. Warps get registers in units of 256, from one of four parts of the register
// file.
static uint32_t guess_registers(const struct ptx_function *f, uint32_t threads) {
  enum { PER_SCHEDULER = 16384, SCHEDULERS = 4, UNIT = 256, MOST = 255 };
  uint32_t warps = (threads + WARP_LANES - 1) / WARP_LANES, each = (warps + SCHEDULERS - 1) / SCHEDULERS;
  uint32_t most = PER_SCHEDULER / each / UNIT * UNIT / WARP_LANES, guess = f->register_count;
  if (most > MOST) most = MOST;
  return guess < 16 ? 16 : guess < most ? guess : most;
}

static uint32_t count_registers(const struct vhopper_function *f, uint32_t threads, bool *guessed) {
  *guessed = false;
  for (size_t i = 0; i < f->module->measured_count; i++)
    if (strcmp(f->module->measured[i].name, f->source->name) == 0) return f->module->measured[i].registers;
  *guessed = true;
  return guess_registers(f->source, threads);
}

static void fill_info(struct vhopper_function *f) {
  const struct ptx_function *source = f->source;
  const struct program *p = device_program(f);
  struct vhopper_function_info *info = &f->info;
  struct vhopper_parameter *parameters =
      arena_allocate_array(f->module->arena, source->parameter_count + 1, sizeof *parameters);
  uint32_t end = 0;
  for (uint32_t i = 0; i < source->parameter_count; i++) {
    parameters[i] =
        (struct vhopper_parameter){p->entry->parameter_offsets[i], (uint32_t)source->parameters[i].size};
    end = parameters[i].offset + parameters[i].size;
  }
  uint32_t most = source->max_threads[0] ? source->max_threads[0] : source->required_threads[0];
  for (int axis = 1; axis < 3 && most; axis++) {
    uint32_t extent = source->max_threads[0] ? source->max_threads[axis] : source->required_threads[axis];
    if (extent > 1) most *= extent;
  }
  *info = (struct vhopper_function_info){.name = source->name,
                                         .parameter_count = source->parameter_count,
                                         .parameters = parameters,
                                         .parameter_bytes = end,
                                         .static_shared_bytes = p->static_shared_bytes,
                                         .local_bytes = p->entry->local_bytes,
                                         .constant_bytes = constant_bytes(f->module->ptx),
                                         .max_threads_per_block =
                                             most && most < BLOCK_MAX_THREADS ? most : BLOCK_MAX_THREADS};
  info->register_count = count_registers(f, info->max_threads_per_block, &info->registers_guessed);
  info->max_dynamic_shared_bytes = p->static_shared_bytes < STATIC_AND_DYNAMIC_BY_DEFAULT
                                       ? STATIC_AND_DYNAMIC_BY_DEFAULT - p->static_shared_bytes
                                       : 0;
  memcpy(info->cluster, source->required_cluster, sizeof info->cluster);
  f->info_ready = true;
}

struct vhopper_function_info *vhopper_function_info(struct vhopper_function *f) {
  if (!f->info_ready) fill_info(f);
  return &f->info;
}
