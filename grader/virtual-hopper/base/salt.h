// The salt for hash tables of untrusted words. With the salt, nobody can choose words that all collide.
#ifndef VIRTUAL_HOPPER_BASE_SALT_H
#define VIRTUAL_HOPPER_BASE_SALT_H

#include <stdint.h>

struct salt {
  uint64_t start, factor; // drawn once per process; the factor is odd
};

const struct salt *salt_of_process(void);

#endif
