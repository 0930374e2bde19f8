// Decodes the instructions that compute with addresses: cvta, isspacep, mapa, getctarank, createpolicy. PTX
// ISA 9.7.9.18 to 9.7.9.24.
#include "virtual-hopper/decode/convert.h"

#include <string.h>

#include "virtual-hopper/decode/arithmetic.h"
#include "virtual-hopper/execute/move.h"

// Every spelling of a space, and the start of the space's window of generic addresses. 0: an address in this
// space is already generic.
static const char *const spaces[] = {"global", "const",        "shared", "shared::cta", "shared::cluster",
                                     "local",  "param::entry", "param",  NULL};
enum { SPACE_GLOBAL, SPACE_CONST, SPACE_SHARED, SPACE_SHARED_CTA, SPACE_SHARED_CLUSTER, SPACE_LOCAL };
static const uint64_t windows[] = {
    0, 0, SHARED_WINDOW, SHARED_WINDOW, SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW, PARAM_WINDOW};

static bool decode_two(struct decoder *d, const struct ptx_instruction *in, struct op *op, enum ptx_type to,
                       enum ptx_type from) {
  if (!arithmetic_operand_count(d, in, 2)) return false;
  op->d = decode_destination(d, &in->operands[0], to);
  op->a = decode_source(d, &in->operands[1], from);
  if (decode_failed(d)) return false;
  return op->d != OP_NO_REGISTER || decode_error(d, in, "it needs a register as its destination");
}

// cvta{.to}.space.u64 d, a
bool decode_cvta(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  bool to = modifiers_take(&modifiers, "to");
  int space = modifiers_take_one_of(&modifiers, spaces);
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (space < 0) return decode_error(d, in, "it names no state space");
  if (type != PTX_U64) return decode_error(d, in, "addresses are 64 bits wide here: .u64");
  op->immediate = (int64_t)windows[space];
  op->execute = windows[space] == 0 ? warp_move64 : to ? warp_subtract_window : warp_add_window;
  return decode_two(d, in, op, PTX_U64, PTX_U64);
}

// isspacep.space p, a. On this device constant memory has no window of its own.
bool decode_isspacep(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers modifiers = modifiers_of(in);
  int space = modifiers_take_one_of(&modifiers, spaces);
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (space < 0) return decode_error(d, in, "it names no state space");
  if (space == SPACE_CONST)
    return decode_error(d, in, "this device can't tell constant memory from global memory");
  op->immediate = (int64_t)windows[space];
  op->execute = space == SPACE_GLOBAL           ? warp_space_global
                : space == SPACE_SHARED_CLUSTER ? warp_space_shared_cluster
                : space < SPACE_SHARED_CLUSTER  ? warp_space_shared_cta
                                                : warp_space_window;
  return decode_two(d, in, op, PTX_PRED, PTX_U64);
}

// Decodes the kind of the addresses, .shared::cluster or generic, and their type.
static bool decode_shared_form(struct decoder *d, const struct ptx_instruction *in, bool *shared,
                               enum ptx_type *type) {
  struct modifiers modifiers = modifiers_of(in);
  *type = modifiers_take_type(&modifiers);
  *shared = modifiers_take(&modifiers, "shared::cluster");
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (*type == PTX_U64 || (*type == PTX_U32 && *shared)) return true;
  return decode_error(d, in, "its addresses must be .u64, or .u32 with .shared::cluster");
}

// mapa{.shared::cluster}.type d, a, b
bool decode_mapa(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  enum ptx_type type;
  bool shared;
  if (!decode_shared_form(d, in, &shared, &type)) return false;
  op->execute = !shared ? warp_map_generic : type == PTX_U64 ? warp_map_shared64 : warp_map_shared32;
  return arithmetic_decode_operands(d, in, op, "ttu", type);
}

// getctarank{.shared::cluster}.type d, a
bool decode_getctarank(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  enum ptx_type type;
  bool shared;
  if (!decode_shared_form(d, in, &shared, &type)) return false;
  op->execute = type == PTX_U64 ? warp_rank_shared64 : warp_rank_shared32;
  return arithmetic_decode_operands(d, in, op, "ut", type);
}

static const char *const priorities[] = {"L2::evict_unchanged", "L2::evict_first", "L2::evict_last",
                                         "L2::evict_normal", NULL};
static const char *const secondaries[] = {"L2::evict_unchanged", "L2::evict_first", NULL};

// createpolicy.range{.global}.primary{.secondary}.b64 d, [a], primary_size, total_size
static bool decode_policy_range(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                                enum ptx_space space) {
  bool narrow;
  if (!arithmetic_operand_count(d, in, 4)) return false;
  if (!decode_address(d, &in->operands[1], space, op, &op->a, &op->immediate, &narrow)) return false;
  op->b = decode_source(d, &in->operands[2], PTX_U32);
  op->c = decode_source(d, &in->operands[3], PTX_U32);
  op->execute = warp_policy_range;
  return !decode_failed(d);
}

// A policy is opaque to programs and this device has no caches. So a policy is only a value that programs
// copy and compare. Its bits 63:56: the kind, the primary priority, and whether the secondary one is
// evict_first.
enum { POLICY_OF_FRACTION = 2 << 3, POLICY_OF_RANGE = 3 << 3 };
bool decode_createpolicy(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  static const char *const kinds[] = {"fractional", "range", "cvt", NULL};
  struct modifiers modifiers = modifiers_of(in);
  enum ptx_type type = modifiers_take_type(&modifiers);
  int kind = modifiers_take_one_of(&modifiers, kinds),
      priority = modifiers_take_one_of(&modifiers, priorities), secondary = 0;
  enum ptx_space space = kind == 1 && modifiers_take(&modifiers, "global") ? PTX_GLOBAL : PTX_SPACE_NONE;
  if (kind == 2)
    modifiers_take(&modifiers, "L2");
  else
    secondary = modifiers_take_one_of(&modifiers, secondaries);
  if (!modifiers_all_taken(d, &modifiers)) return false;
  if (type != PTX_B64) return decode_error(d, in, "a policy is a .b64");
  if (kind < 0 || (priority < 0) != (kind == 2))
    return decode_error(d, in, "it names no way to make a policy or no priority");
  op->d = in->operand_count ? decode_destination(d, &in->operands[0], PTX_B64) : OP_NO_REGISTER;
  if (op->d == OP_NO_REGISTER) return decode_error(d, in, "it needs a register as its destination");
  if (kind == 2) {
    op->execute = warp_move64;
    return decode_two(d, in, op, PTX_B64, PTX_B64);
  }
  op->kind = (uint8_t)((kind == 1 ? POLICY_OF_RANGE : POLICY_OF_FRACTION) | priority << 1 |
                       (secondary == 1 ? 1 : 0));
  if (kind == 1) return decode_policy_range(d, in, op, space);
  op->execute = warp_policy_fraction;
  op->immediate = (int64_t)op->kind << 56;
  if (in->operand_count != 1 && !arithmetic_operand_count(d, in, 2)) return false;
  op->a = in->operand_count == 1 ? decode_constant(d, 0x3f800000u, 4)
                                 : decode_source(d, &in->operands[1], PTX_F32);
  return op->a != OP_NO_REGISTER;
}
