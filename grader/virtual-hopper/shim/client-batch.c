// Batches of copies: one call, many copies. In: arrays of addresses and sizes; out: CUDA error numbers. One
// idea: each copy of a batch is a copy in the stream. CUDA promises no order within a batch; a program that
// relies on one is not noticed.
#include "virtual-hopper/shim/client.h"

enum { INVALID_VALUE = 1, ORDER_STREAM = 1, ORDER_DURING_CALL = 2, ORDER_ANY = 3, BY_ADDRESS = 4 };

// Each entry of `first` is the first copy that the attribute of this number is for.
static bool is_batch(const struct client_batch *b) {
  if (!b->to || !b->from || !b->bytes || !b->count || !b->attributes || !b->first) return false;
  if (!b->attribute_count || b->attribute_count > b->count || b->first[0]) return false;
  for (size_t i = 0; i < b->attribute_count; i++) {
    if (i && b->first[i] <= b->first[i - 1]) return false;
    if (b->first[i] >= b->count || b->attributes[i].source_order < ORDER_STREAM ||
        b->attributes[i].source_order > ORDER_ANY)
      return false;
  }
  for (size_t i = 0; i < b->count; i++)
    if (b->bytes[i] && (!b->to[i] || !b->from[i])) return false;
  return true;
}

int client_batch(const struct client_batch *b, uint32_t in) {
  if (!is_batch(b)) return INVALID_VALUE;
  int status = 0;
  size_t attribute = 0;
  for (size_t i = 0; i < b->count && !status; i++) {
    while (attribute + 1 < b->attribute_count && b->first[attribute + 1] <= i)
      attribute++;
    const struct client_box box = {.to = b->to[i],
                                   .from = b->from[i],
                                   .to_pitch = b->bytes[i],
                                   .from_pitch = b->bytes[i],
                                   .width = b->bytes[i],
                                   .rows = 1,
                                   .slices = 1,
                                   .kind = BY_ADDRESS};
    // the source may be gone after the call
    const bool now = b->attributes[attribute].source_order == ORDER_DURING_CALL;
    status = client_transfer(&box, now ? in | PROTOCOL_HOST_WAITS : in);
  }
  return status;
}
