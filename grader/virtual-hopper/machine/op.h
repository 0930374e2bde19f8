// The decoded form: one `struct op` per PTX instruction, everything decided: type, width, space, rounding,
// operand places.
#ifndef VIRTUAL_HOPPER_MACHINE_OP_H
#define VIRTUAL_HOPPER_MACHINE_OP_H

#include "virtual-hopper/machine/machine.h"
#include "virtual-hopper/ptx/ptx.h"

typedef void op_execute(struct warp *w, const struct op *op);

#define OP_NO_REGISTER UINT32_MAX

struct op {
  op_execute *execute;
  uint32_t d, a, b, c; // byte offsets into the frame's registers; OP_NO_REGISTER: absent (a sink)
  uint32_t guard;      // predicate's offset, OP_NO_REGISTER: unguarded
  bool guard_negated;
  uint8_t space;        // enum ptx_space of an access; PTX_SPACE_NONE: generic
  uint8_t width, count; // bytes of one element; vector elements
  uint8_t kind, flags;  // the family's own
  uint32_t target;      // branch: index of the op to go to; else a fourth operand place of the family's own
  int64_t immediate;    // address offset, or the family's own
  const void *extra;    // family's own decoded data, in the module's arena
  const struct ptx_instruction *source;
  const struct ptx_module *module;
};

// A value that a frame holds from the moment it is made: immediates and symbols' addresses, broadcast over
// the lanes.
struct constant {
  uint32_t offset; // in the frame's registers
  uint8_t bytes;   // 4 or 8 per lane; 0: a predicate (one mask)
  enum constant_base {
    CONSTANT_ABSOLUTE,
    CONSTANT_SHARED,
    CONSTANT_LOCAL
  } base; // SHARED: add the block's rank << 24; LOCAL: add the frame's local_base
  uint64_t value;
};

// A piece of a frame: a register, a constant or a scratch register of all lanes, or a predicate.
struct frame_place {
  uint32_t offset, bytes;
};

struct function { // decoded code of one PTX function
  const struct ptx_function *source;
  const struct ptx_module *module;
  const char *name;
  bool is_entry;
  struct op *ops;
  uint32_t op_count;               // ends in an implicit ret/exit
  uint32_t register_bytes;         // frame size
  const uint32_t *register_places; // offset in the frame of each of source->registers, for tests and traces
  struct constant *constants;
  uint32_t constant_count;
  uint32_t call_area_bytes;                     // .param space of calls, per lane
  uint32_t *result_offsets, *parameter_offsets; // in the call area (device functions)
  uint32_t local_bytes;                         // of this activation, per thread
  uint32_t local_bytes_per_thread; // entry only: deepest call chain, recursion allowance included
  uint32_t index;                  // in its program
  // the pieces of its frame; the gaps between them are unused:
  const struct frame_place *places;
  uint32_t place_count;
};

#endif
