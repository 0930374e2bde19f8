// Tensor copies and prefetches: reads the map, checks what the chip checks, and issues a copy. PTX ISA
// 9.7.9.27.1, tile mode and loads of im2col mode.
#include "virtual-hopper/execute/tensor.h"
#include "virtual-hopper/execute/tiles.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/machine/tensor-box.h"
#include "virtual-hopper/order/order.h"

enum { TILE_ALIGNMENT = 128, COORDINATE_UNIT = 16 };

// ---- the map ----------------------------------------------------------------------------------------------

static bool bad_map(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, const char *why) {
  async_faultf(w, op, lane, RULE_BAD_TENSOR_MAP, ERROR_ILLEGAL_INSTRUCTION, "copies a tile by this map",
               "What lies at 0x%llx is no usable tensor map: %s.", (unsigned long long)address, why);
  return false;
}

// Fault: the host passed a map that it never encoded. Always returns false.
static bool never_encoded(struct warp *w, const struct op *op, uint32_t lane, uint64_t address) {
  struct fault f = {
      .rule = RULE_BAD_TENSOR_MAP, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_INSTRUCTION};
  snprintf(f.role, sizeof f.role, "copies a tile by this map");
  snprintf(f.message, sizeof f.message, "All 128 bytes of the map at 0x%llx are zero: it was never encoded.",
           (unsigned long long)address);
  snprintf(
      f.remedy, sizeof f.remedy,
      "Encode it on the host, before the kernel is launched with it: tensor_map_encode_2d(&map, ...), once "
      "for each map; and return its error, should there be one.");
  f.edit = FAULT_EDIT_HOST;
  warp_fault(w, op, lane, &f);
  return false;
}

// Fault: the map is a good one, but for another instruction. Always returns false.
static bool wrong_rank(struct warp *w, const struct op *op, uint32_t lane, uint32_t has, uint32_t wanted) {
  struct fault f = {
      .rule = RULE_BAD_TENSOR_MAP, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_INSTRUCTION};
  snprintf(f.role, sizeof f.role, "copies a tile by this map");
  snprintf(f.message, sizeof f.message,
           "The map describes a tensor of rank %u, and the instruction copies tiles of rank %u.", has,
           wanted);
  snprintf(f.remedy, sizeof f.remedy,
           "Encode the map with rank %u, that is %u sizes, %u strides and a box of %u sizes; or copy by the "
           "instruction for rank %u.",
           wanted, wanted, wanted - 1, wanted, has);
  f.edit = FAULT_EDIT_HOST;
  warp_fault(w, op, lane, &f);
  return false;
}

// Fault: the copy engine reads maps at multiples of 64 bytes only. Always returns false.
static bool misaligned_map(struct warp *w, const struct op *op, uint32_t lane, uint64_t address) {
  struct fault f = {
      .rule = RULE_BAD_TENSOR_MAP, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_INSTRUCTION};
  char place[192];
  memory_describe_place(w, address, TENSOR_MAP_BYTES, place, sizeof place);
  snprintf(f.role, sizeof f.role, "copies a tile by this map");
  snprintf(f.message, sizeof f.message,
           "The tensor map lies at 0x%llx, %s. That is %u bytes past a multiple of 64, and the copy engine "
           "takes maps at multiples of 64 bytes only.",
           (unsigned long long)address, place, (unsigned)(address % TENSOR_MAP_ALIGNMENT));
  snprintf(f.remedy, sizeof f.remedy,
           "Let the map begin at a multiple of 64 bytes. A CUtensorMap as a struct's member does; bytes that "
           "hold one need alignas(64), and an offset of your own must be a multiple of 64.");
  warp_fault(w, op, lane, &f);
  return false;
}

