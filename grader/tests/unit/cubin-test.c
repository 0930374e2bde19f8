// The reader of machine code: its results for a sound file. It must also survive every damaged file.
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/base/cubin.h"

enum { NAMES = 64, SYMBOLS = 128, INFO = 224, TITLES = 256, NOTE = 328, SECTIONS = 384, COUNT = 6 };
struct file {
  uint8_t bytes[SECTIONS + COUNT * sizeof(Elf64_Shdr)];
};

static void put_section(struct file *f, int index, uint32_t title, uint32_t type, uint64_t offset,
                        uint64_t size, uint32_t link) {
  Elf64_Shdr section = {
      .sh_name = title, .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_link = link};
  memcpy(f->bytes + SECTIONS + (size_t)index * sizeof section, &section, sizeof section);
}

// Two kernels: `one` with 40 registers, `other` with 168.
static struct file sound(void) {
  struct file f = {{0}};
  Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                       .e_machine = 190,
                       .e_shoff = SECTIONS,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = COUNT,
                       .e_shstrndx = 4};
  memcpy(f.bytes, &header, sizeof header);
  memcpy(f.bytes + NAMES, "\0one\0other", 11);
  Elf64_Sym symbols[3] = {{0}, {.st_name = 1}, {.st_name = 5}};
  memcpy(f.bytes + SYMBOLS, symbols, sizeof symbols);
  const uint8_t info[] = {3, 0x1b, 0xff, 0, 4, 0x2f, 8, 0, 1, 0,    0, 0, 40, 0, 0, 0, 4,   0x11, 8, 0,
                          1, 0,    0,    0, 0, 0,    0, 0, 4, 0x2f, 8, 0, 2,  0, 0, 0, 168, 0,    0, 0};
  _Static_assert(INFO + sizeof info <= TITLES + 8, "");
  memcpy(f.bytes + INFO, info, sizeof info);
  memcpy(f.bytes + TITLES + 8, "\0.nv.info\0.symtab\0.strtab\0.note.nv.tkinfo", 42);
  put_section(&f, 1, 1, SHT_PROGBITS, INFO, sizeof info, 0);
  put_section(&f, 2, 10, SHT_SYMTAB, SYMBOLS, sizeof symbols, 3);
  put_section(&f, 3, 18, SHT_STRTAB, NAMES, 11, 0);
  put_section(&f, 4, 18, SHT_STRTAB, TITLES + 8, 42, 0);
  put_section(&f, 5, 26, SHT_NOTE, NOTE, 0, 0);
  return f;
}

struct found {
  uint32_t one, other, count;
};

static void note(void *context, const struct cubin_kernel *kernel) {
  struct found *found = context;
  assert_true(kernel->registers >= 1 && kernel->registers <= 255);
  if (strcmp(kernel->name, "one") == 0) found->one = kernel->registers;
  if (strcmp(kernel->name, "other") == 0) found->other = kernel->registers;
  found->count++;
}

static void test_registers_are_found(void **state) {
  (void)state;
  struct file f = sound();
  struct found found = {0};
  assert_true(cubin_each(f.bytes, sizeof f.bytes, note, &found));
  assert_int_equal(found.one, 40);
  assert_int_equal(found.other, 168);
  assert_int_equal(found.count, 2);
}

static int level_of(const char *options) { // as ptxas notes them, between its version and the end
  struct file f = sound();
  uint8_t note[48] = "ptxas";
  const size_t size = 6 + strlen(options) + 1;
  assert_true(size <= sizeof note && NOTE + sizeof note <= SECTIONS);
  memcpy(note + 6, options, strlen(options) + 1);
  memcpy(f.bytes + NOTE, note, size);
  put_section(&f, 5, 26, SHT_NOTE, NOTE, size, 0);
  return cubin_level(f.bytes, sizeof f.bytes);
}

