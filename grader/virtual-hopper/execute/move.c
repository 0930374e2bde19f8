// Moves, packing and unpacking of vectors (PTX ISA 9.7.9.3, 9.7.9.4), and the arithmetic of addresses:
// generic windows, blocks of a cluster, cache policies (9.7.9.18 to 9.7.9.24). machine.h says where the
// windows are and how a shared address encodes its block.
#include "virtual-hopper/execute/move.h"

#include <string.h>

#include "virtual-hopper/execute/lanes.h"

#define EXPORTED_UNARY(name, D, A, expression)                              \
  LANES_HANDLER void name(struct warp *w, const struct op *op) {            \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                  \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                           \
    FOR_LANES(VALUE_##A a = LOAD_##A(sa[i]); d[i] = STORE_##D(expression);) \
  }
#define EXPORTED_BINARY(name, D, A, B, expression)                                                         \
  LANES_HANDLER void name(struct warp *w, const struct op *op) {                                           \
    SLOT_##D *d = LANE_REGISTER(D, op->d);                                                                 \
    const SLOT_##A *sa = LANE_REGISTER(A, op->a);                                                          \
    const SLOT_##B *sb = LANE_REGISTER(B, op->b);                                                          \
    FOR_LANES(VALUE_##A a = LOAD_##A(sa[i]); VALUE_##B b = LOAD_##B(sb[i]); d[i] = STORE_##D(expression);) \
  }

EXPORTED_UNARY(warp_move32, u32, u32, a)
EXPORTED_UNARY(warp_move64, u64, u64, a)
LANES_HANDLER void warp_move128(struct warp *w, const struct op *op) {
  uint64_t *d = LANE_REGISTER(u64, op->d);
  const uint64_t *a = LANE_REGISTER(u64, op->a);
  FOR_LANES(d[i] = a[i]; d[WARP_LANES + i] = a[WARP_LANES + i];)
}

EXPORTED_BINARY(warp_pack_2x16, u32, u32, u32, (a & 0xffffu) | b << 16)
EXPORTED_BINARY(warp_pack_2x32, u64, u32, u32, (uint64_t)b << 32 | a)
LANES_HANDLER void warp_unpack_2x16(struct warp *w, const struct op *op) {
  uint32_t *low = LANE_REGISTER(u32, op->d), *high = LANE_REGISTER(u32, op->target);
  const uint32_t *sa = LANE_REGISTER(u32, op->a);
  FOR_LANES(uint32_t a = sa[i]; low[i] = a & 0xffffu; high[i] = a >> 16;)
}
LANES_HANDLER void warp_unpack_2x32(struct warp *w, const struct op *op) {
  uint32_t *low = LANE_REGISTER(u32, op->d), *high = LANE_REGISTER(u32, op->target);
  const uint64_t *sa = LANE_REGISTER(u64, op->a);
  FOR_LANES(uint64_t a = sa[i]; low[i] = (uint32_t)a; high[i] = (uint32_t)(a >> 32);)
}

// Returns one lane of a register as bytes, lowest byte first. The host is little-endian, as the device is.
static uint8_t *lane_at(const struct warp *w, uint32_t offset, size_t bytes, size_t lane) {
  return w->registers + offset + (bytes <= 4 ? 4 : 8) * lane;
}
static void lane_read(const struct warp *w, uint32_t offset, size_t bytes, size_t lane, uint8_t *to) {
  memcpy(to, lane_at(w, offset, bytes, lane), bytes < 8 ? bytes : 8);
  if (bytes == 16) memcpy(to + 8, lane_at(w, offset, bytes, WARP_LANES + lane), 8);
}
static void lane_write(const struct warp *w, uint32_t offset, size_t bytes, size_t lane,
                       const uint8_t *from) {
  uint32_t narrow = 0; // a value narrower than 32 bits is zero-extended
  memcpy(&narrow, from, bytes < 4 ? bytes : 4);
  if (bytes <= 4)
    memcpy(lane_at(w, offset, bytes, lane), &narrow, 4);
  else
    memcpy(lane_at(w, offset, bytes, lane), from, 8);
  if (bytes == 16) memcpy(lane_at(w, offset, bytes, WARP_LANES + lane), from + 8, 8);
}

void warp_pack(struct warp *w, const struct op *op) {
  const struct move_vector *v = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint8_t bytes[16] = {0};
    for (uint32_t n = 0; n < v->count; n++)
      lane_read(w, v->elements[n], v->element_bytes, lane, bytes + (size_t)n * v->element_bytes);
    lane_write(w, op->d, v->scalar_bytes, lane, bytes);
  }
}
void warp_unpack(struct warp *w, const struct op *op) {
  const struct move_vector *v = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint8_t bytes[16];
    lane_read(w, op->a, v->scalar_bytes, lane, bytes);
    for (uint32_t n = 0; n < v->count; n++) {
      if (v->elements[n] != OP_NO_REGISTER)
        lane_write(w, v->elements[n], v->element_bytes, lane, bytes + (size_t)n * v->element_bytes);
    }
  }
}

EXPORTED_UNARY(warp_add_window, u64, u64, (uint64_t)op->immediate + (uint32_t)a)
EXPORTED_UNARY(warp_subtract_window, u64, u64, (uint32_t)(a - (uint64_t)op->immediate))

#define SPACE(name, expression)                     \
  void name(struct warp *w, const struct op *op) {  \
    const uint64_t *sa = LANE_REGISTER(u64, op->a); \
    uint32_t mask = 0;                              \
    for (int i = 0; i < WARP_LANES; i++) {          \
      uint64_t a = sa[i];                           \
      mask |= (expression) ? lane_bit[i] : 0;       \
    }                                               \
    uint32_t *d = warp_predicate(w, op->d);         \
    *d = (*d & ~w->lanes) | (mask & w->lanes);      \
  }
