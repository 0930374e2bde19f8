// Generic addresses (PTX ISA 6.4.1.1). In: an address that a thread computed. Out: the memory at that
// address, or what lies there instead, for a fault. The one idea: the windows of machine.h
// decide. Only global addresses need a look-up in the table of allocations.
#include "virtual-hopper/memory/memory.h"

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/rules/place-words.h"

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
  uint8_t *host = memory_host(w->launch->memory, address, bytes); // page-locked memory of the host
  return (struct memory_place){.kind = host ? MEMORY_GLOBAL : MEMORY_NOWHERE, .host = host};
}

const struct block *memory_ended_block(const struct block *b, uint64_t address) {
  uint32_t offset;
  if (address - SHARED_WINDOW >= WINDOW_BYTES) return NULL;
  const struct block *owner = memory_shared_owner(b, (uint32_t)(address - SHARED_WINDOW), &offset);
  return owner && owner->exited ? owner : NULL;
}

static struct place_facts state_shared(const struct block *b, uint32_t shared_address, size_t bytes) {
  uint32_t offset, begin, next;
  const struct block *owner = memory_shared_owner(b, shared_address, &offset);
  const char *first = shared_variable_at(b->launch, SHARED_FIRST_OFFSET, &begin, &next);
  const uint64_t end = SHARED_FIRST_OFFSET + (uint64_t)b->launch->shared_bytes;
  struct place_facts facts = {.kind = PLACE_PAST_SHARED,
                              .rank = shared_address >> SHARED_RANK_SHIFT,
                              .blocks = b->cluster->block_count,
                              .offset = offset,
                              .bytes = b->launch->shared_bytes};
  if (!owner) {
    facts.kind = PLACE_NO_BLOCK;
  } else if (owner->exited) {
    facts.kind = PLACE_EXITED_BLOCK;
  } else if (offset < SHARED_FIRST_OFFSET) {
    facts.kind = first ? PLACE_BEFORE_SHARED : PLACE_SYSTEM_SHARED;
    facts.distance = SHARED_FIRST_OFFSET - offset;
    if (first) shared_variable_name(first, facts.name, sizeof facts.name);
  } else {
    facts.distance = offset + bytes - end;
    shared_name_place(b->launch, offset, facts.name, sizeof facts.name);
  }
  return facts;
}

#define NULL_REACH (1ull << 32) // no memory lies below: null plus an offset, or half of an address

bool memory_is_no_place(const struct warp *w, uint64_t address) {
  // the windows follow each other
  bool reachable = address >= SHARED_WINDOW && address < FUNCTION_WINDOW + WINDOW_BYTES;
  return address < NULL_REACH || (!reachable && memory_is_far(w->launch->memory, address));
}

static bool begins_with_variable(const struct launch *launch) {
  uint32_t begin, next;
  return shared_variable_at(launch, SHARED_FIRST_OFFSET, &begin, &next) != NULL;
}

bool memory_advise(const struct warp *w, uint64_t address, char *text, size_t size) {
  uint32_t offset = (uint32_t)address & ((1u << SHARED_RANK_SHIFT) - 1);
  enum place_advice advice = ADVICE_NONE;
  if (address < NULL_REACH)
    advice = ADVICE_POINTER;
  else if (memory_is_no_place(w, address))
    advice = ADVICE_HOST_POINTER;
  else if (address - SHARED_WINDOW < WINDOW_BYTES && shared_is_dynamic(w->launch, offset))
    advice = ADVICE_DYNAMIC_SHARED;
  else if (address - SHARED_WINDOW < SHARED_FIRST_OFFSET && begins_with_variable(w->launch))
    advice = ADVICE_NEGATIVE_INDEX;
  else if (memory_was_freed(w->launch->memory, address))
    advice = ADVICE_FREED;
  place_advice_words(advice, w->launch->dynamic_shared_bytes, text, size);
  return advice != ADVICE_NONE;
}

void memory_describe_place(const struct warp *w, uint64_t address, size_t bytes, char *text, size_t size) {
  struct place_facts facts = {.kind = PLACE_FOREIGN};
  if (address < 4096)
    facts.kind = PLACE_AT_NULL;
  else if (address < NULL_REACH)
    facts = (struct place_facts){.kind = PLACE_PAST_NULL, .distance = address};
  else if (address - SHARED_WINDOW < WINDOW_BYTES)
    facts = state_shared(w->block, (uint32_t)(address - SHARED_WINDOW), bytes);
  else if (address - LOCAL_WINDOW < WINDOW_BYTES)
    facts = (struct place_facts){.kind = PLACE_LOCAL, .bytes = w->launch->function->local_bytes_per_thread};
  else if (address - PARAM_WINDOW < WINDOW_BYTES)
    facts = (struct place_facts){.kind = PLACE_PARAMETERS, .bytes = w->launch->parameter_bytes};
  else if (!memory_is_no_place(w, address)) {
    memory_describe(w->launch->memory, address, text, size);
    return;
  }
  place_words(&facts, text, size);
}
