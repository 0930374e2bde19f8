// Fuzzes the referee's end of the control protocol of the virtual Hopper's process (device/walled.h): plays
// that process as somebody would who has taken it over. In: bytes of a report, then steps: what the referee
// does next, and before that the messages that it will find. Whatever is said, the referee comes back from
// each step, its texts are printable, a buffer's bytes go nowhere else, and no message alone makes a verdict
// of right values out of wrong ones.
#include "device/walled.h"
#include "referee/bytes-in-flight.h"
#include "referee/cases.h"
#include "referee/grading.h"
#include "referee/requirements.h"
#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/printable.h"
#include "virtual-hopper/rules/fault.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST_STEPS = 24, MOST_MESSAGES = 6, MESSAGE = 6 };

struct played {
  const uint8_t *at, *end; // of the input
  struct device *device;
  int ends[3];
  uint8_t *shared;
  size_t report_bytes;
};

static uint8_t next_byte(struct played *played) {
  return played->at < played->end ? *played->at++ : 0;
}

// ---- what the process says --------------------------------------------------------------------------------

static uint64_t report_size(const struct played *played, uint8_t which) {
  const uint64_t sizes[] = {played->report_bytes,
                            played->report_bytes,
                            played->report_bytes - 1,
                            0,
                            WALLED_REPORT_BYTES,
                            WALLED_REPORT_BYTES + 1,
                            UINT64_MAX};
  return sizes[which % (sizeof sizes / sizeof *sizes)];
}

static uint64_t place(uint8_t which) {
  const uint64_t places[] = {0, 0x10000, 0x20000, UINT64_MAX, 0x680040000000, 1};
  return places[which % (sizeof places / sizeof *places)];
}

// Sends one message. True if nobody who waits for an answer goes on waiting after it.
static bool send_message(struct played *played) {
  uint8_t said[MESSAGE];
  for (int i = 0; i < MESSAGE; i++)
    said[i] = next_byte(played);
  struct walled_answer answer = {.kind = said[0] % 8u,
                                 .status = (int8_t)said[1],
                                 .bytes = report_size(played, said[2]),
                                 .places = {place(said[3]), place(said[4])}};
  memset(answer.text, said[5], sizeof answer.text);
  if (said[5] & 1) memcpy(answer.text, "\x1b[2J\xe2\x80\xae\xff\n", 9);
  if (said[5] & 2) memset(answer.text, 0, sizeof answer.text);
  const size_t size = said[0] < 240 ? sizeof answer : said[0] < 248 ? said[1] + 1u : sizeof answer + said[1];
  uint8_t message[sizeof answer + 256] = {0};
  memcpy(message, &answer, sizeof answer);
  (void)!send(played->ends[1], message, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (size != sizeof answer) return true;
  switch (answer.kind) {
  case WALLED_STARTED: return answer.status != 0;
  case WALLED_SETTLED:
  case WALLED_CLOSED:
  case WALLED_DROPPED:
  case WALLED_SPENT:
  case WALLED_CROWDED: return false; // whoever waits for something else goes on waiting
  default: return true;
  }
}

// The messages before the next step. One who waits for more gets the end, so that nobody waits for long.
static void send_messages(struct played *played, bool awaited) {
  bool last = false;
  for (int left = next_byte(played) % (MOST_MESSAGES + 1); left > 0; left--)
    last |= send_message(played);
  if (awaited && !last) shutdown(played->ends[1], SHUT_WR);
}

// Takes requests, unless the process is to be deaf.
static void take_requests(struct played *played, uint8_t deaf) {
  struct walled_request request;
  while (!(deaf & 1) && recv(played->ends[1], &request, sizeof request, MSG_DONTWAIT) > 0) {
  }
}

// ---- what must hold ---------------------------------------------------------------------------------------

static void check_text(const char *text) {
  char shown[PRINTABLE_CHARACTER];
  if (strnlen(text, DEVICE_TEXT) == DEVICE_TEXT) die("a text without an end");
  for (size_t bytes; *text; text += bytes) {
    bytes = printable_character(text, shown);
    if (memcmp(shown, text, bytes) != 0 || *text == '\n') die("a text that is not printable");
  }
}

// Everything that is done with a report, besides judging by it.
static void read_report(struct fault_report *report, const struct exercise_instance *instance) {
  static struct exercise_config config = {
      .requirement_count = 1,
      .requirements = {
          {.counters = {"bulk_load_bytes", "max_groups_pending"}, .counter_count = 2, .at_least = 1}}};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!report || !out) die("no report");
  const struct unmet unmet = requirements_unmet(&config, report, instance, true);
  if (isnan(unmet.value)) die("a counter that is no number");
  const struct bytes_in_flight in_flight = bytes_in_flight_of(report);
  bytes_in_flight_blocks(&in_flight, 132);
  for (size_t i = 0; i < fault_count(report); i++)
    fault_print(out, fault_at(report, i), NULL, false);
  json_t *json = fault_report_json(report);
  json_dumpf(json, out, 0);
  json_decref(json);
  fclose(out);
  for (const char *c = text; *c; c++)
    if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f) die("a report with a control character");
  free(text);
}

