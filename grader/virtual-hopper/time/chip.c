// In: a chip's name. Out: its constants. One idea: h100.def and h200.def are the only place of numbers.
#include "virtual-hopper/time/chip.h"

#include <string.h>

static const struct chip chips[] = {{
                                        .name = "h100",
#define CONSTANT(name, value, unit, source) .name = (value),
#include "virtual-hopper/time/h100.def"
                                    },
                                    {
                                        .name = "h200",
#include "virtual-hopper/time/h200.def"
#undef CONSTANT
                                    }};

const struct chip *chip_find(const char *name) {
  for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
    if (strcmp(chips[i].name, name) == 0) return &chips[i];
  return NULL;
}

double chip_memory_rate(const struct chip *c, double written) {
  const double plain = (1 - written) / c->read_share + written / c->write_share;
  const double half = 0.5 / c->read_share + 0.5 / c->write_share;
  const double turning = (1 / c->copy_share - half) * 4 * written * (1 - written);
  return c->memory_gbs / (plain + turning);
}
