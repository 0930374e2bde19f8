// In: an address. Out: the function of a program with this address.
#include "virtual-hopper/machine/program.h"

const struct function *program_function_at(const struct program *p, uint64_t address) {
  uint64_t index = (address - FUNCTION_WINDOW) / 16;
  if (address < FUNCTION_WINDOW || address % 16 || index >= p->module->function_count ||
      p->by_index[index] < 0)
    return NULL;
  return p->functions[p->by_index[index]];
}
