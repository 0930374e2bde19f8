// build/bin/exported-names PROGRAM [OBJECT]: what `nm -D --defined-only` prints, without versions' names. In:
// a 64-bit ELF file that a stranger's source has become, and the object file that it was linked from. Out:
// ADDRESS KIND NAME for each symbol that it exports; a symbol with a version has an @ behind its name. Before
// all of them, since a name may hold any text: = CODE LINES, if there is an OBJECT with keys (code-key.h).
// Exit 1: the program could not be read. The idea: nm itself takes fifty times as long to start as the work
// takes. It runs behind the walls, as nm did.
#include "referee/code-key.h"
#include "virtual-hopper/base/elf-image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As nm has it: of the symbol's binding and type, else of its section.
static char kind_of(const struct elf_image *image, const Elf64_Sym *symbol) {
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
static bool is_versioned(const struct elf_image *image, const Elf64_Shdr *versions, uint64_t number) {
  enum { VERSION = 0x7fff, GLOBAL = 1 };
  uint16_t version;
  if (!versions || number >= versions->sh_size / sizeof version) return false;
  const uint8_t *all = elf_part(image, versions->sh_offset, versions->sh_size);
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
static bool read_exports(const struct elf_image *image, const Elf64_Shdr *table, struct export *exports,
                         uint64_t *count) {
  const Elf64_Shdr *versions = elf_section_of_type(image, SHT_GNU_versym);
  const uint8_t *symbols = elf_part(image, table->sh_offset, table->sh_size);
  if (!symbols) return false;
  *count = 0;
  for (uint64_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym symbol;
    memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF) continue;
    const char *name = elf_text(image, table->sh_link, symbol.st_name);
    if (!name) return false;
    // A version that the program defines is a symbol of its own, at no place.
    const bool versioned = symbol.st_shndx != SHN_ABS && is_versioned(image, versions, i);
    exports[(*count)++] = (struct export){
        .name = name, .address = symbol.st_value, .kind = kind_of(image, &symbol), .versioned = versioned};
  }
  return true;
}

static bool print_exports(const struct elf_image *image) {
  const Elf64_Shdr *table = elf_section_of_type(image, SHT_DYNSYM);
  if (!table) return true; // it exports nothing
  if (!elf_part(image, table->sh_offset, table->sh_size)) return false;
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

static void print_keys(const char *object) {
  struct code_keys keys;
  if (code_keys_of(object, &keys)) printf("= %s %s\n", keys.code, keys.lines);
}

int main(int count, char **arguments) {
  struct elf_image image;
  if (count == 3) print_keys(arguments[2]);
  if ((count == 2 || count == 3) && elf_image_open(arguments[1], &image) && print_exports(&image) &&
      fflush(stdout) == 0)
    return 0;
  fprintf(stderr, "exported-names: it is no program that can be read\n");
  return 1;
}
