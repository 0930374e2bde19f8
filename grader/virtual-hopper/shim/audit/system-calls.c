// Functions of the C library that hand memory to the system. The system doesn't meet the memory fault by
// which the CUDA library notices that guarded memory is touched: the call would fail with EFAULT. So the
// memory is announced before the call, and what became of it is told afterwards. In: calls of the program and
// its libraries. Out: the same calls.
#include "virtual-hopper/shim/audit/system-calls.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { MOST_ARGUMENTS = 6, MOST_PARTS = 1024, NONE = -1 }; // MOST_PARTS: IOV_MAX
enum memory_kind { BYTES, PARTS, MESSAGE };

struct system_call {
  const char *name;
  enum memory_kind kind;
  bool written;
  int memory, bytes, items; // places of arguments; NONE: there is none
};

static const struct system_call calls[] = {
#define SYSTEM_CALL(name, kind, written, memory, bytes, items) {#name, kind, written, memory, bytes, items},
#include "virtual-hopper/shim/audit/system-calls.def"
#undef SYSTEM_CALL
};
enum { CALLS = sizeof calls / sizeof *calls };

// A function with arguments in registers only; which of them it looks at is its own affair.
typedef intptr_t function(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);

// Static, because what stands in for the C library's functions has no argument of ours.
static _Atomic(const struct system_call_watcher *) watching;
static _Atomic(function *) originals[CALLS];

bool vhopper_watch_system_calls(const struct system_call_watcher *watcher) {
  atomic_store(&watching, watcher);
  return true;
}

// ---- the memory of a call ---------------------------------------------------------------------------------

struct memory {
  struct iovec whole;
  const struct iovec *parts;
  size_t count;
};

static struct memory memory_of(const struct system_call *call, const intptr_t *arguments) {
  struct memory m = {.count = 0};
  void *at = (void *)arguments[call->memory];
  if (!at) return m;
  if (call->kind == PARTS) {
    m.parts = at;
    m.count = (size_t)arguments[call->bytes];
  } else if (call->kind == MESSAGE) {
    const struct msghdr *message = at;
    m.parts = message->msg_iov;
    m.count = message->msg_iovlen;
  } else {
    const size_t items = call->items == NONE ? 1 : (size_t)arguments[call->items];
    m.whole.iov_base = at;
    m.count = !__builtin_mul_overflow((size_t)arguments[call->bytes], items, &m.whole.iov_len);
  }
  if ((call->kind != BYTES && !m.parts) || m.count > MOST_PARTS) m.count = 0; // the system refuses it
  return m;
}

static const struct iovec *part_of(const struct memory *m, size_t i) {
  return m->parts ? &m->parts[i] : &m->whole;
}

// What was read or written, from the call's answer.
static size_t used_bytes(const struct system_call *call, const intptr_t *arguments, intptr_t answer) {
  if (answer <= 0) return 0;
  return call->items == NONE ? (size_t)answer : (size_t)answer * (size_t)arguments[call->bytes];
}

static intptr_t pass(int which, const intptr_t *a) {
  const struct system_call *call = &calls[which];
  const struct system_call_watcher *w = atomic_load(&watching);
  function *original = atomic_load(&originals[which]);
  if (!w) return original(a[0], a[1], a[2], a[3], a[4], a[5]);
  const struct memory m = memory_of(call, a);
  for (size_t i = 0; i < m.count; i++)
    w->begins(part_of(&m, i)->iov_base, part_of(&m, i)->iov_len);
  const intptr_t answer = original(a[0], a[1], a[2], a[3], a[4], a[5]);
  size_t left = used_bytes(call, a, answer);
  for (size_t i = 0; i < m.count; i++) {
    const struct iovec *part = part_of(&m, i);
    const size_t used = left < part->iov_len ? left : part->iov_len;
    w->ends(part->iov_base, part->iov_len, used, call->written);
    left -= used;
  }
  return answer;
}

// ---- a function for each ----------------------------------------------------------------------------------

enum {
#define SYSTEM_CALL(name, ...) CALL_##name,
#include "virtual-hopper/shim/audit/system-calls.def"
#undef SYSTEM_CALL
};

#define SYSTEM_CALL(name, ...)                                                                          \
  static intptr_t call_##name(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f) { \
    return pass(CALL_##name, (const intptr_t[MOST_ARGUMENTS]){a, b, c, d, e, f});                       \
  }
#include "virtual-hopper/shim/audit/system-calls.def"
#undef SYSTEM_CALL

static function *const stand_ins[CALLS] = {
#define SYSTEM_CALL(name, ...) call_##name,
#include "virtual-hopper/shim/audit/system-calls.def"
#undef SYSTEM_CALL
};

// ---- blocks that are given back ---------------------------------------------------------------------------

typedef void *reallocating_function(void *block, size_t bytes);
typedef void freeing_function(void *block);

static _Atomic(freeing_function *) original_free;
static _Atomic(reallocating_function *) original_realloc;

static void tell_gone(const void *block) {
  const struct system_call_watcher *w = atomic_load(&watching);
  if (w && block) w->gives_back(block);
}

static void call_free(void *block) {
  tell_gone(block);
  atomic_load (&original_free)(block);
}

static void *call_realloc(void *block, size_t bytes) {
  tell_gone(block);
  return atomic_load(&original_realloc)(block, bytes);
}

void *system_call_bind(const char *name, void *address) {
  if (strcmp(name, "free") == 0) {
    atomic_store(&original_free, (freeing_function *)(uintptr_t)address);
    return (void *)(uintptr_t)call_free;
  }
  if (strcmp(name, "realloc") == 0) {
    atomic_store(&original_realloc, (reallocating_function *)(uintptr_t)address);
    return (void *)(uintptr_t)call_realloc;
  }
  for (int i = 0; i < CALLS; i++) {
    if (strcmp(calls[i].name, name) != 0) continue;
    atomic_store(&originals[i], (function *)(uintptr_t)address);
    return (void *)(uintptr_t)stand_ins[i];
  }
  return address;
}
