// Words for addresses that a thread may not access. In: what memory/ has found there. Out: its texts.
#include "virtual-hopper/rules/place-words.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/rules/fault.h"

typedef unsigned long long ull; // for %llu

static void line_words(uint32_t line, const char *in, const char *file, char *text, size_t size) {
  const char *slash = in ? strrchr(in, '/') : NULL, *name = slash ? slash + 1 : in;
  if (!name || !*name || !file || strcmp(file, in) == 0)
    snprintf(text, size, "line %u", line);
  else
    snprintf(text, size, "line %u of %s", line, name);
}

void place_line_words(struct source_line at, const char *file, char *text, size_t size) {
  char caller[96];
  line_words(at.line, at.file, file, text, size);
  if (!at.caller || at.caller == at.line) return;
  line_words(at.caller, at.caller_file, file, caller, sizeof caller);
  const size_t used = strlen(text);
  snprintf(text + used, size - used, " (called from %s)", caller);
}

struct source_line place_line(const struct fault_place *place) {
  struct source_line at = {.line = place->line, .file = place->file};
  uint32_t callers[FAULT_MAX_FRAMES], chosen = 0;
  const uint32_t count = fault_callers(place, callers);
  if (!count) return at;
  // A file of wrappers that call each other: the first call from outside says more.
  for (uint32_t i = count; i-- > 0 && at.file;)
    if (strcmp(place->inlined[callers[i]].file, at.file) != 0) chosen = i;
  at.caller = place->inlined[callers[chosen]].line;
  at.caller_file = place->inlined[callers[chosen]].file;
  return at;
}

// ---- global memory ----------------------------------------------------------------------------------------

static void name_allocation(const struct place_allocation *a, char *text, size_t size) {
  char name[96];
  if (a->pinned)
    snprintf(name, sizeof name, "page-locked host memory");
  else if (a->name[0])
    snprintf(name, sizeof name, "`%s`", a->name);
  else
    snprintf(name, sizeof name, "allocation %llu", (ull)a->id);
  snprintf(text, size, "%s (%llu bytes at 0x%llx%s%s%s)", name, (ull)a->bytes, (ull)a->address,
           a->freed ? ", freed" : "", a->freed_by ? " " : "", a->freed_by ? a->freed_by : "");
}

static void tell_global(const struct place_facts *s, char *text, size_t size) {
  char name[288];
  if (!s->allocation) {
    snprintf(text, size, "in no allocation: device memory has none");
    return;
  }
  name_allocation(s->allocation, name, sizeof name);
  if (s->kind == PLACE_IN_ALLOCATION)
    snprintf(text, size, "%llu bytes into %s", (ull)s->distance, name);
  else if (s->kind == PLACE_BEFORE_ALLOCATION)
    snprintf(text, size, "%llu bytes before %s", (ull)s->distance, name);
  else if (s->distance == 0)
    snprintf(text, size, "right at the end of %s", name);
  else
    snprintf(text, size, "%llu bytes past the end of %s", (ull)s->distance, name);
}

// ---- the other spaces -------------------------------------------------------------------------------------

static void tell_shared(const struct place_facts *s, char *text, size_t size) {
  switch (s->kind) {
  case PLACE_NO_BLOCK:
    snprintf(text, size, "in shared memory of block %u of a cluster of %u", s->rank, s->blocks);
    return;
  case PLACE_EXITED_BLOCK:
    snprintf(text, size, "in shared memory of block %u of the cluster, which has exited", s->rank);
    return;
  case PLACE_BEFORE_SHARED:
    snprintf(text, size, "%llu bytes before `%s`, with which the block's shared memory begins",
             (ull)s->distance, s->name);
    return;
  case PLACE_SYSTEM_SHARED:
    snprintf(text, size, "at shared offset 0x%x, in the first KiB, which the system keeps", s->offset);
    return;
  default:
    snprintf(text, size, "at %s and ends %llu bytes past the block's %llu bytes of shared memory", s->name,
             (ull)s->distance, (ull)s->bytes);
  }
}

void place_words(const struct place_facts *s, char *text, size_t size) {
  switch (s->kind) {
  case PLACE_AT_NULL: snprintf(text, size, "at a null pointer, or close to one"); return;
  case PLACE_PAST_NULL: snprintf(text, size, "%llu bytes past a null pointer", (ull)s->distance); return;
  case PLACE_LOCAL:
    snprintf(text, size, "outside the thread's %llu bytes of local memory", (ull)s->bytes);
    return;
  case PLACE_PARAMETERS:
    snprintf(text, size, "in the kernel's %llu bytes of parameters, which can only be read", (ull)s->bytes);
    return;
  case PLACE_FOREIGN: snprintf(text, size, "far from all device memory (an address of the host?)"); return;
  case PLACE_IN_ALLOCATION:
  case PLACE_PAST_ALLOCATION:
  case PLACE_BEFORE_ALLOCATION: tell_global(s, text, size); return;
  default: tell_shared(s, text, size);
  }
}

void place_advice_words(enum place_advice advice, uint32_t bytes, char *text, size_t size) {
  switch (advice) {
  case ADVICE_POINTER:
    snprintf(text, size,
             "Look at what the launch passes to the kernel: a pointer to device memory belongs there.");
    return;
  case ADVICE_HOST_POINTER:
    snprintf(
        text, size,
        "Is it `&` of a pointer, or a buffer of the host? Pass the pointer to device memory itself. A kernel "
        "reaches memory of the host only if cudaMallocHost made it or cudaHostRegister knows it.");
    return;
  case ADVICE_DYNAMIC_SHARED:
    snprintf(text, size,
             "Is the third number in <<<blocks, threads, bytes>>> large enough? The launch gives the extern "
             "__shared__ array %u bytes. If it is, check the index: a pointer moves by elements.",
             bytes);
    return;
  case ADVICE_NEGATIVE_INDEX:
    snprintf(
        text, size,
        "An index is below 0 here, as that of `box[y - 1]` is for y = 0: in which row, or in which column, "
        "of this array does the thread's own element lie? An index of an unsigned type wraps round "
        "instead, and is huge.");
    return;
  case ADVICE_FREED:
    snprintf(text, size,
             "Free it after its last use. All threads that use it must have come to a barrier before one of "
             "them frees it; the host waits for the kernel before cudaFree.");
    return;
  default: return;
  }
}

void place_words_between_blocks(char *remedy, size_t size) {
  static const char *const words[][2] = {
      {"__syncthreads()", "cluster_arrive(); cluster_wait();"},
      {"fence.acq_rel.cta (__threadfence_block())", "fence.acq_rel.cluster (__threadfence() does more)"}};
  char given[FAULT_REMEDY_BYTES];
  snprintf(given, sizeof given, "%s", remedy);
  size_t used = 0;
  for (const char *at = given; *at && used < size;) {
    const char *from = NULL, *to = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !from; i++)
      if (strncmp(at, words[i][0], strlen(words[i][0])) == 0) from = words[i][0], to = words[i][1];
    used += (size_t)snprintf(remedy + used, size - used, "%.*s", to ? (int)strlen(to) : 1, to ? to : at);
    at += from ? strlen(from) : 1;
  }
}
