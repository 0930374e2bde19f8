// The entries of a fat binary's container (fatbin.h): PTX or machine code, each for an architecture.
#ifndef VIRTUAL_HOPPER_BASE_FATBIN_ENTRY_H
#define VIRTUAL_HOPPER_BASE_FATBIN_ENTRY_H

#include "virtual-hopper/base/fatbin.h"

enum fatbin_entry_kind { FATBIN_ENTRY_PTX = 1, FATBIN_ENTRY_ELF = 2 };
// The last is sm_90a's.
enum { FATBIN_FLAG_LZ4 = 0x2000, FATBIN_FLAG_ZSTD = 0x8000, FATBIN_FLAG_ARCHITECTURE_SPECIFIC = 0x100000 };

struct fatbin_entry {
  uint16_t kind;
  uint32_t architecture; // 90
  uint64_t flags;
  uint64_t raw_size; // after decompression
  const uint8_t *payload;
  size_t payload_size; // excludes the padding when compressed
};

// Where the first entry of the container begins; there is none if that is its end.
size_t fatbin_first_entry(const uint8_t header[FATBIN_HEADER_BYTES]);
// Reads the entry at *offset of a container of `size` bytes and moves *offset past the entry. Returns false
// when the entry doesn't fit into the container.
bool fatbin_read_entry(const uint8_t *bytes, size_t size, size_t *offset, struct fatbin_entry *entry);

#endif
