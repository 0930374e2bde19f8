// Reads of textures, reads and writes of surfaces. PTX ISA 9.1, 9.7.10.3 (tex), 9.7.10.4 (tld4), 9.7.11.1
// (suld), 9.7.11.2 (sust).
#ifndef VIRTUAL_HOPPER_EXECUTE_TEXTURE_H
#define VIRTUAL_HOPPER_EXECUTE_TEXTURE_H

#include "virtual-hopper/execute/async-place.h"

op_execute texture_fetch;  // extra: struct texture_plan
op_execute texture_gather; // the same; channel
op_execute surface_load;   // extra: struct surface_plan
op_execute surface_store;

enum { TEXTURE_MOST_AXES = 3, TEXTURE_ELEMENTS = 4 };

struct texture_plan {
  struct async_address object;                    // the register with the object
  uint32_t axes;                                  // 1, 2, 3
  bool cube;                                      // two axes of a face, chosen by three coordinates
  bool layered, whole;                            // whole: coordinates are whole numbers
  bool is_float;                                  // the result; else 32-bit whole numbers
  uint32_t layer, coordinates[TEXTURE_MOST_AXES]; // registers
  uint32_t channel;                               // of a gather
  uint32_t d[TEXTURE_ELEMENTS];                   // OP_NO_REGISTER: not wanted
};

static inline uint32_t texture_coordinates(const struct texture_plan *plan) {
  return plan->cube ? 3 : plan->axes;
}

enum surface_bounds { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
struct surface_plan {
  struct async_address object;
  uint32_t axes;
  bool layered;
  enum surface_bounds bounds;
  uint32_t layer, coordinates[TEXTURE_MOST_AXES]; // the first one in bytes
  uint32_t count, element_bytes;
  uint32_t elements[TEXTURE_ELEMENTS]; // registers
};

#endif