// Fault: a map of the other mode. Always returns false.
static bool wrong_mode(struct warp *w, const struct op *op, uint32_t lane, bool im2col) {
  struct fault f = {
      .rule = RULE_BAD_TENSOR_MAP, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_INSTRUCTION};
  snprintf(f.role, sizeof f.role, "copies a tile by this map");
  snprintf(f.message, sizeof f.message,
           "The map was encoded for %s mode, and the instruction copies in %s mode.",
           im2col ? "im2col" : "tile", im2col ? "tile" : "im2col");
  snprintf(f.remedy, sizeof f.remedy, "Encode the map by %s, or copy with .%s.",
           im2col ? "cuTensorMapEncodeTiled" : "cuTensorMapEncodeIm2col", im2col ? "im2col" : "tile");
  f.edit = FAULT_EDIT_HOST;
  warp_fault(w, op, lane, &f);
  return false;
}

// The copy's place in the tensor.
static void read_coordinates(const struct warp *w, uint32_t lane, const struct tensor_extra *x,
                             struct tensor_box *box) {
  for (uint32_t i = 0; i < x->rank; i++)
    box->coordinate[i] = (int32_t)warp_register32(w, x->coordinates[i])[lane];
  for (uint32_t i = 0; x->im2col && i + 2 < x->rank; i++)
    box->offset[i] = (uint16_t)async_value32(w, x->offsets[i], lane);
}

// at: NULL, or where in global memory it lies; 0: elsewhere.
static bool read_map(struct warp *w, const struct op *op, uint32_t lane, const struct tensor_extra *x,
                     struct tensor_map *map, uint64_t *at) {
  uint64_t address = async_address_of(w, &x->map, lane);
  struct memory_place place = memory_resolve(w, lane, address, TENSOR_MAP_BYTES);
  char why[256];
  if (!place.host) {
    static const char lies[] = "it lies ";
    memcpy(why, lies, sizeof lies);
    memory_describe_place(w, address, TENSOR_MAP_BYTES, why + sizeof lies - 1, sizeof why - sizeof lies + 1);
    return bad_map(w, op, lane, address, why);
  }
  if (place.kind == MEMORY_SHARED || place.kind == MEMORY_LOCAL)
    return bad_map(
        w, op, lane, address,
        "it is in shared or local memory, where a map can't be used: pass it as a const __grid_constant__ "
        "parameter, or in __constant__ or global memory");
  if (address % TENSOR_MAP_ALIGNMENT) return misaligned_map(w, op, lane, address);
  static const uint8_t nothing[TENSOR_MAP_BYTES];
  if (memcmp(place.host, nothing, sizeof nothing) == 0) return never_encoded(w, op, lane, address);
  if (!tensor_map_decode(place.host, map, why, sizeof why)) return bad_map(w, op, lane, address, why);
  if (map->im2col != x->im2col) return wrong_mode(w, op, lane, map->im2col);
  if (map->rank != x->rank) return wrong_rank(w, op, lane, map->rank, x->rank);
  if (w->launch->check && place.kind == MEMORY_GLOBAL) order_tensormap_use(actor_of(w, op, lane), address);
  if (at && place.kind == MEMORY_GLOBAL) *at = address;
  return true;
}

// ---- checks -----------------------------------------------------------------------------------------------

static void write_coordinates(const struct tensor_box *box, char *text, size_t size) {
  size_t used = 0;
  for (uint32_t i = 0; i < box->map.rank && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, i ? ", %d" : "%d", box->coordinate[i]);
}

