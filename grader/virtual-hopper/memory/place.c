// Generic addresses (PTX ISA 6.4.1.1). In: an address that a thread computed. Out: the memory at that
// address, or words for a fault that say what lies there instead. The one idea: the windows of machine.h
// decide. Only global addresses need a look-up in the table of allocations.
#include "virtual-hopper/memory/memory.h"

#include <stdio.h>

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"

uint8_t *memory_shared(const struct block *b, uint32_t offset, size_t bytes) {
  uint32_t inside = offset - SHARED_FIRST_OFFSET; // wraps to a huge value in the system's first KiB
  uint32_t room = b->launch->shared_bytes;
  return inside <= room && bytes <= room - inside ? b->shared + inside : NULL;
}

struct block *memory_shared_owner(const struct block *b, uint32_t shared_address, uint32_t *offset) {
  uint32_t rank = shared_address >> SHARED_RANK_SHIFT;
  *offset = shared_address & ((1u << SHARED_RANK_SHIFT) - 1);
  return rank < b->cluster->block_count ? b->cluster->blocks[rank] : NULL;
}

static struct memory_place resolve_shared(const struct block *b, uint32_t shared_address, size_t bytes) {
  struct memory_place place = {.kind = MEMORY_SHARED};
  place.owner = memory_shared_owner(b, shared_address, &place.offset);
  if (place.owner && !place.owner->exited) place.host = memory_shared(place.owner, place.offset, bytes);
  return place;
}

struct memory_place memory_resolve(const struct warp *w, uint32_t lane, uint64_t address, size_t bytes) {
  if (address - GLOBAL_BASE < WINDOW_BYTES * 0x100) {
    uint8_t *host = memory_host(w->launch->memory, address, bytes);
    return (struct memory_place){.kind = MEMORY_GLOBAL, .host = host};
  }
  if (address - SHARED_WINDOW < WINDOW_BYTES)
    return resolve_shared(w->block, (uint32_t)(address - SHARED_WINDOW), bytes);
  if (address - LOCAL_WINDOW < WINDOW_BYTES) {
    uint32_t offset = (uint32_t)(address - LOCAL_WINDOW), room = w->launch->function->local_bytes_per_thread;
    bool inside = w->local && offset <= room && bytes <= room - offset;
    return (struct memory_place){.kind = MEMORY_LOCAL,
                                 .offset = offset,
                                 .host = inside ? w->local + (size_t)lane * room + offset : NULL};
  }
  if (address - PARAM_WINDOW < WINDOW_BYTES) {
    uint32_t offset = (uint32_t)(address - PARAM_WINDOW), room = w->launch->parameter_bytes;
    bool inside = offset <= room && bytes <= room - offset;
    // Parameters are read only. The code that stores checks the kind.
    return (struct memory_place){.kind = MEMORY_PARAM,
                                 .offset = offset,
                                 .host =
                                     inside ? (uint8_t *)(uintptr_t)(w->launch->parameters + offset) : NULL};
  }
  return (struct memory_place){.kind = MEMORY_NOWHERE};
}

static void describe_shared(const struct block *b, uint32_t shared_address, size_t bytes, char *text,
                            size_t size) {
  uint32_t offset, begin, next;
  const struct block *owner = memory_shared_owner(b, shared_address, &offset);
  const char *first = shared_variable_at(b->launch, SHARED_FIRST_OFFSET, &begin, &next);
  char name[160];
  if (first) shared_variable_name(first, name, sizeof name);
  uint64_t end = SHARED_FIRST_OFFSET + (uint64_t)b->launch->shared_bytes;
  if (!owner)
    snprintf(text, size, "in shared memory of block %u of a cluster of %u",
             shared_address >> SHARED_RANK_SHIFT, b->cluster->block_count);
  else if (owner->exited)
    snprintf(text, size, "in shared memory of block %u of the cluster, which has exited", owner->rank);
  else if (offset < SHARED_FIRST_OFFSET && first)
    snprintf(text, size, "%u bytes before `%s`, with which the block's shared memory begins",
             SHARED_FIRST_OFFSET - offset, name);
  else if (offset < SHARED_FIRST_OFFSET)
    snprintf(text, size, "at shared offset 0x%x, in the first KiB, which the system keeps", offset);
  else {
    shared_name_place(b->launch, offset, name, sizeof name);
    snprintf(text, size, "at %s and ends %llu bytes past the block's %u bytes of shared memory", name,
             (unsigned long long)(offset + bytes - end), b->launch->shared_bytes);
  }
}

#define NULL_REACH (1ull << 32) // no memory lies below: null plus an offset, or half of an address

bool memory_is_no_place(const struct warp *w, uint64_t address) {
  bool reachable =
      address >= SHARED_WINDOW && address < FUNCTION_WINDOW + WINDOW_BYTES; // the windows follow each other
  return address < NULL_REACH || (!reachable && memory_is_far(w->launch->memory, address));
}

bool memory_advise(const struct warp *w, uint64_t address, char *text, size_t size) {
  uint32_t offset = (uint32_t)address & ((1u << SHARED_RANK_SHIFT) - 1);
  if (address < NULL_REACH)
    snprintf(text, size,
             "Look at what the launch passes to the kernel: a pointer to device memory belongs there.");
  else if (memory_is_no_place(w, address))
    snprintf(text, size,
             "Is it `&` of a pointer, or a buffer of the host? Pass the pointer to device memory itself.");
  else if (address - SHARED_WINDOW < WINDOW_BYTES && shared_is_dynamic(w->launch, offset))
    snprintf(text, size,
             "Is the third number in <<<blocks, threads, bytes>>> large enough? The launch gives the extern "
             "__shared__ array %u bytes. If it is, check the index: a pointer moves by elements.",
             w->launch->dynamic_shared_bytes);
  else if (memory_was_freed(w->launch->memory, address))
    snprintf(
        text, size,
        "Free it after its last use. All threads that use it must have come to a barrier before one of them "
        "frees it; the host waits for the kernel before cudaFree.");
  else
    return false;
  return true;
}

void memory_describe_place(const struct warp *w, uint64_t address, size_t bytes, char *text, size_t size) {
  if (address < 4096)
    snprintf(text, size, "at a null pointer, or close to one");
  else if (address < NULL_REACH)
    snprintf(text, size, "%llu bytes past a null pointer", (unsigned long long)address);
  else if (address - SHARED_WINDOW < WINDOW_BYTES)
    describe_shared(w->block, (uint32_t)(address - SHARED_WINDOW), bytes, text, size);
  else if (address - LOCAL_WINDOW < WINDOW_BYTES)
    snprintf(text, size, "outside the thread's %u bytes of local memory",
             w->launch->function->local_bytes_per_thread);
  else if (address - PARAM_WINDOW < WINDOW_BYTES)
    snprintf(text, size, "in the kernel's %u bytes of parameters, which can only be read",
             w->launch->parameter_bytes);
  else if (memory_is_no_place(w, address))
    snprintf(text, size, "far from all device memory (an address of the host?)");
  else
    memory_describe(w->launch->memory, address, text, size);
}
