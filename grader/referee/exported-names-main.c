// build/bin/exported-names PROGRAM: what `nm -D --defined-only` prints, without versions' names. In: a 64-bit
// ELF file that a stranger's source has become. Out: ADDRESS KIND NAME for each symbol that it exports; a
// symbol with a version has an @ behind its name. Exit 1: it could not be read. The idea: nm itself takes
// fifty times as long to start as the work takes. It runs behind the walls, as nm did.
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
  const uint8_t *bytes;
  uint64_t size;
  Elf64_Shdr *sections;
  uint64_t section_count;
};

static const void *part(const struct image *image, uint64_t offset, uint64_t bytes) {
  if (offset > image->size || bytes > image->size - offset) return NULL;
  return image->bytes + offset;
}

static bool open_image(const char *path, struct image *image) {
  struct stat status;
  void *bytes = MAP_FAILED;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  *image = (struct image){.bytes = bytes, .size = (uint64_t)status.st_size};
  return true;
}

static bool read_sections(struct image *image) {
  Elf64_Ehdr header;
  if (image->size < sizeof header) return false;
  memcpy(&header, image->bytes, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  const uint64_t bytes = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
  const void *table = part(image, header.e_shoff, bytes);
  if (!table || header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  image->sections = malloc(bytes ? bytes : 1);
  if (!image->sections) return false;
  memcpy(image->sections, table, bytes);
  image->section_count = header.e_shnum;
  return true;
}

static const Elf64_Shdr *find_section(const struct image *image, uint32_t type) {
  for (uint64_t i = 0; i < image->section_count; i++)
    if (image->sections[i].sh_type == type) return &image->sections[i];
  return NULL;
}

// As nm has it: of the symbol's binding and type, else of its section.
static char kind_of(const struct image *image, const Elf64_Sym *symbol) {
  const unsigned bind = ELF64_ST_BIND(symbol->st_info), type = ELF64_ST_TYPE(symbol->st_info);
  char kind = 'D';
  if (symbol->st_shndx == SHN_COMMON) return 'C';
  if (type == STT_GNU_IFUNC) return 'i';
  if (bind == STB_WEAK) return type == STT_OBJECT ? 'V' : 'W';
  if (bind == STB_GNU_UNIQUE) return 'u';
  if (symbol->st_shndx == SHN_ABS) {
    kind = 'A';
  } else if (symbol->st_shndx < image->section_count) {
    const Elf64_Shdr *section = &image->sections[symbol->st_shndx];
    if (section->sh_flags & SHF_EXECINSTR)
      kind = 'T';
    else if (section->sh_type == SHT_NOBITS)
      kind = 'B';
    else if (!(section->sh_flags & SHF_WRITE))
      kind = 'R';
  }
  return bind == STB_LOCAL ? (char)(kind - 'A' + 'a') : kind;
}

// Whether the symbol of this number has a version.
static bool is_versioned(const struct image *image, const Elf64_Shdr *versions, uint64_t number) {
  enum { VERSION = 0x7fff, GLOBAL = 1 };
  uint16_t version;
  if (!versions || number >= versions->sh_size / sizeof version) return false;
  const uint8_t *all = part(image, versions->sh_offset, versions->sh_size);
  if (!all) return false;
  memcpy(&version, all + number * sizeof version, sizeof version);
  return (version & VERSION) > GLOBAL;
}

struct export {
  const char *name;
  uint64_t address;
  char kind;
  bool versioned;
};

static int by_name(const void *left, const void *right) {
  return strcmp(((const struct export *)left)->name, ((const struct export *)right)->name);
}

// The symbols of the table as exports; *count of them. False: the table can't be read.
static bool read_exports(const struct image *image, const Elf64_Shdr *table, struct export *exports,
                         uint64_t *count) {
  const Elf64_Shdr *versions = find_section(image, SHT_GNU_versym);
  const uint8_t *symbols = part(image, table->sh_offset, table->sh_size);
  if (!symbols || table->sh_link >= image->section_count) return false;
  const Elf64_Shdr *texts = &image->sections[table->sh_link];
  const char *names = part(image, texts->sh_offset, texts->sh_size);
  if (!names) return false;
  *count = 0;
  for (uint64_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym symbol;
    memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_name >= texts->sh_size ||
        !memchr(names + symbol.st_name, 0, texts->sh_size - symbol.st_name))
      return false;
    // A version that the program defines is a symbol of its own, at no place.
    const bool versioned = symbol.st_shndx != SHN_ABS && is_versioned(image, versions, i);
    exports[(*count)++] = (struct export){.name = names + symbol.st_name,
                                          .address = symbol.st_value,
                                          .kind = kind_of(image, &symbol),
                                          .versioned = versioned};
  }
  return true;
}

static bool print_exports(const struct image *image) {
  const Elf64_Shdr *table = find_section(image, SHT_DYNSYM);
  if (!table) return true; // it exports nothing
  if (!part(image, table->sh_offset, table->sh_size)) return false;
  struct export *exports = calloc(table->sh_size / sizeof(Elf64_Sym) + 1, sizeof *exports);
  uint64_t count;
  if (!exports || !read_exports(image, table, exports, &count)) return false;
  qsort(exports, count, sizeof *exports, by_name);
  for (uint64_t i = 0; i < count; i++)
    printf("%016llx %c %s%s\n", (unsigned long long)exports[i].address, exports[i].kind, exports[i].name,
           exports[i].versioned ? "@" : "");
  free(exports);
  return true;
}

int main(int count, char **arguments) {
  struct image image;
  if (count == 2 && open_image(arguments[1], &image) && read_sections(&image) && print_exports(&image) &&
      fflush(stdout) == 0)
    return 0;
  fprintf(stderr, "exported-names: it is no program that can be read\n");
  return 1;
}
