// What hash tables of a stranger's words are salted with, so that nobody can write words that all collide.
#ifndef VIRTUAL_HOPPER_SALT_H
#define VIRTUAL_HOPPER_SALT_H

#include <stdint.h>

struct salt {
  uint64_t start, factor; // drawn once for each process; the factor is odd
};

const struct salt *salt_of_process(void);

#endif
