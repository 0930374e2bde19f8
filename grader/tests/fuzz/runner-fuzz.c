// Fuzzes the referee's end of the runner's control socket. Messages may come with any content, of any size
// and in any order. A request must end in time, its text must be printable, and its messages alone must never
// lead to a pass. In: for each message a length byte, then its bytes. Short messages are completed to a whole
// answer, so that most messages get past the first check.
#include "referee/cases.h"
#include "referee/grading.h"
#include "virtual-hopper/base/arena.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_MESSAGES = 64 };

static const struct grading grading = {
    .host_deadline = 0.0005, .launch_deadline = 0.0005, .submission = "/nowhere", .directory = "/nowhere"};
static const struct exercise exercise = {.lab = "lab9", .name = "1-bulk-copy-1d"};
static const struct task task = {
    .grading = &grading, .exercise = &exercise, .scratch = "/nowhere", .progress = -1};

// Makes the next message, as a program could have sent it. Returns its size, or 0 when there are no more
// messages.
static size_t next_message(const uint8_t **bytes, size_t *left, uint8_t *message) {
  if (*left < 2) return 0;
  uint8_t kind = (*bytes)[0], length = (*bytes)[1];
  size_t count = length < *left - 2 ? length : *left - 2;
  struct runner_reply answer = {.version = RUNNER_VERSION, .stage = RUNNER_SYNCHRONISED};
  memcpy(message, &answer, sizeof answer);
  // With an even kind the version stays correct.
  size_t start = kind & 1 ? 0 : sizeof answer.version;
  if (count > sizeof answer - start) count = sizeof answer - start;
  memcpy(message + start, *bytes + 2, count);
  *bytes += 2 + count;
  *left -= 2 + count;
  return kind < 224 ? sizeof answer : kind < 240 ? start + count + 1 : sizeof answer + kind;
}

static void check_text(const char *text, size_t size) {
  size_t length = strnlen(text, size);
  if (length == size) die("a text without an end");
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] == 0x7f)
      die("a text with a control character");
}

static void check_result(struct session *session, const struct run_result *launched) {
  struct case_result result = {0};
  check_text(launched->text, sizeof launched->text);
  if (launched->end == RUN_ANSWERED) check_text(launched->reply.text, sizeof launched->reply.text);
  if (launched->end == RUN_BROKEN) die("a message has broken the referee: %s", launched->text);
  bool ended = case_judge_end(session, launched, &result);
  if (result.verdict == CASE_RIGHT || result.verdict == CASE_ERROR) {
    if (ended) die("a message has decided the verdict");
  }
  if (!ended && (launched->end != RUN_ANSWERED || launched->reply.error != 0))
    die("an end without a verdict");
  case_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static struct device *device;
  struct device_options options = {.workers = 1, .launch_deadline = 1};
  char error[DEVICE_TEXT];
  if (!device && !(device = device_open(DEVICE_VIRTUAL, &options, error, sizeof error))) die("%s", error);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) die("no socket");
  struct session session = {.task = &task,
                            .kind = DEVICE_VIRTUAL,
                            .device = device,
                            .control = ends[0],
                            .alive = true,
                            .sandbox = {.exit_event = -1, .output_pipe = -1, .watch = -1}};
  uint8_t message[1024] = {0};
  struct runner_request request = {.version = RUNNER_VERSION, .operation = RUNNER_RUN, .launches = 1}, taken;
  int messages = 0;
  for (size_t size;
       session.alive && messages < MOST_MESSAGES && (size = next_message(&bytes, &length, message));
       messages++) {
    struct run_result launched = {0};
    if (send(ends[1], message, size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) break;
    session_run(&session, &request, &launched);
    check_result(&session, &launched);
    while (recv(ends[1], &taken, sizeof taken, MSG_DONTWAIT) > 0) {
    }
  }
  free(session.output);
  close(ends[0]);
  close(ends[1]);
  return 0;
}
