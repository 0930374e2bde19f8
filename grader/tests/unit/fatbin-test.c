// The fat-binary reader: nvcc's own output in each of its forms (the fuzzer's seeds), and damaged containers.
// The test runs from the repository's root, as `make test` does. Make has unpacked the seeds.
#include "virtual-hopper/base/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST_SEED = 4096 };
struct image {
  uint8_t bytes[LARGEST_SEED];
  size_t length;
};

static struct image read_seed(const char *name) {
  char path[128];
  struct image image;
  snprintf(path, sizeof path, "build/fuzz/seeds/fatbin/%s.fatbin", name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s can't be opened", path);
  image.length = fread(image.bytes, 1, sizeof image.bytes, file);
  fclose(file);
  assert_true(image.length > FATBIN_HEADER_BYTES && image.length < sizeof image.bytes);
  return image;
}

// Extracts from a copy of the exact length, so that the address sanitizer detects a read past the end.
static char *extract(const struct image *image, size_t length, size_t *ptx_length,
                     struct fatbin_error *error) {
  uint8_t *exact = malloc(length + 1);
  memcpy(exact, image->bytes, length);
  uint8_t *again = realloc(exact, length ? length : 1);
  size_t may_unpack = FATBIN_LARGEST_PTX;
  char *ptx = fatbin_extract_ptx(again, length, &may_unpack, ptx_length, error);
  free(again);
  return ptx;
}

static const struct {
  const char *seed, *target, *error; // either target or error is set
} seeds[] = {
    {"plain", ".target sm_90\n", NULL},
    {"lz4", ".target sm_90\n", NULL},
    {"zstd", ".target sm_90\n", NULL},
    {"with-elf", ".target sm_90\n", NULL},
    {"four-architectures", ".target sm_90a\n", NULL},
    {"elf-only", NULL, "carries no PTX: build with -gencode arch=compute_90,code=[sm_90,compute_90]"},
    {"too-new", NULL, "carries PTX for compute_100, which sm_90 can't run: build with -gencode "},
};

static bool is_expected_ptx(const char *ptx, size_t length, const char *target) {
  return target && strlen(ptx) == length && strstr(ptx, target) &&
         strstr(ptx, ".visible .entry _Z7add_onePi(") &&
         strcmp(ptx + length - 3, "}\n\n") == 0; // the text is complete, to its last line
}

static void test_what_nvcc_makes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    struct image image = read_seed(seeds[i].seed);
    struct fatbin_error error;
    size_t length = 0;
    assert_true(fatbin_is_container(image.bytes, image.length));
    assert_int_equal(fatbin_total_size(image.bytes, &error), image.length);
    char *ptx = extract(&image, image.length, &length, &error);
    bool is_right = ptx ? is_expected_ptx(ptx, length, seeds[i].target)
                        : seeds[i].error && strstr(error.message, seeds[i].error);
    if (!is_right)
      fail_msg("%s: got %zu bytes of PTX, '%s'", seeds[i].seed, length, ptx ? ptx : error.message);
    free(ptx);
  }
}

static void test_every_truncation_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
    struct image image = read_seed(seeds[i].seed);
    for (size_t length = 0; length < image.length; length++) {
      struct fatbin_error error;
      size_t ptx_length;
      assert_null(extract(&image, length, &ptx_length, &error));
      assert_true(error.message[0]);
    }
  }
}

// Offsets: the container's header has 16 bytes. The first entry follows.
enum {
  ENTRIES_SIZE = 8,
  ENTRY = 16,
  HEADER_SIZE = 4,
  PAYLOAD_SIZE = 8,
  COMPRESSED_SIZE = 16,
  ARCHITECTURE = 28,
  RAW_SIZE = 56
};
static const struct {
  const char *seed;
  size_t offset, bytes;
  uint64_t value;
  const char *error; // part of the error message
} damages[] = {
    {"plain", 0, 4, 0x12345678, "not a fat binary: it starts with 0x12345678"},
    {"plain", 6, 2, 8, "not a fat binary"},
    {"plain", ENTRIES_SIZE, 8, UINT64_MAX, "more than 1024 MiB can't be right"},
    {"plain", ENTRIES_SIZE, 8, 0, "carries no PTX"},
    {"plain", ENTRIES_SIZE, 8, 60, "the entry at byte 16 runs past its end"},
    {"plain", ENTRY + HEADER_SIZE, 4, 63, "the entry at byte 16 runs past its end"},
    {"plain", ENTRY + HEADER_SIZE, 4, UINT32_MAX, "the entry at byte 16 runs past its end"},
    {"plain", ENTRY + PAYLOAD_SIZE, 8, UINT64_MAX - 79, "the entry at byte 16 runs past its end"},
    {"plain", ENTRY + ARCHITECTURE, 4, 100, "carries PTX for compute_100"},
    {"plain", ENTRY, 2, 2, "carries no PTX"},
    {"lz4", ENTRY + COMPRESSED_SIZE, 4, UINT32_MAX, "the entry at byte 16 runs past its end"},
    {"lz4", ENTRY + COMPRESSED_SIZE, 4, 5, "can't be decompressed"},
    {"lz4", ENTRY + COMPRESSED_SIZE, 4, 0, "can't hold"},
    {"lz4", ENTRY + RAW_SIZE, 8, 390, "can't be decompressed"},
    {"lz4", ENTRY + RAW_SIZE, 8, 1 << 20, "can't hold"},
    {"lz4", ENTRY + RAW_SIZE, 8, 0, "can't hold"},
    {"lz4", ENTRY + RAW_SIZE, 8, 1 << 29, "more than the 256 MiB that are read"},
    {"zstd", ENTRY + RAW_SIZE, 8, 391, "can't hold"},
    {"zstd", ENTRY + 80, 4, 0, "can't hold"},
    {"zstd", ENTRY + 80 + 40, 8, 0, "can't be decompressed"},
};

static void test_damage_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    struct image image = read_seed(damages[i].seed);
    for (size_t j = 0; j < damages[i].bytes; j++) {
      image.bytes[damages[i].offset + j] = (uint8_t)(damages[i].value >> 8 * j);
    }
    struct fatbin_error error;
    size_t length;
    char *ptx = extract(&image, image.length, &length, &error);
    if (ptx || !strstr(error.message, damages[i].error)) {
      fail_msg("damage %zu (%s, byte %zu): got '%s', expected '%s'", i, damages[i].seed, damages[i].offset,
               ptx ? "PTX" : error.message, damages[i].error);
    }
  }
}

static void test_bytes_after_the_container_are_ignored(void **state) {
  (void)state;
  struct image image = read_seed("zstd");
  struct fatbin_error error;
  size_t length;
  memset(image.bytes + image.length, 0xAB, 100);
  char *ptx = extract(&image, image.length + 100, &length, &error);
  assert_non_null(ptx);
  free(ptx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_nvcc_makes),
      cmocka_unit_test(test_every_truncation_is_refused),
      cmocka_unit_test(test_damage_is_named),
      cmocka_unit_test(test_bytes_after_the_container_are_ignored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
