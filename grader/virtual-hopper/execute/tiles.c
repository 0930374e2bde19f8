// In: loads of tiles, products and stores. Out: faults. One idea: a block's last tiles are kept by address;
// what happened to their bytes since is known to the happens-before engine.
#include "virtual-hopper/execute/tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/tensor-box.h"
#include "virtual-hopper/order/order.h"

enum { KEPT = 64, PLAIN_BYTES = 128 }; // so many bytes from a pattern's begin lie as without a swizzle

struct tile {
  uint32_t begin, end; // shared offsets
  uint32_t swizzle;    // bytes; 0: none
  const struct op *op;
  const struct block *block; // that issued the load
  uint32_t thread;
};

struct block_tiles {
  uint64_t count; // tile n at n % KEPT
  struct tile all[KEPT];
};

static uint32_t bytes_of(enum tensor_swizzle swizzle) {
  switch (swizzle) {
  case TENSOR_SWIZZLE_128B: return 128;
  case TENSOR_SWIZZLE_64B: return 64;
  case TENSOR_SWIZZLE_32B: return 32;
  default: return 0;
  }
}

static uint32_t bytes_read_with(enum wgmma_swizzle swizzle) {
  static const uint32_t bytes[] = {0, 128, 64, 32};
  return bytes[swizzle];
}

void tiles_loaded(const struct async_copy *copy) {
  if (copy->kind != ASYNC_TENSOR_LOAD || copy->box->map.interleave != TENSOR_INTERLEAVE_NONE) return;
  const struct tile tile = {.begin = copy->shared_offset,
                            .end = copy->shared_offset + copy->footprint,
                            .swizzle = bytes_of(copy->box->map.swizzle),
                            .op = copy->op,
                            .block = copy->block,
                            .thread = copy->thread};
  for (uint32_t i = 0; i < copy->destination_count; i++) {
    struct block *b = copy->destination[i];
    if (!b->tiles) b->tiles = calloc(1, sizeof *b->tiles);
    if (!b->tiles) die("out of memory for the tiles of a block");
    b->tiles->all[b->tiles->count++ % KEPT] = tile;
  }
}

void tiles_forget(struct block *b) {
  free(b->tiles);
  b->tiles = NULL;
}

// The newest one there.
static const struct tile *tile_at(const struct block_tiles *tiles, uint32_t address) {
  for (uint64_t n = tiles->count, last = n > KEPT ? n - KEPT : 0; n-- > last;) {
    const struct tile *tile = &tiles->all[n % KEPT];
    if (address >= tile->begin && address < tile->end) return tile;
  }
  return NULL;
}

static void name_swizzle(uint32_t bytes, char text[40]) {
  if (bytes)
    snprintf(text, 40, "with a swizzle of %u bytes", bytes);
  else
    snprintf(text, 40, "without a swizzle");
}

static void report(struct warp *w, const struct op *op, const struct tile *tile, const char *name,
                   uint32_t read_with) {
  static const uint32_t layouts[] = {0, 3, 2, 0, 1}; // by bytes / 32: bits 62 and 63
  struct fault fault = {.rule = RULE_WGMMA_SWIZZLE, .severity = FAULT_ERROR, .related_count = 1};
  char read[40], written[40], wanted[16] = "NONE";
  name_swizzle(read_with, read);
  name_swizzle(tile->swizzle, written);
  if (read_with) snprintf(wanted, sizeof wanted, "%uB", read_with);
  snprintf(fault.role, sizeof fault.role, "reads %s %s", name, read);
  snprintf(
      fault.message, sizeof fault.message,
      "The descriptor of %s says that the tile lies in shared memory %s, but the load wrote it %s. So the "
      "product takes most elements from wrong places.",
      name, read, written);
  snprintf(fault.remedy, sizeof fault.remedy,
           "In the descriptor: layout type %u in bits 62 and 63, which is the load's; leading and stride "
           "offsets to go with it. Or encode the tensor map with CU_TENSOR_MAP_SWIZZLE_%s.",
           layouts[tile->swizzle / 32], wanted);
  machine_place(&fault.related[0].place, tile->block, tile->op, tile->thread);
  snprintf(fault.related[0].role, sizeof fault.related[0].role, "loads the tile %s", written);
  warp_fault_each(w, op, &fault);
}

