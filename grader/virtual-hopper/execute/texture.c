// In: coordinates, and objects in device memory (base/texture.h). Out: texels. One idea: each texel is an
// ordinary access to global memory, so bounds and races are judged as for any load or store.
#include "virtual-hopper/execute/texture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/numbers.h"
#include "virtual-hopper/base/texture.h"
#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/machine/machine.h"

enum { CORNERS = 8, TEXEL_MOST_BYTES = 16, FRACTION_STEPS = 256 };

// ---- objects ----------------------------------------------------------------------------------------------

static void report_object(struct warp *w, const struct op *op, uint32_t lane, uint64_t handle,
                          const char *what) {
  struct fault f = {
      .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
  snprintf(f.role, sizeof f.role, "%s", op->execute == surface_store ? "writes a surface" : "reads a texel");
  snprintf(f.message, sizeof f.message, "0x%llx is no %s object: it was never made, or it was destroyed.",
           (unsigned long long)handle, what);
  snprintf(f.remedy, sizeof f.remedy, "Keep the object and its memory until the kernel has ended.");
  warp_fault(w, op, lane, &f);
}

// Copies the object of a lane. False: a fault.
static bool take_object(struct warp *w, const struct op *op, const struct async_address *at, uint32_t lane,
                        bool surface, struct texture_object *t) {
  const uint64_t handle = async_address_of(w, at, lane);
  const uint8_t *bytes = memory_host(w->launch->memory, handle, sizeof *t);
  if (bytes) memcpy(t, bytes, sizeof *t);
  const bool known = bytes && t->magic == TEXTURE_MAGIC && (t->is_surface != 0) == surface &&
                     (t->bits == 8 || t->bits == 16 || t->bits == 32) && t->channels >= 1 &&
                     t->channels <= 4 && t->width && t->height && t->depth;
  if (!known) report_object(w, op, lane, handle, surface ? "surface" : "texture");
  return known;
}

static uint32_t texel_bytes(const struct texture_object *t) {
  return t->channels * t->bits / 8;
}

static uint32_t size_of_axis(const struct texture_object *t, uint32_t axis) {
  return axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
}

// ---- one texel --------------------------------------------------------------------------------------------

// One texel of each of some lanes.
struct texels {
  uint32_t lanes; // that have one: the others have a border, or zero
  uint64_t address[WARP_LANES];
};

// Reads the texels' bytes. False: a fault.
static bool read_texels(struct warp *w, const struct op *op, const struct texels *t, uint32_t bytes,
                        uint8_t to[WARP_LANES][TEXEL_MOST_BYTES]) {
  struct observed *o = &w->block->cluster->observed;
  for (uint32_t left = t->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const uint8_t *host = memory_host(w->launch->memory, t->address[lane], bytes);
    if (!host) {
      access_fault(w, op, lane, t->address[lane], bytes, false);
      return false;
    }
    memcpy(to[lane], host, bytes);
    o->plain_global_load_bytes += bytes;
    *(memory_is_handed(w->launch->memory, t->address[lane]) ? &o->handed_load_bytes : &o->own_load_bytes) +=
        bytes;
  }
  if (w->launch->check && t->lanes)
    order_global_access(w, op, t->lanes, t->address, bytes, ORDER_READ, ORDER_WEAK, NULL);
  return true;
}

static uint32_t channel_bits(const struct texture_object *t, const uint8_t *texel, uint32_t channel) {
  uint32_t bits = 0;
  if (channel < t->channels) memcpy(&bits, texel + channel * t->bits / 8, t->bits / 8);
  return bits;
}

static int32_t sign_extended(uint32_t bits, uint32_t width) {
  return (int32_t)(bits << (32 - width)) >> (32 - width);
}

// A channel as a float: as it is, or whole numbers scaled to 0 to 1, or -1 to 1.
static float channel_float(const struct texture_object *t, const uint8_t *texel, uint32_t channel) {
  const uint32_t bits = channel_bits(t, texel, channel);
  if (t->format == TEXTURE_FLOAT) return t->bits == 16 ? half_to_float(bits) : float_from_bits(bits);
  if (t->format == TEXTURE_UNSIGNED)
    return t->scaled ? (float)bits / (float)((1ull << t->bits) - 1) : float_from_bits(bits);
  const int32_t value = sign_extended(bits, t->bits);
  if (!t->scaled) return float_from_bits((uint32_t)value);
  const float scaled = (float)value / (float)((1ull << (t->bits - 1)) - 1);
  return scaled < -1 ? -1 : scaled;
}

static uint32_t channel_whole(const struct texture_object *t, const uint8_t *texel, uint32_t channel) {
  const uint32_t bits = channel_bits(t, texel, channel);
  return t->format == TEXTURE_SIGNED ? (uint32_t)sign_extended(bits, t->bits) : bits;
}

// ---- coordinates ------------------------------------------------------------------------------------------

static enum texture_address_mode mode_of(const struct texture_object *t, uint32_t axis) {
  const enum texture_address_mode mode = t->modes[axis];
  // Wrap and mirror are for normalized coordinates alone.
  return t->normalized || mode == TEXTURE_BORDER ? mode : TEXTURE_CLAMP;
}

// The texel that an index means; -1: none, which reads as the border.
static int64_t texel_index(enum texture_address_mode mode, int64_t index, int64_t size) {
  if (index >= 0 && index < size) return index;
  switch (mode) {
  case TEXTURE_WRAP: return (index % size + size) % size;
  case TEXTURE_MIRROR: {
    const int64_t turn = (index % (2 * size) + 2 * size) % (2 * size);
    return turn < size ? turn : 2 * size - 1 - turn;
  }
  case TEXTURE_BORDER: return -1;
  default: return index < 0 ? 0 : size - 1;
  }
}

// A place along one axis: the texel at or before it, and how far the next one counts.
struct axis_place {
  int64_t index;
  float next; // in steps of 1 / 256
};

static struct axis_place place_on_axis(const struct texture_object *t, uint32_t axis, float coordinate,
                                       bool linear) {
  enum { FAR = 1 << 30 };
  const float size = (float)size_of_axis(t, axis);
  float at = t->normalized ? coordinate * size : coordinate;
  if (!(at > -(float)FAR)) at = -(float)FAR; // NaN as well
  if (at > (float)FAR) at = (float)FAR;
  if (!linear) return (struct axis_place){(int64_t)floorf(at), 0};
  const float low = floorf(at - 0.5f);
  return (struct axis_place){(int64_t)low, rintf((at - 0.5f - low) * FRACTION_STEPS) / FRACTION_STEPS};
}

// ---- textures ---------------------------------------------------------------------------------------------

struct fetch { // of one lane
  struct texture_object t;
  struct axis_place at[TEXTURE_MOST_AXES];
  uint32_t layer;
};

// The face of a cube that a direction leads to, and where on it: CUDA C++ Programming Guide, "Cubemap
// Textures".
static void place_on_cube(const struct warp *w, const struct texture_plan *plan, uint32_t lane, bool linear,
                          struct fetch *f) {
  float v[3];
  for (uint32_t i = 0; i < 3; i++)
    v[i] = float_from_bits(warp_register32(w, plan->coordinates[i])[lane]);
  const float x = fabsf(v[0]), y = fabsf(v[1]), z = fabsf(v[2]);
  const uint32_t axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  const bool negative = v[axis] < 0;
  const float s = axis == 0 ? (negative ? v[2] : -v[2]) : axis == 2 && negative ? -v[0] : v[0];
  const float t = axis == 1 ? (negative ? -v[2] : v[2]) : -v[1], most = fabsf(v[axis]);
  f->t.normalized = 1;
  f->t.modes[0] = f->t.modes[1] = TEXTURE_CLAMP; // filters don't look at the next face
  f->at[0] = place_on_axis(&f->t, 0, (s / most + 1) / 2, linear);
  f->at[1] = place_on_axis(&f->t, 1, (t / most + 1) / 2, linear);
  f->layer = 2 * axis + negative;
  if (f->layer >= f->t.depth) f->layer = f->t.depth - 1;
}

static void place_fetch(const struct warp *w, const struct texture_plan *plan, uint32_t lane, bool linear,
                        struct fetch *f) {
  if (plan->cube) {
    place_on_cube(w, plan, lane, linear, f);
    return;
  }
  for (uint32_t axis = 0; axis < plan->axes; axis++) {
    const uint32_t bits = warp_register32(w, plan->coordinates[axis])[lane];
    f->at[axis] = plan->whole ? (struct axis_place){(int32_t)bits, 0}
                              : place_on_axis(&f->t, axis, float_from_bits(bits), linear);
  }
  const int32_t layer = plan->layered ? (int32_t)warp_register32(w, plan->layer)[lane] : 0;
  f->layer = layer < 0 ? 0 : layer < (int64_t)f->t.depth ? (uint32_t)layer : f->t.depth - 1;
}

// The address of the texel at a corner of the lane's place: bit n of `corner` means the next one along axis
// n. False: it lies outside.
static bool corner_address(const struct texture_plan *plan, const struct fetch *f, uint32_t corner,
                           uint64_t *address) {
  const struct texture_object *t = &f->t;
  int64_t index[TEXTURE_MOST_AXES] = {0, 0, plan->layered || plan->cube ? f->layer : 0};
  for (uint32_t axis = 0; axis < plan->axes; axis++) {
    const enum texture_address_mode mode = t->is_fetched ? TEXTURE_BORDER : mode_of(t, axis);
    index[axis] = texel_index(mode, f->at[axis].index + (corner >> axis & 1), size_of_axis(t, axis));
    if (index[axis] < 0) return false;
  }
  *address = t->address + (uint64_t)index[2] * t->slice + (uint64_t)index[1] * t->pitch +
             (uint64_t)index[0] * texel_bytes(t);
  return true;
}

// How much the corner counts.
static float corner_weight(const struct texture_plan *plan, const struct fetch *f, uint32_t corner) {
  float weight = 1;
  for (uint32_t axis = 0; axis < plan->axes; axis++)
    weight *= corner >> axis & 1 ? f->at[axis].next : 1 - f->at[axis].next;
  return weight;
}

struct fetches {
  struct fetch lane[WARP_LANES];
  struct texels texels;
  uint8_t bytes[WARP_LANES][TEXEL_MOST_BYTES];
};

static bool begin_fetches(struct warp *w, const struct op *op, bool gather, struct fetches *all) {
  const struct texture_plan *plan = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    struct fetch *f = &all->lane[lane];
    if (!take_object(w, op, &plan->object, lane, false, &f->t)) return false;
    place_fetch(w, plan, lane, gather || f->t.linear, f);
  }
  return true;
}

