// The virtual Hopper as a library: creation, memory, output, report. Launches are in launch.c, modules in
// module.c.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/pieces.h"
#include "virtual-hopper/device/device.h"
#include "virtual-hopper/execute/unwritten.h"
#include "virtual-hopper/schedule/crew.h"

enum { DEFAULT_OUTPUT_LIMIT = 1 << 20, ALLOCATION_ALIGNMENT = 256, PROCESSORS = 132 };
enum { SHARED_PAGES = 64 << 10 };
enum { MOST_RUBBISH = 64 << 20 }; // more would take its time
enum {
  DEFAULT_STACK = 1024,
  DEFAULT_HEAP = 8 << 20,
  MOST_STACK = 256 << 10 // an H100 takes 256 KiB, and refuses 512
};                       // cudaDeviceGetLimit on an H100
#ifdef VHOPPER_FUZZ_LIMITS
#define DEVICE_MEMORY_BYTES \
  ((size_t)256 << 20) // a fuzzer makes a device for every input: its tables are small
#else
#define DEVICE_MEMORY_BYTES ((size_t)80 << 30) // as an H100's; pages cost nothing until touched
#endif

struct vhopper *vhopper_create(const struct vhopper_options *options) {
  struct vhopper *v = calloc(1, sizeof *v);
  if (!v) die("out of memory for a device");
  v->options = *options;
  v->output.limit = options->output_limit ? options->output_limit : DEFAULT_OUTPUT_LIMIT;
  v->budget.limit = options->memory_limit;
  v->memory = memory_create(DEVICE_MEMORY_BYTES, &v->budget);
  v->report = fault_report_create();
  if (options->foreign_words) fault_use_words(v->report, FAULT_WORDS_PTX);
  v->streams = stream_order_create(v->memory, v->report, &v->budget, options->check);
  if (options->strict) stream_order_be_strict(v->streams);
  vhopper_default_limits(v);
  v->crew = crew_create();
  v->chunks = chunk_store_create();
  v->chip = options->chip ? chip_find(options->chip) : NULL;
  if (v->chip) v->cache = cache_make((size_t)v->chip->l2_mib << 20);
  return v;
}

void vhopper_destroy(struct vhopper *v) {
  if (!v) return;
  crew_destroy(v->crew);
  device_unload_all(v);
  stream_order_destroy(v->streams);
  memory_destroy(v->memory);
  fault_report_destroy(v->report);
  chunk_store_destroy(v->chunks);
  cache_free(v->cache);
  free(v->predictions);
  free(v->timeline);
  free(v->output.text);
  free(v);
}

void vhopper_set_order(struct vhopper *v, uint64_t seed, bool first_late) {
  v->options.seed = seed;
  v->options.schedule = first_late ? SCHEDULE_FIRST_LATE : SCHEDULE_BY_SEED;
}

void vhopper_set_workers(struct vhopper *v, unsigned workers) {
  v->options.workers = workers;
}

void vhopper_judge_no_more(struct vhopper *v) {
  v->options.unjudged = true;
}

unsigned vhopper_processors(const struct vhopper *v) {
  return v->options.processors ? v->options.processors : PROCESSORS;
}

void vhopper_set_launch_budget(struct vhopper *v, uint64_t instructions, bool puts_off) {
  v->options.launch_budget = instructions;
  v->options.puts_off = puts_off;
}

void vhopper_default_limits(struct vhopper *v) {
  v->limits = (struct context_limits){.stack_bytes = DEFAULT_STACK, .heap_bytes = DEFAULT_HEAP};
}

int vhopper_set_limit(struct vhopper *v, enum vhopper_limit limit, uint64_t bytes) {
  if (limit == VHOPPER_LIMIT_STACK) {
    if (bytes > MOST_STACK) return ERROR_INVALID_VALUE;
    v->limits.stack_bytes = bytes;
    return 0;
  }
  if (limit != VHOPPER_LIMIT_HEAP || v->limits.heap_is_fixed) return ERROR_INVALID_VALUE;
  v->limits.heap_bytes = bytes;
  return 0;
}

void vhopper_reset(struct vhopper *v) {
  device_unload_all(v);
  memory_destroy(v->memory);
  v->memory = memory_create(DEVICE_MEMORY_BYTES, &v->budget);
  stream_order_use(v->streams, v->memory);
  vhopper_default_limits(v);
  v->sticky_error = 0;
}

struct budget *vhopper_budget(struct vhopper *v) {
  return &v->budget;
}
int vhopper_sticky_error(const struct vhopper *v) {
  return v->sticky_error;
}
void vhopper_fail(struct vhopper *v, int error) {
  if (!v->sticky_error) v->sticky_error = error;
}
uint64_t vhopper_virtual_time(const struct vhopper *v) {
  return v->virtual_time;
}
void vhopper_pass_time(struct vhopper *v, uint64_t nanoseconds) {
  v->virtual_time += nanoseconds;
}
const struct time_prediction *vhopper_predictions(const struct vhopper *v, size_t *count) {
  *count = v->prediction_count;
  return v->predictions;
}
uint64_t vhopper_clocks_missed(const struct vhopper *v) {
  return v->clocks_missed;
}
const struct timeline *vhopper_timeline(const struct vhopper *v) {
  return v->timeline;
}
void vhopper_pass_copy(struct vhopper *v, uint64_t to, uint64_t from, uint64_t bytes) {
  if (!v->chip || !bytes) return;
  if (from) cache_touch(v->cache, from, bytes, false);
  cache_touch(v->cache, to, bytes, true);
  const double us = from ? time_of_copy(v->chip, bytes) : time_of_fill(v->chip, bytes);
  v->virtual_time += (uint64_t)(us * 1000);
}
struct fault_report *vhopper_report(struct vhopper *v) {
  return v->report;
}
struct stream_order *vhopper_streams(struct vhopper *v) {
  return v->streams;
}
void vhopper_clear_report(struct vhopper *v) {
  fault_report_clear(v->report);
}

