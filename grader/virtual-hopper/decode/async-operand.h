// What the asynchronous instructions' families share: address operands and how an executing lane finds the memory they mean.
#ifndef VIRTUAL_HOPPER_DECODE_ASYNC_OPERAND_H
#define VIRTUAL_HOPPER_DECODE_ASYNC_OPERAND_H

#include "virtual-hopper/decode/modifiers.h"
#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/mbarrier-fault.h"
#include "virtual-hopper/memory.h"

struct async_address {
  uint32_t base; // register
  int64_t offset;
  bool narrow; // the register holds 32 bits: a shared address
  bool shared; // a shared address (rank << 24 | offset), whatever the register's width; else a generic one
};
bool async_address_decode(struct decoder *d, const struct ptx_instruction *in,
                          const struct ptx_operand *operand, enum ptx_space space,
                          struct async_address *address);
// The one among .shared, .shared::cta, .shared::cluster that the instruction carries: PTX_SHARED, or PTX_SPACE_NONE for a generic address.
enum ptx_space async_take_shared(struct modifiers *m);

static inline uint64_t async_address_of(const struct warp *w, const struct async_address *a, uint32_t lane) {
  uint64_t base = a->narrow ? warp_register32(w, a->base)[lane] : warp_register64(w, a->base)[lane];
  uint64_t address = base + (uint64_t)a->offset;
  return a->shared ? (uint32_t)address : address;
}

struct async_shared {
  struct block *owner;
  uint32_t offset;
  uint8_t *host;
};
// Shared memory of [address, +bytes): owner, offset and host pointer. False after a fault (misaligned-address, out-of-bounds).
bool async_shared_at(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                     uint32_t bytes, uint32_t alignment, const char *what, struct async_shared *place);
// A barrier operand: aligned, inside shared memory. `own`: must be this block's.
bool async_barrier_at(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                      bool own, struct async_shared *place);
// Global memory of [address, +bytes), NULL after a fault. `what`: "the source of the bulk copy".
uint8_t *async_global_at(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, uint64_t bytes,
                         uint32_t alignment, const char *what);
// Where an address lies in the other kind of memory than its operand says.
#define ASYNC_TURNED_REMEDY "Are destination and source the right way round? The destination comes first."

// A fault that ends the grid: rule, CUDA error, what the thread does, message.
void async_faultf(struct warp *w, const struct op *op, uint32_t lane, const char *rule, int device_error,
                  const char *role, const char *format, ...) __attribute__((format(printf, 7, 8)));

// One word in a register, whatever its declared width.
static inline uint32_t async_value32(const struct warp *w, uint32_t offset, uint32_t lane) {
  return warp_register32(w, offset)[lane];
}

#endif
