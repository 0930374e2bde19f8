// In: calls of CUDA's runtime by threads. Out: a list of kernels, copies and fills, in the order of the
// calls. One idea: each call waits for its cluster's turn, as printf does, so the list is the same in every
// run.
#include "virtual-hopper/execute/child.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/checked.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/execute/system.h"
#include "virtual-hopper/memory/memory.h"

enum { PIECE_BYTES = 64 << 10, PARAMETER_ALIGNMENT = 16, MOST_PARAMETERS = 32764 };
enum { STREAM_TAIL = 3, FIRST_STREAM = 16 }; // cudaStreamTailLaunch; 0 to 4 are names of streams
static const char piece_name[] = "the parameters of kernels that a kernel launches";

struct child_list *child_list_create(uint32_t depth) {
  struct child_list *list = calloc(1, sizeof *list);
  if (!list) die("out of memory for the kernels that a kernel launches");
  list->depth = depth;
  return list;
}

void child_list_free(struct child_list *list, struct memory *memory) {
  if (!list) return;
  for (uint32_t i = 0; i < list->piece_count; i++)
    memory_free(memory, list->pieces[i], NULL);
  free(list->pieces);
  free(list->errors);
  free(list->order);
  free(list->all);
  free(list);
}

static void *grow(void *array, uint32_t *room, uint32_t count, size_t size) {
  if (count < *room) return array;
  *room = *room ? *room * 2 : 16;
  array = realloc(array, *room * size);
  if (!array) die("out of memory for the kernels that a kernel launches");
  return array;
}

// ---- errors -----------------------------------------------------------------------------------------------

static int *error_of(const struct warp *w, uint32_t lane) {
  struct child_list *list = w->launch->children;
  for (uint32_t i = 0; i < list->error_count; i++)
    if (list->errors[i].block == w->block->linear_index && list->errors[i].thread == warp_thread(w, lane))
      return &list->errors[i].error;
  return NULL;
}

static int set_error(const struct warp *w, uint32_t lane, int error) {
  struct child_list *list = w->launch->children;
  int *place = error ? error_of(w, lane) : NULL;
  if (place) *place = error;
  if (!error || place || list->error_count >= CHILD_MOST) return error;
  list->errors = grow(list->errors, &list->error_room, list->error_count, sizeof *list->errors);
  list->errors[list->error_count++] =
      (struct child_error){w->block->linear_index, warp_thread(w, lane), error};
  return error;
}

// What one thread's call does. Returns what the function returns.
typedef uint64_t one_call(struct warp *w, const struct op *op, uint32_t lane);

static void each_lane(struct warp *w, const struct op *op, one_call *call) {
  if (!warp_take_turn(w)) return;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    system_set_result(w, op->extra, lane, call(w, op, lane));
  }
}

static uint64_t last_error(struct warp *w, const struct op *op, uint32_t lane) {
  int *place = error_of(w, lane);
  const int error = place ? *place : 0;
  (void)op;
  if (place) *place = 0;
  return (uint64_t)error;
}

static uint64_t seen_error(struct warp *w, const struct op *op, uint32_t lane) {
  (void)op;
  const int *place = error_of(w, lane);
  return place ? (uint64_t)*place : 0;
}

// ---- kernels ----------------------------------------------------------------------------------------------

static const struct ptx_function *kernel_at(const struct program *p, uint64_t address) {
  const uint64_t i = (address - FUNCTION_WINDOW) / 16;
  if (address < FUNCTION_WINDOW || address % 16 || i >= p->module->function_count) return NULL;
  const struct ptx_function *f = &p->module->functions[i];
  return f->is_entry && f->has_body ? f : NULL;
}

// The size of a kernel's parameters, at least 1; 0: too many.
static uint64_t parameter_bytes(const struct ptx_function *kernel) {
  uint64_t end = 0, start;
  for (uint32_t i = 0; i < kernel->parameter_count; i++)
    if (!checked_place(&end, kernel->parameters[i].size, kernel->parameters[i].alignment, MOST_PARAMETERS,
                       &start))
      return 0;
  return end ? end : 1;
}

// Returns 0 when memory is used up.
static uint64_t take_parameters(struct launch *l, uint64_t bytes) {
  struct child_list *list = l->children;
  bytes = (bytes + PARAMETER_ALIGNMENT - 1) / PARAMETER_ALIGNMENT * PARAMETER_ALIGNMENT;
  if (bytes > list->left) {
    uint64_t address;
    if (memory_allocate(l->memory, PIECE_BYTES, PARAMETER_ALIGNMENT, &address)) return 0;
    memory_name(l->memory, address, piece_name);
    list->pieces = grow(list->pieces, &list->piece_room, list->piece_count, sizeof *list->pieces);
    list->pieces[list->piece_count++] = address;
    list->left = PIECE_BYTES;
  }
  const uint64_t address = list->pieces[list->piece_count - 1] + PIECE_BYTES - list->left;
  list->left -= (uint32_t)bytes;
  return address;
}

// 0: of no shape; a launch checks the rest.
static uint64_t volume(const struct vhopper_dim *d) {
  const uint64_t area = (uint64_t)d->x * d->y;
  return area <= UINT32_MAX ? area * d->z : 0;
}