// Measured on an H100: a load or store fails with "illegal instruction" when the innermost coordinate is not
// at a multiple of 16 bytes.
static bool innermost_allowed(struct warp *w, const struct op *op, uint32_t lane,
                              const struct tensor_box *box, const char *role) {
  int64_t bytes = (int64_t)box->coordinate[0] * box->map.element_bytes;
  if (box->map.interleave != TENSOR_INTERLEAVE_NONE || bytes % COORDINATE_UNIT == 0) return true;
  char coordinates[80];
  write_coordinates(box, coordinates, sizeof coordinates);
  struct fault f = {
      .rule = RULE_TENSOR_COORDINATE, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_INSTRUCTION};
  snprintf(f.role, sizeof f.role, "%s", role);
  snprintf(
      f.message, sizeof f.message,
      "The tile at (%s) begins %lld bytes along the innermost dimension (%d element%s of %u bytes): that "
      "must be a multiple of 16. Outer coordinates are free.",
      coordinates, (long long)bytes, box->coordinate[0],
      box->coordinate[0] == 1 || box->coordinate[0] == -1 ? "" : "s", box->map.element_bytes);
  bool turned =
      box->map.rank == 2 && (int64_t)box->coordinate[1] * box->map.element_bytes % COORDINATE_UNIT == 0;
  if (turned)
    snprintf(
        f.remedy, sizeof f.remedy,
        "Is the order right? The innermost coordinate comes first: x, then y. If it is, make x times the "
        "element size a multiple of 16.");
  warp_fault(w, op, lane, &f);
  return false;
}

static bool store_coordinates_allowed(struct warp *w, const struct op *op, uint32_t lane,
                                      const struct tensor_box *box) {
  for (uint32_t i = 0; i < box->map.rank; i++) {
    if (box->coordinate[i] >= 0) continue;
    char coordinates[80];
    write_coordinates(box, coordinates, sizeof coordinates);
    async_faultf(
        w, op, lane, RULE_TENSOR_STORE_COORDINATE, ERROR_ILLEGAL_INSTRUCTION, "stores a tile",
        "The tile stored at (%s) begins before the tensor: coordinate %u is %d. Only loads may begin at "
        "negative coordinates.",
        coordinates, i, box->coordinate[i]);
    return false;
  }
  return innermost_allowed(w, op, lane, box, "stores a tile");
}

// Warns when the chip's swizzle pattern doesn't begin at the start of the tile. A kernel that computes
// swizzled places from the start of the tile then reads other bytes.
static void warn_swizzle_base(struct warp *w, const struct op *op, uint32_t lane,
                              const struct tensor_map *map, uint32_t offset) {
  static const uint32_t pattern[] = {1, 256, 512, 1024};
  if (offset % pattern[map->swizzle] == 0) return;
  struct fault f = {.rule = RULE_SWIZZLE_BASE, .severity = FAULT_WARNING};
  snprintf(f.role, sizeof f.role, "copies a swizzled tile");
  snprintf(f.message, sizeof f.message,
           "The tile begins at shared offset 0x%x, %u bytes into the pattern of its %u-byte swizzle, which "
           "repeats every %u bytes.",
           offset, offset % pattern[map->swizzle], 16u << map->swizzle, pattern[map->swizzle]);
  warp_fault(w, op, lane, &f);
}

// Writes text such as "7 x 13 elements of 4 bytes, rows 64 bytes apart".
static void describe_tensor(const struct tensor_map *map, char *text, size_t size) {
  size_t used = 0;
  for (uint32_t i = 0; i < map->rank && used < size; i++)
    used +=
        (size_t)snprintf(text + used, size - used, i ? " x %llu" : "%llu", (unsigned long long)map->dim[i]);
  if (used < size)
    used += (size_t)snprintf(text + used, size - used, " elements of %u bytes", map->element_bytes);
  if (used < size && map->rank > 1)
    snprintf(text + used, size - used, ", rows %llu bytes apart", (unsigned long long)map->stride[1]);
}

// Returns true for a matrix that would fit into the allocation if its two sizes were exchanged.
static bool fits_when_turned(const struct tensor_map *map, const struct memory_allocation *a) {
  if (map->rank != 2 || !a || map->address < a->address || map->interleave != TENSOR_INTERLEAVE_NONE)
    return false;
  uint64_t room = a->bytes - (map->address - a->address), rows = map->dim[0];
  return map->dim[0] != map->dim[1] && (!map->stride[1] || rows - 1 <= room / map->stride[1]) &&
         (rows - 1) * map->stride[1] + map->dim[1] * map->element_bytes <= room;
}

