// In: an object file; all bytes are untrusted. Out: its keys. The idea: everything counts that isn't known to
// be a trace of the source, and a form that isn't known has no key: so two programs with one key do the same.
#include "referee/code-key.h"
#include "virtual-hopper/base/elf-image.h"
#include "virtual-hopper/base/fatbin-entry.h"

#include <stdlib.h>
#include <string.h>

struct hashes {
  struct sha256 code, lines;
  char folder[4096]; // of the object, and of the source: another one each time
};

static void add(struct hashes *hashes, const void *bytes, size_t count) {
  sha256_add(&hashes->code, bytes, count);
  sha256_add(&hashes->lines, bytes, count);
}

static bool is_hex(const char *text, size_t count) {
  return strspn(text, "0123456789abcdef") >= count;
}

// A name, or a line with names: nvcc calls what is the source's own _INTERNAL_, a hash of the text, and more.
static void add_named(struct hashes *hashes, const char *text, size_t length) {
  static const char mark[] = "_INTERNAL_";
  enum { MARK = sizeof mark - 1, DIGITS = 8 };
  const char *const end = text + length;
  for (const char *found; (found = memmem(text, (size_t)(end - text), mark, MARK));) {
    const char *digits = found + MARK;
    const bool hashed = end - digits > DIGITS && is_hex(digits, DIGITS) && digits[DIGITS] == '_';
    add(hashes, text, (size_t)(digits - text));
    text = hashed ? digits + DIGITS : digits;
  }
  add(hashes, text, (size_t)(end - text));
}

// ---- PTX --------------------------------------------------------------------------------------------------

static const char *blanks(const char *at) {
  return at + strspn(at, " \t");
}

// Steps over a number and the blanks around it. NULL: there is none.
static const char *number(const char *at) {
  at = at ? blanks(at) : "";
  const size_t digits = strspn(at, "0123456789");
  return digits ? blanks(at + digits) : NULL;
}

static const char *word(const char *at, const char *wanted) {
  at = at ? blanks(at) : "";
  return strncmp(at, wanted, strlen(wanted)) == 0 ? at + strlen(wanted) : NULL;
}

// Whether the line is a .loc with or without the call site of an inlined function, and nothing more.
static bool is_location(const char *line) {
  const char *at = number(number(number(word(line, ".loc"))));
  if (at && *at == ',') {
    at = word(word(at, ","), "function_name");
    at = at ? blanks(at) : "";
    at += strspn(at, "$_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+");
    at = number(number(number(word(word(at, ","), "inlined_at"))));
  }
  return at && !*at;
}

// Whether the line is a .file; *name gets what stands behind its number.
static bool is_file(const char *line, const char **name) {
  const char *at = number(word(line, ".file"));
  if (!at || *at != '"') return false;
  const char *end = strchr(at + 1, '"');
  *name = at + 1;
  return end && !*blanks(end + 1);
}

static void add_file(struct hashes *hashes, const char *name) {
  const size_t folder = strlen(hashes->folder);
  if (folder && strncmp(name, hashes->folder, folder) == 0) name += folder;
  sha256_add_text(&hashes->lines, name);
}

// Adds PTX line by line; `text` is taken to pieces. Debug information ends with a } at a line's begin.
static void add_ptx(struct hashes *hashes, char *text) {
  bool debug = false;
  for (char *line = text, *next; line; line = next) {
    const char *name;
    next = strchr(line, '\n');
    if (next) *next++ = '\0';
    if (debug) {
      debug = line[0] != '}';
    } else if (word(line, ".section") && word(word(line, ".section"), ".debug_")) {
      debug = true;
    } else if (is_file(line, &name)) {
      add_file(hashes, name);
    } else if (is_location(line)) {
      sha256_add_text(&hashes->lines, line);
    } else {
      add_named(hashes, line, strlen(line) + 1);
    }
  }
}

// ---- sections ---------------------------------------------------------------------------------------------

static bool begins_with_one_of(const char *name, const char *const *beginnings) {
  while (*beginnings && strncmp(name, *beginnings, strlen(*beginnings)) != 0)
    beginnings++;
  return *beginnings;
}

static bool add_section(struct hashes *hashes, const struct elf_image *image, const Elf64_Shdr *section,
                        const char *name) {
  const uint64_t about[] = {section->sh_type, section->sh_flags, section->sh_size, section->sh_addralign};
  add_named(hashes, name, strlen(name) + 1);
  add(hashes, about, sizeof about);
  if (section->sh_type == SHT_NOBITS) return true;
  const void *bytes = elf_part(image, section->sh_offset, section->sh_size);
  if (bytes) add(hashes, bytes, section->sh_size);
  return bytes;
}

