// Moves a box between a tensor and shared memory: clipped at the tensor's edges, filled, strided, swizzled.
// PTX ISA 5.5.3 to 5.5.7. One idea: a box is rows; a row is a stretch outside, a stretch inside and a stretch
// outside, so nearly everything is memcpy.
#include "virtual-hopper/machine/tensor-box.h"

#include <string.h>

enum { ATOM = 16, ROW_MOST_BYTES = 256 * 32 };

// smallest k >= 0 with coordinate + k * step >= 0
static int64_t low_inside(int64_t coordinate, uint32_t step) {
  return coordinate >= 0 ? 0 : (-coordinate + step - 1) / step;
}
// first k beyond the tensor, or count
static int64_t end_inside(int64_t coordinate, uint32_t step, uint64_t dim, uint32_t count) {
  int64_t room = (int64_t)dim - coordinate;
  int64_t end = room <= 0 ? 0 : (room + step - 1) / step;
  return end < count ? end : count;
}

// ---- im2col mode: pixels ----------------------------------------------------------------------------------

struct inside { // of all rows
  uint64_t first, end, bytes;
  uint32_t unit_bytes;
};

static void note_inside(const struct tensor_row *row, void *context) {
  struct inside *in = context;
  if (!row->inside) return;
  const uint64_t bytes = (uint64_t)row->inside * in->unit_bytes;
  if (!in->bytes || row->address < in->first) in->first = row->address;
  if (row->address + bytes > in->end) in->end = row->address + bytes;
  in->bytes += bytes;
}

static struct inside inside_of(const struct tensor_box *box) {
  struct inside in = {.unit_bytes = box->map.unit_bytes};
  tensor_box_each_row(box, note_inside, &in);
  return in;
}

// The filter's base goes on along W, H and D, from the lower corner to the upper one, and then to the next
// image (PTX ISA 5.5.4.1, 5.5.4.2).
static void next_base(const struct tensor_map *map, int64_t base[TENSOR_MAX_RANK]) {
  uint32_t i = 1;
  for (; i + 1 < map->rank; i++) {
    base[i] += map->element_stride[i];
    if (base[i] < (int64_t)map->dim[i] + map->upper[i - 1]) return;
    base[i] = map->lower[i - 1];
  }
  base[i]++;
}

// ---- boxes ------------------------------------------------------------------------------------------------

bool tensor_box_extent(const struct tensor_box *box, uint64_t *first, uint64_t *end) {
  const struct tensor_map *map = &box->map;
  if (map->im2col) {
    const struct inside in = inside_of(box);
    *first = in.first;
    *end = in.end;
    return in.bytes != 0;
  }
  uint64_t low = map->address, high = map->address + map->unit_bytes;
  for (uint32_t i = 0; i < map->rank; i++) {
    uint32_t step = map->element_stride[i];
    int64_t c = box->coordinate[i], from = low_inside(c, step),
            to = end_inside(c, step, map->dim[i], map->count[i]);
    if (from >= to) return false;
    low += (uint64_t)(c + from * step) * map->stride[i];
    high += (uint64_t)(c + (to - 1) * step) * map->stride[i];
  }
  *first = low;
  *end = high;
  return true;
}

uint64_t tensor_box_bytes_inside(const struct tensor_box *box) {
  const struct tensor_map *map = &box->map;
  if (map->im2col) return inside_of(box).bytes;
  uint64_t units = 1;
  for (uint32_t i = 0; i < map->rank; i++) {
    int64_t c = box->coordinate[i], from = low_inside(c, map->element_stride[i]),
            to = end_inside(c, map->element_stride[i], map->dim[i], map->count[i]);
    if (from >= to) return 0;
    units *= (uint64_t)(to - from);
  }
  return units * map->unit_bytes;
}

