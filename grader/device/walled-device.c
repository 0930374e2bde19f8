// The virtual Hopper's side of walled.h. In: requests of the referee on one socket, requests of the runner on
// another. Out: answers; the case's buffers and the report, in memory that the referee maps too. One idea:
// one loop hears both, and a case's buffers change only where no message of the runner's is under way.
#include "device/walled-device.h"

#include "sandbox/enclose.h"
#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/order/streams.h"
#include "virtual-hopper/rules/fault-wire.h"
#include "virtual-hopper/server/server.h"
#include "virtual-hopper/time/predict.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Milliseconds in the middle of a message for which the referee waits.
#ifdef VHOPPER_FUZZ_LIMITS
enum { MOST_SILENCE = 0 }; // a fuzzer sends all it will before it lets the device turn
#else
enum { MOST_SILENCE = 1000 };
#endif
// What the host's calls of one case may ask for (server.h): in all 64 million rows, or 16 GiB, or half a
// million calls, or 32 MiB of modules; some seconds of work. A launcher needs a thousandth of it.
#define CASE_WORK  ((uint64_t)1 << 26)
#define WORK_BYTES ((uint64_t)6 << 30) // address space beyond the device's own

struct walled_device {
  struct walled_ends ends;
  struct vhopper *hopper;
  struct server *server;
  char chip[8];
  unsigned workers;
  struct walled_status *status;
  uint8_t *report; // WALLED_REPORT_BYTES
  uint64_t places[DEVICE_MAX_BUFFERS], sizes[DEVICE_MAX_BUFFERS], offsets[DEVICE_MAX_BUFFERS];
  size_t place_count;
  bool listening;           // to the runner
  bool settling, reporting; // answer the referee when all requests of the runner are done
  bool runner_gone, referee_gone;
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void answer(struct walled_device *walled, const struct walled_answer *answer) {
  ssize_t sent;
  do {
    sent = send(walled->ends.control, answer, sizeof *answer, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent != (ssize_t)sizeof *answer) walled->referee_gone = true;
}

// ---- start ------------------------------------------------------------------------------------------------

static void *map_shared(const struct walled_device *walled, size_t offset, size_t bytes) {
  void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, walled->ends.shared, (off_t)offset);
  if (place == MAP_FAILED) die("the referee's memory cannot be mapped: %s", strerror(errno));
  return place;
}

static void take_modules(struct walled_device *walled, size_t bytes) {
  if (!bytes) {
    server_know_modules(walled->server, NULL, 0);
    return;
  }
  void *modules = map_shared(walled, WALLED_BUFFERS_AT, bytes);
  server_know_modules(walled->server, modules, bytes);
  munmap(modules, bytes);
}

static const char *enclose(const struct walled_request *request) {
  return sandbox_enclose(&(struct enclosure){.user = request->user,
                                             .namespaces = request->namespaces != 0,
                                             .work_bytes = WORK_BYTES,
                                             .file_bytes = request->memory_bytes});
}

static void start(struct walled_device *walled, const struct walled_request *request) {
  snprintf(walled->chip, sizeof walled->chip, "%.7s", request->chip);
  // In the sandbox the number of cores can't be read.
  walled->workers = request->workers ? request->workers : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
  struct vhopper_options wanted = {.workers = walled->workers,
                                   .seed = request->seed,
                                   .check = request->check,
                                   .rubbish = true,
                                   .processors = request->processors,
                                   .launch_budget = request->launch_budget,
                                   .launch_deadline = request->launch_deadline,
                                   .chip = walled->chip[0] ? walled->chip : NULL,
                                   .timeline = request->chip[0] != '\0',
                                   .memory_limit = request->memory_bytes};
  // The buffers belong to the referee: a cudaDeviceReset by the runner frees only the runner's own.
  struct server_limits limits = {
      .keeps_device = true, .memory_bytes = request->memory_bytes / 4 * 3, .work = CASE_WORK};
  struct walled_answer started = {.kind = WALLED_STARTED};
  walled->status = map_shared(walled, 0, WALLED_ALIGNMENT);
  walled->report = map_shared(walled, WALLED_REPORT_AT, WALLED_REPORT_BYTES);
  walled->hopper = vhopper_create(&wanted);
  walled->server = server_create(walled->hopper, walled->ends.runner, &limits);
  if (request->knows_modules) take_modules(walled, request->modules_bytes);
  const char *failed = walled->ends.enclosed ? NULL : enclose(request);
  if (failed) {
    started.status = -1;
    snprintf(started.text, sizeof started.text, "%s: %s", failed, strerror(errno));
  }
  answer(walled, &started);
  walled->referee_gone |= failed != NULL;
  walled->listening = true;
}

// ---- the referee's requests -------------------------------------------------------------------------------

// Whether buffer number i is where it is to be: the case before had it there. What it holds is the referee's
// matter.
static bool stays(const struct walled_device *walled, const struct walled_request *request, size_t i) {
  return request->kept >> i & 1 && i < request->count && i < walled->place_count &&
         walled->sizes[i] == request->buffers[i].bytes && walled->offsets[i] == request->buffers[i].offset;
}

// Takes back the buffers of the case before, all but those that stay.
static void take_back(struct walled_device *walled, const struct walled_request *request) {
  for (size_t i = 0; i < walled->place_count; i++) {
    if (stays(walled, request, i)) continue;
    vhopper_free(walled->hopper, walled->places[i]);
    walled->places[i] = 0;
  }
}

static int place_buffer(struct walled_device *walled, const struct walled_request *request, size_t i) {
  const uint64_t bytes = request->buffers[i].bytes, offset = request->buffers[i].offset;
  if (i >= walled->place_count) walled->places[i] = 0;
  if (walled->places[i]) return 0;
  walled->sizes[i] = bytes;
  walled->offsets[i] = offset;
  return vhopper_hand_shared(walled->hopper, bytes, request->buffers[i].name, walled->ends.shared,
                             (off_t)offset, &walled->places[i]);
}

static void hand(struct walled_device *walled, const struct walled_request *request) {
  struct walled_answer handed = {.kind = WALLED_HANDED};
  struct stream_region regions[DEVICE_MAX_BUFFERS] = {{0}};
  if (!server_is_idle(walled->server))
    server_drop(walled->server, "a message to the device was half sent when the next case began");
  take_back(walled, request);
  size_t placed = 0;
  vhopper_set_launch_budget(walled->hopper, request->launch_budget, request->puts_off);
  server_renew_work(walled->server);
  for (size_t i = 0; i < request->count && i < DEVICE_MAX_BUFFERS; i++) {
    handed.status = place_buffer(walled, request, i);
    if (handed.status) break;
    handed.places[i] = walled->places[i];
    regions[i] =
        (struct stream_region){handed.places[i], request->buffers[i].bytes, request->buffers[i].bytes, 1};
    placed++;
  }
  walled->place_count = placed;
  stream_order_hand(vhopper_streams(walled->hopper), regions, (uint32_t)walled->place_count);
  answer(walled, &handed);
}

static void report(struct walled_device *walled) {
  struct walled_answer reported = {.kind = WALLED_REPORTED};
  reported.bytes = fault_wire_write(vhopper_report(walled->hopper), walled->report, WALLED_REPORT_BYTES);
  if (!reported.bytes) reported.status = -1;
  answer(walled, &reported);
}

static void predict(struct walled_device *walled) {
  struct walled_answer reported = {.kind = WALLED_REPORTED};
  struct device_prediction *all = (struct device_prediction *)(void *)walled->report;
  const struct timeline *timeline = vhopper_timeline(walled->hopper);
  size_t count;
  const struct time_prediction *each = vhopper_predictions(walled->hopper, &count);
  *all = (struct device_prediction){.us = 0};
  for (size_t i = 0; i < count; i++) {
    all->us += each[i].us;
    all->steady_us += each[i].steady_us;
  }
  if (timeline) all->timeline = *timeline;
  reported.bytes = sizeof *all;
  if (!timeline) reported.status = -1;
  answer(walled, &reported);
}

static void set_order(struct walled_device *walled, const struct walled_request *request) {
  vhopper_set_order(walled->hopper, request->seed, request->first_late);
  vhopper_set_workers(walled->hopper, request->one_worker ? 1 : walled->workers);
  if (request->unjudged) vhopper_judge_no_more(walled->hopper);
}

static void take_request(struct walled_device *walled) {
  struct walled_request request;
  ssize_t got = recv(walled->ends.control, &request, sizeof request, 0);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    walled->referee_gone = true;
    return;
  }
  if (got != (ssize_t)sizeof request) die("%zd bytes are no request of the referee's", got);
  switch ((enum walled_operation)request.operation) {
  case WALLED_START: start(walled, &request); break;
  case WALLED_HAND: hand(walled, &request); break;
  case WALLED_SETTLE: walled->settling = true; break;
  case WALLED_RESUME: walled->listening = true; break;
  case WALLED_REPORT: walled->reporting = true; break;
  case WALLED_PREDICT: predict(walled); break;
  case WALLED_CLEAR: vhopper_clear_report(walled->hopper); break;
  case WALLED_ORDER: set_order(walled, &request); break;
  default: die("there is no request %u", request.operation);
  }
}

