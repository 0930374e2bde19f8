// In: a file. Out: a hash of 64 bits, as text.
#include "referee/fingerprint.h"

#include <stdint.h>
#include <stdio.h>

int fingerprint_file(const char *path, char text[FINGERPRINT_SIZE]) {
  FILE *file = fopen(path, "re");
  if (!file) return -1;
  uint64_t hash = 0xcbf29ce484222325U;
  for (int c; (c = getc(file)) != EOF;)
    if (c != '\r') hash = (hash ^ (uint64_t)c) * 0x100000001b3U;
  int failed = ferror(file);
  fclose(file);
  snprintf(text, FINGERPRINT_SIZE, "%016llx", (unsigned long long)hash);
  return failed ? -1 : 0;
}
