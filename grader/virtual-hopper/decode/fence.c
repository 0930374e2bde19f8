// Decodes membar and fence: PTX ISA 9.7.13.4.
#include <string.h>

#include "virtual-hopper/decode/decoder.h"
#include "virtual-hopper/execute/fence.h"

// fence.proxy.tensormap::generic.{acquire,release}.{scope} [addr], 128;
static bool decode_tensormap_fence(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  bool acquire = ptx_has_modifier(in, "acquire");
  op->kind = acquire ? FENCE_TENSORMAP_ACQUIRE : FENCE_TENSORMAP_RELEASE;
  if (!acquire)
    return ptx_has_modifier(in, "release") || decode_error(d, in, "it must be an acquire or a release");
  if (in->operand_count != 2 || in->operands[1].kind != PTX_OPERAND_INTEGER)
    return decode_error(d, in, "it takes an address and the size 128");
  if (in->operands[1].integer != 128) return decode_error(d, in, "the size must be 128");
  bool narrow;
  return decode_address(d, &in->operands[0], PTX_SPACE_NONE, op, &op->a, &op->immediate, &narrow);
}

static bool decode_proxy(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  for (uint32_t i = 0; i < in->modifier_count; i++)
    if (strncmp(in->modifiers[i], "tensormap", 9) == 0) return decode_tensormap_fence(d, in, op);
  if (ptx_has_modifier(in, "alias")) { // this device has no virtual aliases of memory
    op->kind = FENCE_NOTHING;
    return true;
  }
  op->kind = FENCE_PROXY_ASYNC; // orders the accesses to the named space; no space: all accesses
  bool generic_async = false;
  for (uint32_t i = 0; i < in->modifier_count; i++) {
    const char *m = in->modifiers[i];
    if (strcmp(m, "async") == 0) generic_async = true;
    if (strncmp(m, "shared", 6) == 0) op->flags |= FENCE_SHARED;
    if (strcmp(m, "shared::cta") == 0 || strcmp(m, "shared") == 0) op->flags |= FENCE_CTA;
    if (strcmp(m, "global") == 0) op->flags |= FENCE_GLOBAL;
    // .acquire or .release with sync_restrict: the device orders both directions
    if (strncmp(m, "async::generic", 14) == 0) {
      generic_async = true;
      op->flags |= FENCE_SHARED;
    }
  }
  if (!(op->flags & (FENCE_SHARED | FENCE_GLOBAL))) op->flags |= FENCE_SHARED | FENCE_GLOBAL;
  return generic_async || decode_error(d, in, "this device doesn't know the proxy");
}

// fence.acquire.sync_restrict::shared::cluster.cluster; fence.release.sync_restrict::shared::cta.cluster;
// Returns 1 for a fence of these forms, 0 for another fence, -1 after an error. The device orders all memory.
static int decode_restricted(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  const bool loads = ptx_has_modifier(in, "sync_restrict::shared::cluster");
  if (!loads && !ptx_has_modifier(in, "sync_restrict::shared::cta")) return 0;
  static const char *const acquire[] = {"acquire", "sync_restrict::shared::cluster", "cluster", NULL};
  static const char *const release[] = {"release", "sync_restrict::shared::cta", "cluster", NULL};
  if (!decode_allowed(d, in, loads ? acquire : release)) return -1;
  if (in->modifier_count != 3) return decode_error(d, in, "its order and the scope .cluster are wanted") - 1;
  op->kind = FENCE_MEMORY;
  op->count = loads ? ORDER_ACQUIRE : ORDER_RELEASE;
  op->flags |= FENCE_NARROW;
  return 1;
}

bool decode_fence(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  op->execute = fence_run;
  if (ptx_has_modifier(in, "proxy")) return decode_proxy(d, in, op);
  if (ptx_has_modifier(in, "mbarrier_init")) {
    op->kind = FENCE_MBARRIER_INIT;
    return true;
  }
  const int restricted = decode_restricted(d, in, op);
  if (restricted) return restricted > 0;
  static const char *const allowed[] = {"sc",  "acq_rel", "acquire", "release", "cta", "cluster",
                                        "gpu", "sys",     "gl",      "level",   NULL};
  if (!decode_allowed(d, in, allowed)) return false;
  op->kind = FENCE_MEMORY;
  op->count = ptx_has_modifier(in, "acquire")   ? ORDER_ACQUIRE
              : ptx_has_modifier(in, "release") ? ORDER_RELEASE
                                                : ORDER_ACQ_REL;
  if (ptx_has_modifier(in, "cta") || ptx_has_modifier(in, "cluster")) op->flags |= FENCE_NARROW;
  return true;
}