// Reads the lanes' texels at one corner; lanes to whom it does not matter are left out.
static bool read_corner(struct warp *w, const struct op *op, struct fetches *all, uint32_t corner,
                        bool every) {
  const struct texture_plan *plan = op->extra;
  uint32_t bytes = 0;
  all->texels.lanes = 0;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const struct fetch *f = &all->lane[lane];
    if (!every && !(corner_weight(plan, f, corner) > 0)) continue;
    if (!corner_address(plan, f, corner, &all->texels.address[lane])) continue;
    if (bytes && bytes != texel_bytes(&f->t)) { // lanes with objects of their own
      if (!read_texels(w, op, &all->texels, bytes, all->bytes)) return false;
      all->texels.lanes = 0;
    }
    bytes = texel_bytes(&f->t);
    all->texels.lanes |= 1u << lane;
  }
  return read_texels(w, op, &all->texels, bytes, all->bytes);
}

static float border_float(const struct texture_object *t, uint32_t channel) {
  return t->is_fetched ? 0 : t->border[channel];
}

static void write_result(const struct warp *w, const struct texture_plan *plan, uint32_t lane, uint32_t n,
                         uint32_t bits) {
  if (plan->d[n] != OP_NO_REGISTER) warp_register32(w, plan->d[n])[lane] = bits;
}