static void judge(struct played *played, struct case_run *run, const struct task *task) {
  struct session session = {.task = task,
                            .kind = DEVICE_VIRTUAL,
                            .device = played->device,
                            .control = -1,
                            .alive = true,
                            .sandbox = {.exit_event = -1, .output_pipe = -1, .watch = -1}};
  const uint8_t how = next_byte(played);
  struct run_result launched = {.end = how & 1 ? RUN_ANSWERED : RUN_CRASHED};
  launched.reply.error = how & 2 ? 700 : 0;
  struct case_result rules = {0}, values = {0};
  case_judge_apart(run, &session, &launched, &rules, &values);
  if (values.verdict == CASE_RIGHT) {
    // Only what lies in the buffer makes a value right.
    char *got = calloc(1, run->buffers[run->buffer_count - 1].bytes);
    if (!got || device_read(played->device, &run->buffers[run->buffer_count - 1], got) != 0 ||
        memcmp(got, run->expected, run->buffers[run->buffer_count - 1].bytes) != 0)
      die("right values that are not there");
    free(got);
  }
  case_result_free(&rules);
  case_result_free(&values);
}

// ---- steps ------------------------------------------------------------------------------------------------

static void set_clock(struct played *played) {
  struct walled_status *status = (struct walled_status *)(void *)played->shared;
  const uint64_t times[] = {0, 1, UINT64_MAX, 1000000000, UINT64_MAX / 2};
  atomic_store(&status->worked, times[next_byte(played) % 5]);
  atomic_store(&status->since, times[next_byte(played) % 5]);
}

static void step(struct played *played, struct case_run *run, const struct task *task) {
  const uint8_t what = next_byte(played) % 10;
  send_messages(played, what == 0 || what == 5 || what == 6);
  switch (what) {
  case 0:
    if (device_allocate(played->device, run->buffers, run->buffer_count, 1) == 0)
      device_write(played->device, &run->buffers[0], run->input);
    break;
  case 1: device_read(played->device, &run->buffers[0], run->got); break;
  case 2: device_serve(played->device); break;
  case 3: device_settle(played->device); break;
  case 4: device_resume(played->device); break;
  case 5: read_report(device_report(played->device), &run->instance); break;
  case 6: judge(played, run, task); break;
  case 7: device_clear_report(played->device); break;
  case 8: device_set_order(played->device, 7, next_byte(played) & 1); break;
  default: set_clock(played);
  }
  take_requests(played, next_byte(played));
  check_text(device_error(played->device));
  const double worked = device_worked(played->device);
  if (!isfinite(worked) || worked < 0) die("a time that is none");
  if (device_is_broken(played->device) && !device_error(played->device)[0]) die("broken, without a reason");
}

// ---- one input --------------------------------------------------------------------------------------------

static void put_report(struct played *played) {
  size_t wanted = next_byte(played);
  wanted |= (size_t)next_byte(played) << 8;
  const size_t left = (size_t)(played->end - played->at);
  played->report_bytes = wanted < left ? wanted : left;
  memcpy(played->shared + WALLED_REPORT_AT, played->at, played->report_bytes);
  played->at += played->report_bytes;
}

static void begin(struct played *played) {
  const struct device_options options = {.workers = 1};
  char error[DEVICE_TEXT];
  played->device = device_open_played(&options, played->ends, error, sizeof error);
  if (!played->device) die("%s", error);
  played->shared = mmap(NULL, WALLED_BUFFERS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, played->ends[2], 0);
  if (played->shared == MAP_FAILED) die("the file in memory cannot be mapped");
  put_report(played);
}

static void end(struct played *played) {
  munmap(played->shared, WALLED_BUFFERS_AT);
  for (int i = 0; i < 3; i++)
    close(played->ends[i]);
  device_close(played->device);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const struct grading grading = {.submission = "/nowhere", .directory = "/nowhere"};
  static struct exercise_config config;
  struct exercise_record record = {0};
  struct played played = {.at = bytes, .end = bytes + length};
  struct case_run run;
  size_t count;
  const struct exercise *exercise = exercises_of("lab9", &count)[0];
  const struct task task = {.grading = &grading,
                            .exercise = exercise,
                            .config = &config,
                            .record = &record,
                            .scratch = "/nowhere",
                            .main_source = "/nowhere",
                            .progress = -1};
  if (!case_prepare(&run, exercise, &exercise->cases[0], false, 1, NULL)) die("no memory for a case");
  begin(&played);
  for (int i = 0; i < MOST_STEPS && played.at < played.end; i++)
    step(&played, &run, &task);
  end(&played);
  case_free(&run);
  exercise_record_free(&record);
  return 0;
}
