// In: 32 addresses of a whole warp. Out: where the first of them is, and how far apart they are, if one
// number says it for each half of the warp. One idea: nearly all accesses of real kernels are like that, so
// bounds, bank conflicts and the moving of values follow from three numbers.
#include "virtual-hopper/execute/strided.h"

#include <string.h>

#include "virtual-hopper/execute/banks.h"
#include "virtual-hopper/execute/lanes.h"
#include "virtual-hopper/machine/mbarrier-table.h"

// Lane i is at first + i % 16 * step + i / 16 * half. Vectors, since the compiler finds none by itself.
enum { PART32 = 8, PART64 = 4 };
typedef uint32_t part32 __attribute__((vector_size(4 * PART32)));
typedef uint64_t part64 __attribute__((vector_size(8 * PART64)));

// Into each clone of strided_resolve: calls would take as long as what they do.
#define STRIDED_INLINE static inline __attribute__((always_inline))

STRIDED_INLINE bool is_strided32(const uint32_t *base) {
  const part32 lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const uint32_t step = base[1] - base[0], half = base[STRIDED_HALF] - base[0];
  part32 expected = base[0] + lane * step, different = {0};
  for (uint32_t i = 0; i < STRIDED_HALF; i += PART32) {
    part32 low, high;
    memcpy(&low, base + i, sizeof low);
    memcpy(&high, base + STRIDED_HALF + i, sizeof high);
    different |= (low ^ expected) | (high ^ (expected + half));
    expected += PART32 * step;
  }
  part64 all;
  memcpy(&all, &different, sizeof all);
  return (all[0] | all[1] | all[2] | all[3]) == 0;
}

STRIDED_INLINE bool is_strided64(const uint64_t *base) {
  const uint64_t step = base[1] - base[0], half = base[STRIDED_HALF] - base[0];
  part64 expected = {base[0], base[0] + step, base[0] + 2 * step, base[0] + 3 * step}, different = {0};
  for (uint32_t i = 0; i < STRIDED_HALF; i += PART64) {
    part64 low, high;
    memcpy(&low, base + i, sizeof low);
    memcpy(&high, base + STRIDED_HALF + i, sizeof high);
    different |= (low ^ expected) | (high ^ (expected + half));
    expected += PART64 * step;
  }
  return (different[0] | different[1] | different[2] | different[3]) == 0;
}

// Distances beyond this could wrap around. No allocation is that large.
#define MOST_DISTANCE (INT64_C(1) << 40)
STRIDED_INLINE bool is_far(int64_t distance) {
  return distance > MOST_DISTANCE || distance < -MOST_DISTANCE;
}

// Both ends of both halves lie in [low, high), and so do all lanes between them; all are aligned.
STRIDED_INLINE bool is_inside(const struct access_stride *s, uint64_t low, uint64_t high, uint32_t bytes) {
  if (high - low < bytes || (high - low) >> 63) return false;
  const uint64_t room = high - low - bytes, first = s->first - low;
  const uint64_t last = (uint64_t)(s->step * (STRIDED_HALF - 1)), half = (uint64_t)s->half;
  if (first > room || first + last > room || first + half > room || first + half + last > room) return false;
  return !((s->first | (uint64_t)s->step | half) & (bytes - 1));
}

STRIDED_INLINE bool find_stride(const struct warp *w, const struct op *op, const struct access_plan *plan,
                                struct access_stride *s) {
  if (plan->narrow) {
    const uint32_t *base = warp_register32(w, op->a);
    if (!is_strided32(base)) return false;
    s->first = base[0] + (uint32_t)op->immediate; // 32-bit sums wrap
    s->step = (int32_t)(base[1] - base[0]);
    s->half = (int32_t)(base[STRIDED_HALF] - base[0]);
    return true;
  }
  const uint64_t *base = warp_register64(w, op->a);
  if (!is_strided64(base)) return false;
  s->first = base[0] + (uint64_t)op->immediate;
  s->step = (int64_t)(base[1] - base[0]);
  s->half = (int64_t)(base[STRIDED_HALF] - base[0]);
  return !is_far(s->step) && !is_far(s->half);
}

STRIDED_INLINE bool find_shared(struct warp *w, uint64_t window, uint32_t bytes, struct access *a) {
  struct block *b = w->block;
  const uint64_t low = window + ((uint64_t)b->rank << SHARED_RANK_SHIFT) + SHARED_FIRST_OFFSET;
  if (!is_inside(&a->stride, low, low + w->launch->shared_bytes, bytes)) return false;
  a->stride.host = b->shared + (a->stride.first - low);
  a->stride.offset = (uint32_t)(a->stride.first - low) + SHARED_FIRST_OFFSET;
  a->where = ACCESS_SHARED;
  a->owner = b;
  return true;
}

