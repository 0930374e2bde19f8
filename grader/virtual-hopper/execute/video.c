// Video instructions, PTX ISA 9.7.18: each element is computed in 64 bits, where no intermediate value
// overflows.
#include "virtual-hopper/execute/video.h"

static int64_t element(uint32_t word, uint32_t at, uint32_t bits, bool is_signed) {
  uint64_t high = (uint64_t)(word >> at) << (64 - bits);
  return is_signed ? (int64_t)high >> (64 - bits) : (int64_t)(high >> (64 - bits));
}

static int64_t operate(enum video_operation operation, int64_t a, int64_t b) {
  switch (operation) {
  case VIDEO_ADD: return a + b;
  case VIDEO_SUB: return a - b;
  case VIDEO_AVERAGE: return (a + b + (a + b >= 0)) >> 1;
  case VIDEO_DISTANCE: return a > b ? a - b : b - a;
  case VIDEO_MIN: return a < b ? a : b;
  case VIDEO_MAX: return a > b ? a : b;
  case VIDEO_EQ: return a == b;
  case VIDEO_NE: return a != b;
  case VIDEO_LT: return a < b;
  case VIDEO_LE: return a <= b;
  case VIDEO_GT: return a > b;
  default: return a >= b;
  }
}

static int64_t clamp(int64_t value, uint32_t bits, bool is_signed) {
  int64_t high = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1, low = is_signed ? -high - 1 : 0;
  return value < low ? low : value > high ? high : value;
}

static uint32_t video_of_lane(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
  int64_t sum = element(c, 0, 32, v->d_signed), value = 0;
  uint32_t packed = 0;
  for (uint32_t at = 0; at < 32; at += v->bits) {
    value = operate(v->operation, element(a, at, v->bits, v->a_signed), element(b, at, v->bits, v->b_signed));
    if (v->saturate) value = clamp(value, v->bits, v->d_signed);
    packed |= (uint32_t)((uint64_t)value & (UINT64_MAX >> (64 - v->bits))) << at;
    sum += value;
  }
  int64_t third = element(c, 0, 32, v->d_signed);
  switch (v->second) {
  case VIDEO_PLUS: return (uint32_t)sum;
  case VIDEO_LEAST: return (uint32_t)(value < third ? value : third);
  case VIDEO_MOST: return (uint32_t)(value > third ? value : third);
  default: return packed;
  }
}

void warp_video(struct warp *w, const struct op *op) {
  const struct video *v = op->extra;
  uint32_t *d = warp_register32(w, op->d);
  const uint32_t *a = warp_register32(w, op->a), *b = warp_register32(w, op->b),
                 *c = warp_register32(w, op->c);
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    d[lane] = video_of_lane(v, a[lane], b[lane], c[lane]);
  }
}
