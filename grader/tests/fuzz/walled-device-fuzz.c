// Fuzzes the other end of the control protocol: the virtual Hopper's process as it hears a referee that keeps
// to the rules and a runner that keeps to none, in every order. In: steps; a message of the runner's may be
// cut anywhere and go on later. The process must answer what it is asked in a few turns, and from the moment
// it has settled until it is told to listen again no byte of the runner's may reach the next case's buffers;
// and what the runner began before, and ends later, never may.
#include "device/walled-device.h"
#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/server/protocol.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { BUFFERS = 2, BUFFER = 64 << 10, MOST_TURNS = 2000, MOST_STEPS = 40, MOST_PENDING = 4096 };
#define PAGE_LOCKED_AT 0x200000000ull // where the runner has memory that it may page-lock

struct play {
  const uint8_t *at, *end;
  struct walled_device *device;
  int control, runner, shared;
  uint8_t *buffers;
  uint64_t places[BUFFERS];
  bool settled, gone;            // as the referee knows
  int pattern;                   // what the next case's buffers hold; -1: the runner may write
  uint8_t pending[MOST_PENDING]; // messages that have not been sent yet, the first of them perhaps in part
  size_t pending_bytes;
  size_t begun_bytes; // the rest of the message that is sent in part
  bool begun_before;  // its first byte was sent before the process settled last
};

static uint8_t next_byte(struct play *play) {
  return play->at < play->end ? *play->at++ : 0;
}

// ---- the process's turns ----------------------------------------------------------------------------------

static void hear(struct play *play, struct walled_answer *answer) {
  if (strnlen(answer->text, WALLED_TEXT) == WALLED_TEXT) die("a text without an end");
  play->gone |= answer->kind == WALLED_CLOSED || answer->kind == WALLED_DROPPED;
  if (answer->kind == WALLED_DROPPED && !answer->text[0]) die("dropped without a reason");
  if (answer->kind == WALLED_SETTLED) play->settled = true;
}