// A loop goes on as far again, and often in steps of pages, which the host doesn't foresee.
STRIDED_INLINE void fetch_ahead(struct memory_window *window, const struct access_stride *s) {
  const uint64_t ahead = 2 * s->first - window->last - window->low;
  window->last = s->first;
  if (ahead >= window->high - window->low) return;
  const uint8_t *at = window->host + ahead;
  __builtin_prefetch(at);
  if (s->half && window->high - window->low - ahead > HOST_LINE) __builtin_prefetch(at + HOST_LINE);
}

STRIDED_INLINE bool find_global(struct warp *w, const struct op *op, uint32_t bytes, struct access *a) {
  struct memory_window *window = access_window(w, op);
  if (!is_inside(&a->stride, window->low, window->high, bytes)) return false;
  fetch_ahead(window, &a->stride);
  a->stride.host = window->host + (a->stride.first - window->low);
  a->stride.offset = 0;
  a->where = ACCESS_GLOBAL;
  access_in_window(w, window, a);
  return true;
}

LANES_HANDLER bool strided_resolve(struct warp *w, const struct op *op, const struct access_plan *plan,
                                   struct access *a) {
  if (w->lanes != UINT32_MAX || w->launch->plain || plan->is_call_slot ||
      !find_stride(w, op, plan, &a->stride))
    return false;
  a->lanes = UINT32_MAX;
  a->is_strided = true;
  switch (op->space) {
  case PTX_SHARED: return find_shared(w, 0, plan->bytes, a);
  case PTX_GLOBAL:
  case PTX_CONST: return find_global(w, op, plan->bytes, a);
  case PTX_SPACE_NONE:
    if (a->stride.first >= GLOBAL_BASE) return find_global(w, op, plan->bytes, a);
    return a->stride.first - SHARED_WINDOW < WINDOW_BYTES && find_shared(w, SHARED_WINDOW, plan->bytes, a);
  default: return false;
  }
}

LANES_HANDLER void strided_spell_out(struct access *a) {
  if (!a->is_strided) return;
  const struct access_stride s = a->stride;
  const uint64_t step = (uint64_t)s.step, half = (uint64_t)s.half, host = (uint64_t)(uintptr_t)s.host;
  uint64_t distance[WARP_LANES];
  for (uint32_t i = 0; i < STRIDED_HALF; i++) {
    distance[i] = i * step;
    distance[STRIDED_HALF + i] = half + i * step;
  }
  for (uint32_t i = 0; i < WARP_LANES; i++) {
    a->address[i] = s.first + distance[i];
    a->offset[i] = s.offset + (uint32_t)distance[i];
    a->host[i] = (uint8_t *)(uintptr_t)(host + distance[i]);
  }
}

LANES_HANDLER static void spell_offsets(struct access *a) {
  const uint32_t first = a->stride.offset, step = (uint32_t)a->stride.step, half = (uint32_t)a->stride.half;
  for (uint32_t i = 0; i < STRIDED_HALF; i++) {
    a->offset[i] = first + i * step;
    a->offset[STRIDED_HALF + i] = first + half + i * step;
  }
}

LANES_HANDLER static void spell_addresses(struct access *a) {
  const uint64_t step = (uint64_t)a->stride.step, half = (uint64_t)a->stride.half;
  uint64_t next = a->stride.first;
  for (uint32_t i = 0; i < STRIDED_HALF; i++, next += step) {
    a->address[i] = next;
    a->address[STRIDED_HALF + i] = next + half;
  }
}

void strided_spell_for_order(struct access *a) {
  if (a->is_strided && a->where == ACCESS_SHARED) spell_offsets(a);
  if (a->is_strided && a->where == ACCESS_GLOBAL) spell_addresses(a);
}

// Lanes that are whole words apart meet in a bank when their distance in words shares a power of 2 with the
// number of banks.
bool strided_bank_cycles(const struct access *a, uint32_t bytes, struct bank_cycles *cycles) {
  const struct access_stride *s = &a->stride;
  const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES, parts = words < 4 ? words : 4;
  if (s->half != STRIDED_HALF * s->step) return false;
  if (s->step == 0) { // all lanes share their words (banks.c)
    *cycles = (struct bank_cycles){.all = parts > 1 ? parts / 2 : 1};
    return true;
  }
  uint32_t each = 1;
  if (s->step != bytes) {
    if (s->step % BANK_BYTES != 0) return false;
    const uint32_t step = (uint32_t)(s->step / BANK_BYTES), lanes = WARP_LANES / parts;
    const uint32_t banks = step % BANKS ? BANKS >> __builtin_ctz(step % BANKS) : 1; // that are met
    each = lanes > banks ? lanes / banks : 1;
  }
  *cycles = (struct bank_cycles){.all = parts * each, .lost = parts * (each - 1)};
  return true;
}

