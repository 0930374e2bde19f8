// Address operands of the asynchronous instructions: how a lane finds the memory at such an address.
#ifndef VIRTUAL_HOPPER_EXECUTE_ASYNC_PLACE_H
#define VIRTUAL_HOPPER_EXECUTE_ASYNC_PLACE_H

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"

struct async_address {
  uint32_t base; // register
  int64_t offset;
  bool narrow; // the register holds 32 bits: a shared address
  bool shared; // a shared address (rank << 24 | offset), for any register width; otherwise a generic address
};

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
// Finds the shared memory of [address, address + bytes): fills owner, offset and host pointer. Returns false
// after a fault (misaligned-address, out-of-bounds).
bool async_shared_at(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                     uint32_t bytes, uint32_t alignment, const char *what, struct async_shared *place);
// Finds the shared memory of a barrier operand, which must be aligned. `own`: the barrier must be in the
// shared memory of this block. Returns false after a fault.
bool async_barrier_at(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                      bool own, struct async_shared *place);
// Returns the host memory of the global range [address, address + bytes), NULL after a fault. `what` names
// the operand in messages: "the source of the bulk copy".
uint8_t *async_global_at(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, uint64_t bytes,
                         uint32_t alignment, const char *what);
// The remedy for an address in shared memory where the operand needs global memory, or the reverse.
#define ASYNC_TURNED_REMEDY "Are destination and source the right way round? The destination comes first."

// Records a fault that ends the grid. `role` says what the thread does, `format` is the message.
void async_faultf(struct warp *w, const struct op *op, uint32_t lane, enum rule_id rule, int device_error,
                  const char *role, const char *format, ...) __attribute__((format(printf, 7, 8)));

// Returns the lane's value of a register that takes 32 bits per lane, whatever its declared width.
static inline uint32_t async_value32(const struct warp *w, uint32_t offset, uint32_t lane) {
  return warp_register32(w, offset)[lane];
}

#endif