// The rows of one position in the outer dimensions: one run, or each unit by itself when dimension 0 is
// strided (interleaved tensors only).
static void visit_row(const struct tensor_box *box, uint32_t position, bool outside, uint64_t address,
                      void (*visit)(const struct tensor_row *row, void *context), void *context) {
  const struct tensor_map *map = &box->map;
  uint32_t step = map->element_stride[0], runs = step == 1 ? 1 : map->count[0];
  struct tensor_row row = {.position = position, .count = map->count[0] / runs};
  for (uint32_t run = 0; run < runs; run++) {
    int64_t c = (int64_t)box->coordinate[0] + (int64_t)run * step;
    int64_t from = low_inside(c, 1), to = end_inside(c, 1, map->dim[0], row.count);
    bool none = outside || from >= to;
    row.before = none ? row.count : (uint32_t)from;
    row.inside = none ? 0 : (uint32_t)(to - from);
    row.address = none ? 0 : address + (uint64_t)(c + from) * map->unit_bytes;
    visit(&row, context);
    row.position += map->unit_bytes;
  }
}

static void each_pixel(const struct tensor_box *box,
                       void (*visit)(const struct tensor_row *row, void *context), void *context) {
  const struct tensor_map *map = &box->map;
  uint32_t position = 0;
  int64_t base[TENSOR_MAX_RANK];
  for (uint32_t i = 0; i < map->rank; i++)
    base[i] = box->coordinate[i];
  for (uint32_t pixel = 0; pixel < map->count[1]; pixel++) {
    uint64_t address = map->address;
    bool outside = false;
    for (uint32_t i = 1; i < map->rank && !outside; i++) {
      const int64_t at = base[i] + (i + 1 < map->rank ? box->offset[i - 1] : 0);
      outside = at < 0 || (uint64_t)at >= map->dim[i];
      address += (uint64_t)at * map->stride[i];
    }
    visit_row(box, position, outside, address, visit, context);
    position += map->row_pitch;
    next_base(map, base);
  }
}

void tensor_box_each_row(const struct tensor_box *box,
                         void (*visit)(const struct tensor_row *row, void *context), void *context) {
  const struct tensor_map *map = &box->map;
  if (map->im2col) {
    each_pixel(box, visit, context);
    return;
  }
  uint32_t k[TENSOR_MAX_RANK] = {0};
  uint32_t position = 0;
  for (;;) {
    uint64_t address = map->address;
    bool outside = false;
    for (uint32_t i = 1; i < map->rank && !outside; i++) {
      int64_t at = (int64_t)box->coordinate[i] + (int64_t)k[i] * map->element_stride[i];
      outside = at < 0 || (uint64_t)at >= map->dim[i];
      address += (uint64_t)at * map->stride[i];
    }
    visit_row(box, position, outside, address, visit, context);
    position += map->row_pitch;
    uint32_t i = 1;
    while (i < map->rank && ++k[i] == map->count[i])
      k[i++] = 0;
    if (i >= map->rank) return;
  }
}

// ---- elements ---------------------------------------------------------------------------------------------

// Loads round 32-bit floats to TF32's ten bits of mantissa, to nearest even; any NaN becomes 0x7fffe000. The
// types with FTZ in their names flush nothing on the way. All measured on an H100; stores convert nothing.
static void convert(enum tensor_type type, uint8_t *bytes, uint32_t size) {
  if (type != TENSOR_TF32 && type != TENSOR_TF32_FTZ) return;
  for (uint32_t i = 0; i < size; i += 4) {
    uint32_t bits;
    memcpy(&bits, bytes + i, 4);
    bool special = (bits & 0x7f800000u) == 0x7f800000u;
    if (!special) bits = (bits + 0x0fffu + (bits >> 13 & 1)) & ~0x1fffu;
    if (special && (bits & 0x7fffffu)) bits = 0x7fffe000u;
    memcpy(bytes + i, &bits, 4);
  }
}

// Out-of-bounds elements: zero, or the NaN that an H100 gives, 0x7ff7 in every 16 bits whatever the type.
static void fill(const struct tensor_map *map, uint8_t *bytes, uint32_t count) {
  size_t size = (size_t)count * map->unit_bytes;
  if (map->fill == TENSOR_FILL_ZERO) {
    memset(bytes, 0, size);
    return;
  }
  for (size_t i = 0; i + 1 < size; i += 2) {
    bytes[i] = 0xf7;
    bytes[i + 1] = 0x7f;
  }
}

