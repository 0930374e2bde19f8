// The virtual Hopper as a device. In: what the referee wants of it. Out: the same, done by a process of its
// own, walled in (walled.h), that serves the runner meanwhile. The idea: that process runs what a stranger
// made, so this side believes nothing that it says, and waits for nothing without a deadline.
#include "device/device.h"

#include "device/walled.h"
#include "monotonic.h"
#include "sandbox/enclose.h"
#include "sandbox/sandbox.h"
#include "virtual-hopper/base/executable.h"
#include "virtual-hopper/rules/fault-wire.h"
#include "virtual-hopper/server/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_BYTES ((uint64_t)2 << 30)     // what a program may make the device hold
static const double MOST_MICROSECONDS = 1e9; // that a launch is predicted to take
static const double PATIENCE = 30;           // seconds for an answer that takes no time, on a busy machine
// Warp instructions that a launch of a case may execute: so many, and so many for each byte of its buffers. A
// kernel that adds one to an integer 35 times over, in one thread of each block, executes some 35 for each
// byte. Seconds decide no case here.
enum { CASE_BUDGET = 100000000, CASE_BUDGET_PER_BYTE = 200 };
// So many are enough for most: the solutions execute less than one for each byte.
enum { FIRST_BUDGET = 20000000, FIRST_BUDGET_PER_BYTE = 4 };

struct virtual_device {
  struct device base;
  pid_t process;
  int control, complaints, shared;
  int runner_socket; // the runner's end is closed here once the runner has it
  struct walled_status *status;
  const uint8_t *report_bytes;
  uint8_t *buffers; // of the present case: the shared file from WALLED_BUFFERS_AT
  size_t buffers_bytes;
  // of the buffers: in `buffers`, on the device
  uint64_t offsets[DEVICE_MAX_BUFFERS], places[DEVICE_MAX_BUFFERS];
  size_t buffer_count;
  struct fault_report *report;
  double launch_deadline;
  bool fresh;   // `report` holds what the process would answer
  bool settled; // it listens to nobody but us
  bool keeps_time;
  bool unjudged, one_worker; // from the next order on
  bool puts_off;             // launches past the first budget are stopped
  bool gone;                 // it has ended, or talks nonsense: base.error says how
  char environment[64];
};

static struct virtual_device *own(struct device *device) {
  return (struct virtual_device *)device;
}

// ---- the process's end ------------------------------------------------------------------------------------

static void make_printable(char *text) {
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
}

// Says why the process is of no more use; the first reason stays. Returns DEVICE_BROKEN.
static int broken(struct virtual_device *device, const char *why) {
  if (device->gone) return DEVICE_BROKEN;
  device->gone = true;
  snprintf(device->base.error, sizeof device->base.error, "the virtual Hopper's process %s", why);
  return DEVICE_BROKEN;
}

static void end_process(struct virtual_device *device, int *status) {
  if (device->process <= 0) return;
  kill(device->process, SIGKILL);
  while (waitpid(device->process, status, 0) < 0 && errno == EINTR) {
  }
  device->process = 0;
}

// It has closed its end: what it said last, or what it died of.
static int has_ended(struct virtual_device *device) {
  char said[160] = "", why[200];
  int status = 0;
  ssize_t got = read(device->complaints, said, sizeof said - 1);
  said[got > 0 ? got : 0] = '\0';
  said[strcspn(said, "\n")] = '\0';
  make_printable(said);
  end_process(device, &status);
  if (said[0])
    snprintf(why, sizeof why, "has ended: %.160s", said);
  else if (WIFSIGNALED(status))
    snprintf(why, sizeof why, "has died: %s", strsignal(WTERMSIG(status)));
  else
    snprintf(why, sizeof why, "has ended with status %d", WEXITSTATUS(status));
  return broken(device, why);
}

// ---- asking -----------------------------------------------------------------------------------------------

