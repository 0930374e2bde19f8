// SHA-256 (FIPS 180-4, section 6.2). The idea: keys of results must not collide, even if the author of a
// submission tries.
#include "virtual-hopper/base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t word, unsigned by) {
  return word >> by | word << (32 - by);
}

static void take_block(struct sha256 *hash) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)hash->block[4 * i] << 24 | (uint32_t)hash->block[4 * i + 1] << 16 |
           (uint32_t)hash->block[4 * i + 2] << 8 | hash->block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  memcpy(v, hash->state, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t s1 = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
    uint32_t first = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
    uint32_t s0 = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22);
    uint32_t second = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; i++)
    hash->state[i] += v[i];
}

void sha256_begin(struct sha256 *hash) {
  *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                    0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t count) {
  const unsigned char *from = bytes;
  while (count > 0) {
    size_t place = hash->length % 64, piece = 64 - place < count ? 64 - place : count;
    memcpy(hash->block + place, from, piece);
    hash->length += piece;
    from += piece;
    count -= piece;
    if (hash->length % 64 == 0) take_block(hash);
  }
}

void sha256_add_text(struct sha256 *hash, const char *text) {
  sha256_add(hash, text, strlen(text) + 1);
}

static int failed(const char *path, char *error, size_t size) {
  snprintf(error, size, "%s: %s", path, strerror(errno));
  return -1;
}

int sha256_add_file(struct sha256 *hash, const char *path, char *error, size_t size) {
  char bytes[16384];
  struct stat about;
  FILE *file = fopen(path, "re");
  if (!file) return failed(path, error, size);
  if (fstat(fileno(file), &about) == 0) sha256_add(hash, &about.st_size, sizeof about.st_size);
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
    sha256_add(hash, bytes, got);
  int status = ferror(file) ? failed(path, error, size) : 0;
  fclose(file);
  return status;
}

void sha256_end(struct sha256 *hash, char text[SHA256_TEXT]) {
  unsigned char length[8];
  for (int i = 0; i < 8; i++)
    length[i] = (unsigned char)(hash->length * 8 >> (56 - 8 * i));
  sha256_add(hash, "\x80", 1);
  while (hash->length % 64 != 56)
    sha256_add(hash, "", 1);
  sha256_add(hash, length, sizeof length);
  for (int i = 0; i < 8; i++)
    snprintf(text + (size_t)8 * (size_t)i, 9, "%08x", (unsigned)hash->state[i]);
}
