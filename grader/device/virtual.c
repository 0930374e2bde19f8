// The virtual Hopper as a device: it lives in the referee's own process, the runner's CUDA calls come in over a socket.
// Buffers are exactly as large as the case says; the gaps around them belong to nobody, so a stray access faults at once.
#include "device/device.h"

#include "runner/protocol.h"
#include "virtual-hopper/fault.h"
#include "virtual-hopper/protocol.h"
#include "virtual-hopper/server.h"
#include "virtual-hopper/vhopper.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct virtual_device {
  struct device base;
  struct vhopper *hopper;
  struct server *server;
  int socket, runner_socket; // the runner's end is closed here once the runner has it
  uint64_t addresses[RUNNER_MAX_BUFFERS + 1];
  size_t address_count;
  char environment[64];
};

static struct virtual_device *own(struct device *device) {
  return (struct virtual_device *)device;
}

static int fail(struct device *device, const char *what, int code) {
  snprintf(device->error, sizeof device->error, "the virtual Hopper's %s failed with CUDA error %d", what,
           code);
  return -1;
}

static void close_virtual(struct device *base) {
  struct virtual_device *device = own(base);
  if (device->server) server_destroy(device->server);
  if (device->hopper) vhopper_destroy(device->hopper);
  if (device->socket >= 0) close(device->socket);
  if (device->runner_socket >= 0) close(device->runner_socket);
  free(device);
}

static int allocate(struct device *base, struct device_buffer *buffers, size_t count, uint64_t seed) {
  struct virtual_device *device = own(base);
  (void)seed; // no guard bands here, so no pattern
  // One that the runner has freed already is reported as unknown: not our concern.
  for (size_t i = 0; i < device->address_count; i++)
    vhopper_free(device->hopper, device->addresses[i]);
  device->address_count = 0;
  for (size_t i = 0; i < count && i < sizeof device->addresses / sizeof *device->addresses; i++) {
    int error = vhopper_hand(device->hopper, buffers[i].bytes, buffers[i].name, &buffers[i].place);
    if (error) return fail(base, "allocation", error);
    device->addresses[device->address_count++] = buffers[i].place;
  }
  return 0;
}

static void *view(struct device *base, const struct device_buffer *buffer) {
  void *memory = vhopper_host_view(own(base)->hopper, buffer->place, buffer->bytes);
  if (!memory) snprintf(base->error, sizeof base->error, "the buffer `%s` is gone", buffer->name);
  return memory;
}

static int write_buffer(struct device *base, const struct device_buffer *buffer, const void *source) {
  // Through the device, not the view: it keeps track of which bytes have been written.
  if (!view(base, buffer)) return DEVICE_GONE;
  int error = vhopper_write(own(base)->hopper, buffer->place, source, buffer->bytes);
  return error ? fail(base, "write", error) : 0;
}

static int read_buffer(struct device *base, const struct device_buffer *buffer, void *destination) {
  const void *memory = view(base, buffer);
  if (!memory) return DEVICE_GONE;
  memcpy(destination, memory, buffer->bytes);
  return 0;
}

static int check_guards(struct device *base, bool *intact, char *text, size_t size) {
  (void)base, (void)text, (void)size;
  *intact = true; // a stray access is a fault and ends the launch
  return 0;
}

static struct device_offer offer(struct device *base) {
  return (struct device_offer){own(base)->runner_socket, own(base)->environment, 0};
}

static void offer_taken(struct device *base) {
  close(own(base)->runner_socket);
  own(base)->runner_socket = -1;
}

static int events_descriptor(const struct device *base, short *events) {
  const struct virtual_device *device = (const struct virtual_device *)base;
  *events = server_events(device->server);
  return device->socket;
}

static int serve(struct device *base) {
  struct virtual_device *device = own(base);
  enum server_state state = server_step(device->server);
  if (state != SERVER_DROPPED) return state != SERVER_CLOSED;
  snprintf(base->error, sizeof base->error, "%s", server_reason(device->server));
  return -1;
}

static struct fault_report *report(struct device *base) {
  return vhopper_report(own(base)->hopper);
}
static void clear_report(struct device *base) {
  vhopper_clear_report(own(base)->hopper);
}
static void set_seed(struct device *base, uint64_t seed) {
  vhopper_set_seed(own(base)->hopper, seed);
}

static int free_memory(struct device *base, size_t *bytes) {
  (void)bytes;
  snprintf(base->error, sizeof base->error, "the virtual Hopper has no memory of its own");
  return -1;
}

static const struct device_operations operations = {
    .close = close_virtual,
    .allocate = allocate,
    .write = write_buffer,
    .read = read_buffer,
    .check_guards = check_guards,
    .offer = offer,
    .offer_taken = offer_taken,
    .events_descriptor = events_descriptor,
    .serve = serve,
    .report = report,
    .clear_report = clear_report,
    .set_seed = set_seed,
    .free_memory = free_memory,
};

struct device *device_open_virtual(const struct device_options *options, char *error, size_t error_size) {
  struct virtual_device *device = calloc(1, sizeof *device);
  int pair[2];
  if (!device || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    snprintf(error, error_size, "the virtual Hopper's socket: %s", strerror(errno));
    free(device);
    return NULL;
  }
  device->base.operations = &operations;
  device->socket = pair[0];
  device->runner_socket = pair[1];
  snprintf(device->environment, sizeof device->environment, "%s=%d", PROTOCOL_SOCKET_VARIABLE, RUNNER_DEVICE);
  struct vhopper_options wanted = {.workers = options->workers,
                                   .seed = options->seed,
                                   .check = options->check,
                                   .launch_deadline = options->launch_deadline,
                                   .memory_limit = (size_t)2 << 30};
  // The buffers are ours: a cudaDeviceReset of the runner's may free only its own.
  struct server_limits limits = {.keeps_device = true, .memory_bytes = (size_t)2 << 30};
  device->hopper = vhopper_create(&wanted);
  if (device->hopper) device->server = server_create(device->hopper, device->socket, &limits);
  if (device->server) return &device->base;
  snprintf(error, error_size, "the virtual Hopper cannot be made: out of memory");
  close_virtual(&device->base);
  return NULL;
}
