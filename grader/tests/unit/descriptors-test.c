// Descriptors on their way. The kernel counts those of all processes of a user, and refuses one more where
// others' are too many. In: a flood of this test's, as a user that nobody else is. Out: who sends one waits,
// and if that doesn't help, nothing is said of the submission. Root is exempt from the count.
#include "device/walled.h"
#include "referee/cases.h"
#include "referee/session.h"
#include "sandbox/send-descriptor.h"
#include "server-client.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { MOST = 64, FLOOD = 100 }; // descriptors that this process may have; that are on their way

static int flooded[2] = {-1, -1};

static void flood(void) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(FLOOD * sizeof(int))];
  } control = {.space = {0}};
  char byte = 0;
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, flooded), 0);
  control.header = (struct cmsghdr){
      .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(FLOOD * sizeof(int))};
  for (size_t i = 0; i < FLOOD; i++)
    memcpy(CMSG_DATA(&control.header) + i * sizeof(int), &flooded[0], sizeof(int));
  assert_int_equal(sendmsg(flooded[0], &message, MSG_NOSIGNAL), 1);
}

static void drain(void) {
  char byte;
  while (recv(flooded[1], &byte, 1, MSG_DONTWAIT) > 0) {
  }
  close(flooded[0]);
  close(flooded[1]);
  flooded[0] = flooded[1] = -1;
}

// Whether the kernel counts this process's.
static bool is_counted(void) {
  char byte = 0;
  int pair[2];
  flood();
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const bool refused = !send_with_descriptor(pair[0], &byte, 1, 0, 0) && errno == ETOOMANYREFS;
  close(pair[0]);
  close(pair[1]);
  drain();
  return refused;
}

// ---- a message ----

static void on_alarm(int number) {
  (void)number;
  drain();
}

static void test_waits(void **state) {
  (void)state;
  int pair[2];
  char byte = 0;
  if (!is_counted()) skip();
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  flood();
  assert_false(send_with_descriptor(pair[0], &byte, 1, 0, 2));
  assert_int_equal(errno, ETOOMANYREFS);
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 20000}}, NULL);
  assert_true(send_with_descriptor(pair[0], &byte, 1, 0, SEND_DESCRIPTOR_TRIES));
  signal(SIGALRM, SIG_DFL);
  close(pair[0]);
  close(pair[1]);
}

// ---- the device, which sends files of page-locked memory ----

static int set_up_patient(void **state) {
  return set_up_with(state, &(struct server_limits){.file_seconds = 1e9});
}

static int set_up_hasty(void **state) {
  return set_up_with(state, &(struct server_limits){.file_seconds = 1e-9});
}

static void ask_for_file(struct fixture *f) {
  const struct protocol_pin pin = {1 << 30, 4096};
  greet(f);
  flood();
  send_request(f, PROTOCOL_PIN, &pin, sizeof pin, NULL, 0);
}

static void test_device_waits(void **state) {
  struct fixture *f = *state;
  if (!is_counted()) skip();
  ask_for_file(f);
  for (int i = 0; i < 100; i++)
    assert_int_equal(server_step(f->server), SERVER_WAITING);
  drain();
  assert_int_equal(server_step(f->server), SERVER_HANDLED);
  assert_int_equal(read(f->ends[0], &f->reply, sizeof f->reply), sizeof f->reply);
  assert_int_equal(f->reply.status, 0);
}

static void test_device_gives_up(void **state) {
  struct fixture *f = *state;
  if (!is_counted()) skip();
  ask_for_file(f);
  enum server_state end;
  while ((end = server_step(f->server)) == SERVER_WAITING) {
  }
  drain();
  assert_int_equal(end, SERVER_DROPPED);
  assert_true(server_is_crowded(f->server));
}

// ---- the referee ----

static void must_be_unjudged(struct session *session) {
  struct run_result launched = {0};
  struct case_result result = {0};
  session_run(session, &(struct runner_request){.version = RUNNER_VERSION}, &launched);
  assert_int_equal(launched.end, RUN_TOO_BUSY);
  assert_true(case_judge_end(session, &launched, &result));
  assert_int_equal(result.verdict, CASE_UNJUDGED);
  assert_string_equal(result.headline, CASE_TOO_BUSY);
  assert_non_null(strstr(result.detail, "too many descriptors on their way"));
  case_result_free(&result);
}

// The device says that it had no room, or sandbox-enter ends because it had none.
static void test_nobody_is_accused(void **state) {
  (void)state;
  static struct exercise_record record;
  static struct grading grading = {
      .host_deadline = 1000, .launch_deadline = 1000, .sandbox = SANDBOX_NAMESPACES};
  const struct task task = {.grading = &grading, .record = &record, .progress = -1};
  for (int entered = 1; entered >= 0; entered--) {
    const struct device_options options = {.workers = 1};
    char error[DEVICE_TEXT];
    int played[3], control[2];
    const pid_t child = entered ? 0 : fork();
    if (!entered && child == 0) _exit(setpgid(0, 0) == 0 ? SANDBOX_CROWDED : 1);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, control), 0);
    struct session session = {.task = &task,
                              .kind = DEVICE_VIRTUAL,
                              .device = device_open_played(&options, played, error, sizeof error),
                              .control = control[0],
                              .alive = true,
                              .sandbox = {.pid = child,
                                          .exit_event = entered ? -1 : (int)syscall(SYS_pidfd_open, child, 0),
                                          .output_pipe = -1,
                                          .watch = -1}};
    assert_non_null(session.device);
    const struct walled_answer crowded = {.kind = WALLED_CROWDED, .text = "no room"};
    if (entered)
      assert_int_equal(send(played[1], &crowded, sizeof crowded, 0), sizeof crowded);
    else
      close(control[1]);
    must_be_unjudged(&session);
    device_close(session.device);
    free(session.output);
    for (int i = 0; i < 3; i++)
      close(played[i]);
    close(control[0]);
    if (entered) close(control[1]);
  }
}

int main(void) {
  // Other tests' descriptors aren't in the way of these, nor these in theirs.
  (void)!setresuid(1U << 30 | (unsigned)getpid(), 1U << 30 | (unsigned)getpid(),
                   1U << 30 | (unsigned)getpid());
  const struct rlimit most = {MOST, MOST};
  if (setrlimit(RLIMIT_NOFILE, &most) != 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_waits),
      cmocka_unit_test_setup_teardown(test_device_waits, set_up_patient, tear_down),
      cmocka_unit_test_setup_teardown(test_device_gives_up, set_up_hasty, tear_down),
      cmocka_unit_test(test_nobody_is_accused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
