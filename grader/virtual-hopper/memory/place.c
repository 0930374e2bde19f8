// Generic addresses (PTX ISA 6.4.1.1): takes what a thread computed, gives the memory it means, or a fault that says what lies there instead.
// One idea: the windows of machine.h decide; only global addresses need a look into the table of allocations.
#include "virtual-hopper/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/shared-name.h"

enum { ERROR_ILLEGAL_ADDRESS = 700, ERROR_MISALIGNED_ADDRESS = 716 };

uint8_t *memory_shared(const struct block *b, uint32_t offset, size_t bytes) {
  uint32_t inside = offset - SHARED_FIRST_OFFSET; // wraps for the system's KiB: then far too large
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
    // Read only; whoever stores looks at the kind.
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

#define NULL_REACH (1ull << 32) // below lies nothing: a null pointer and an offset, or half of an address

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
    snprintf(
        text, size,
        "Is the third number in <<<blocks, threads, bytes>>> large enough? The launch gives the extern __shared__ array %u bytes. If it is, "
        "check the index: a pointer moves by elements.",
        w->launch->dynamic_shared_bytes);
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

static void append(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list values;
  va_start(values, format);
  vsnprintf(text + used, size - used, format, values);
  va_end(values);
}

static void blame_wait(struct fault *f, const struct warp *w, uint32_t lane,
                       const struct order_unwritten *u) {
  append(f->message, sizeof f->message, " %s, before anything was written there.", u->words);
  snprintf(f->remedy, sizeof f->remedy, "%s", u->remedy);
  struct fault_related *wait = &f->related[f->related_count++];
  snprintf(wait->role, sizeof wait->role, "had waited here: the wait returned at once");
  machine_place(&wait->place, w->block, u->wait, warp_thread(w, lane));
  f->edit = (int)f->related_count;
}

// An address computed from what nobody had written: the read is the mistake, and what comes of it is chance. The op to blame.
static const struct op *blame(struct fault *f, const struct warp *w, const struct op *op, uint32_t lane) {
  struct order_unwritten u;
  if (!order_unwritten_read(w, lane, &u)) return op;
  char name[128];
  shared_name_place(w->launch, u.offset, name, sizeof name);
  append(f->message, sizeof f->message,
         " Before, this thread read %s, which nobody had written yet: what it goes by is chance.", name);
  struct fault_related *access = &f->related[f->related_count++];
  snprintf(access->role, sizeof access->role, "%s", f->role);
  snprintf(f->role, sizeof f->role, "reads shared memory that nobody had written yet");
  machine_place(&access->place, w->block, op, warp_thread(w, lane));
  if (u.wait)
    blame_wait(f, w, lane, &u);
  else
    snprintf(
        f->remedy, sizeof f->remedy,
        "First let the thread wait for what it reads: wait(bar, parity) for the barrier that tells that it is there, or __syncthreads() "
        "after whoever writes it. If the fault stays: check the index, the size and the end of the data.");
  return u.read;
}

void memory_fault(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, size_t bytes,
                  bool write) {
  const char *verb = write ? "writes" : "reads";
  bool power_of_two = bytes && (bytes & (bytes - 1)) == 0;
  bool misaligned =
      power_of_two && bytes <= 16 && (address & (bytes - 1)) != 0 && !memory_is_no_place(w, address);
  struct fault f = {.rule = misaligned ? "misaligned-address" : "out-of-bounds",
                    .severity = FAULT_FATAL,
                    .device_error = misaligned ? ERROR_MISALIGNED_ADDRESS : ERROR_ILLEGAL_ADDRESS};
  char where[256];
  memory_describe_place(w, address, bytes, where, sizeof where);
  snprintf(f.role, sizeof f.role, "%s %zu bytes", verb, bytes);
  if (misaligned)
    snprintf(f.message, sizeof f.message,
             "The %zu bytes lie at address 0x%llx, which is not a multiple of %zu.", bytes,
             (unsigned long long)address, bytes);
  else
    snprintf(f.message, sizeof f.message,
             "The %zu bytes lie at address 0x%llx, where nothing is that the thread may %s: that is %s.",
             bytes, (unsigned long long)address, write ? "write" : "read", where);
  if (misaligned)
    snprintf(f.remedy, sizeof f.remedy, "Align the data to %zu bytes, or access it in smaller pieces.",
             bytes);
  else
    memory_advise(w, address, f.remedy, sizeof f.remedy);
  warp_fault(w, misaligned ? op : blame(&f, w, op, lane), lane, &f);
}
