// The fat binary: the container in which nvcc packs PTX and machine code for several architectures. Its
// layout is not documented; it was found by reading the output of nvcc 12.4 to 13.0. All bytes are untrusted.
#ifndef VIRTUAL_HOPPER_BASE_FATBIN_H
#define VIRTUAL_HOPPER_BASE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  FATBIN_HEADER_BYTES = 16,    // bytes of the container's header, which states its size
  FATBIN_LARGEST = 1 << 30,    // bytes of a container
  FATBIN_LARGEST_PTX = 1 << 28 // bytes of PTX, after decompression
};

struct fatbin_error {
  char message[256];
  uint64_t too_large; // bytes of a PTX text, if they are more than are read; else 0
};

// Returns whether the bytes start like a fat binary's container. Returns false for fewer than 4 bytes.
bool fatbin_is_container(const void *bytes, size_t length);

// Returns the bytes of the whole container, with its header. Returns 0 and fills `error` when the bytes are
// no such header, or when the header states more than FATBIN_LARGEST bytes.
size_t fatbin_total_size(const uint8_t header[FATBIN_HEADER_BYTES], struct fatbin_error *error);

// Returns the PTX that suits sm_90 best (the highest architecture up to 90; 90a before 90). The text is
// malloc'ed, decompressed, and ends in a zero byte; *ptx_length excludes that byte. Returns NULL and fills
// `error` when there is no such PTX. `length` may exceed the container's size; bytes after the container are
// ignored. *may_unpack: how many bytes may come out; those that do are taken off, also where they turn out to
// be padding or damaged. Where more would come out, nothing is unpacked, and it becomes 0.
char *fatbin_extract_ptx(const uint8_t *bytes, size_t length, size_t *may_unpack, size_t *ptx_length,
                         struct fatbin_error *error);

// Returns the container's machine code for sm_90, malloc'ed and decompressed. base/cubin.h reads that code.
// Returns NULL when there is no such code, or when it can't be read.
uint8_t *fatbin_extract_elf(const uint8_t *bytes, size_t length, size_t *elf_length);

#endif
