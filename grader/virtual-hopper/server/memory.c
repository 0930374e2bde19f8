// The server's operations on device memory. In: untrusted addresses and sizes. Out: CUDA errors and streams.
// A table ordered by address keeps this connection's allocations, so that they can be limited, located and
// freed at the end.
#include "virtual-hopper/server/internal.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/rules/fault.h"

// Index of the first allocation that ends beyond the address.
static size_t find_allocation(const struct server *server, uint64_t address) {
  size_t low = 0, high = server->allocation_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct server_allocation *one = &server->allocations[middle];
    if (one->address + one->bytes <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void insert_allocation(struct server *server, const struct server_allocation *one) {
  size_t index = find_allocation(server, one->address);
  memmove(&server->allocations[index + 1], &server->allocations[index],
          (server->allocation_count - index) * sizeof *server->allocations);
  server->allocations[index] = *one;
  server->allocation_count++;
}

static void remove_allocation(struct server *server, size_t index) {
  free(server->allocations[index].callers);
  server->allocation_count--;
  memmove(&server->allocations[index], &server->allocations[index + 1],
          (server->allocation_count - index) * sizeof *server->allocations);
}

uint64_t server_allocated_bytes(const struct server *server, uint64_t address) {
  const size_t index = find_allocation(server, address);
  const struct server_allocation *one = &server->allocations[index];
  return index < server->allocation_count && one->address == address ? one->bytes : 0;
}

// cudaMallocAsync and cudaFreeAsync name a stream. cudaMalloc and cudaFree make everything wait, as CUDA
// does, or did.
static void order_allocation(struct server *server, enum stream_actor actor, uint64_t address,
                             uint64_t bytes) {
  struct stream_order *s = vhopper_streams(server->device);
  const uint32_t stream = server->request.stream & PROTOCOL_STREAM;
  const struct stream_region region = {address, bytes, bytes, 1};
  if (!stream)
    stream_order_host_waits_all(s);
  else if (actor == STREAM_ALLOCATION)
    stream_order_allocate(s, stream, &region);
  else
    stream_order_free(s, stream, &region);
}

int server_handle_allocate(struct server *server) {
  uint64_t bytes = server->body.allocate.bytes, address = 0;
  if (!bytes) return ERROR_INVALID_VALUE;
  if (bytes > server->limits.memory_bytes ||
      server->counters.live_bytes > server->limits.memory_bytes - bytes)
    return ERROR_MEMORY_ALLOCATION;
  // Fresh memory is filled with rubbish. What is refused costs nothing.
  if (!server_charge_rows(server, 1, bytes)) return ERROR_MEMORY_ALLOCATION;
  if (!server_grow((void **)&server->allocations, server->allocation_count, &server->allocation_room,
                   sizeof *server->allocations, server->limits.allocations))
    return ERROR_MEMORY_ALLOCATION;
  int status = vhopper_allocate(server->device, bytes, &address);
  if (status == ERROR_MEMORY_ALLOCATION && vhopper_budget(server->device)->limit)
    return server_refuse_memory(server);
  if (status) return status;
  char *callers = server->callers ? strdup(server->callers) : NULL;
  insert_allocation(server,
                    &(struct server_allocation){.address = address, .bytes = bytes, .callers = callers});
  server->counters.allocations++;
  server->counters.live_allocations++;
  server->counters.live_bytes += bytes;
  server->answer.address.address = address;
  order_allocation(server, STREAM_ALLOCATION, address, bytes);
  return 0;
}

int server_handle_free(struct server *server) {
  uint64_t address = server->body.free.address;
  size_t index = find_allocation(server, address);
  if (index == server->allocation_count || server->allocations[index].address != address ||
      server->allocations[index].pinned)
    return server_refuse_address(server, "what is to be freed", address, 0);
  order_allocation(server, STREAM_FREE, address, server->allocations[index].bytes);
  int status = vhopper_free(server->device, address);
  if (status) return status;
  server->counters.live_bytes -= server->allocations[index].bytes;
  server->counters.live_allocations--;
  server->counters.frees++;
  remove_allocation(server, index);
  return 0;
}

int server_handle_pin(struct server *server) {
  const struct protocol_pin *pin = &server->body.pin;
  struct protocol_location *pages = &server->answer.location;
  size_t span = 0;
  if (!server_charge_rows(server, 1, pin->bytes)) return ERROR_MEMORY_ALLOCATION;
  stream_order_host_waits_all(vhopper_streams(server->device));
  if (!server_grow((void **)&server->allocations, server->allocation_count, &server->allocation_room,
                   sizeof *server->allocations, server->limits.allocations))
    return ERROR_MEMORY_ALLOCATION;
  int status =
      vhopper_pin(server->device, pin->address, pin->bytes, &pages->base, &span, &server->reply_file);
  if (status == ERROR_MEMORY_ALLOCATION && vhopper_budget(server->device)->limit)
    return server_refuse_memory(server);
  if (status) return status;
  pages->bytes = span;
  insert_allocation(
      server, &(struct server_allocation){.address = pin->address, .bytes = pin->bytes, .pinned = true});
  return 0;
}

int server_handle_unpin(struct server *server) {
  uint64_t address = server->body.free.address;
  size_t index = find_allocation(server, address);
  stream_order_host_waits_all(vhopper_streams(server->device));
  if (index == server->allocation_count || server->allocations[index].address != address ||
      !server->allocations[index].pinned)
    return ERROR_INVALID_VALUE;
  remove_allocation(server, index);
  return vhopper_unpin(server->device, address);
}

void server_free_allocations(struct server *server) {
  for (size_t i = 0; i < server->allocation_count; i++) {
    const struct server_allocation *one = &server->allocations[i];
    (void)(one->pinned ? vhopper_unpin : vhopper_free)(server->device, one->address);
    free(one->callers);
  }
  server->allocation_count = 0;
  server->counters.live_allocations = 0;
  server->counters.live_bytes = 0;
}

// Returns the host view of a whole region, from the first byte of its first row to the last byte of its last
// row. NULL: a part isn't device memory, or the numbers make no sense. The region must not be empty.
static uint8_t *region_view(struct server *server, const struct protocol_region *region) {
  uint64_t span = 0;
  if (region->rows > 1) {
    if (region->pitch < region->width) return NULL;
    if (__builtin_mul_overflow(region->rows - 1, region->pitch, &span)) return NULL;
  }
  if (__builtin_add_overflow(span, region->width, &span)) return NULL;
  uint64_t end;
  if (__builtin_add_overflow(region->address, span, &end)) return NULL;
  uint8_t *view = vhopper_host_view(server->device, region->address, span);
  if (!view) (void)server_refuse_address(server, "the copy or fill", region->address, span);
  return view;
}

static bool region_is_empty(const struct protocol_region *region) {
  return region->width == 0 || region->rows == 0;
}

static int open_stream(struct server *server) {
  const struct protocol_region *region = &server->body.region;
  server->stream =
      (struct server_stream){.pitch = region->pitch, .width = region->width, .rows = region->rows};
  if (region_is_empty(region)) return 0;
  if (!server_charge_rows(server, region->rows, region->width)) return ERROR_LAUNCH_TIMEOUT;
  server->stream.base = region_view(server, region);
  return server->stream.base ? 0 : ERROR_INVALID_VALUE;
}

// Counts bytes that the program's host code reads or writes. Fills are not counted: they compute no result,
// and many programs use them.
static void count_by_host(struct server *server, const struct protocol_region *region, bool write) {
  if (region_is_empty(region)) return;
  const bool handed = vhopper_is_handed(server->device, region->address);
  const uint64_t bytes = region->rows * region->width;
  observed_add_host(vhopper_report(server->device), handed, write ? 0 : bytes, write ? bytes : 0);
}

// Counts the bytes of a region that the host has just written, where they aren't all zero.
static void count_values(struct server *server, const struct protocol_region *region) {
  const uint8_t *row = region_is_empty(region) || !vhopper_is_handed(server->device, region->address)
                           ? NULL
                           : region_view(server, region);
  for (uint64_t left = row ? region->rows : 0; left > 0; left--, row += region->pitch)
    if (row[0] != 0 || memcmp(row, row + 1, region->width - 1) != 0)
      observed_add_host_values(vhopper_report(server->device), region->width);
}

int server_begin_write(struct server *server) {
  int status = open_stream(server);
  if (!status) count_by_host(server, &server->body.region, true);
  return status;
}

int server_handle_write(struct server *server) {
  server->counters.bytes_written += server->request.payload_bytes;
  server_order_copy(server, STREAM_COPY_TO_DEVICE, NULL, &server->body.region);
  count_values(server, &server->body.region);
  return 0;
}

int server_handle_read(struct server *server) {
  int status = open_stream(server);
  if (status) return status;
  count_by_host(server, &server->body.region, false);
  server_order_copy(server, STREAM_COPY_TO_HOST, &server->body.region, NULL);
  server->streams_out = true;
  server->reply.payload_bytes = server->stream.base ? server->stream.width * server->stream.rows : 0;
  server->counters.bytes_read += server->reply.payload_bytes;
  return 0;
}

int server_handle_copy(struct server *server) {
  const struct protocol_region *destination = &server->body.copy.destination;
  struct protocol_region source = *destination;
  source.address = server->body.copy.source;
  source.pitch = server->body.copy.source_pitch;
  if (region_is_empty(destination)) return 0;
  if (!server_charge_rows(server, destination->rows, destination->width)) return ERROR_LAUNCH_TIMEOUT;
  if (!region_view(server, destination) || !region_view(server, &source)) return ERROR_INVALID_VALUE;
  count_by_host(server, destination, true);
  count_by_host(server, &source, false);
  server_order_copy(server, STREAM_COPY_ON_DEVICE, &source, destination);
  vhopper_pass_copy(server->device, destination->address, source.address,
                    destination->rows * destination->width);
  for (uint64_t row = 0; row < destination->rows; row++) {
    int status = vhopper_copy(server->device, destination->address + row * destination->pitch,
                              source.address + row * source.pitch, destination->width);
    if (status) return status;
  }
  count_values(server, destination);
  server->counters.bytes_copied += destination->rows * destination->width;
  return 0;
}

int server_handle_fill(struct server *server) {
  const struct protocol_fill *fill = &server->body.fill;
  const struct protocol_region *region = &fill->region;
  if (fill->pattern_bytes != 1 && fill->pattern_bytes != 2 && fill->pattern_bytes != 4)
    return ERROR_INVALID_VALUE;
  if (region_is_empty(region)) return 0;
  if (!server_charge_rows(server, region->rows, region->width)) return ERROR_LAUNCH_TIMEOUT;
  if (!region_view(server, region) || region->width % fill->pattern_bytes) return ERROR_INVALID_VALUE;
  server_order_copy(server, STREAM_FILL, NULL, region);
  for (uint64_t row = 0; row < region->rows; row++) {
    int status = vhopper_fill(server->device, region->address + row * region->pitch, fill->pattern,
                              fill->pattern_bytes, region->width);
    if (status) return status;
  }
  vhopper_pass_copy(server->device, region->address, 0, region->rows * region->width);
  server->counters.bytes_filled += region->rows * region->width;
  return 0;
}

// The address may be in device memory that this connection did not allocate (a module's variable, the
// referee's buffer). Then the start of the allocation isn't known, and base is the address itself.
int server_handle_locate(struct server *server) {
  const struct protocol_locate *locate = &server->body.locate;
  struct protocol_location *location = &server->answer.location;
  size_t index = find_allocation(server, locate->address);
  if (vhopper_is_pinned(server->device, locate->address)) return ERROR_INVALID_VALUE; // memory of the host
  if (index < server->allocation_count && server->allocations[index].address <= locate->address) {
    location->base = server->allocations[index].address;
    location->bytes = server->allocations[index].bytes;
    return 0;
  }
  if (locate->bytes == 0 || !vhopper_host_view(server->device, locate->address, locate->bytes))
    return ERROR_INVALID_VALUE;
  location->base = locate->address;
  location->bytes = locate->bytes;
  return 0;
}

int server_handle_memory(struct server *server) {
  server->answer.memory.total = server->limits.memory_bytes;
  server->answer.memory.available = server->limits.memory_bytes - server->counters.live_bytes;
  return 0;
}