static void report_base(struct warp *w, const struct op *op, const struct tile *tile, const char *name,
                        uint32_t base_offset) {
  struct fault fault = {.rule = RULE_WGMMA_SWIZZLE, .severity = FAULT_ERROR, .related_count = 1};
  snprintf(fault.role, sizeof fault.role, "reads %s with a base offset of %u", name, base_offset);
  snprintf(fault.message, sizeof fault.message,
           "The descriptor of %s shifts the swizzle's pattern by %u lines of 128 bytes. A load lays its "
           "pattern by the address in shared memory, which is a base offset of 0. So the product takes most "
           "elements from wrong places.",
           name, base_offset);
  snprintf(fault.remedy, sizeof fault.remedy, "In the descriptor: 0 in bits 49 to 51.");
  machine_place(&fault.related[0].place, tile->block, tile->op, tile->thread);
  snprintf(fault.related[0].role, sizeof fault.related[0].role, "loads the tile");
  warp_fault_each(w, op, &fault);
}

bool tiles_read(struct warp *w, const struct op *op, const struct wgmma_matrix *m, const char *name) {
  const struct block *b = w->block;
  const uint32_t read_with = bytes_read_with(m->at.swizzle);
  const struct tile *tile = b->tiles ? tile_at(b->tiles, m->at.start) : NULL;
  if (!tile || tile->end - tile->begin <= PLAIN_BYTES) return true;
  const bool shifted = read_with && m->at.base_offset % (read_with / 16); // of a pattern of so many lines
  if (tile->swizzle == read_with && !shifted) return true;
  if (order_last_writer(b, m->at.start) != tile->op) return true;
  if (tile->swizzle != read_with)
    report(w, op, tile, name, read_with);
  else
    report_base(w, op, tile, name, m->at.base_offset);
  return false;
}

// ---- stores -----------------------------------------------------------------------------------------------

static bool is_as_loaded(const struct block *b, const struct tile *tile, const struct async_copy *store) {
  const uint32_t begin = store->shared_offset, end = begin + store->footprint;
  return end <= tile->end && order_last_writer(b, begin) == tile->op &&
         order_last_writer(b, begin + store->footprint / 2) == tile->op &&
         order_last_writer(b, end - 1) == tile->op;
}

// A warning: a kernel may want the elements in that order.
void tiles_stored(struct warp *w, uint32_t lane, const struct async_copy *copy) {
  const struct block *b = w->block;
  const uint32_t stored_with = bytes_of(copy->box->map.swizzle);
  const struct tile *tile = b->tiles ? tile_at(b->tiles, copy->shared_offset) : NULL;
  if (!tile || tile->swizzle == stored_with || copy->box->map.interleave != TENSOR_INTERLEAVE_NONE ||
      copy->footprint <= PLAIN_BYTES || !is_as_loaded(b, tile, copy))
    return;
  struct fault fault = {.rule = RULE_STORE_SWIZZLE, .severity = FAULT_WARNING, .related_count = 1};
  char stored[40], loaded[40];
  name_swizzle(stored_with, stored);
  name_swizzle(tile->swizzle, loaded);
  snprintf(fault.role, sizeof fault.role, "stores the tile %s", stored);
  snprintf(
      fault.message, sizeof fault.message,
      "The store's tensor map says that the tile lies in shared memory %s, but the load wrote it %s, and "
      "nobody has written it since. So in most rows the pieces of 16 bytes reach global memory in another "
      "order.",
      stored, loaded);
  machine_place(&fault.related[0].place, tile->block, tile->op, tile->thread);
  snprintf(fault.related[0].role, sizeof fault.related[0].role, "loads the tile %s", loaded);
  warp_fault(w, copy->op, lane, &fault);
}