// The bits of a channel that isn't filtered.
static uint32_t texel_result(const struct texture_plan *plan, const struct fetch *f, const uint8_t *texel,
                             bool inside, uint32_t channel) {
  if (!inside) {
    const float border = border_float(&f->t, channel);
    const bool whole = border > -2147483648.0f && border < 2147483648.0f;
    return plan->is_float ? float_to_bits(border) : whole ? (uint32_t)(int32_t)border : 0;
  }
  return plan->is_float ? float_to_bits(channel_float(&f->t, texel, channel))
                        : channel_whole(&f->t, texel, channel);
}

void texture_fetch(struct warp *w, const struct op *op) {
  const struct texture_plan *plan = op->extra;
  struct fetches all;
  float sums[WARP_LANES][TEXTURE_ELEMENTS] = {{0}};
  if (!begin_fetches(w, op, false, &all)) return;
  for (uint32_t corner = 0; corner < 1u << plan->axes; corner++) {
    if (!read_corner(w, op, &all, corner, false)) return;
    for (uint32_t left = w->lanes; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      const struct fetch *f = &all.lane[lane];
      const float weight = corner_weight(plan, f, corner);
      uint64_t address;
      if (!(weight > 0)) continue;
      const bool inside = corner_address(plan, f, corner, &address);
      for (uint32_t n = 0; n < TEXTURE_ELEMENTS; n++) {
        if (!f->t.linear || plan->whole || !plan->is_float)
          write_result(w, plan, lane, n, texel_result(plan, f, all.bytes[lane], inside, n));
        else
          sums[lane][n] +=
              weight * (inside ? channel_float(&f->t, all.bytes[lane], n) : border_float(&f->t, n));
      }
    }
  }
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (!all.lane[lane].t.linear || plan->whole || !plan->is_float) continue;
    for (uint32_t n = 0; n < TEXTURE_ELEMENTS; n++)
      write_result(w, plan, lane, n, float_to_bits(sums[lane][n]));
  }
}

// One channel of the four texels that a filter would take: below left, below right, above right, above left.
void texture_gather(struct warp *w, const struct op *op) {
  static const uint32_t corners[TEXTURE_ELEMENTS] = {2, 3, 1, 0};
  const struct texture_plan *plan = op->extra;
  struct fetches all;
  if (!begin_fetches(w, op, true, &all)) return;
  for (uint32_t n = 0; n < TEXTURE_ELEMENTS; n++) {
    if (!read_corner(w, op, &all, corners[n], true)) return;
    for (uint32_t left = w->lanes; left; left &= left - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(left);
      const bool inside = all.texels.lanes >> lane & 1;
      write_result(w, plan, lane, n,
                   texel_result(plan, &all.lane[lane], all.bytes[lane], inside, plan->channel));
    }
  }
}
