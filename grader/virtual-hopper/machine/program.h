// A program: one entry with every function that it can reach, decoded, and the layout of its shared and local
// memory. Made at the first launch of the entry. The other functions of the module don't matter, even if they
// can't be decoded.
#ifndef VIRTUAL_HOPPER_MACHINE_PROGRAM_H
#define VIRTUAL_HOPPER_MACHINE_PROGRAM_H

#include "virtual-hopper/base/name-index.h"
#include "virtual-hopper/machine/op.h"

enum {
  RECURSION_LOCAL_BYTES = 64 << 10
}; // of local memory per thread, when the call graph has a cycle or indirect calls

// Where the module's variables in global and constant memory were placed.
struct placed_variable {
  const struct ptx_variable *variable;
  uint64_t address;
};
struct placement {
  const struct placed_variable *variables;
  size_t count;
};

struct shared_symbol {
  const char *name;
  uint32_t offset, bytes; // bytes 0: an extern array, whose size the launch tells
  uint32_t alignment;
};

// something that can't be decoded; any one of them keeps the entry from being launched
struct decode_problem {
  const struct ptx_function *function;
  const struct ptx_instruction *instruction; // NULL: the function as a whole
  const char *text;
};

struct program {
  const struct ptx_module *module;
  const struct placement *placement;
  struct arena *arena;
  struct function *entry;
  struct function **functions; // [function_count]; [0] is the entry
  uint32_t function_count, function_capacity;
  struct name_index function_names; // -> module->functions
  struct name_index placed_names;   // -> placement->variables
  struct name_index shared_names;   // -> shared
  struct name_index executors;  // by their addresses: footprints of what decode emits (execute/footprint.h)
  int32_t *by_index;            // module->functions index -> functions index, -1: not reachable
  struct shared_symbol *shared; // offsets from SHARED_FIRST_OFFSET's origin: shared addresses of rank 0
  uint32_t shared_count, shared_capacity;
  uint32_t static_shared_bytes;   // not counting the first KiB
  uint32_t dynamic_shared_offset; // shared offset of extern arrays; static end, aligned
  bool uses_indirect_calls, uses_recursion, uses_device_heap, reads_clocks, uses_products,
      uses_shared_of_groups, launches_kernels, waits_by_token, waits_by_parity;
  struct decode_problem *problems;
  uint32_t problem_count, problem_capacity;
};

// The function that an address (FUNCTION_WINDOW) means, or NULL.
const struct function *program_function_at(const struct program *program, uint64_t address);

#endif
