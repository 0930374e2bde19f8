// Matrices of wgmma in shared memory. In: descriptors. Out: addresses, and unpacked elements. PTX ISA 9.1,
// 9.7.15.5.1.2. One idea: whatever the layout, 16 bytes ("a chunk") stay together; the swizzle exchanges
// chunks by bits of their address.
#include <string.h>

#include "virtual-hopper/execute/wgmma.h"

enum { CHUNK_BYTES = TENSOR_RUN_BYTES, ATOM_LINES = 8 };

struct wgmma_descriptor wgmma_descriptor_of(uint64_t bits) {
  return (struct wgmma_descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                                   .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                                   .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                                   .base_offset = bits >> 49 & 7,
                                   .swizzle = (enum wgmma_swizzle)(bits >> 62)};
}

static uint32_t swizzle_bytes(enum wgmma_swizzle swizzle) {
  switch (swizzle) {
  case WGMMA_SWIZZLE_128: return 128;
  case WGMMA_SWIZZLE_64: return 64;
  case WGMMA_SWIZZLE_32: return 32;
  default: return CHUNK_BYTES;
  }
}

struct wgmma_matrix wgmma_matrix_a(const struct wgmma_plan *p, uint64_t descriptor) {
  return (struct wgmma_matrix){.at = wgmma_descriptor_of(descriptor),
                               .lines = WGMMA_ROWS,
                               .depth = wgmma_depth_of_a(p),
                               .type = p->a_type,
                               .transposed = p->a_transposed};
}

struct wgmma_matrix wgmma_matrix_b(const struct wgmma_plan *p, uint64_t descriptor) {
  return (struct wgmma_matrix){.at = wgmma_descriptor_of(descriptor),
                               .lines = p->columns,
                               .depth = p->depth,
                               .type = p->b_type,
                               .transposed = p->b_transposed};
}

static uint32_t swizzled(const struct wgmma_descriptor *d, uint32_t address) {
  const uint32_t bits = swizzle_bytes(d->swizzle) / CHUNK_BYTES - 1;
  return address ^ ((((address >> 7) - d->base_offset) & bits) << 4);
}

// The canonical layouts of 9.7.15.5.1.2.1.3. `along`: the direction in which elements are neighbours.
uint32_t wgmma_chunk_address(const struct wgmma_matrix *m, uint32_t line, uint32_t k) {
  const struct wgmma_descriptor *d = &m->at;
  const uint32_t in_chunk = CHUNK_BYTES * 8 / mma_element_bits(m->type);
  const uint32_t row_bytes = swizzle_bytes(d->swizzle), chunks = row_bytes / CHUNK_BYTES;
  const uint32_t chunk = (m->transposed ? line : k) / in_chunk, across = m->transposed ? k : line;
  uint32_t offset = across % ATOM_LINES * row_bytes;
  if (!m->transposed)
    offset += across / ATOM_LINES * d->stride +
              (d->swizzle == WGMMA_SWIZZLE_NONE ? chunk * d->leading : chunk * CHUNK_BYTES);
  else if (d->swizzle == WGMMA_SWIZZLE_NONE)
    offset += chunk * d->stride + across / ATOM_LINES * d->leading;
  else
    offset += chunk % chunks * CHUNK_BYTES + chunk / chunks * d->leading + across / ATOM_LINES * d->stride;
  return swizzled(d, d->start + offset);
}

void wgmma_mark_matrix(const struct wgmma_matrix *m, bool by_rows, uint8_t *chunks, uint32_t count) {
  const uint32_t in_chunk = CHUNK_BYTES * 8 / mma_element_bits(m->type);
  const uint32_t lines = m->transposed ? m->lines / in_chunk : m->lines;
  const uint32_t depth = m->transposed ? m->depth : m->depth / in_chunk;
  for (uint32_t line = 0; line < lines; line++) {
    const uint32_t warps = by_rows ? 1u << line * WARPGROUP_WARPS / lines : (1u << WARPGROUP_WARPS) - 1;
    for (uint32_t k = 0; k < depth; k++) {
      const uint32_t address =
          wgmma_chunk_address(m, m->transposed ? line * in_chunk : line, m->transposed ? k : k * in_chunk);
      const uint32_t chunk = (address - SHARED_FIRST_OFFSET) / CHUNK_BYTES;
      if (address >= SHARED_FIRST_OFFSET && chunk < count) chunks[chunk] |= (uint8_t)warps;
    }
  }
}

// Reads 16 bytes. False: they don't lie in the block's shared memory.
static bool read_chunk(const struct block *b, uint32_t address, uint8_t bytes[CHUNK_BYTES]) {
  const uint32_t most = b->launch->shared_bytes;
  if (address < SHARED_FIRST_OFFSET || address - SHARED_FIRST_OFFSET + CHUNK_BYTES > most) return false;
  memcpy(bytes, b->shared + (address - SHARED_FIRST_OFFSET), CHUNK_BYTES);
  return true;
}

void wgmma_read_matrix(const struct block *b, const struct wgmma_matrix *m, bool negate,
                       struct tensor_factor *to) {
  const uint32_t bits = mma_element_bits(m->type), width = bits < 8 ? 4 : bits / 8;
  const uint32_t in_chunk = CHUNK_BYTES / width; // single bits are unpacked by words
  const uint32_t in_chunk_k = CHUNK_BYTES * 8 / bits;
  const uint32_t depth = m->transposed ? m->depth : m->depth / in_chunk_k;
  const uint32_t lines = m->transposed ? m->lines / in_chunk : m->lines;
  for (uint32_t line = 0; line < lines; line++) {
    for (uint32_t step = 0; step < depth; step++) {
      struct tensor_run run = {.line = m->transposed ? line * in_chunk : line,
                               .k = m->transposed ? step : step * in_chunk,
                               .along_lines = m->transposed};
      read_chunk(b, wgmma_chunk_address(m, run.line, m->transposed ? step : step * in_chunk_k), run.bytes);
      tensor_unpack_run(to, &run, m->type, negate);
    }
  }
}
