// In: a fat binary's container; all bytes are untrusted. Out: the PTX in the container that suits sm_90 best,
// or the reason why there is no such PTX, with the remedy. The one idea: every size in the container is
// checked against the bytes that are left before the size is used.
#include "virtual-hopper/base/fatbin.h"

#include "virtual-hopper/base/fatbin-entry.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { DEVICE_ARCHITECTURE = 90 };

static bool is_better(const struct fatbin_entry *candidate, const struct fatbin_entry *best) {
  if (!best->payload || candidate->architecture != best->architecture) {
    return candidate->architecture > best->architecture;
  }
  return (candidate->flags & FATBIN_FLAG_ARCHITECTURE_SPECIFIC) &&
         !(best->flags & FATBIN_FLAG_ARCHITECTURE_SPECIFIC);
}

static bool runs_on_device(const struct fatbin_entry *entry) {
  if (entry->architecture == DEVICE_ARCHITECTURE) return true;
  return entry->architecture < DEVICE_ARCHITECTURE && !(entry->flags & FATBIN_FLAG_ARCHITECTURE_SPECIFIC);
}

static void explain_absence(uint32_t foreign_architecture, struct fatbin_error *error) {
  static const char *remedy = "build with -gencode arch=compute_90,code=[sm_90,compute_90]";
  if (foreign_architecture) {
    snprintf(error->message, sizeof error->message, "carries PTX for compute_%u, which sm_90 can't run: %s",
             foreign_architecture, remedy);
  } else {
    snprintf(error->message, sizeof error->message, "carries no PTX: %s", remedy);
  }
}

// Finds the best PTX entry. Returns false and fills `error` when there is none.
static bool find_ptx(const uint8_t *bytes, size_t size, struct fatbin_entry *best,
                     struct fatbin_error *error) {
  uint32_t foreign_architecture = 0;
  *best = (struct fatbin_entry){0};
  for (size_t offset = fatbin_first_entry(bytes); offset < size;) {
    struct fatbin_entry entry;
    size_t start = offset;
    if (!fatbin_read_entry(bytes, size, &offset, &entry)) {
      snprintf(error->message, sizeof error->message,
               "a damaged fat binary: the entry at byte %zu runs past its end", start);
      return false;
    }
    if (entry.kind != FATBIN_ENTRY_PTX) continue;
    if (!runs_on_device(&entry)) {
      foreign_architecture = entry.architecture;
    } else if (!best->payload || is_better(&entry, best)) {
      *best = entry;
    }
  }
  if (!best->payload) explain_absence(foreign_architecture, error);
  return best->payload != NULL;
}

// Fills `text` with exactly raw_size bytes, or returns false.
static bool decompress(const struct fatbin_entry *entry, char *text) {
  size_t room = (size_t)entry->raw_size;
  if (entry->flags & FATBIN_FLAG_LZ4) {
    int size = LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->payload_size, (int)room);
    return size >= 0 && (size_t)size == room;
  }
  // An error code is a huge size.
  return ZSTD_decompress(text, room, entry->payload, entry->payload_size) == room;
}

// Returns whether the payload can decompress to raw_size bytes. LZ4 makes at most 255 bytes from one byte. A
// zstd frame states its decompressed size.
static bool is_raw_size_credible(const struct fatbin_entry *entry) {
  if (entry->raw_size == 0) return false;
  if (entry->flags & FATBIN_FLAG_LZ4) return entry->raw_size / 255 <= entry->payload_size;
  return ZSTD_getFrameContentSize(entry->payload, entry->payload_size) == entry->raw_size;
}

