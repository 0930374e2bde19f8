// One tensor copy: a map, the coordinates of its box, and where the tensor's memory is. PTX ISA 5.5.3 (tiled
// mode), 5.5.4 (im2col mode).
#ifndef VIRTUAL_HOPPER_MACHINE_TENSOR_BOX_H
#define VIRTUAL_HOPPER_MACHINE_TENSOR_BOX_H

#include "virtual-hopper/base/tensor-map.h"

struct tensor_box {
  struct tensor_map map;
  int32_t coordinate[TENSOR_MAX_RANK];
  uint64_t end;                         // of the memory that a store may write: an address
  uint16_t offset[TENSOR_MAX_RANK - 2]; // im2col mode: from the filter's base, along W, H, D
};

// The part of a box that lies inside the tensor: lowest and highest byte addresses [*first, *end). False: it
// lies wholly outside.
bool tensor_box_extent(const struct tensor_box *box, uint64_t *first, uint64_t *end);

// How many bytes of the box lie inside the tensor: what a load reads there, and a store writes.
uint64_t tensor_box_bytes_inside(const struct tensor_box *box);

// A run of units (elements, or slices of an interleaved tensor), neighbours in global memory and in the plain
// layout of the box.
struct tensor_row {
  uint64_t address;  // of the first unit inside the tensor
  uint32_t position; // of the row's first unit: bytes from the start of the box, swizzle aside
  uint32_t before;   // units outside the tensor, then
  uint32_t inside;   // units inside, then outside again up to
  uint32_t count;    // units in all
};
void tensor_box_each_row(const struct tensor_box *box,
                         void (*visit)(const struct tensor_row *row, void *context), void *context);

// The bytes of a row that a store writes, from row->address on: an H100 goes on behind the tensor's edge, to
// the next multiple of 16 bytes from the row's start, as far as the box goes.
uint32_t tensor_row_stored(const struct tensor_box *box, const struct tensor_row *row);

// `tensor`: host memory of map.address. `shared`: host memory of the box's start, `offset` its shared offset
// (for the swizzle).
void tensor_box_load(const struct tensor_box *box, const uint8_t *tensor, uint8_t *shared, uint32_t offset);
// `reduce` NULL: stores. Else it is given runs of
// elements to combine.
typedef void tensor_reduce(uint8_t *destination, const uint8_t *source, uint32_t bytes, void *context);
void tensor_box_store(const struct tensor_box *box, uint8_t *tensor, const uint8_t *shared, uint32_t offset,
                      tensor_reduce *reduce, void *context);

#endif