#define IN_WINDOW(a, base) ((a) - (uint64_t)(base) < WINDOW_BYTES)
SPACE(warp_space_global,
      !IN_WINDOW(a, SHARED_WINDOW) && !IN_WINDOW(a, LOCAL_WINDOW)) // parameters count as global: 9.7.9.19
SPACE(warp_space_window, IN_WINDOW(a, op->immediate))
SPACE(warp_space_shared_cta,
      IN_WINDOW(a, SHARED_WINDOW) && (a - SHARED_WINDOW) >> SHARED_RANK_SHIFT == w->block->rank)
SPACE(warp_space_shared_cluster,
      IN_WINDOW(a, SHARED_WINDOW) && (a - SHARED_WINDOW) >> SHARED_RANK_SHIFT < w->launch->blocks_per_cluster)

#define OFFSET_MASK           ((1u << SHARED_RANK_SHIFT) - 1)
#define MAPPED(address, rank) (((uint32_t)(address)&OFFSET_MASK) | (rank) << SHARED_RANK_SHIFT)
EXPORTED_BINARY(warp_map_shared32, u32, u32, u32, MAPPED(a, b))
EXPORTED_BINARY(warp_map_shared64, u64, u64, u32, MAPPED(a, b))
EXPORTED_BINARY(warp_map_generic, u64, u64, u32, SHARED_WINDOW + MAPPED(a - SHARED_WINDOW, b))
EXPORTED_UNARY(warp_rank_shared32, u32, u32, a >> SHARED_RANK_SHIFT)
EXPORTED_UNARY(warp_rank_shared64, u32, u64, (uint32_t)a >> SHARED_RANK_SHIFT)

// A cache policy is opaque, and this device doesn't use it. But programs compare policies, and make some of
// them on the host. So the bits are the chip's: in 63:56 the kind of the policy and its priorities
// (op->immediate). The policy of a fraction has its sixteenths minus one in bits 55:52.
NUMBERS_INLINE uint64_t sixteenths(float fraction) {
  float scaled = ceilf(fraction * 16.0f);
  return scaled >= 16.0f ? 15 : scaled >= 1.0f ? (uint64_t)scaled - 1 : 0;
}
EXPORTED_UNARY(warp_policy_fraction, u64, f32, (uint64_t)op->immediate | sixteenths(a) << 52)

// The policy of a range: blocks of 4 KiB or more, 128 of which hold the whole; the power in bits 55:52, the
// first block, by its last 7 bits, in 50:44, and how many blocks the primary range touches, at most 127, in
// 43:37. ptxas makes instructions of this: the whole is rounded to a float, its logarithm is cut off to one,
// the last block's end is computed in 32 bits and may overflow, and a whole of 0 bytes has a policy without a
// range. An H100 gave these bits for 218 ranges.
enum { POLICY_LEAST_POWER = 12, POLICY_BLOCKS_POWER = 7, POLICY_MOST_BLOCKS = 127, POLICY_UNCHANGED = 0x18 };
NUMBERS_INLINE float cut_logarithm(float value) {
  const double exact = log2((double)value);
  const float nearest = (float)exact;
  return (double)nearest > exact ? nextafterf(nearest, 0.0f) : nearest;
}
NUMBERS_INLINE uint64_t policy_range(uint32_t kind, uint64_t address, uint32_t primary, uint32_t total) {
  if (total == 0) return (uint64_t)POLICY_UNCHANGED << 56;
  const int power = (int)ceilf(cut_logarithm((float)total)) - POLICY_BLOCKS_POWER;
  const uint32_t shift = power > POLICY_LEAST_POWER ? (uint32_t)power : POLICY_LEAST_POWER;
  const uint64_t first = address >> shift, end = (address + (primary - 1 + (1u << shift))) >> shift;
  const uint64_t count = end - first < POLICY_MOST_BLOCKS ? end - first : POLICY_MOST_BLOCKS;
  return (uint64_t)kind << 56 | (uint64_t)(shift - POLICY_LEAST_POWER) << 52 |
         (first & POLICY_MOST_BLOCKS) << 44 | count << 37;
}
LANES_HANDLER void warp_policy_range(struct warp *w, const struct op *op) {
  uint64_t *d = LANE_REGISTER(u64, op->d);
  const uint64_t *sa = LANE_REGISTER(u64, op->a);
  const uint32_t *sb = LANE_REGISTER(u32, op->b), *sc = LANE_REGISTER(u32, op->c);
  const uint64_t offset = (uint64_t)op->immediate;
  const uint32_t kind = op->kind;
  FOR_LANES(d[i] = policy_range(kind, sa[i] + offset, sb[i], sc[i]);)
}

// Writes only the running lanes, because other lanes of the warp may be waiting inside the same instruction.
void warp_narrow(struct warp *w, const struct op *op) {
  uint32_t *d = warp_register32(w, op->d);
  const uint64_t *a = warp_register64(w, op->a);
  for (int i = 0; i < WARP_LANES; i++)
    if (w->lanes >> i & 1) d[i] = (uint32_t)a[i];
}

void warp_widen(struct warp *w, const struct op *op) {
  uint64_t *d = warp_register64(w, op->d);
  const uint32_t *a = warp_register32(w, op->a);
  for (int i = 0; i < WARP_LANES; i++)
    if (w->lanes >> i & 1) d[i] = a[i];
}
