// The fat binary: the container in which nvcc packs PTX and machine code for several architectures.
// Its layout is not documented; it was read off the output of nvcc 12.4 to 13.0. All bytes come from a stranger.
#ifndef VIRTUAL_HOPPER_FATBIN_H
#define VIRTUAL_HOPPER_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  FATBIN_HEADER_BYTES = 16,    // of the container: enough to learn its size
  FATBIN_LARGEST = 1 << 30,    // bytes of a container
  FATBIN_LARGEST_PTX = 1 << 28 // bytes of PTX, after decompression
};

struct fatbin_error {
  char message[256];
};

// Does this start like a fat binary's container? Needs 4 bytes; fewer are none.
bool fatbin_is_container(const void *bytes, size_t length);

// Bytes of the whole container, its header included. 0 and an error when the header is none, or claims more than
// FATBIN_LARGEST.
size_t fatbin_total_size(const uint8_t header[FATBIN_HEADER_BYTES], struct fatbin_error *error);

// The PTX that suits sm_90 best (the highest architecture up to 90; 90a before 90), decompressed: malloc'ed, ended by
// a zero byte, its length without that byte in *ptx_length. NULL and an error when there is none.
// `length` may exceed the container's size; what follows it is ignored.
char *fatbin_extract_ptx(const uint8_t *bytes, size_t length, size_t *ptx_length, struct fatbin_error *error);

#endif
