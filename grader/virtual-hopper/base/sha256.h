// SHA-256 (FIPS 180-4) over pieces. In: bytes. Out: 64 hexadecimal digits.
#ifndef VIRTUAL_HOPPER_BASE_SHA256_H
#define VIRTUAL_HOPPER_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_TEXT = 65 };

struct sha256 {
  uint32_t state[8];
  uint64_t length; // bytes so far
  unsigned char block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t count);
// Adds a text and its final zero byte, so that "ab", "c" and "a", "bc" differ.
void sha256_add_text(struct sha256 *hash, const char *text);
// Adds the file's length, then its bytes. Returns 0, or -1 with the reason in `error`, which may be NULL if
// `size` is 0.
int sha256_add_file(struct sha256 *hash, const char *path, char *error, size_t size);
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT]);

#endif
