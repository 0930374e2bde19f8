// The client's requests about device memory: one function for each operation of the protocol.
// In: the program's host pointers and device addresses; out: CUDA errors.
#include "virtual-hopper/shim/client-later.h"
#include "virtual-hopper/shim/client.h"

int client_allocate(uint64_t *address, size_t bytes, uint32_t in) {
  struct protocol_allocate body = {bytes};
  struct protocol_address answer = {0};
  const uint32_t stream = in & PROTOCOL_STREAM;
  // behind a host function that doesn't end: the memory is there at once
  if (stream && (client_later_has(stream, 0) || !client_functions_before(stream))) in = CLIENT_BESIDE;
  struct client_request request = {.operation = PROTOCOL_ALLOCATE,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .answer = &answer,
                                   .answer_bytes = sizeof answer,
                                   .in = in};
  int status = client_call(&request);
  *address = answer.address;
  return status;
}

int client_free(uint64_t address, uint32_t in) {
  if (in & PROTOCOL_STREAM && client_later_free(address, in)) return 0;
  struct protocol_free body = {address};
  struct client_request request = {
      .operation = PROTOCOL_FREE, .body = &body, .body_bytes = sizeof body, .in = in};
  return client_call(&request);
}

static bool too_big(size_t width, size_t rows) {
  size_t bytes;
  return __builtin_mul_overflow(width, rows, &bytes);
}

int client_write(uint64_t address, size_t pitch, const struct client_rows *source, uint32_t in) {
  if (too_big(source->width, source->rows)) return ERROR_INVALID_VALUE;
  struct protocol_region body = {address, pitch, source->width, source->rows};
  struct client_request request = {
      .operation = PROTOCOL_WRITE, .body = &body, .body_bytes = sizeof body, .source = source, .in = in};
  return client_call(&request);
}

int client_read(const struct client_rows *destination, uint64_t address, size_t pitch, uint32_t in) {
  if (too_big(destination->width, destination->rows)) return ERROR_INVALID_VALUE;
  struct protocol_region body = {address, pitch, destination->width, destination->rows};
  struct client_request request = {.operation = PROTOCOL_READ,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .destination = destination,
                                   .in = in};
  return client_call(&request);
}

int client_peek(const struct client_rows *destination, uint64_t address) {
  struct protocol_region body = {address, 0, destination->width, destination->rows};
  struct client_request request = {.operation = PROTOCOL_READ,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .destination = destination,
                                   .is_peek = true};
  return client_call(&request);
}

int client_copy(uint64_t destination, size_t destination_pitch, uint64_t source, size_t source_pitch,
                size_t width, size_t rows, uint32_t in) {
  struct protocol_copy body = {{destination, destination_pitch, width, rows}, source, source_pitch};
  struct client_request request = {
      .operation = PROTOCOL_COPY, .body = &body, .body_bytes = sizeof body, .in = in};
  return client_call(&request);
}

int client_fill(uint64_t address, size_t pitch, uint32_t pattern, uint32_t pattern_bytes, size_t width,
                size_t rows, uint32_t in) {
  struct protocol_fill body = {{address, pitch, width, rows}, pattern, pattern_bytes};
  struct client_request request = {
      .operation = PROTOCOL_FILL, .body = &body, .body_bytes = sizeof body, .in = in};
  return client_call(&request);
}

int client_locate(uint64_t address, size_t bytes, struct protocol_location *location) {
  struct protocol_locate body = {address, bytes};
  struct client_request request = {.operation = PROTOCOL_LOCATE,
                                   .body = &body,
                                   .body_bytes = sizeof body,
                                   .answer = location,
                                   .answer_bytes = sizeof *location};
  return client_call(&request);
}

bool client_is_device(const void *pointer) {
  struct protocol_location location;
  return client_locate((uint64_t)(uintptr_t)pointer, 1, &location) == 0;
}

int client_memory(struct protocol_memory *memory) {
  struct client_request request = {
      .operation = PROTOCOL_MEMORY, .answer = memory, .answer_bytes = sizeof *memory};
  return client_call(&request);
}