void strided_offsets(const struct access *a, uint32_t *low, uint32_t *high) {
  const struct access_stride *s = &a->stride;
  const int64_t last = s->step * (STRIDED_HALF - 1);
  const int64_t least = (last < 0 ? last : 0) + (s->half < 0 ? s->half : 0),
                most = (last > 0 ? last : 0) + (s->half > 0 ? s->half : 0);
  *low = (uint32_t)(s->offset + least);
  *high = (uint32_t)(s->offset + most);
}

// ---- values -----------------------------------------------------------------------------------------------

// Rows and single places are moved in line; what is spread has a function of its own.
#define ROWS_OF(name, T)                                                         \
  STRIDED_INLINE bool is_row##name(const struct access_stride *s) {              \
    return s->step == sizeof(T) && s->half == STRIDED_HALF * (int64_t)sizeof(T); \
  }
// By vectors: of a memcpy, gcc makes an instruction that takes some thirty steps.
STRIDED_INLINE void copy_row(void *to, const void *from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(part64)) {
    part64 part;
    memcpy(&part, (const uint8_t *)from + at, sizeof part);
    memcpy((uint8_t *)to + at, &part, sizeof part);
  }
}
#define LOADS(name, T)                                                                                 \
  LANES_HANDLER static void load_spread##name(const uint8_t *low, int64_t step, int64_t half, T *to) { \
    const uint8_t *high = low + half;                                                                  \
    for (uint32_t i = 0; i < STRIDED_HALF; i++, low += step, high += step) {                           \
      memcpy(&to[i], low, sizeof(T));                                                                  \
      memcpy(&to[STRIDED_HALF + i], high, sizeof(T));                                                  \
    }                                                                                                  \
  }                                                                                                    \
  STRIDED_INLINE void load##name(const struct access_stride *s, uint32_t skip, T *to) {                \
    const uint8_t *low = s->host + skip;                                                               \
    if (is_row##name(s)) {                                                                             \
      copy_row(to, low, WARP_LANES * sizeof(T));                                                       \
    } else if (s->step == 0) {                                                                         \
      T one, other;                                                                                    \
      memcpy(&one, low, sizeof one);                                                                   \
      memcpy(&other, low + s->half, sizeof other);                                                     \
      for (uint32_t i = 0; i < STRIDED_HALF; i++) {                                                    \
        to[i] = one;                                                                                   \
        to[STRIDED_HALF + i] = other;                                                                  \
      }                                                                                                \
    } else {                                                                                           \
      load_spread##name(low, s->step, s->half, to);                                                    \
    }                                                                                                  \
  }                                                                                                    \
  LANES_HANDLER void strided_load##name(const struct access *a, uint32_t skip, T *to) {                \
    load##name(&a->stride, skip, to);                                                                  \
  }
// The lanes' places in order: of those that store to one place, the last one stays.
#define STORES(name, T)                                                                                   \
  LANES_HANDLER static void store_spread##name(uint8_t *low, int64_t step, int64_t half, const T *from) { \
    uint8_t *high = low + half;                                                                           \
    for (uint32_t i = 0; i < STRIDED_HALF; i++, low += step)                                              \
      memcpy(low, &from[i], sizeof(T));                                                                   \
    for (uint32_t i = STRIDED_HALF; i < WARP_LANES; i++, high += step)                                    \
      memcpy(high, &from[i], sizeof(T));                                                                  \
  }                                                                                                       \
  STRIDED_INLINE void store##name(const struct access_stride *s, uint32_t skip, const T *from) {          \
    if (is_row##name(s))                                                                                  \
      copy_row(s->host + skip, from, WARP_LANES * sizeof(T));                                             \
    else                                                                                                  \
      store_spread##name(s->host + skip, s->step, s->half, from);                                         \
  }                                                                                                       \
  LANES_HANDLER void strided_store##name(const struct access *a, uint32_t skip, const T *from) {          \
    store##name(&a->stride, skip, from);                                                                  \
  }
ROWS_OF(32, uint32_t)
ROWS_OF(64, uint64_t)
LOADS(32, uint32_t)
LOADS(64, uint64_t)
STORES(32, uint32_t)
STORES(64, uint64_t)

// ---- words of shared memory in one go ---------------------------------------------------------------------