// Fault: the map describes a tensor that is not wholly in memory.
static void report_outside(struct warp *w, const struct op *op, uint32_t lane, const struct tensor_map *map,
                           uint64_t first, uint64_t end) {
  struct fault f = {
      .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
  char tensor[160], from[200], to[200];
  describe_tensor(map, tensor, sizeof tensor);
  memory_describe_place(w, first, 1, from, sizeof from);
  memory_describe_place(w, end - 1, 1, to, sizeof to);
  bool turned = fits_when_turned(map, memory_find(w->launch->memory, map->address));
  snprintf(f.role, sizeof f.role, "copies memory that belongs to no allocation");
  f.edit = FAULT_EDIT_HOST;
  if (memory_is_no_place(w, map->address)) {
    memory_describe_place(w, map->address, 1, from, sizeof from);
    snprintf(f.message, sizeof f.message, "The map says that its tensor, %s, lies at 0x%llx: that is %s.",
             tensor, (unsigned long long)map->address, from);
    memory_advise(w, map->address, f.remedy, sizeof f.remedy);
    warp_fault(w, op, lane, &f);
    return;
  }
  snprintf(
      f.message, sizeof f.message,
      "The map says %s: that is more than there is at its address. The part that this tile covers begins %s, "
      "and its last byte is %s.",
      tensor, from, to);
  snprintf(
      f.remedy, sizeof f.remedy, "%s",
      turned
          ? "Are width and height the right way round in the map? The innermost size comes first: width, "
            "then height. If they are: is the pitch that of this matrix? A chip would copy what lies there."
          : "Check the map's address, its sizes and its pitch against the allocation. The innermost size "
            "comes first (width, then height), and strides count bytes. A chip would copy what lies there.");
  warp_fault(w, op, lane, &f);
}

// Finds the host memory of the box. *host: the host address for map.address, so that the byte at `address` is
// at *host + (address - map.address), for every byte of the box inside the tensor. box->end: the end of
// the allocation.
static bool tensor_memory(struct warp *w, const struct op *op, uint32_t lane, struct tensor_box *box,
                          uint8_t **host) {
  uint64_t first, end;
  *host = NULL;
  box->end = 0;
  if (!tensor_box_extent(box, &first, &end)) return true; // the box is wholly outside: no memory is accessed
  uint8_t *found = memory_host(w->launch->memory, first, end - first);
  if (!found) {
    report_outside(w, op, lane, &box->map, first, end);
    return false;
  }
  const struct memory_allocation *a = memory_find(w->launch->memory, first);
  *host = (uint8_t *)((uintptr_t)found - (uintptr_t)(first - box->map.address));
  box->end = a->address + a->bytes;
  return true;
}

// Finds the tile in shared memory, which has the size of the whole box. Returns false after a fault.
static bool tile_at(struct warp *w, const struct op *op, uint32_t lane, const struct tensor_extra *x,
                    const struct tensor_map *map, struct async_shared *tile) {
  char box[96], what[160];
  tensor_box_name(map->count, map->rank, map->type, box, sizeof box);
  snprintf(what, sizeof what, "The tile in shared memory (its map's box, %s)", box);
  return async_shared_at(w, op, lane, &x->tile, map->footprint, TILE_ALIGNMENT, what, tile);
}

// ---- execution --------------------------------------------------------------------------------------------

static enum ptx_type element_of(enum tensor_type type) {
  static const uint8_t elements[TENSOR_TYPE_COUNT] = {PTX_U8,  PTX_U16, PTX_U32, PTX_S32, PTX_U64,
                                                      PTX_S64, PTX_F16, PTX_F32, PTX_F64, PTX_BF16,
                                                      PTX_F32, PTX_F32, PTX_F32};
  return (enum ptx_type)elements[type];
}

static bool fill_load(struct warp *w, const struct op *op, uint32_t lane, const struct tensor_extra *x,
                      struct async_copy *copy) {
  struct async_shared tile, barrier;
  if (!tile_at(w, op, lane, x, &copy->box->map, &tile) ||
      !async_barrier_at(w, op, lane, &x->barrier, false, &barrier) ||
      !innermost_allowed(w, op, lane, copy->box, "loads a tile"))
    return false;
  uint32_t mask = x->mask == OP_NO_REGISTER ? 0 : async_value32(w, x->mask, lane);
  if (!async_destinations(w, op, lane, copy, &tile, &barrier, x->mask == OP_NO_REGISTER ? NULL : &mask))
    return false;
  async_report_overlaps(w, op, lane, copy);
  return true;
}

static bool fill_store(struct warp *w, const struct op *op, uint32_t lane, const struct tensor_extra *x,
                       struct async_copy *copy) {
  struct async_shared tile;
  if (!tile_at(w, op, lane, x, &copy->box->map, &tile) || !store_coordinates_allowed(w, op, lane, copy->box))
    return false;
  if (tile.owner != w->block) {
    async_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION, "stores a tile",
                 "The tile lies in block %u of the cluster: it must be in the issuing block's shared memory.",
                 tile.owner->rank);
    return false;
  }
  copy->shared_offset = tile.offset;
  copy->operation = x->operation;
  copy->element = (uint8_t)element_of(copy->box->map.type);
  if (x->operation == ASYNC_ADD && copy->box->map.type == TENSOR_F32_FTZ) copy->operation = ASYNC_ADD_FTZ;
  if (x->operation != ASYNC_STORE &&
      !async_reduce_known((enum async_operation)x->operation, element_of(copy->box->map.type))) {
    async_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION, "stores a tile",
                 "This reduction doesn't exist for a tensor of .%s.", tensor_type_name(copy->box->map.type));
    return false;
  }
  return true;
}