// ---- memory -----------------------------------------------------------------------------------------------

int vhopper_allocate(struct vhopper *v, size_t bytes, uint64_t *address) {
  const int status = memory_allocate(v->memory, bytes, ALLOCATION_ALIGNMENT, address);
  // The last block may hang over the end: the pages are there.
  const bool rubbish = v->options.rubbish && bytes <= MOST_RUBBISH;
  if (!status && (rubbish || v->options.unwritten))
    unwritten_fill(memory_host(v->memory, *address, bytes), (bytes + 15) / 16 * 16);
  return status;
}

int vhopper_hand(struct vhopper *v, size_t bytes, const char *name, uint64_t *address) {
  return memory_hand(v->memory, bytes, 0, name, address);
}

int vhopper_hand_shared(struct vhopper *v, size_t bytes, const char *name, int file, off_t offset,
                        uint64_t *address) {
  const size_t lead = (size_t)offset % SHARED_PAGES;
  int status = memory_hand(v->memory, bytes, lead, name, address);
  if (status) return status;
  status = memory_share(v->memory, *address, file, offset);
  if (status) (void)memory_free(v->memory, *address, NULL);
  return status;
}

bool vhopper_is_handed(const struct vhopper *v, uint64_t address) {
  return memory_is_handed(v->memory, address);
}

int vhopper_pin(struct vhopper *v, uint64_t address, size_t bytes, uint64_t *first, size_t *span, int *file) {
  struct memory_pages pages = {.file = -1};
  int status = memory_pin(v->memory, address, bytes, &pages);
  *first = pages.address;
  *span = pages.bytes;
  *file = pages.file;
  return status;
}

int vhopper_unpin(struct vhopper *v, uint64_t address) {
  return memory_unpin(v->memory, address, "by the host");
}

int vhopper_make_managed(struct vhopper *v, uint64_t address, bool keeps, int *file) {
  return memory_make_managed(v->memory, address, keeps, file);
}

void vhopper_when_host_is_awaited(struct vhopper *v, bool (*awaited)(void *context), void *context) {
  v->host_awaited = awaited;
  v->host_context = context;
}

bool vhopper_is_the_hosts(const struct vhopper *v, uint64_t address) {
  return memory_is_the_hosts(v->memory, address);
}

bool vhopper_is_pinned(const struct vhopper *v, uint64_t address) {
  return memory_is_pinned(v->memory, address);
}

int vhopper_free(struct vhopper *v, uint64_t address) {
  return memory_free(v->memory, address, "by the host");
}

void vhopper_describe(const struct vhopper *v, uint64_t address, char *text, size_t size) {
  memory_describe(v->memory, address, text, size);
}

bool vhopper_was_freed(const struct vhopper *v, uint64_t address) {
  return memory_was_freed(v->memory, address);
}

uint64_t vhopper_launches(const struct vhopper *v) {
  return v->launches;
}

uint64_t vhopper_child_launches(const struct vhopper *v) {
  return v->child_launches;
}

void *vhopper_host_view(struct vhopper *v, uint64_t address, size_t bytes) {
  return memory_host(v->memory, address, bytes);
}

int vhopper_write(struct vhopper *v, uint64_t address, const void *source, size_t bytes) {
  if (!bytes) return 0;
  void *to = memory_host(v->memory, address, bytes);
  if (!to) return ERROR_INVALID_VALUE;
  memcpy(to, source, bytes);
  return 0;
}

int vhopper_read(struct vhopper *v, void *destination, uint64_t address, size_t bytes) {
  if (!bytes) return 0;
  const void *from = memory_host(v->memory, address, bytes);
  if (!from) return ERROR_INVALID_VALUE;
  memcpy(destination, from, bytes);
  return 0;
}

int vhopper_copy(struct vhopper *v, uint64_t destination, uint64_t source, size_t bytes) {
  if (!bytes) return 0;
  void *to = memory_host(v->memory, destination, bytes);
  const void *from = memory_host(v->memory, source, bytes);
  if (!to || !from) return ERROR_INVALID_VALUE;
  memmove(to, from, bytes);
  return 0;
}

int vhopper_fill(struct vhopper *v, uint64_t address, uint32_t pattern, size_t pattern_bytes, size_t bytes) {
  if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4) return ERROR_INVALID_VALUE;
  if (bytes % pattern_bytes || address % pattern_bytes) return ERROR_INVALID_VALUE;
  if (!bytes) return 0;
  uint8_t *to = memory_host(v->memory, address, bytes);
  if (!to) return ERROR_INVALID_VALUE;
  if (pattern_bytes == 1) {
    memset(to, (int)pattern, bytes);
    return 0;
  }
  // little-endian: the low bytes
  for (size_t i = 0; i < bytes; i += pattern_bytes)
    memcpy(to + i, &pattern, pattern_bytes);
  return 0;
}

// ---- printed text -----------------------------------------------------------------------------------------

char *vhopper_take_output(struct vhopper *v, size_t *length) {
  char *text = v->output.text ? v->output.text : malloc(1);
  if (!text) die("out of memory for printed text");
  text[v->output.length] = '\0';
  *length = v->output.length;
  v->output = (struct device_output){.limit = v->output.limit};
  return text;
}