// Whether all lanes are a step apart.
STRIDED_INLINE bool is_line32(const uint32_t *base) {
  const part32 lane = {0, 1, 2, 3, 4, 5, 6, 7};
  const uint32_t step = base[1] - base[0];
  part32 expected = base[0] + lane * step, different = {0};
  for (uint32_t i = 0; i < WARP_LANES; i += PART32) {
    part32 some;
    memcpy(&some, base + i, sizeof some);
    different |= some ^ expected;
    expected += PART32 * step;
  }
  part64 all;
  memcpy(&all, &different, sizeof all);
  return (all[0] | all[1] | all[2] | all[3]) == 0;
}

// What most accesses of products are: of a whole warp whose lanes are neighbours, at one place, or an odd
// number of words apart. No bank is wanted twice then. False: it isn't that, or may be a fault.
STRIDED_INLINE bool find_words(const struct warp *w, const struct op *op, const struct access_plan *plan,
                               struct access_stride *s) {
  if (w->lanes != UINT32_MAX || !plan->is_words || w->launch->plain) return false;
  const uint32_t *base = warp_register32(w, op->a);
  if (!is_line32(base)) return false;
  const uint32_t low = (w->block->rank << SHARED_RANK_SHIFT) + SHARED_FIRST_OFFSET;
  const uint32_t first = base[0] + (uint32_t)op->immediate - low, bytes = plan->bytes;
  s->step = (int32_t)(base[1] - base[0]);
  s->half = STRIDED_HALF * s->step;
  const bool odd = bytes == BANK_BYTES && s->step % (2 * BANK_BYTES) == BANK_BYTES;
  if (s->step != 0 && s->step != bytes && !odd) return false;
  const int64_t last = first + (WARP_LANES - 1) * s->step, room = (int64_t)w->launch->shared_bytes - bytes;
  if (first > room || last < 0 || last > room || ((first | (uint32_t)s->step) & (bytes - 1))) return false;
  s->host = w->block->shared + first;
  s->offset = first + SHARED_FIRST_OFFSET;
  return true;
}

STRIDED_INLINE void count_words(const struct warp *w, uint32_t bytes, int64_t step, bool write) {
  struct observed *o = &w->block->cluster->observed;
  const uint32_t words = bytes / BANK_BYTES, parts = words < 4 ? words : 4;
  const uint32_t cycles = step == 0 && parts > 1 ? parts / 2 : parts; // as in strided_bank_cycles
  o->shared_cycle_bytes += (uint64_t)cycles * BANKS * BANK_BYTES;
  *(write ? &o->shared_store_bytes : &o->shared_load_bytes) += (uint64_t)bytes * WARP_LANES;
}

// By value, and out of line: the unchecked way keeps all of it in registers.
__attribute__((noinline)) static void judge_words(struct warp *w, const struct op *op, uint32_t first,
                                                  int32_t step, uint32_t bytes) {
  const uint32_t done = order_shared_words(w, op, first, step, bytes, false);
  if (done == UINT32_MAX) return;
  uint32_t offset[WARP_LANES];
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    offset[lane] = first + lane * (uint32_t)step;
  order_shared_access(w, op, ~done, w->block, offset, bytes, ORDER_READ, ORDER_WEAK, NULL);
}

// Whether what the lanes span may hold a live barrier.
static inline bool reaches_barrier(const struct block *b, uint32_t first, int32_t step, uint32_t bytes) {
  const int32_t span = step * (WARP_LANES - 1);
  if (!b->mbarriers || !b->mbarriers->live_count) return false;
  return mbarrier_may_overlap(b, first + (span < 0 ? (uint32_t)span : 0),
                              (uint32_t)(span < 0 ? -span : span) + bytes);
}

LANES_HANDLER bool strided_load_words(struct warp *w, const struct op *op) {
  const struct access_plan *plan = op->extra;
  struct access_stride s;
  if (!find_words(w, op, plan, &s)) return false;
  if (w->launch->check) judge_words(w, op, s.offset, (int32_t)s.step, plan->bytes);
  for (uint32_t n = 0; n < op->count; n++)
    if (plan->registers[n] != OP_NO_REGISTER) load32(&s, n * 4, warp_register32(w, plan->registers[n]));
  count_words(w, plan->bytes, s.step, false);
  return true;
}

LANES_HANDLER bool strided_store_words(struct warp *w, const struct op *op) {
  const struct access_plan *plan = op->extra;
  struct access_stride s;
  if (!find_words(w, op, plan, &s) || reaches_barrier(w->block, s.offset, (int32_t)s.step, plan->bytes))
    return false;
  if (w->launch->check && !order_shared_words(w, op, s.offset, (int32_t)s.step, plan->bytes, true))
    return false;
  for (uint32_t n = 0; n < op->count; n++)
    store32(&s, n * 4, warp_register32(w, plan->registers[n]));
  count_words(w, plan->bytes, s.step, true);
  return true;
}
