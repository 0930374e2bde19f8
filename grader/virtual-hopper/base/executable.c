// In: the path of an executable. Out: whether it holds kernels, and whether it loads CUDA's shared libraries.
// Reads the ELF section headers and the dynamic section's names. Every answer is no for a file that is no
// 64-bit ELF.
#include "virtual-hopper/base/executable.h"
#include "virtual-hopper/base/elf-image.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool executable_find(const char *name, char *path, size_t size) {
  snprintf(path, size, "%s", name);
  if (strchr(name, '/')) return access(name, X_OK) == 0;
  const char *search = getenv("PATH");
  for (const char *at = search ? search : "/usr/bin:/bin"; *at;) {
    size_t length = strcspn(at, ":");
    snprintf(path, size, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
    if (access(path, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  snprintf(path, size, "%s", name);
  return false;
}

static void read_needed(const struct elf_image *image, const Elf64_Shdr *dynamic,
                        struct executable *program) {
  const uint8_t *entries = elf_part(image, dynamic->sh_offset, dynamic->sh_size);
  if (!entries) return;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->sh_size; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    memcpy(&entry, entries + at, sizeof entry);
    if (entry.d_tag != DT_NEEDED) continue;
    const char *name = elf_text(image, dynamic->sh_link, entry.d_un.d_val);
    bool runtime = name && strncmp(name, "libcudart.so", 12) == 0;
    if (runtime) snprintf(program->runtime, sizeof program->runtime, "%s", name);
    if (runtime || (name && strcmp(name, "libcuda.so.1") == 0)) program->needs_cuda = true;
  }
}

// The section in which nvcc puts all modules of a program, or NULL.
static const Elf64_Shdr *section_of_modules(const struct elf_image *image) {
  for (uint64_t i = 0; i < image->section_count; i++)
    if (strcmp(elf_section_name(image, &image->sections[i]), ".nv_fatbin") == 0) return &image->sections[i];
  return NULL;
}

struct executable executable_inspect(const char *path) {
  struct elf_image image;
  elf_image_open(path, &image);
  struct executable program = {.is_elf = image.is_elf, .has_kernels = section_of_modules(&image)};
  for (uint64_t i = 0; i < image.section_count; i++)
    if (image.sections[i].sh_type == SHT_DYNAMIC) read_needed(&image, &image.sections[i], &program);
  elf_image_close(&image);
  return program;
}

void *executable_modules(const char *path, size_t *bytes) {
  struct elf_image image;
  void *copy = NULL;
  *bytes = 0;
  elf_image_open(path, &image);
  const Elf64_Shdr *section = section_of_modules(&image);
  const void *modules = section ? elf_part(&image, section->sh_offset, section->sh_size) : NULL;
  if (modules && section->sh_size && (copy = malloc(section->sh_size)))
    memcpy(copy, modules, *bytes = section->sh_size);
  elf_image_close(&image);
  return copy;
}
