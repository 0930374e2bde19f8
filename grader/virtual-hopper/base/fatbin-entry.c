// In: a fat binary's container; all bytes are untrusted. Out: its entries, one after another. The idea: every
// size is checked against the bytes that are left before it is used, and nothing is decompressed here.
#include "virtual-hopper/base/fatbin-entry.h"

#include <stdio.h>

static const uint32_t container_magic = 0xBA55ED50;
enum { SMALLEST_ENTRY = 64 };

static uint16_t read_u16(const uint8_t *bytes) {
  return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t read_u32(const uint8_t *bytes) {
  return read_u16(bytes) | (uint32_t)read_u16(bytes + 2) << 16;
}

static uint64_t read_u64(const uint8_t *bytes) {
  return read_u32(bytes) | (uint64_t)read_u32(bytes + 4) << 32;
}

bool fatbin_is_container(const void *bytes, size_t length) {
  return length >= 4 && read_u32(bytes) == container_magic;
}

size_t fatbin_total_size(const uint8_t header[FATBIN_HEADER_BYTES], struct fatbin_error *error) {
  uint16_t header_size = read_u16(header + 6);
  uint64_t entries_size = read_u64(header + 8);
  if (!fatbin_is_container(header, FATBIN_HEADER_BYTES) || header_size < FATBIN_HEADER_BYTES) {
    snprintf(error->message, sizeof error->message, "not a fat binary: it starts with 0x%08X",
             read_u32(header));
    return 0;
  }
  if (entries_size > (uint64_t)FATBIN_LARGEST - header_size) {
    snprintf(error->message, sizeof error->message,
             "a fat binary of %llu bytes: more than %d MiB can't be right", (unsigned long long)entries_size,
             FATBIN_LARGEST >> 20);
    return 0;
  }
  return header_size + (size_t)entries_size;
}

size_t fatbin_first_entry(const uint8_t header[FATBIN_HEADER_BYTES]) {
  return read_u16(header + 6);
}

bool fatbin_read_entry(const uint8_t *bytes, size_t size, size_t *offset, struct fatbin_entry *entry) {
  size_t left = size - *offset;
  const uint8_t *at = bytes + *offset;
  if (left < SMALLEST_ENTRY) return false;
  uint32_t header_size = read_u32(at + 4);
  uint64_t payload_size = read_u64(at + 8), compressed_size = read_u32(at + 16);
  if (header_size < SMALLEST_ENTRY || header_size > left || payload_size > left - header_size) return false;
  *entry = (struct fatbin_entry){.kind = read_u16(at),
                                 .architecture = read_u32(at + 28),
                                 .flags = read_u64(at + 40),
                                 .raw_size = read_u64(at + 56),
                                 .payload = at + header_size,
                                 .payload_size = (size_t)payload_size};
  if (entry->flags & (FATBIN_FLAG_LZ4 | FATBIN_FLAG_ZSTD)) {
    if (compressed_size > payload_size) return false;
    entry->payload_size = (size_t)compressed_size;
  }
  *offset += header_size + (size_t)payload_size;
  return true;
}