static void test_the_level_is_found(void **state) {
  (void)state;
  assert_int_equal(level_of("-O 1 -arch sm_90 -m 64 "), 1);
  assert_int_equal(level_of("-v -O 0 -arch sm_90"), 0);
  assert_int_equal(level_of("-arch sm_90 -O 3"), 3);
  assert_int_equal(level_of("-arch sm_90 -m 64 "), CUBIN_NO_LEVEL);
  assert_int_equal(level_of("-X-O 1 -O two"), CUBIN_NO_LEVEL);
  assert_int_equal(level_of("-arch sm_90 -O "), CUBIN_NO_LEVEL);
  assert_int_equal(cubin_level((const uint8_t *)"no ELF", 6), CUBIN_NO_LEVEL);
}

// Reads from memory of exactly that size, so that the sanitizers detect a read past the end.
static bool read_copy(const uint8_t *bytes, size_t length, struct found *found) {
  uint8_t *copy = malloc(length + !length);
  assert_non_null(copy);
  memcpy(copy, bytes, length);
  bool sound = cubin_each(copy, length, note, found);
  assert_in_range(cubin_level(copy, length) + 1, 0, 10);
  free(copy);
  return sound;
}

static void test_cut_files_are_refused(void **state) {
  (void)state;
  struct file f = sound();
  for (size_t length = 0; length < sizeof f.bytes; length++) {
    struct found found = {0};
    assert_false(read_copy(f.bytes, length, &found));
  }
}

// Each byte in turn gets the values at which sums overflow.
static void test_damaged_files_do_no_harm(void **state) {
  (void)state;
  static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < sizeof(struct file); i++)
    for (size_t k = 0; k < sizeof values; k++) {
      struct file f = sound();
      struct found found = {0};
      f.bytes[i] = values[k];
      read_copy(f.bytes, sizeof f.bytes, &found);
    }
}

static void test_huge_numbers_are_refused(void **state) {
  (void)state;
  static const size_t fields[] = {offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size)};
  for (int section = 1; section < COUNT; section++)
    for (size_t k = 0; k < 2; k++) {
      struct file f = sound();
      struct found found = {0};
      memset(f.bytes + SECTIONS + (size_t)section * sizeof(Elf64_Shdr) + fields[k], 0xff, 8);
      assert_false(read_copy(f.bytes, sizeof f.bytes, &found));
    }
  struct file f = sound();
  struct found found = {0};
  memset(f.bytes + offsetof(Elf64_Ehdr, e_shoff), 0xff, 8);
  assert_false(read_copy(f.bytes, sizeof f.bytes, &found));
}

// Every record names the same symbol, whose name has a MiB. Nobody reads, or keeps, a thousand such names.
static void test_a_name_is_not_read_for_ever(void **state) {
  (void)state;
  enum { NAME = 1 << 20, RECORDS = 1000, RECORD = 12, MORE = sizeof(struct file) };
  uint8_t *bytes = calloc(1, MORE + NAME + RECORDS * RECORD);
  assert_non_null(bytes);
  struct file f = sound();
  struct found found = {0};
  put_section(&f, 1, 1, SHT_PROGBITS, MORE + NAME, RECORDS * RECORD, 0);
  put_section(&f, 3, 18, SHT_STRTAB, MORE, NAME, 0);
  memcpy(bytes, &f, sizeof f);
  memset(bytes + MORE, 'a', NAME - 1);
  for (size_t i = 0; i < RECORDS; i++)
    memcpy(bytes + MORE + NAME + i * RECORD, (uint8_t[RECORD]){4, 0x2f, 8, 0, 1, 0, 0, 0, 40}, RECORD);
  assert_false(cubin_each(bytes, MORE + NAME + RECORDS * RECORD, note, &found));
  assert_in_range(found.count, 1, CUBIN_MOST_TEXT / NAME);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registers_are_found),         cmocka_unit_test(test_cut_files_are_refused),
      cmocka_unit_test(test_damaged_files_do_no_harm),    cmocka_unit_test(test_huge_numbers_are_refused),
      cmocka_unit_test(test_a_name_is_not_read_for_ever), cmocka_unit_test(test_the_level_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
