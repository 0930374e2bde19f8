// Launches. In: an untrusted launch request. Out: CUDA's answer. A configuration that the chip can't run
// is refused at once. A failure while the grid runs is a device error, and every later reply reports it. A
// program that shares memory with its kernels wants to go on while they run: it is answered before the
// grid starts.
#include "virtual-hopper/server/internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "monotonic.h"
#include "virtual-hopper/base/arena.h"

// Clusters of more than 8 blocks must have been allowed (CUDA C++ Programming Guide, "Thread block
// clusters"). vhopper_launch can't know that. It checks the rest of the configuration.
static bool cluster_is_allowed(const struct protocol_launch *launch) {
  enum { PORTABLE_CLUSTER = 8 };
  uint64_t blocks = 1;
  for (int i = 0; i < 3; i++) {
    if (launch->cluster[i] > UINT16_MAX) return false;
    blocks *= launch->cluster[i] ? launch->cluster[i] : 1;
  }
  return launch->nonportable_cluster || blocks <= PORTABLE_CLUSTER;
}

static void count_kernel(struct server *server, struct server_function *function, const char *name) {
  if (function->kernel == UINT32_MAX) {
    size_t index = 0;
    while (index < server->kernel_count && strcmp(server->kernels[index].name, name) != 0)
      index++;
    if (index == server->kernel_count) {
      if (!server_grow((void **)&server->kernels, server->kernel_count, &server->kernel_room,
                       sizeof *server->kernels, server->limits.kernels))
        return;
      char *copy = strdup(name);
      if (!copy) die("no memory for a kernel's name");
      server->kernels[server->kernel_count++] = (struct server_kernel){copy, 0};
    }
    function->kernel = (uint32_t)index;
  }
  server->kernels[function->kernel].launches++;
}

static void append_output(struct server *server, const char *text, size_t length) {
  budget_count(vhopper_budget(server->device), BUDGET_TEXT, length);
  char *joined = realloc(server->output, server->output_bytes + length);
  if (!joined) die("no memory for %zu bytes that kernels printed", length);
  memcpy(joined + server->output_bytes, text, length);
  server->output = joined;
  server->output_bytes += length;
}

void server_collect_output(struct server *server) {
  static const char note[] =
      "\n[kernels printed more than is kept until the program waits; the rest is lost]\n";
  size_t length = 0, most = server->limits.output_bytes, left = budget_left(vhopper_budget(server->device));
  if (left < most - server->output_bytes) most = server->output_bytes + left;
  char *text = vhopper_take_output(server->device, &length);
  bool lost = server->output_bytes > most; // the note made the text longer than the limit
  bool whole = !lost && length <= most - server->output_bytes;
  if (length && !lost) append_output(server, text, whole ? length : most - server->output_bytes);
  if (!lost && !whole) append_output(server, note, sizeof note - 1);
  free(text);
}

static struct vhopper_launch_config configuration_of(const struct server *server) {
  const struct protocol_launch *launch = &server->body.launch;
  return (struct vhopper_launch_config){
      .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
      .block = {launch->block[0], launch->block[1], launch->block[2]},
      .cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]},
      .dynamic_shared_bytes = launch->dynamic_shared_bytes,
      .cooperative = launch->cooperative != 0,
      .programmatic = launch->programmatic != 0,
      .stream = server->request.stream & PROTOCOL_STREAM,
  };
}

static bool host_rests(const struct server *server) {
  struct protocol_request next;
  return recv(server->socket, &next, sizeof next, MSG_PEEK | MSG_DONTWAIT) == (ssize_t)sizeof next &&
         next.magic == PROTOCOL_REQUEST_MAGIC && next.operation == PROTOCOL_HOST_RESTS;
}

// The launch waits for what the host does next. If the program is not there to be answered, nothing is lost:
// the launch waits for its time, and is stopped. True: the host does nothing before the launch's end.
static bool let_host_go_on(void *context) {
  struct server *server = context;
  const struct protocol_reply reply = {.magic = PROTOCOL_REPLY_MAGIC,
                                       .runs_on = PROTOCOL_WAITS,
                                       .virtual_time = vhopper_virtual_time(server->device)};
  if (!server->may_run_on && !server->tells_waiting) return host_rests(server);
  if (send(server->socket, &reply, sizeof reply, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof reply)
    return false;
  server->tells_waiting = false;
  if (!server->may_run_on) return false;
  server->may_run_on = false;
  stream_order_judge_later(vhopper_streams(server->device));
  return false;
}

// A kernel that sleeps takes no work. The host's clock must show that it has slept.
static void sleep_as_long(double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// Launches the function of the request, whose numbers have been checked.
int server_run_launch(struct server *server) {
  const struct vhopper_launch_config config = configuration_of(server);
  struct server_function *function = server_function_of(server, server->body.launch.function);
  server->launch_is_early = false;
  server_pass_time(server);
  const uint64_t before = vhopper_virtual_time(server->device);
  const uint64_t launches = vhopper_launches(server->device);
  const double began = monotonic_seconds();
  vhopper_when_host_is_awaited(server->device, let_host_go_on, server);
  int status = vhopper_launch(server->device, function->function, &config, server->payload);
  vhopper_when_host_is_awaited(server->device, NULL, NULL);
  server->tells_waiting = false;
  const double taken = (double)(vhopper_virtual_time(server->device) - before) / 1e9;
  const double left = taken - (monotonic_seconds() - began);
  if (server->limits.real_time && !status && left > 0) sleep_as_long(left);
  server->counted_until = monotonic_seconds(); // the launch has its own time
  server_collect_output(server);
  for (uint64_t i = launches + 1; server->callers && i <= vhopper_launches(server->device); i++)
    fault_called_from(vhopper_report(server->device), i, server->callers);
  // A grid that failed after its start is not a failed launch: the program gets the error when it waits.
  return status && vhopper_sticky_error(server->device) == status ? 0 : status;
}

int server_handle_launch(struct server *server) {
  const struct protocol_launch *launch = &server->body.launch;
  struct server_function *function = server_function_of(server, launch->function);
  if (!function) return ERROR_INVALID_DEVICE_FUNCTION;
  const struct vhopper_function_info *info = vhopper_function_info(function->function);
  int status = server->request.payload_bytes == info->parameter_bytes ? 0 : ERROR_INVALID_VALUE;
  if (!status && !cluster_is_allowed(launch)) status = ERROR_INVALID_CLUSTER_SIZE;
  if (!status && server->limits.launches && server->counters.launches >= server->limits.launches)
    status = ERROR_LAUNCH_OUT_OF_RESOURCES;
  int before = vhopper_sticky_error(server->device);
  if (!status && before) status = before;
  if (status) {
    server->counters.failed_launches++;
    return status;
  }
  server->counters.launches++;
  count_kernel(server, function, info->name);
  if (launch->early != PROTOCOL_BEFORE_IT_BEGINS) {
    server->may_run_on = launch->early == PROTOCOL_WHEN_IT_WAITS;
    status = server_run_launch(server);
    server->may_run_on = false;
    return status;
  }
  const struct vhopper_launch_config config = configuration_of(server);
  status = vhopper_check_launch(server->device, function->function, &config);
  server->launch_is_early = !status;
  return status;
}
