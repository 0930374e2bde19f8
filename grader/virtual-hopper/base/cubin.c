// In: an ELF file of machine code for a GPU. Out: the number of registers of each function; ptxas's level.
// The one idea: only four sections are read (.nv.info, the symbols, the symbols' names; the note about the
// tool). Each offset is checked against the file's length before it is used.
#include "virtual-hopper/base/cubin.h"

#include <elf.h>
#include <string.h>

enum { MACHINE_CUDA = 190, MOST_REGISTERS = 255 };
// .nv.info holds records: a format byte, an attribute byte and 16 bits. For FORMAT_SIZED, the 16 bits are the
// length of the data that follows.
enum { FORMAT_SIZED = 4, ATTRIBUTE_REGISTER_COUNT = 0x2f };

struct part { // a part of the file
  const uint8_t *at;
  size_t size;
};

struct sections {
  struct part info, symbols, names, tool;
  size_t text_left; // of CUBIN_MOST_TEXT
};

static bool part_of(const uint8_t *bytes, size_t length, uint64_t offset, uint64_t size, struct part *part) {
  if (offset > length || size > length - offset) return false;
  *part = (struct part){bytes + offset, (size_t)size};
  return true;
}

static bool read_section(const uint8_t *bytes, size_t length, const Elf64_Ehdr *header, uint64_t index,
                         Elf64_Shdr *section) {
  struct part part;
  if (index >= header->e_shnum || header->e_shoff > length) return false;
  if (!part_of(bytes, length, header->e_shoff + index * sizeof *section, sizeof *section, &part))
    return false;
  memcpy(section, part.at, sizeof *section);
  return true;
}

// Returns the text at `offset`, or NULL when the text doesn't end inside its part, or too much was read.
static const char *text_at(struct sections *s, const struct part *names, uint64_t offset) {
  if (offset >= names->size) return NULL;
  const uint8_t *text = names->at + offset;
  const size_t rest = names->size - (size_t)offset, most = rest < s->text_left ? rest : s->text_left;
  const uint8_t *end = memchr(text, 0, most);
  if (!end) return NULL;
  s->text_left -= (size_t)(end - text) + 1;
  return (const char *)text;
}

static bool find_sections(const uint8_t *bytes, size_t length, const Elf64_Ehdr *header,
                          struct sections *found) {
  Elf64_Shdr section, linked;
  struct part titles;
  if (!read_section(bytes, length, header, header->e_shstrndx, &section) ||
      !part_of(bytes, length, section.sh_offset, section.sh_size, &titles))
    return false;
  for (uint32_t i = 0; i < header->e_shnum; i++) {
    if (!read_section(bytes, length, header, i, &section)) return false;
    const char *title = text_at(found, &titles, section.sh_name);
    if (!title) return false;
    if (strcmp(title, ".nv.info") == 0 &&
        !part_of(bytes, length, section.sh_offset, section.sh_size, &found->info))
      return false;
    if (strcmp(title, ".note.nv.tkinfo") == 0 &&
        !part_of(bytes, length, section.sh_offset, section.sh_size, &found->tool))
      return false;
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!part_of(bytes, length, section.sh_offset, section.sh_size, &found->symbols) ||
        !read_section(bytes, length, header, section.sh_link, &linked) ||
        !part_of(bytes, length, linked.sh_offset, linked.sh_size, &found->names))
      return false;
  }
  return true;
}

static const char *symbol_name(struct sections *s, uint32_t index) {
  Elf64_Sym symbol;
  if (index >= s->symbols.size / sizeof symbol) return NULL;
  memcpy(&symbol, s->symbols.at + (size_t)index * sizeof symbol, sizeof symbol);
  return text_at(s, &s->names, symbol.st_name);
}

static bool read_info(struct sections *s, cubin_visit *visit, void *context) {
  for (size_t at = 0; at + 4 <= s->info.size;) {
    const uint8_t *record = s->info.at + at;
    size_t size = record[0] == FORMAT_SIZED ? (size_t)(record[2] | record[3] << 8) : 0;
    at += 4;
    if (size > s->info.size - at) return false;
    if (record[0] == FORMAT_SIZED && record[1] == ATTRIBUTE_REGISTER_COUNT && size == 8) {
      uint32_t words[2]; // a symbol's index, its number of registers
      memcpy(words, s->info.at + at, sizeof words);
      struct cubin_kernel kernel = {symbol_name(s, words[0]), words[1]};
      if (!kernel.name || !kernel.registers || kernel.registers > MOST_REGISTERS) return false;
      visit(context, &kernel);
    }
    at += size;
  }
  return true;
}

static bool open_file(const uint8_t *bytes, size_t length, struct sections *sections) {
  Elf64_Ehdr header;
  if (length < sizeof header) return false;
  memcpy(&header, bytes, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != MACHINE_CUDA || header.e_shentsize != sizeof(Elf64_Shdr))
    return false;
  return find_sections(bytes, length, &header, sections);
}

bool cubin_each(const uint8_t *bytes, size_t length, cubin_visit *visit, void *context) {
  struct sections s = {.text_left = CUBIN_MOST_TEXT};
  return open_file(bytes, length, &s) && s.info.at && s.symbols.at && s.names.at &&
         read_info(&s, visit, context);
}

// The note ends in ptxas's options as one text: "-O 1 -arch sm_90 -m 64 ".
int cubin_level(const uint8_t *bytes, size_t length) {
  static const char option[] = "-O ";
  enum { OPTION = sizeof option - 1 };
  struct sections s = {.text_left = CUBIN_MOST_TEXT};
  if (!open_file(bytes, length, &s) || s.tool.size <= OPTION) return CUBIN_NO_LEVEL;
  for (size_t at = s.tool.size - OPTION; at-- > 1;) {
    const uint8_t *text = s.tool.at + at, before = text[-1], digit = text[OPTION];
    if (memcmp(text, option, OPTION) == 0 && (before == ' ' || before == 0) && digit >= '0' && digit <= '9')
      return digit - '0';
  }
  return CUBIN_NO_LEVEL;
}
