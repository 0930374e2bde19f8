// A 64-bit ELF file whose bytes nobody vouches for. In: a file, or its bytes. Out: its sections; every offset
// and size is checked before it is used.
#ifndef VIRTUAL_HOPPER_BASE_ELF_IMAGE_H
#define VIRTUAL_HOPPER_BASE_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_image {
  const uint8_t *bytes;
  uint64_t size;
  Elf64_Shdr *sections;
  uint64_t section_count;
  uint64_t names; // the section with their names
  bool is_elf;    // the file begins as such a file does; its sections may be unreadable nevertheless
};

// Maps the file and reads its sections. False: it is no such file, or has no table of sections.
bool elf_image_open(const char *path, struct elf_image *image);
// Frees what elf_image_open has taken, also where it returned false.
void elf_image_close(struct elf_image *image);
// The same as elf_image_open of bytes that are in memory already, at any address.
bool elf_image_read(const uint8_t *bytes, uint64_t size, struct elf_image *image);
// So many of its bytes; NULL: it has not so many.
const void *elf_part(const struct elf_image *image, uint64_t offset, uint64_t bytes);
// A text of the section with number `table`; NULL: it does not end there, or there is no such section.
const char *elf_text(const struct elf_image *image, uint64_t table, uint64_t offset);
// The section's name; "" if it can't be read.
const char *elf_section_name(const struct elf_image *image, const Elf64_Shdr *section);
// The first section of the type, or NULL.
const Elf64_Shdr *elf_section_of_type(const struct elf_image *image, uint32_t type);

#endif