static bool issue(struct warp *w, const struct op *op, uint32_t lane, const struct tensor_extra *x) {
  struct async_copy *copy = async_new(actor_of(w, op, lane), x->kind);
  struct tensor_box *box = copy->box;
  uint8_t *host;
  bool good = read_map(w, op, lane, x, &box->map, &copy->map);
  read_coordinates(w, lane, x, box);
  copy->bytes = good ? box->map.bytes : 0;
  copy->footprint = good ? box->map.footprint : 0;
  good =
      good &&
      (x->kind == ASYNC_TENSOR_LOAD ? fill_load(w, op, lane, x, copy) : fill_store(w, op, lane, x, copy)) &&
      tensor_memory(w, op, lane, box, &host);
  if (!good) {
    async_drop(copy);
    return false;
  }
  copy->global_address = box->map.address;
  if (w->launch->check && box->map.swizzle != TENSOR_SWIZZLE_NONE)
    warn_swizzle_base(w, op, lane, &box->map, copy->shared_offset);
  if (w->launch->check && x->kind != ASYNC_TENSOR_LOAD) tiles_stored(w, lane, copy);
  async_issue(w, lane, copy, host);
  if (w->launch->check && x->kind == ASYNC_TENSOR_LOAD) tiles_loaded(copy);
  return true;
}

void execute_tensor_copy(struct warp *w, const struct op *op) {
  for (uint32_t left = w->lanes; left; left &= left - 1)
    if (!issue(w, op, (uint32_t)__builtin_ctz(left), op->extra)) return;
}

void execute_tensor_prefetch(struct warp *w, const struct op *op) {
  const struct tensor_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    struct tensor_box box;
    if (!read_map(w, op, lane, x, &box.map, NULL)) return;
    read_coordinates(w, lane, x, &box);
    if (!innermost_allowed(w, op, lane, &box, "loads a tile")) return;
    w->block->cluster->observed.prefetch_bytes += box.map.bytes;
  }
}
