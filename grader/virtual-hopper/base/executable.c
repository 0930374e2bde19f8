// In: the path of an executable. Out: whether it holds kernels, and whether it loads CUDA's shared libraries.
// Reads the ELF section headers and the dynamic section's names. Every answer is no for a file that is no
// 64-bit ELF.
#include "virtual-hopper/base/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

struct image {
  const uint8_t *bytes;
  size_t size;
};

static bool open_image(const char *path, struct image *image) {
  struct stat status;
  void *bytes = MAP_FAILED;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  *image = (struct image){bytes, (size_t)status.st_size};
  return true;
}

static void close_image(const struct image *image) {
  munmap((void *)(uintptr_t)image->bytes, image->size);
}

static const void *part(const struct image *image, uint64_t offset, uint64_t bytes) {
  if (offset > image->size || bytes > image->size - offset) return NULL;
  return image->bytes + offset;
}

// Returns a string of a string table, or "" when the string is not wholly inside the file.
static const char *string_at(const struct image *image, const Elf64_Shdr *table, uint64_t offset) {
  const char *strings = part(image, table->sh_offset, table->sh_size);
  if (!strings || offset >= table->sh_size || !memchr(strings + offset, 0, table->sh_size - offset))
    return "";
  return strings + offset;
}

static void read_needed(const struct image *image, const Elf64_Shdr *sections, size_t count,
                        const Elf64_Shdr *dynamic, struct executable *program) {
  const uint8_t *entries = part(image, dynamic->sh_offset, dynamic->sh_size);
  if (!entries || dynamic->sh_link >= count) return;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->sh_size; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    memcpy(&entry, entries + at, sizeof entry);
    if (entry.d_tag != DT_NEEDED) continue;
    const char *name = string_at(image, &sections[dynamic->sh_link], entry.d_un.d_val);
    bool runtime = strncmp(name, "libcudart.so", 12) == 0;
    if (runtime) snprintf(program->runtime, sizeof program->runtime, "%s", name);
    if (runtime || strcmp(name, "libcuda.so.1") == 0) program->needs_cuda = true;
  }
}

// modules: receives the section .nv_fatbin; may be NULL.
static void read_sections(const struct image *image, struct executable *program, struct image *modules) {
  Elf64_Ehdr header;
  if (image->size < sizeof header) return;
  memcpy(&header, image->bytes, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return;
  program->is_elf = true;
  const void *table = part(image, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
  if (!table || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum) return;
  Elf64_Shdr *sections = malloc((size_t)header.e_shnum * sizeof *sections);
  if (!sections) return;
  memcpy(sections, table, (size_t)header.e_shnum * sizeof *sections);
  for (size_t i = 0; i < header.e_shnum; i++) {
    if (strcmp(string_at(image, &sections[header.e_shstrndx], sections[i].sh_name), ".nv_fatbin") == 0) {
      program->has_kernels = true;
      const uint8_t *bytes = part(image, sections[i].sh_offset, sections[i].sh_size);
      if (modules && bytes) *modules = (struct image){bytes, sections[i].sh_size};
    }
    if (sections[i].sh_type == SHT_DYNAMIC)
      read_needed(image, sections, header.e_shnum, &sections[i], program);
  }
  free(sections);
}

struct executable executable_inspect(const char *path) {
  struct executable program = {0};
  struct image image;
  if (!open_image(path, &image)) return program;
  read_sections(&image, &program, NULL);
  close_image(&image);
  return program;
}

void *executable_modules(const char *path, size_t *bytes) {
  struct executable program = {0};
  struct image image, modules = {0};
  void *copy = NULL;
  *bytes = 0;
  if (!open_image(path, &image)) return NULL;
  read_sections(&image, &program, &modules);
  if (modules.size && (copy = malloc(modules.size))) memcpy(copy, modules.bytes, *bytes = modules.size);
  close_image(&image);
  return copy;
}
