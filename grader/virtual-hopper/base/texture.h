// Texture and surface objects. One idea: the object that a program holds is the address of these bytes in
// device memory. The replacement of the runtime writes them; the instructions read them, and trust nothing in
// them. CUDA C++ Programming Guide, "Texture and Surface Memory"; PTX ISA 9.1, 9.7.10, 9.7.11.
#ifndef VIRTUAL_HOPPER_BASE_TEXTURE_H
#define VIRTUAL_HOPPER_BASE_TEXTURE_H

#include <stdint.h>

#define TEXTURE_MAGIC 0x65727574786574f1ull

enum texture_address_mode {
  TEXTURE_WRAP,
  TEXTURE_CLAMP,
  TEXTURE_MIRROR,
  TEXTURE_BORDER
};                                                                       // cudaAddressMode..
enum texture_format { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT }; // cudaChannelFormatKind..

struct texture_object {
  uint64_t magic;
  uint64_t address, pitch, slice; // of the first texel; bytes from row to row, and from layer to layer
  uint32_t width, height, depth;  // in texels, 1 where there is no such dimension; depth: or layers
  uint8_t channels, bits;         // 1, 2 or 4 channels of 8, 16 or 32 bits
  uint8_t format;                 // enum texture_format
  uint8_t is_surface;
  uint8_t is_fetched; // linear memory, which is read by whole numbers alone, and is zero outside
  uint8_t modes[3];   // enum texture_address_mode, of x, y and z
  uint8_t linear;     // filters; else takes the nearest texel
  uint8_t scaled;     // 8- and 16-bit whole numbers are read as fractions of the largest one
  uint8_t normalized; // coordinates run from 0 to 1
  uint8_t unused[5];
  float border[4];
};

#endif