static struct child *add(struct child_list *list) {
  if (list->count >= CHILD_MOST) return NULL;
  const uint32_t room = list->room;
  list->all = grow(list->all, &list->room, list->count, sizeof *list->all);
  if (list->room != room) list->order = realloc(list->order, list->room * sizeof *list->order);
  if (!list->order) die("out of memory for the kernels that a kernel launches");
  struct child *c = &list->all[list->count++];
  *c = (struct child){0};
  return c;
}

// void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared)
static uint64_t prepare(struct warp *w, const struct op *op, uint32_t lane) {
  const struct call_site *site = op->extra;
  struct launch *l = w->launch;
  struct child wanted = {.kernel = kernel_at(l->program, system_argument(w, site, 0, lane)),
                         .shared_bytes = (uint32_t)system_argument(w, site, 3, lane)};
  system_argument_bytes(w, site, 1, lane, &wanted.grid, sizeof wanted.grid);
  system_argument_bytes(w, site, 2, lane, &wanted.block, sizeof wanted.block);
  int error = 0;
  if (!wanted.kernel)
    error = ERROR_INVALID_DEVICE_FUNCTION;
  else if (!volume(&wanted.grid) || !volume(&wanted.block) || volume(&wanted.block) > BLOCK_MAX_THREADS)
    error = ERROR_INVALID_CONFIGURATION;
  else if (l->children->depth + 1 > CHILD_MOST_DEPTH)
    error = ERROR_LAUNCH_MAX_DEPTH_EXCEEDED;
  const uint64_t bytes = error ? 0 : parameter_bytes(wanted.kernel);
  if (bytes) wanted.parameters = take_parameters(l, bytes);
  struct child *c = wanted.parameters ? add(l->children) : NULL;
  if (c) *c = wanted;
  if (!c) set_error(w, lane, error ? error : ERROR_LAUNCH_PENDING_COUNT_EXCEEDED);
  return c ? wanted.parameters : 0;
}

// cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream)
static uint64_t start(struct warp *w, const struct op *op, uint32_t lane) {
  const struct call_site *site = op->extra;
  struct child_list *list = w->launch->children;
  const uint64_t parameters = system_argument(w, site, 0, lane);
  for (uint32_t i = list->count; i-- > 0;) {
    struct child *c = &list->all[i];
    if (c->kind != CHILD_PREPARED || c->parameters != parameters) continue;
    c->kind = CHILD_KERNEL;
    c->last = system_argument(w, site, 1, lane) == STREAM_TAIL;
    list->order[list->started++] = i;
    return 0;
  }
  return (uint64_t)set_error(w, lane, ERROR_INVALID_VALUE);
}

// ---- copies, streams and events ---------------------------------------------------------------------------

static uint64_t put_off(struct warp *w, uint32_t lane, struct child wanted, uint64_t stream) {
  struct child_list *list = w->launch->children;
  struct child *c = add(list);
  if (!c) return (uint64_t)set_error(w, lane, ERROR_LAUNCH_PENDING_COUNT_EXCEEDED);
  *c = wanted;
  c->last = stream == STREAM_TAIL;
  list->order[list->started++] = list->count - 1;
  return 0;
}

// cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind, cudaStream_t)
static uint64_t copy(struct warp *w, const struct op *op, uint32_t lane) {
  const struct call_site *site = op->extra;
  return put_off(w, lane,
                 (struct child){.kind = CHILD_COPY,
                                .to = system_argument(w, site, 0, lane),
                                .from = system_argument(w, site, 1, lane),
                                .size = system_argument(w, site, 2, lane)},
                 system_argument(w, site, 4, lane));
}

// cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t)
static uint64_t fill(struct warp *w, const struct op *op, uint32_t lane) {
  const struct call_site *site = op->extra;
  return put_off(w, lane,
                 (struct child){.kind = CHILD_FILL,
                                .to = system_argument(w, site, 0, lane),
                                .from = system_argument(w, site, 1, lane) & 0xff,
                                .size = system_argument(w, site, 2, lane)},
                 system_argument(w, site, 3, lane));
}

// The first argument says where the answer goes.
static uint64_t answer(struct warp *w, const struct op *op, uint32_t lane, uint64_t value, uint32_t bytes) {
  const struct memory_place place = memory_resolve(w, lane, system_argument(w, op->extra, 0, lane), bytes);
  if (!place.host) return (uint64_t)set_error(w, lane, ERROR_INVALID_VALUE);
  memcpy(place.host, &value, bytes);
  return 0;
}

// Everything is done in the order in which it was asked for, so streams and events add nothing, and any
// handle will do.
static uint64_t make_handle(struct warp *w, const struct op *op, uint32_t lane) {
  return answer(w, op, lane, FIRST_STREAM, sizeof(uint64_t));
}

static uint64_t device_number(struct warp *w, const struct op *op, uint32_t lane) {
  return answer(w, op, lane, 0, sizeof(int));
}

static uint64_t device_count(struct warp *w, const struct op *op, uint32_t lane) {
  return answer(w, op, lane, 1, sizeof(int));
}

