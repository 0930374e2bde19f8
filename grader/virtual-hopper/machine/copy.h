// One asynchronous copy: a bulk copy, tensor copy, reduction, cp.async, st.async or red.async, from its issue
// to its end.
#ifndef VIRTUAL_HOPPER_MACHINE_COPY_H
#define VIRTUAL_HOPPER_MACHINE_COPY_H

#include "virtual-hopper/machine/machine.h"

enum async_operation {
  ASYNC_STORE,
  ASYNC_ADD,
  ASYNC_MIN,
  ASYNC_MAX,
  ASYNC_INC,
  ASYNC_DEC,
  ASYNC_AND,
  ASYNC_OR,
  ASYNC_XOR,
  ASYNC_ADD_FTZ // of f32, for tensors of that type
};

enum async_kind {
  ASYNC_BULK_LOAD,    // global -> shared (also multicast), completes on an mbarrier
  ASYNC_BULK_STORE,   // shared -> global, bulk group
  ASYNC_BULK_REDUCE,  // shared -> global with an operation, bulk group
  ASYNC_BULK_CLUSTER, // shared -> another block's shared, mbarrier
  ASYNC_BULK_CLUSTER_REDUCE,
  ASYNC_TENSOR_LOAD,
  ASYNC_TENSOR_STORE,
  ASYNC_TENSOR_REDUCE,
  ASYNC_CP_ASYNC,    // cp.async of one thread, cp.async groups
  ASYNC_REMOTE_STORE // st.async, red.async: on an mbarrier
};

struct async_copy {
  enum async_kind kind;
  const struct op *op; // who issued it, for messages
  struct block *block; // issuing block
  uint32_t thread;     // issuing thread in it
  uint32_t bytes;      // payload (the full box)
  uint32_t footprint;  // of shared memory: more than bytes when swizzled rows are narrower than their pitch
  uint64_t global_address; // bulk
  uint32_t shared_offset;  // in the issuing block (source) or each destination block
  uint32_t source_offset;  // CLUSTER copies: in the issuing block (shared_offset is the destination's)
  uint32_t unready;        // ranks of other blocks that had no barrier there when the copy was issued
  struct block *destination[CLUSTER_MAX_BLOCKS];
  uint32_t destination_count; // LOAD (multicast) and CLUSTER
  uint32_t mbarrier_offset;   // same offset in each destination; 0 none
  uint64_t group;             // number of the thread's bulk group it belongs to (stores)
  bool source_read;           // stores: source has been read, written may still be pending
  bool written;               // everything done
  struct tensor_box *box;     // tensor copies: decoded map, coordinates (tensor-map.h); NULL else
  uint64_t map;               // tensor copies: where the map lies in global memory; 0: elsewhere
  uint8_t operation, element; // reductions: enum async_operation, enum ptx_type
  uint8_t value[16];          // REMOTE_STORE: what is stored or reduced
  uint32_t source_bytes;      // CP_ASYNC: bytes read; the rest of `bytes` becomes zero
  void *order;                // the happens-before engine's note of this copy
  uint32_t race;              // and the number of that of races (order/race-notes.h); 0: none
  struct async_copy *next, *previous;
};

// A run of global memory that a copy reads or writes.
struct copy_span {
  uint64_t address, bytes;
  uint64_t beyond_edge; // of the bytes: the last ones, behind the tensor's edge, which a store writes as well
};
typedef void copy_span_visit(const struct copy_span *span, void *context);
// True for bytes of which a store writes some behind its tensor's edge.
bool copy_is_beyond_edge(const struct async_copy *copy, uint64_t address, uint64_t bytes);
// A tensor box is visited row by row.
void copy_each_global_span(const struct async_copy *copy, copy_span_visit *visit, void *context);

#endif