// Lets the process work until it has said this; or, if it is asked for nothing, until nothing is to be read.
static void turn(struct play *play, int awaited, struct walled_answer *answer) {
  uint8_t replies[4096];
  struct walled_answer said;
  for (int turns = 0; turns < MOST_TURNS; turns++) {
    while (recv(play->runner, replies, sizeof replies, MSG_DONTWAIT) > 0) {
    }
    while (recv(play->control, &said, sizeof said, MSG_DONTWAIT) == (ssize_t)sizeof said) {
      hear(play, &said);
      if ((int)said.kind != awaited) continue;
      if (answer) *answer = said;
      return;
    }
    if (awaited < 0 && turns >= 8) return;
    struct walled_request seed = {.operation = WALLED_ORDER, .seed = 1}; // so that the turn never waits
    if (awaited < 0) (void)!send(play->control, &seed, sizeof seed, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (!walled_device_turn(play->device)) die("the process ends by itself");
  }
  die("the process does not answer %d", awaited);
}

static void ask(struct play *play, const struct walled_request *request) {
  if (send(play->control, request, sizeof *request, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof *request)
    die("a request cannot be sent");
}

// ---- the runner -------------------------------------------------------------------------------------------

// The bytes of the first message that is pending: all of it.
static size_t first_message(const struct play *play) {
  struct protocol_request request;
  memcpy(&request, play->pending, sizeof request);
  return sizeof request + request.body_bytes + request.payload_bytes;
}

// Sends up to `count` bytes, and none beyond the end of a message.
static void say(struct play *play, size_t count) {
  if (!play->pending_bytes) return;
  if (!play->begun_bytes) {
    play->begun_bytes = first_message(play);
    play->begun_before = !play->settled;
  }
  if (count > play->begun_bytes) count = play->begun_bytes;
  ssize_t sent = send(play->runner, play->pending, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent <= 0) return;
  play->begun_bytes -= (size_t)sent;
  play->pending_bytes -= (size_t)sent;
  memmove(play->pending, play->pending + sent, play->pending_bytes);
}

static void say_all(struct play *play) {
  for (size_t before = 0; play->pending_bytes && play->pending_bytes != before;) {
    before = play->pending_bytes;
    say(play, MOST_PENDING);
  }
}

static void add(struct play *play, const void *bytes, size_t count) {
  memcpy(play->pending + play->pending_bytes, bytes, count);
  play->pending_bytes += count;
}

// Adds a message: most of them touch the case's buffers.
static void make_message(struct play *play) {
  static const char module[] =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry none()\n{\nret;\n}\n";
  static const uint8_t payload[1024] = {1, 2, 3};
  static const uint32_t operations[] = {PROTOCOL_WRITE,  PROTOCOL_WRITE,  PROTOCOL_READ,   PROTOCOL_FILL,
                                        PROTOCOL_COPY,   PROTOCOL_FREE,   PROTOCOL_HELLO,  PROTOCOL_RESET,
                                        PROTOCOL_MODULE, PROTOCOL_STATUS, PROTOCOL_MEMORY, PROTOCOL_OUTPUT,
                                        PROTOCOL_PIN,    PROTOCOL_UNPIN,  PROTOCOL_LOCATE, PROTOCOL_ALLOCATE};
  const uint32_t operation = operations[next_byte(play) % (sizeof operations / sizeof *operations)];
  const uint8_t buffer = next_byte(play) % (BUFFERS + 1);
  const uint64_t place = (buffer < BUFFERS ? play->places[buffer] : PAGE_LOCKED_AT) + next_byte(play);
  const uint64_t width = 1u + next_byte(play);
  const struct protocol_region region = {place, width, width, 1u + next_byte(play) % 3u};
  const struct protocol_hello hello = {PROTOCOL_VERSION, 1};
  const struct protocol_copy copy = {region, play->places[0], width};
  const struct protocol_fill fill = {region, 0x5a5a5a5a, 4};
  const struct protocol_free freed = {place};
  const struct protocol_pin pin = {place, width << next_byte(play) % 12};
  const void *body = NULL, *content = NULL;
  struct protocol_request request = {.magic = PROTOCOL_REQUEST_MAGIC, .operation = operation};
  switch (operation) {
  case PROTOCOL_WRITE:
    content = payload;
    request.payload_bytes = region.width * region.rows;
    body = &region, request.body_bytes = sizeof region;
    break;
  case PROTOCOL_READ: body = &region, request.body_bytes = sizeof region; break;
  case PROTOCOL_COPY: body = &copy, request.body_bytes = sizeof copy; break;
  case PROTOCOL_FILL: body = &fill, request.body_bytes = sizeof fill; break;
  case PROTOCOL_PIN:
  case PROTOCOL_LOCATE: body = &pin, request.body_bytes = sizeof pin; break; // both: an address, bytes
  case PROTOCOL_ALLOCATE: body = &width, request.body_bytes = sizeof width; break;
  case PROTOCOL_UNPIN:
  case PROTOCOL_FREE: body = &freed, request.body_bytes = sizeof freed; break;
  case PROTOCOL_HELLO: body = &hello, request.body_bytes = sizeof hello; break;
  case PROTOCOL_MODULE: content = module, request.payload_bytes = strlen(module); break;
  default: break;
  }
  const size_t all = sizeof request + request.body_bytes + request.payload_bytes;
  if (all > MOST_PENDING - play->pending_bytes) return;
  add(play, &request, sizeof request);
  if (body) add(play, body, request.body_bytes);
  if (content) add(play, content, request.payload_bytes);
}

// ---- the referee ------------------------------------------------------------------------------------------

static void check_pattern(const struct play *play) {
  const size_t rest = (size_t)BUFFERS * BUFFER - 1;
  if (play->pattern < 0) return;
  if (play->buffers[0] != play->pattern || memcmp(play->buffers, play->buffers + 1, rest) != 0)
    die("the runner has written into a case that has not begun");
}

static void hand(struct play *play) {
  struct walled_answer answer;
  struct walled_request request = {
      .operation = WALLED_HAND, .count = 1 + next_byte(play) % BUFFERS, .launch_budget = 1000};
  if (!play->settled && !play->gone) return;
  for (int i = 0; i < BUFFERS; i++) {
    request.buffers[i].offset = WALLED_BUFFERS_AT + (uint64_t)i * BUFFER;
    request.buffers[i].bytes = 1u + next_byte(play) * 200u;
    strcpy(request.buffers[i].name, "data");
  }
  ask(play, &request);
  turn(play, WALLED_HANDED, &answer);
  if (answer.status) die("buffers are refused with %d", answer.status);
  memcpy(play->places, answer.places, sizeof play->places);
  if (request.count == 1) play->places[1] = play->places[0];
  play->pattern = next_byte(play);
  memset(play->buffers, play->pattern, (size_t)BUFFERS * BUFFER);
}

static void report(struct play *play) {
  struct walled_answer answer;
  ask(play, &(struct walled_request){.operation = WALLED_REPORT});
  turn(play, WALLED_REPORTED, &answer);
  if (answer.status || answer.bytes > WALLED_REPORT_BYTES) die("no report");
}

static void settle(struct play *play) {
  if (play->settled) return;
  ask(play, &(struct walled_request){.operation = WALLED_SETTLE});
  turn(play, WALLED_SETTLED, NULL);
}

static void resume(struct play *play) {
  turn(play, -1, NULL);
  check_pattern(play);
  play->settled = false;
  ask(play, &(struct walled_request){.operation = WALLED_RESUME});
  if (play->begun_bytes && play->begun_before) { // the rest comes now
    say(play, play->begun_bytes);
    turn(play, -1, NULL);
    check_pattern(play);
  }
  play->pattern = -1;
}

static void step(struct play *play) {
  switch (next_byte(play) % 9) {
  case 0:
  case 1: make_message(play); break;
  case 2: say(play, next_byte(play)); break;
  case 3: say_all(play); break;
  case 4: settle(play); break;
  case 5: hand(play); break;
  case 6: resume(play); break;
  case 7: report(play); break;
  default:
    if (next_byte(play) > 200) shutdown(play->runner, SHUT_WR);
    ask(play, &(struct walled_request){.operation = WALLED_CLEAR});
  }
  turn(play, -1, NULL);
  if (play->settled) check_pattern(play);
}

// ---- one input --------------------------------------------------------------------------------------------

static void begin(struct play *play, int ends[4]) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends + 2) != 0)
    die("no socket");
  play->runner = ends[0];
  play->control = ends[2];
  play->shared = memfd_create("shared", 0);
  if (play->shared < 0 || ftruncate(play->shared, WALLED_BUFFERS_AT + BUFFERS * BUFFER) != 0)
    die("no memory");
  play->buffers = mmap(NULL, (size_t)BUFFERS * BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED, play->shared,
                       WALLED_BUFFERS_AT);
  if (play->buffers == MAP_FAILED) die("no memory");
  play->device = walled_device_create(
      &(struct walled_ends){.runner = ends[1], .control = ends[3], .shared = play->shared, .enclosed = true});
  ask(play, &(struct walled_request){.operation = WALLED_START,
                                     .workers = 1,
                                     .check = 1,
                                     .memory_bytes = 1 << 26,
                                     .launch_budget = 1000,
                                     .launch_deadline = 1});
  turn(play, WALLED_STARTED, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static struct play play;
  int ends[4];
  play = (struct play){.at = bytes, .end = bytes + length, .pattern = -1};
  begin(&play, ends);
  settle(&play);
  hand(&play);
  resume(&play);
  for (int i = 0; i < MOST_STEPS && play.at < play.end; i++)
    step(&play);
  settle(&play);
  walled_device_destroy(play.device);
  munmap(play.buffers, (size_t)BUFFERS * BUFFER);
  close(play.shared);
  for (int i = 0; i < 4; i++)
    close(ends[i]);
  return 0;
}
