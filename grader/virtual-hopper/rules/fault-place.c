// A place in the program from a position in its PTX. In: the chain of .loc positions, innermost first. Out:
// the innermost line that the user wrote, and all frames. One idea: a line in a library is not where the
// mistake can be mended, so what counts as a library is known by where its headers are installed.
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/ptx/ptx.h"
#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/place-words.h"

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

// System folders, and CUDA's own wherever it is installed: nvcc names its files by way of
// targets/ARCHITECTURE/include, or bin/..//include where it has no targets; the CUDA packages of PyPI by way
// of nvidia/PACKAGE/include. CUDA 13 keeps CCCL in include/cccl.
static bool is_installed(const char *file) {
  static const char *const folders[] = {"/usr/include/", "/usr/lib/gcc/", "/usr/local/include/",
                                        "/opt/cuda/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (begins_with(file, folders[i])) return true;
  if (begins_with(file, "/usr/local/cuda")) return true;
  static const char *const parts[] = {"/bin/..//include/", "/bin/../include/", "/nvidia/cu13/include/",
                                      "/nvidia/cu12/include/", "/include/cccl/"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(file, parts[i])) return true;
  const char *target = strstr(file, "/targets/"), *package = strstr(file, "/site-packages/nvidia/");
  return (target && strstr(target, "-linux/include/")) || (package && strstr(package, "/include/"));
}

// Libraries of headers as their own repositories lay them out.
static bool is_of_checkout(const char *file) {
  static const char *const layouts[] = {
      "/include/cute/", "/include/cutlass/", "/libcudacxx/include/",        "/thrust/thrust/",
      "/cub/cub/",      "/cutlass/include/", "/cutlass/tools/util/include/"};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (strstr(file, layouts[i])) return true;
  return false;
}

bool fault_is_interface(const char *file) {
  static const char *const names[] = {"tma-interface.cuh", "tma-cache.cuh",      "tma-cluster.cuh",
                                      "tma-cta.cuh",       "tma-map-update.cuh", "tma-reduce.cuh",
                                      "tma-wgmma.cuh",     "timeline.cuh"};
  const char *slash = strrchr(file, '/');
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(slash ? slash + 1 : file, names[i]) == 0) return true;
  return false;
}

bool fault_is_library(const char *file) {
  return fault_is_interface(file) || is_installed(file) || is_of_checkout(file);
}

void fault_look_at_files(struct ptx_module *module) {
  bool *is_library = arena_allocate_array(module->arena, module->file_count, sizeof *is_library);
  for (uint32_t i = 0; is_library && i < module->file_count; i++)
    is_library[i] = module->files[i] && fault_is_library(module->files[i]);
  module->file_is_library = is_library;
}

static bool is_library_of(const struct ptx_module *module, uint32_t file, const char *name) {
  if (!module->file_is_library || file >= module->file_count) return fault_is_library(name);
  return module->file_is_library[file];
}

static const char *file_of(const struct ptx_module *module, const struct ptx_location *l) {
  return l->file < module->file_count && module->files[l->file] ? module->files[l->file] : "";
}

struct source_line fault_line_of_location(const struct ptx_module *module, int32_t location) {
  struct source_line line = {.file = ""};
  for (int32_t at = location; at >= 0 && (uint32_t)at < module->location_count;) {
    const struct ptx_location *l = &module->locations[at];
    line = (struct source_line){.line = l->line, .file = file_of(module, l)};
    if (!is_library_of(module, l->file, line.file) || l->inlined_at >= at) break;
    at = l->inlined_at;
  }
  return line;
}

void fault_place_from_location(struct fault_place *place, const struct ptx_module *module, int32_t location,
                               const char *instruction, uint32_t ptx_line) {
  place->file = "";
  place->line = 0;
  place->inlined_count = 0;
  place->instruction = instruction;
  place->ptx_line = ptx_line;
  bool chosen = false;
  for (int32_t at = location; at >= 0 && (uint32_t)at < module->location_count;) {
    const struct ptx_location *l = &module->locations[at];
    const char *file = file_of(module, l);
    if (place->inlined_count < FAULT_MAX_FRAMES) {
      place->inlined[place->inlined_count].file = file;
      place->inlined[place->inlined_count++].line = l->line;
    }
    if (!chosen) {
      place->file = file;
      place->line = l->line;
      chosen = !is_library_of(module, l->file, file);
    }
    if (l->inlined_at >= at) break; // a chain only leads back: anything else came from damaged input
    at = l->inlined_at;
  }
}

uint32_t fault_callers(const struct fault_place *place, uint32_t callers[FAULT_MAX_FRAMES]) {
  uint32_t count = 0, own = 0;
  while (own < place->inlined_count &&
         (place->inlined[own].line != place->line || strcmp(place->inlined[own].file, place->file) != 0))
    own++;
  for (uint32_t i = own + 1; i < place->inlined_count; i++)
    if (!fault_is_library(place->inlined[i].file)) callers[count++] = i;
  return count;
}

bool fault_is_within(const struct fault_place *place, const char *header) {
  const size_t ending = strlen(header);
  for (uint32_t i = 0; i < place->inlined_count; i++) {
    const char *file = place->inlined[i].file;
    const size_t length = file ? strlen(file) : 0;
    if (length >= ending && strcmp(file + length - ending, header) == 0) return true;
  }
  return false;
}