// cudaError_t cudaMalloc(void **to, size_t bytes): of the heap that malloc takes from, too
static uint64_t allocate(struct warp *w, const struct op *op, uint32_t lane) {
  const uint64_t address = system_heap_take(w->launch, system_argument(w, op->extra, 1, lane));
  if (!address) return (uint64_t)set_error(w, lane, ERROR_MEMORY_ALLOCATION);
  return answer(w, op, lane, address, sizeof address);
}

// ---- words ------------------------------------------------------------------------------------------------

// Returns the address of a copy, which lasts as long as the launch.
static uint64_t words(struct warp *w, const char *text) {
  const uint64_t bytes = strlen(text) + 1, address = take_parameters(w->launch, bytes);
  uint8_t *to = address ? memory_host(w->launch->memory, address, bytes) : NULL;
  if (to) memcpy(to, text, bytes);
  return address;
}

static const struct {
  int number;
  const char *name, *text;
} errors[] = {{0, "cudaSuccess", "no error"},
#define CUDA_ERROR(id, number, runtime_name, driver_name, text) {number, runtime_name, text},
#include "virtual-hopper/base/cuda-errors.def"
              {-1, "unrecognized error code", "unrecognized error code"}};

static uint64_t words_of_error(struct warp *w, const struct op *op, uint32_t lane, bool name) {
  const int number = (int)system_argument(w, op->extra, 0, lane);
  size_t i = 0;
  while (errors[i].number != number && errors[i].number != -1)
    i++;
  return words(w, name ? errors[i].name : errors[i].text);
}

static uint64_t name_of_error(struct warp *w, const struct op *op, uint32_t lane) {
  return words_of_error(w, op, lane, true);
}

static uint64_t text_of_error(struct warp *w, const struct op *op, uint32_t lane) {
  return words_of_error(w, op, lane, false);
}

static uint64_t nothing(struct warp *w, const struct op *op, uint32_t lane) {
  (void)w, (void)op, (void)lane;
  return 0;
}

void child_prepare(struct warp *w, const struct op *op) {
  each_lane(w, op, prepare);
}
void child_start(struct warp *w, const struct op *op) {
  each_lane(w, op, start);
}
void child_copy(struct warp *w, const struct op *op) {
  each_lane(w, op, copy);
}
void child_fill(struct warp *w, const struct op *op) {
  each_lane(w, op, fill);
}
void child_last_error(struct warp *w, const struct op *op) {
  each_lane(w, op, last_error);
}
void child_seen_error(struct warp *w, const struct op *op) {
  each_lane(w, op, seen_error);
}
void child_make_handle(struct warp *w, const struct op *op) {
  each_lane(w, op, make_handle);
}
void child_nothing(struct warp *w, const struct op *op) {
  each_lane(w, op, nothing);
}

void child_device_number(struct warp *w, const struct op *op) {
  each_lane(w, op, device_number);
}
void child_device_count(struct warp *w, const struct op *op) {
  each_lane(w, op, device_count);
}
void child_allocate(struct warp *w, const struct op *op) {
  each_lane(w, op, allocate);
}
// cudaError_t cudaFree(void *)
void child_free(struct warp *w, const struct op *op) {
  if (!warp_take_turn(w)) return;
  system_free(w, op);
  each_lane(w, op, nothing);
}
void child_error_name(struct warp *w, const struct op *op) {
  each_lane(w, op, name_of_error);
}
void child_error_text(struct warp *w, const struct op *op) {
  each_lane(w, op, text_of_error);
}

op_execute *child_function(const char *name, uint32_t *arguments) {
  static const char prefix[] = "__cudaCDP2", suffix[] = "_ptsz"; // of streams of a thread's own
  static const struct {
    const char *name;
    op_execute *execute;
    uint32_t arguments;
  } table[] = {{"GetParameterBufferV2", child_prepare, 4},
               {"LaunchDeviceV2", child_start, 2},
               {"MemcpyAsync", child_copy, 5},
               {"MemsetAsync", child_fill, 4},
               {"GetLastError", child_last_error, 0},
               {"PeekAtLastError", child_seen_error, 0},
               {"StreamCreateWithFlags", child_make_handle, 2},
               {"StreamDestroy", child_nothing, 1},
               {"EventCreateWithFlags", child_make_handle, 2},
               {"EventDestroy", child_nothing, 1},
               {"GetDevice", child_device_number, 1},
               {"GetDeviceCount", child_device_count, 1},
               {"Malloc", child_allocate, 2},
               {"Free", child_free, 1},
               {"GetErrorName", child_error_name, 1},
               {"GetErrorString", child_error_text, 1},
               {"EventRecord", child_nothing, 2},
               {"StreamWaitEvent", child_nothing, 3}};
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return NULL;
  name += sizeof prefix - 1;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const size_t length = strlen(table[i].name);
    if (strncmp(name, table[i].name, length) != 0) continue;
    if (name[length] && strcmp(name + length, suffix) != 0) continue;
    *arguments = table[i].arguments;
    return table[i].execute;
  }
  return NULL;
}