// ---- the runner's -----------------------------------------------------------------------------------------

static void serve(struct walled_device *walled) {
  const uint64_t began = now();
  atomic_store(&walled->status->since, began);
  enum server_state state = server_step(walled->server);
  atomic_fetch_add(&walled->status->worked, now() - began);
  atomic_store(&walled->status->since, 0);
  if (state != SERVER_CLOSED && state != SERVER_DROPPED) return;
  walled->runner_gone = true;
  struct walled_answer gone = {.kind = state == SERVER_CLOSED              ? WALLED_CLOSED
                                       : server_is_spent(walled->server)   ? WALLED_SPENT
                                       : server_is_crowded(walled->server) ? WALLED_CROWDED
                                                                           : WALLED_DROPPED};
  snprintf(gone.text, sizeof gone.text, "%s", server_reason(walled->server));
  answer(walled, &gone);
}

// True when all requests of the runner are done, or when the process does not listen to the runner.
static bool is_idle(const struct walled_device *walled) {
  struct pollfd more = {walled->ends.runner, POLLIN, 0};
  if (walled->runner_gone || !walled->listening) return true;
  return server_is_idle(walled->server) && poll(&more, 1, 0) == 0;
}

// The referee waits, and of a message that the runner has begun nothing has come for a while: the connection
// ends here, so that nobody waits for the rest until a deadline. A thread that is still sending has its bytes
// in the socket, unless the machine keeps it from running for all that time.
static void drop_half_sent(struct walled_device *walled) {
  server_drop(walled->server, "a message to the device was half sent when it answered the grader");
  serve(walled);
}

