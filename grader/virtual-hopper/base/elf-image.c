// In: bytes. Out: sections. The idea: all that is read comes through elf_part, which looks at the end.
#include "virtual-hopper/base/elf-image.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const void *elf_part(const struct elf_image *image, uint64_t offset, uint64_t bytes) {
  if (offset > image->size || bytes > image->size - offset) return NULL;
  return image->bytes + offset;
}

bool elf_image_read(const uint8_t *bytes, uint64_t size, struct elf_image *image) {
  Elf64_Ehdr header;
  *image = (struct elf_image){.bytes = bytes, .size = size};
  if (size < sizeof header) return false;
  memcpy(&header, bytes, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  image->is_elf = true;
  const uint64_t length = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
  const void *table = elf_part(image, header.e_shoff, length);
  if (!table || header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  image->sections = malloc(length ? length : 1);
  if (!image->sections) return false;
  memcpy(image->sections, table, length);
  image->section_count = header.e_shnum;
  image->names = header.e_shstrndx;
  return true;
}

bool elf_image_open(const char *path, struct elf_image *image) {
  *image = (struct elf_image){0};
  struct stat status;
  void *bytes = MAP_FAILED;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  return bytes != MAP_FAILED && elf_image_read(bytes, (uint64_t)status.st_size, image);
}

void elf_image_close(struct elf_image *image) {
  free(image->sections);
  if (image->bytes) munmap((void *)(uintptr_t)image->bytes, image->size);
  *image = (struct elf_image){0};
}

const char *elf_text(const struct elf_image *image, uint64_t table, uint64_t offset) {
  if (table >= image->section_count) return NULL;
  const Elf64_Shdr *section = &image->sections[table];
  const char *texts = elf_part(image, section->sh_offset, section->sh_size);
  if (!texts || offset >= section->sh_size || !memchr(texts + offset, 0, section->sh_size - offset))
    return NULL;
  return texts + offset;
}

const char *elf_section_name(const struct elf_image *image, const Elf64_Shdr *section) {
  const char *name = elf_text(image, image->names, section->sh_name);
  return name ? name : "";
}

const Elf64_Shdr *elf_section_of_type(const struct elf_image *image, uint32_t type) {
  for (uint64_t i = 0; i < image->section_count; i++)
    if (image->sections[i].sh_type == type) return &image->sections[i];
  return NULL;
}