// Machine code for the GPU. Its symbols are those of the PTX.
static bool add_machine_code(struct hashes *hashes, const struct fatbin_entry *entry) {
  static const char *const traces[] = {
      ".debug",        ".nv_debug", ".rela.debug", ".rela.nv_debug", ".rel.debug",
      ".rel.nv_debug", ".shstrtab", ".strtab",     ".symtab",        NULL};
  struct elf_image image;
  bool added = elf_image_read(entry->payload, entry->payload_size, &image);
  for (uint64_t i = 1; added && i < image.section_count; i++) {
    const char *name = elf_text(&image, image.names, image.sections[i].sh_name);
    added =
        name && (begins_with_one_of(name, traces) || add_section(hashes, &image, &image.sections[i], name));
  }
  free(image.sections);
  return added;
}

static bool add_entry(struct hashes *hashes, const struct fatbin_entry *entry) {
  const uint64_t about[] = {entry->kind, entry->architecture, entry->flags};
  add(hashes, about, sizeof about);
  if (entry->flags & (FATBIN_FLAG_LZ4 | FATBIN_FLAG_ZSTD)) return false;
  if (entry->kind == FATBIN_ENTRY_ELF) return add_machine_code(hashes, entry);
  if (entry->kind != FATBIN_ENTRY_PTX) return false;
  char *text = strndup((const char *)entry->payload, entry->payload_size);
  if (!text) return false;
  add_ptx(hashes, text);
  free(text);
  return true;
}

// One container that fills the section: what else could stand there isn't known.
static bool add_fatbin(struct hashes *hashes, const struct elf_image *image, const Elf64_Shdr *section) {
  struct fatbin_error error;
  struct fatbin_entry entry;
  const uint8_t *bytes = elf_part(image, section->sh_offset, section->sh_size);
  if (!bytes || section->sh_size < FATBIN_HEADER_BYTES ||
      fatbin_total_size(bytes, &error) != section->sh_size)
    return false;
  for (size_t offset = fatbin_first_entry(bytes); offset < section->sh_size;)
    if (!fatbin_read_entry(bytes, section->sh_size, &offset, &entry) || !add_entry(hashes, &entry))
      return false;
  return true;
}

// The symbols but for those that name a file.
static bool add_symbols(struct hashes *hashes, const struct elf_image *image, const Elf64_Shdr *table) {
  const uint8_t *symbols = elf_part(image, table->sh_offset, table->sh_size);
  for (uint64_t i = 0; symbols && i < table->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym symbol;
    memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) continue;
    const char *name = elf_text(image, table->sh_link, symbol.st_name);
    const uint64_t about[] = {symbol.st_value, symbol.st_size, symbol.st_info, symbol.st_other,
                              symbol.st_shndx};
    if (!name) return false;
    add_named(hashes, name, strlen(name) + 1);
    add(hashes, about, sizeof about);
  }
  return symbols;
}

static bool add_object(struct hashes *hashes, const struct elf_image *image) {
  bool kernels = false;
  for (uint64_t i = 1; i < image->section_count; i++) {
    const Elf64_Shdr *section = &image->sections[i];
    const char *name = elf_text(image, image->names, section->sh_name);
    if (!name) return false;
    bool added = true;
    if (section->sh_type == SHT_SYMTAB) {
      added = add_symbols(hashes, image, section);
    } else if (strcmp(name, ".nv_fatbin") == 0) {
      added = !kernels && add_fatbin(hashes, image, section);
      kernels = true;
    } else if (section->sh_type != SHT_STRTAB) {
      added = add_section(hashes, image, section, name);
    }
    if (!added) return false;
  }
  return kernels;
}

bool code_keys_of(const char *object, struct code_keys *keys) {
  struct elf_image image = {.sections = NULL};
  struct hashes hashes = {.folder = ""};
  const char *slash = strrchr(object, '/');
  if (slash && (size_t)(slash - object) < sizeof hashes.folder)
    memcpy(hashes.folder, object, (size_t)(slash - object));
  sha256_begin(&hashes.code);
  sha256_begin(&hashes.lines);
  const bool known = elf_image_open(object, &image) && add_object(&hashes, &image);
  sha256_end(&hashes.code, keys->code);
  sha256_end(&hashes.lines, keys->lines);
  free(image.sections);
  return known;
}