// Never waits: a process that takes nothing in would hold us up for ever. There is room for some hundred
// requests, far more than are asked before one of them has to be answered.
static int ask(struct virtual_device *device, const struct walled_request *request) {
  ssize_t sent;
  if (device->gone) return DEVICE_BROKEN;
  do {
    sent = send(device->control, request, sizeof *request, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0 && errno == EAGAIN) return broken(device, "takes no requests");
  return sent == (ssize_t)sizeof *request ? 0 : has_ended(device);
}

// One message of the process's. 1: `answer` is what nobody has to deal with but who asked for it, 0: there is
// none, or it has been dealt with; DEVICE_DROPPED, DEVICE_BROKEN.
static int take(struct virtual_device *device, struct walled_answer *answer) {
  ssize_t got = recv(device->control, answer, sizeof *answer, MSG_DONTWAIT | MSG_TRUNC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (got <= 0) return has_ended(device);
  if (got != (ssize_t)sizeof *answer) return broken(device, "sent what is no answer");
  answer->text[sizeof answer->text - 1] = '\0';
  make_printable(answer->text);
  switch (answer->kind) {
  case WALLED_STARTED:
    if (answer->status == 0) return 0;
    return broken(device, answer->text[0] ? answer->text : "cannot be walled in");
  case WALLED_SETTLED: device->settled = true; return 0;
  case WALLED_CLOSED: return 0;
  case WALLED_DROPPED:
  case WALLED_SPENT:
  case WALLED_CROWDED:
    snprintf(device->base.error, sizeof device->base.error, "%s", answer->text);
    return answer->kind == WALLED_SPENT     ? DEVICE_SPENT
           : answer->kind == WALLED_CROWDED ? DEVICE_CROWDED
                                            : DEVICE_DROPPED;
  default: return 1;
  }
}

// Asks, and waits for the answer of this kind.
static int call(struct virtual_device *device, const struct walled_request *request, enum walled_kind kind,
                double patience, struct walled_answer *answer) {
  double end = monotonic_seconds() + patience;
  int status = ask(device, request);
  while (status == 0) {
    double left = end - monotonic_seconds();
    struct pollfd event = {device->control, POLLIN, 0};
    if (left <= 0) return broken(device, "does not answer");
    if (poll(&event, 1, (int)(left * 1000) + 1) < 0 && errno != EINTR)
      return broken(device, "cannot be asked");
    int taken = take(device, answer);
    if (taken == DEVICE_BROKEN) return taken;
    if (taken == 1 && answer->kind != (uint32_t)kind) return broken(device, "answers what nobody asked");
    if (taken == 1) return 0;
  }
  return status;
}

// ---- buffers ----------------------------------------------------------------------------------------------

static size_t aligned(size_t bytes) {
  return (bytes + WALLED_ALIGNMENT - 1) / WALLED_ALIGNMENT * WALLED_ALIGNMENT;
}

static int no_memory(struct virtual_device *device, const char *what) {
  snprintf(device->base.error, sizeof device->base.error, "%s: %s", what, strerror(errno));
  return -1;
}

// Room for `bytes` of buffers, all zero: what the case before left behind is gone.
static int make_room(struct virtual_device *device, size_t bytes) {
  const off_t at = WALLED_BUFFERS_AT;
  if (device->buffers) munmap(device->buffers, device->buffers_bytes);
  if (device->buffers_bytes && fallocate(device->shared, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
                                         (off_t)device->buffers_bytes) != 0)
    return no_memory(device, "the case's buffers");
  // It never shrinks (nor can the process make it): a mapping beyond its end would kill whoever touches it.
  if (bytes > device->buffers_bytes && ftruncate(device->shared, at + (off_t)bytes) != 0)
    return no_memory(device, "the case's buffers");
  if (bytes > device->buffers_bytes) device->buffers_bytes = bytes;
  void *place = mmap(NULL, device->buffers_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device->shared, at);
  device->buffers = place == MAP_FAILED ? NULL : place;
  // All of them are written next: pages at once cost less than one by one. An old kernel can't.
  if (device->buffers) (void)madvise(place, bytes, MADV_POPULATE_WRITE);
  return device->buffers ? 0 : no_memory(device, "the case's buffers");
}

// How far behind a multiple of WALLED_ALIGNMENT a buffer begins: the labs promise 256 bytes and no more. One
// that stays keeps its place. Where time is predicted, buffers begin as those of cudaMalloc do.
static size_t lead_of(const struct virtual_device *device, const struct device_buffer *buffer, size_t number,
                      uint64_t seed) {
  enum { LEADS = 16, LEAD = 256 };
  if (device->keeps_time) return 0;
  if (buffer->stays && number < device->buffer_count) return device->offsets[number] % WALLED_ALIGNMENT;
  return (size_t)((seed + 1 + number) * 0x9e3779b97f4a7c15ULL >> 60) % LEADS * LEAD;
}

static int allocate(struct device *base, struct device_buffer *buffers, size_t count, uint64_t seed) {
  struct virtual_device *device = own(base);
  struct walled_request request = {.operation = WALLED_HAND, .count = (uint32_t)count};
  struct walled_answer answer;
  size_t end = 0;
  if (count > DEVICE_MAX_BUFFERS) return broken(device, "takes no more than two buffers");
  for (size_t i = 0; i < count; i++) {
    const size_t lead = lead_of(device, &buffers[i], i, seed);
    request.buffers[i].offset = WALLED_BUFFERS_AT + end + lead;
    request.buffers[i].bytes = buffers[i].bytes;
    snprintf(request.buffers[i].name, WALLED_NAME, "%s", buffers[i].name);
    if (buffers[i].stays) request.kept |= 1u << i;
    device->offsets[i] = end + lead;
    end += aligned(lead + buffers[i].bytes);
  }
  request.puts_off = device->puts_off;
  request.launch_budget = device->puts_off ? FIRST_BUDGET + end * FIRST_BUDGET_PER_BYTE
                                           : CASE_BUDGET + end * CASE_BUDGET_PER_BYTE;
  device->buffer_count = 0;
  if (make_room(device, end) != 0) return -1;
  if (call(device, &request, WALLED_HANDED, PATIENCE, &answer) != 0) return -1;
  if (answer.status) {
    snprintf(base->error, sizeof base->error, "the virtual Hopper's allocation failed with CUDA error %d",
             answer.status);
    return -1;
  }
  device->buffer_count = count;
  for (size_t i = 0; i < count; i++)
    device->places[i] = buffers[i].place = answer.places[i];
  return 0;
}

// Where the buffer lies in our memory, or NULL.
static uint8_t *view(struct virtual_device *device, const struct device_buffer *buffer) {
  for (size_t i = 0; i < device->buffer_count; i++)
    if (device->places[i] == buffer->place) return device->buffers + device->offsets[i];
  snprintf(device->base.error, sizeof device->base.error, "there is no buffer `%s`", buffer->name);
  return NULL;
}

static void *memory(struct device *base, const struct device_buffer *buffer) {
  return view(own(base), buffer);
}

static int write_buffer(struct device *base, const struct device_buffer *buffer, const void *source) {
  uint8_t *memory = view(own(base), buffer);
  if (!memory) return -1;
  memcpy(memory, source, buffer->bytes);
  return 0;
}

// A copy, once: what the process writes later changes nothing.
static int read_buffer(struct device *base, const struct device_buffer *buffer, void *destination) {
  const uint8_t *memory = view(own(base), buffer);
  if (!memory) return -1;
  memcpy(destination, memory, buffer->bytes);
  return 0;
}

// What differs is read again, as a copy, and judged by that.
static bool holds(struct device *base, const struct device_buffer *buffer, const void *bytes) {
  const uint8_t *memory = view(own(base), buffer);
  return memory && memcmp(memory, bytes, buffer->bytes) == 0;
}

static int check_guards(struct device *base, bool *intact, char *text, size_t size) {
  (void)base, (void)text, (void)size;
  *intact = true; // a stray access is a fault and ends the launch
  return 0;
}

// ---- the runner -------------------------------------------------------------------------------------------

static struct device_offer offer(struct device *base) {
  return (struct device_offer){own(base)->runner_socket, own(base)->environment, 0};
}

static void offer_taken(struct device *base) {
  close(own(base)->runner_socket);
  own(base)->runner_socket = -1;
}

static int events_descriptor(const struct device *base, short *events) {
  const struct virtual_device *device = (const struct virtual_device *)base;
  *events = POLLIN;
  return device->control;
}

static int serve(struct device *base) {
  struct walled_answer answer;
  if (own(base)->gone) return DEVICE_BROKEN;
  int taken = take(own(base), &answer);
  return taken == 1 ? broken(own(base), "answers what nobody asked") : taken;
}

static int settle(struct device *base) {
  if (own(base)->settled) return 0;
  return ask(own(base), &(struct walled_request){.operation = WALLED_SETTLE});
}

static bool is_settled(const struct device *base) {
  return ((const struct virtual_device *)base)->settled;
}

static int resume(struct device *base) {
  own(base)->settled = own(base)->fresh = false;
  return ask(own(base), &(struct walled_request){.operation = WALLED_RESUME});
}

// As the process claims; whoever uses it bounds it.
static double worked(const struct device *base) {
  const struct walled_status *status = ((const struct virtual_device *)base)->status;
  const double since = (double)atomic_load(&status->since) / 1e9, now = monotonic_seconds();
  return (double)atomic_load(&status->worked) / 1e9 + (since > 0 && since < now ? now - since : 0);
}

// ---- the report -------------------------------------------------------------------------------------------

static void fetch_report(struct virtual_device *device) {
  struct walled_answer answer;
  // A launch that is under way ends first.
  const double patience = PATIENCE + 4 * device->launch_deadline;
  fault_report_clear(device->report);
  if (call(device, &(struct walled_request){.operation = WALLED_REPORT}, WALLED_REPORTED, patience,
           &answer) != 0)
    return;
  if (answer.status || answer.bytes > WALLED_REPORT_BYTES) {
    broken(device, "has no report");
    return;
  }
  // A copy, so that what was checked is what is used.
  void *copy = malloc(answer.bytes + 1);
  if (copy) memcpy(copy, device->report_bytes, answer.bytes);
  if (!copy || !fault_wire_read(device->report, copy, answer.bytes))
    broken(device, "reports what is no report");
  free(copy);
}

static struct fault_report *report(struct device *base) {
  struct virtual_device *device = own(base);
  if (!device->fresh) fetch_report(device);
  device->fresh = true;
  return device->report;
}

static void clear_report(struct device *base) {
  fault_report_clear(own(base)->report);
  own(base)->fresh = false;
  (void)ask(own(base), &(struct walled_request){.operation = WALLED_CLEAR});
}

static void set_order(struct device *base, uint64_t seed, bool first_late) {
  (void)ask(own(base), &(struct walled_request){.operation = WALLED_ORDER,
                                                .seed = seed,
                                                .first_late = first_late,
                                                .unjudged = own(base)->unjudged,
                                                .one_worker = own(base)->one_worker});
}

static void use_one_worker(struct device *base, bool one) {
  own(base)->one_worker = one;
}

static void judge_no_more(struct device *base) {
  own(base)->unjudged = true;
}

static void put_off(struct device *base, bool puts_off) {
  own(base)->puts_off = puts_off;
}

static int predict(struct device *base, struct device_prediction *prediction) {
  struct virtual_device *device = own(base);
  struct walled_answer answer;
  if (call(device, &(struct walled_request){.operation = WALLED_PREDICT}, WALLED_REPORTED, PATIENCE,
           &answer) != 0)
    return -1;
  if (answer.status) return -1;
  memcpy(prediction, device->report_bytes, sizeof *prediction); // so that what was checked is what is used
  const double us = prediction->us, steady = prediction->steady_us;
  if (answer.bytes == sizeof *prediction && us > 0 && us < MOST_MICROSECONDS && steady > 0 && steady <= us &&
      timeline_is_sound(&prediction->timeline))
    return 0;
  broken(device, "predicts what is no prediction");
  return -1;
}

static bool is_broken(const struct device *base) {
  return ((const struct virtual_device *)base)->gone;
}

static pid_t process(const struct device *base) {
  return ((const struct virtual_device *)base)->process;
}

static int free_memory(struct device *base, size_t *bytes) {
  (void)bytes;
  snprintf(base->error, sizeof base->error, "the virtual Hopper has no memory of its own");
  return -1;
}

// ---- opening and closing ----------------------------------------------------------------------------------

static void close_descriptor(int descriptor) {
  if (descriptor >= 0) close(descriptor);
}

static void close_virtual(struct device *base) {
  struct virtual_device *device = own(base);
  int status;
  end_process(device, &status);
  if (device->buffers) munmap(device->buffers, device->buffers_bytes);
  if (device->status) munmap(device->status, WALLED_BUFFERS_AT);
  close_descriptor(device->control);
  close_descriptor(device->complaints);
  close_descriptor(device->shared);
  close_descriptor(device->runner_socket);
  fault_report_destroy(device->report);
  free(device);
}

static const struct device_operations operations = {
    .close = close_virtual,
    .allocate = allocate,
    .memory = memory,
    .holds = holds,
    .write = write_buffer,
    .read = read_buffer,
    .check_guards = check_guards,
    .offer = offer,
    .offer_taken = offer_taken,
    .events_descriptor = events_descriptor,
    .serve = serve,
    .settle = settle,
    .is_settled = is_settled,
    .resume = resume,
    .worked = worked,
    .is_broken = is_broken,
    .process = process,
    .report = report,
    .clear_report = clear_report,
    .set_order = set_order,
    .use_one_worker = use_one_worker,
    .judge_no_more = judge_no_more,
    .put_off = put_off,
    .predict = predict,
    .free_memory = free_memory,
};

// The file in memory that both sides map. It can't be made shorter: a mapping would end in the air.
static int make_shared(struct virtual_device *device) {
  device->shared = memfd_create("virtual-device", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (device->shared < 0 || ftruncate(device->shared, WALLED_BUFFERS_AT) != 0 ||
      fcntl(device->shared, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
    return -1;
  uint8_t *place = mmap(NULL, WALLED_BUFFERS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, device->shared, 0);
  if (place == MAP_FAILED) return -1;
  device->status = (struct walled_status *)(void *)place;
  device->report_bytes = place + WALLED_REPORT_AT;
  return 0;
}

// `played`: who gets the process's descriptors instead of a process (device_open_played); NULL: a process.
static int start_process(struct virtual_device *device, int played[ENCLOSED_DESCRIPTORS]) {
  char path[PATH_MAX];
  char *const arguments[] = {(char *)(uintptr_t) "virtual-device", NULL};
  int runner[2] = {-1, -1}, control[2] = {-1, -1}, complaints[2] = {-1, -1};
  int status = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, runner);
  if (status == 0) status = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control);
  if (status == 0) status = pipe2(complaints, O_CLOEXEC | O_NONBLOCK);
  device->runner_socket = runner[1];
  device->control = control[0];
  device->complaints = complaints[0];
  if (status == 0) status = make_shared(device);
  if (status == 0 && played) {
    const int ends[ENCLOSED_DESCRIPTORS] = {dup(runner[0]), dup(control[1]), dup(device->shared)};
    memcpy(played, ends, sizeof ends);
  } else if (status == 0) {
    status = sandbox_start_own(sandbox_own_program("virtual-device", path), arguments,
                               (const int[]){runner[0], control[1], device->shared}, ENCLOSED_DESCRIPTORS,
                               complaints[1], &device->process);
  }
  const int reason = errno;
  close_descriptor(runner[0]);
  close_descriptor(control[1]);
  close_descriptor(complaints[1]);
  errno = reason;
  return status;
}

// The answer, WALLED_STARTED, is taken when it has come: the runner is started meanwhile.
static int send_start(struct virtual_device *device, const struct device_options *options) {
  size_t bytes = 0;
  void *modules = options->program ? executable_modules(options->program, &bytes) : NULL;
  if (bytes && make_room(device, aligned(bytes)) == 0) memcpy(device->buffers, modules, bytes);
  free(modules);
  if (bytes && !device->buffers) return -1;
  const size_t memory = options->memory_bytes ? options->memory_bytes : MEMORY_BYTES;
  struct walled_request request = {.operation = WALLED_START,
                                   .seed = options->seed,
                                   .workers = options->workers,
                                   .user = options->user,
                                   .check = options->check,
                                   .namespaces = options->namespaces,
                                   .knows_modules = options->program != NULL,
                                   .modules_bytes = bytes,
                                   .memory_bytes = memory,
                                   .launch_budget = CASE_BUDGET,
                                   .launch_deadline = device->launch_deadline,
                                   .processors = options->processors};
  if (options->chip) snprintf(request.chip, sizeof request.chip, "%s", options->chip);
  return ask(device, &request);
}

struct device *device_open_virtual(const struct device_options *options, char *error, size_t error_size) {
  return device_open_played(options, NULL, error, error_size);
}

struct device *device_open_played(const struct device_options *options, int played[ENCLOSED_DESCRIPTORS],
                                  char *error, size_t error_size) {
  struct virtual_device *device = calloc(1, sizeof *device);
  if (!device) {
    snprintf(error, error_size, "the virtual Hopper: out of memory");
    return NULL;
  }
  device->base.operations = &operations;
  device->control = device->complaints = device->shared = device->runner_socket = -1;
  device->launch_deadline = options->launch_deadline * SANDBOX_BUSY;
  device->keeps_time = options->chip != NULL;
  device->report = fault_report_create();
  snprintf(device->environment, sizeof device->environment, "%s=%d", PROTOCOL_SOCKET_VARIABLE,
           DEVICE_DESCRIPTOR);
  if (start_process(device, played) != 0) {
    snprintf(error, error_size, "the virtual Hopper's process (build/bin/virtual-device): %s",
             strerror(errno));
  } else if (send_start(device, options) != 0) {
    snprintf(error, error_size, "%s", device->base.error);
  } else {
    return &device->base;
  }
  close_virtual(&device->base);
  return NULL;
}
