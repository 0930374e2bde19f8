// The constants of the chips that the time model knows. One file for each chip, h100.def and h200.def: name,
// value, unit, and the measurement that the value comes from.
#ifndef VIRTUAL_HOPPER_TIME_CHIP_H
#define VIRTUAL_HOPPER_TIME_CHIP_H

#include <stddef.h>

#define FITTED CONSTANT // which of the two a constant is matters to make calibrate alone

struct chip {
  const char *name; // "h100"
#define CONSTANT(name, value, unit, source) double name;
#include "virtual-hopper/time/h100.def"
#undef CONSTANT
};

const struct chip *chip_find(const char *name); // NULL: no such chip

static inline double chip_cycles(const struct chip *c, double nanoseconds) {
  return nanoseconds * c->clock_mhz / 1000;
}
static inline double chip_nanoseconds(const struct chip *c, double cycles) {
  return cycles * 1000 / c->clock_mhz;
}
// Bytes a nanosecond that the memory moves when `written` of the bytes are writes, 0 to 1. Between reading
// and writing it has to turn around, which costs most where both are equally many.
double chip_memory_rate(const struct chip *c, double written);

#endif