static bool is_awaited(const struct walled_device *walled) {
  return walled->settling || walled->reporting;
}

// True if the referee has got what it waits for.
static bool settle_if_idle(struct walled_device *walled) {
  if (!is_awaited(walled) || !is_idle(walled)) return false;
  if (walled->reporting) report(walled);
  if (walled->settling) answer(walled, &(struct walled_answer){.kind = WALLED_SETTLED});
  if (walled->settling) walled->listening = false;
  walled->settling = walled->reporting = false;
  return true;
}

bool walled_device_turn(struct walled_device *walled) {
  if (settle_if_idle(walled)) return !walled->referee_gone;
  const bool listening = walled->listening && !walled->runner_gone;
  struct pollfd events[2] = {
      {walled->ends.control, POLLIN, 0},
      {listening ? walled->ends.runner : -1, listening ? server_events(walled->server) : 0, 0}};
  const int ready = poll(events, 2, is_awaited(walled) ? MOST_SILENCE : -1);
  if (ready < 0 && errno != EINTR) die("poll: %s", strerror(errno));
  if (ready == 0) drop_half_sent(walled);
  if (events[0].revents) take_request(walled);
  if (events[1].revents && walled->listening) serve(walled);
  return !walled->referee_gone;
}

struct walled_device *walled_device_create(const struct walled_ends *ends) {
  struct walled_device *walled = calloc(1, sizeof *walled);
  if (!walled) die("no memory for the device's side");
  walled->ends = *ends;
  return walled;
}

void walled_device_destroy(struct walled_device *walled) {
  server_destroy(walled->server);
  if (walled->hopper) vhopper_destroy(walled->hopper);
  if (walled->status) munmap(walled->status, WALLED_ALIGNMENT);
  if (walled->report) munmap(walled->report, WALLED_REPORT_BYTES);
  free(walled);
}