// ---- shared memory ----------------------------------------------------------------------------------------

// Between a row in plain order and its swizzled places, 16 bytes at a time.
static void scatter(const struct tensor_map *map, uint8_t *shared, uint32_t offset, uint32_t position,
                    const uint8_t *row, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += ATOM) {
    uint32_t place = tensor_swizzle_offset(map->swizzle, offset + position + at) - offset;
    memcpy(shared + place, row + at, bytes - at < ATOM ? bytes - at : ATOM);
  }
}
static void gather(const struct tensor_map *map, const uint8_t *shared, uint32_t offset, uint32_t position,
                   uint8_t *row, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += ATOM) {
    uint32_t place = tensor_swizzle_offset(map->swizzle, offset + position + at) - offset;
    memcpy(row + at, shared + place, bytes - at < ATOM ? bytes - at : ATOM);
  }
}

struct move {
  const struct tensor_box *box;
  uint8_t *tensor, *shared;
  uint32_t offset;
  bool plain; // rows lie in shared memory as they are
  tensor_reduce *reduce;
  void *context;
};

static void load_row(const struct tensor_row *row, void *context) {
  const struct move *m = context;
  const struct tensor_map *map = &m->box->map;
  uint32_t size = map->unit_bytes;
  uint8_t buffer[ROW_MOST_BYTES], *to = m->plain ? m->shared + row->position : buffer;
  fill(map, to, row->before);
  if (row->inside) {
    memcpy(to + row->before * size, m->tensor + (row->address - map->address), (size_t)row->inside * size);
    convert(map->type, to + row->before * size, row->inside * size);
  }
  fill(map, to + (row->before + row->inside) * size, row->count - row->before - row->inside);
  if (!m->plain) scatter(map, m->shared, m->offset, row->position, buffer, row->count * size);
}

uint32_t tensor_row_stored(const struct tensor_box *box, const struct tensor_row *row) {
  uint32_t size = box->map.unit_bytes, bytes = row->inside * size;
  uint64_t end = ((uint64_t)(uint32_t)box->coordinate[0] + row->before + row->inside) * size;
  uint32_t more = (uint32_t)(-end % ATOM), room = (row->count - row->before - row->inside) * size;
  bytes += more < room ? more : room;
  // the padding would be outside the allocation
  return box->end - row->address < bytes ? row->inside * size : bytes;
}

static void store_row(const struct tensor_row *row, void *context) {
  const struct move *m = context;
  const struct tensor_map *map = &m->box->map;
  uint32_t size = map->unit_bytes;
  if (!row->inside) return;
  uint8_t buffer[ROW_MOST_BYTES];
  const uint8_t *from = m->shared + row->position;
  if (!m->plain) {
    gather(map, m->shared, m->offset, row->position, buffer, row->count * size);
    from = buffer;
  }
  uint8_t *to = m->tensor + (row->address - map->address);
  uint32_t bytes = tensor_row_stored(m->box, row);
  if (m->reduce)
    m->reduce(to, from + row->before * size, bytes, m->context);
  else
    memcpy(to, from + row->before * size, bytes);
}

void tensor_box_load(const struct tensor_box *box, const uint8_t *tensor, uint8_t *shared, uint32_t offset) {
  struct move m = {.box = box, .tensor = (uint8_t *)(uintptr_t)tensor, .shared = shared, .offset = offset};
  m.plain = box->map.swizzle == TENSOR_SWIZZLE_NONE;
  tensor_box_each_row(box, load_row, &m);
}

void tensor_box_store(const struct tensor_box *box, uint8_t *tensor, const uint8_t *shared, uint32_t offset,
                      tensor_reduce *reduce, void *context) {
  struct move m = {.box = box,
                   .tensor = tensor,
                   .shared = (uint8_t *)(uintptr_t)shared,
                   .offset = offset,
                   .reduce = reduce,
                   .context = context};
  m.plain = box->map.swizzle == TENSOR_SWIZZLE_NONE;
  tensor_box_each_row(box, store_row, &m);
}