// Returns the entry's text. There is room for a final zero byte, but this function does not write one.
static char *text_of_entry(const struct fatbin_entry *entry, struct fatbin_error *error) {
  bool is_compressed = entry->flags & (FATBIN_FLAG_LZ4 | FATBIN_FLAG_ZSTD);
  const char *method = entry->flags & FATBIN_FLAG_LZ4 ? "LZ4" : "zstd";
  if (is_compressed && !is_raw_size_credible(entry)) {
    snprintf(error->message, sizeof error->message,
             "a damaged fat binary: %zu bytes of %s data can't hold %llu", entry->payload_size, method,
             (unsigned long long)entry->raw_size);
    return NULL;
  }
  char *text = malloc((size_t)entry->raw_size + 1);
  if (!text) {
    snprintf(error->message, sizeof error->message, "no memory for %llu bytes of PTX",
             (unsigned long long)entry->raw_size);
  } else if (!is_compressed) {
    memcpy(text, entry->payload, entry->payload_size);
  } else if (!decompress(entry, text)) {
    snprintf(error->message, sizeof error->message, "a damaged fat binary: its %s data can't be decompressed",
             method);
    free(text);
    return NULL;
  }
  return text;
}

uint8_t *fatbin_extract_elf(const uint8_t *bytes, size_t length, size_t *elf_length) {
  struct fatbin_error error = {.message = ""};
  size_t size = length < FATBIN_HEADER_BYTES ? 0 : fatbin_total_size(bytes, &error);
  if (size == 0 || size > length) return NULL;
  struct fatbin_entry entry, best = {0};
  for (size_t offset = fatbin_first_entry(bytes);
       offset < size && fatbin_read_entry(bytes, size, &offset, &entry);)
    if (entry.kind == FATBIN_ENTRY_ELF && entry.architecture == DEVICE_ARCHITECTURE) best = entry;
  if (!best.payload) return NULL;
  if (!(best.flags & (FATBIN_FLAG_LZ4 | FATBIN_FLAG_ZSTD))) best.raw_size = best.payload_size;
  if (best.raw_size > FATBIN_LARGEST_PTX) return NULL;
  *elf_length = (size_t)best.raw_size;
  return (uint8_t *)text_of_entry(&best, &error);
}

static bool take_unpacked(size_t *may_unpack, uint64_t bytes, struct fatbin_error *error) {
  const bool fits = bytes <= *may_unpack;
  if (bytes > FATBIN_LARGEST_PTX) {
    error->too_large = bytes;
    snprintf(error->message, sizeof error->message, "PTX of %llu bytes: more than the %d MiB that are read",
             (unsigned long long)bytes, FATBIN_LARGEST_PTX >> 20);
    return false;
  }
  if (!fits)
    snprintf(error->message, sizeof error->message, "PTX of %llu bytes: there is memory for %zu",
             (unsigned long long)bytes, *may_unpack);
  *may_unpack = fits ? *may_unpack - (size_t)bytes : 0;
  return fits;
}

char *fatbin_extract_ptx(const uint8_t *bytes, size_t length, size_t *may_unpack, size_t *ptx_length,
                         struct fatbin_error *error) {
  *error = (struct fatbin_error){.message = ""};
  if (length < FATBIN_HEADER_BYTES) {
    snprintf(error->message, sizeof error->message, "not a fat binary: only %zu bytes", length);
    return NULL;
  }
  size_t size = fatbin_total_size(bytes, error);
  if (size == 0) return NULL;
  if (size > length) {
    snprintf(error->message, sizeof error->message, "a damaged fat binary: %zu bytes of %zu are there",
             length, size);
    return NULL;
  }
  struct fatbin_entry entry;
  if (!find_ptx(bytes, size, &entry, error)) return NULL;
  if (!(entry.flags & (FATBIN_FLAG_LZ4 | FATBIN_FLAG_ZSTD))) entry.raw_size = entry.payload_size;
  if (!take_unpacked(may_unpack, entry.raw_size, error)) return NULL;
  char *text = text_of_entry(&entry, error);
  if (!text) return NULL;
  text[entry.raw_size] = 0;
  *ptx_length = strnlen(text, (size_t)entry.raw_size); // the payload is padded with zero bytes
  char *shorter = realloc(text, *ptx_length + 1);      // the caller counts no other bytes
  if (shorter) text = shorter;
  return text;
}
