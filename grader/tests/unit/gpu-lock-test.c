// Which grader waits for which GPU: as many graders run at once as there are GPUs, two never share a GPU, and
// each gets a turn. The GPUs need not exist for this test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "device/gpu-driver.h"
#include "device/gpu-lock.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// PATIENCE, in seconds, is far beyond what a busy machine needs, so only a lock that hangs uses it up.
enum { GRADERS = 12, TURN_MS = 60, PATIENCE = 500 };

// Memory that the graders share. Each grader is a separate process.
struct board {
  atomic_int inside[MOST_GPUS], turns[MOST_GPUS], all_inside, most_inside, clashes, unlocked;
};

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

// Returns GPUs that no machine has, named after this process.
static struct gpu_list invent(size_t count) {
  struct gpu_list gpus = {.count = count};
  for (size_t i = 0; i < count; i++)
    snprintf(gpus.names[i], GPU_NAME, "GPU-%08x-feed-feed-feed-%012zx", (unsigned)getpid(), i);
  return gpus;
}

static void path_of(char path[96], const struct gpu_list *gpus, size_t i) {
  snprintf(path, 96, "/tmp/tma-lab-gpu-%.8sfeedfeedfeed%012zx.lock", gpus->names[i] + 4, i);
}

static void remove_locks(const struct gpu_list *gpus) {
  for (size_t i = 0; i < gpus->count; i++) {
    char path[96];
    path_of(path, gpus, i);
    unlink(path);
  }
}

static int take_lock(const struct gpu_list *gpus, int spare, double seconds, size_t *which) {
  struct gpu_queue queue;
  gpu_queue_join(&queue, gpus, spare);
  const int lock = gpu_queue_wait(&queue, seconds, which);
  if (lock == GPU_LOCK_BUSY) gpu_queue_leave(&queue);
  return lock;
}

static void grade(const struct gpu_list *gpus, int spare, struct board *board) {
  size_t which;
  int lock = take_lock(gpus, spare, PATIENCE, &which);
  if (lock < 0) board->unlocked++;
  if (++board->inside[which] > 1) board->clashes++;
  board->turns[which]++;
  int now = ++board->all_inside;
  if (now > board->most_inside) board->most_inside = now;
  // No grader leaves before every GPU was in use at once, however late the others get a processor.
  const int wanted = gpus->count ? (int)gpus->count : 1;
  for (long waited = 0; board->most_inside < wanted && waited < PATIENCE * 1000L; waited++)
    sleep_ms(1);
  sleep_ms(TURN_MS);
  board->all_inside--;
  board->inside[which]--;
  close(lock);
}

static struct board *grade_all(const struct gpu_list *gpus, int spare) {
  struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(board, MAP_FAILED);
  for (int i = 0; i < GRADERS; i++) {
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
      grade(gpus, spare, board);
      _exit(0);
    }
  }
  int status;
  while (wait(&status) > 0)
    assert_int_equal(status, 0);
  assert_int_equal(board->clashes, 0);
  return board;
}

static void test_several(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(3);
  struct board *board = grade_all(&gpus, -1);
  assert_int_equal(board->unlocked, 0);
  assert_int_equal(board->most_inside, 3);
  assert_int_equal(board->turns[0] + board->turns[1] + board->turns[2], GRADERS);
  for (size_t i = 0; i < 3; i++)
    assert_true(board->turns[i] > 0);
  munmap(board, sizeof *board);
  remove_locks(&gpus);
}

static void test_one(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(1);
  struct board *board = grade_all(&gpus, -1);
  assert_int_equal(board->unlocked, 0);
  assert_int_equal(board->most_inside, 1);
  assert_int_equal(board->turns[0], GRADERS);
  munmap(board, sizeof *board);
  remove_locks(&gpus);
}

// A lock's path that another user has taken, or a driver that names no GPU: the graders of one family still
// never measure at the same time.
static void test_spare(void **state) {
  (void)state;
  const struct gpu_list taken = invent(1), nameless = {.count = 0};
  const struct gpu_list *const lists[] = {&taken, &nameless};
  char path[96];
  path_of(path, &taken, 0);
  assert_int_equal(symlink("/dev/null", path), 0);
  int spare = memfd_create("gpu-lock", MFD_CLOEXEC);
  assert_true(spare >= 0);
  for (size_t i = 0; i < 2; i++) {
    struct board *board = grade_all(lists[i], spare);
    assert_int_equal(board->unlocked, 0);
    assert_int_equal(board->most_inside, 1);
    munmap(board, sizeof *board);
  }
  close(spare);
  remove_locks(&taken);
}

// No grader waits for longer than its limit.
static void test_busy(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(2);
  size_t first, second, third;
  int one = take_lock(&gpus, -1, 0, &first), two = take_lock(&gpus, -1, 0, &second);
  assert_true(one >= 0 && two >= 0);
  assert_int_equal(first, 0);
  assert_int_equal(second, 1);
  assert_int_equal(take_lock(&gpus, -1, 0.05, &third), GPU_LOCK_BUSY);
  close(one);
  one = take_lock(&gpus, -1, 0, &third);
  assert_true(one >= 0);
  assert_int_equal(third, 0);
  close(one);
  close(two);
  remove_locks(&gpus);
}

// Those that wait get the GPU in the order in which they came, whoever asks first when it becomes free.
static void expect_order(const struct gpu_list *gpus, int spare) {
  struct gpu_queue queues[3];
  size_t which;
  int holder = take_lock(gpus, spare, 0, &which);
  assert_true(holder >= 0);
  for (size_t i = 0; i < 3; i++)
    gpu_queue_join(&queues[i], gpus, spare);
  assert_int_equal(gpu_queue_wait(&queues[0], 0, &which), GPU_LOCK_BUSY);
  for (size_t next = 0; next < 3; next++) {
    close(holder);
    for (size_t later = 2; later > next; later--)
      assert_int_equal(gpu_queue_wait(&queues[later], 0, &which), GPU_LOCK_BUSY);
    holder = gpu_queue_wait(&queues[next], 0, &which);
    assert_true(holder >= 0);
  }
  close(holder);
}

static void test_in_order(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(1), nameless = {.count = 0};
  expect_order(&gpus, -1);
  int spare = memfd_create("gpu-lock", MFD_CLOEXEC);
  assert_true(spare >= 0);
  expect_order(&nameless, spare);
  close(spare);
  remove_locks(&gpus);
}

// A grader that waits for two GPUs comes behind another one that waits for the second, and not at the first.
static void test_in_order_of_several(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(2);
  struct gpu_list second = gpus;
  struct gpu_queue both, one;
  size_t which;
  memcpy(second.names[0], gpus.names[1], GPU_NAME);
  second.count = 1;
  int first_lock = take_lock(&gpus, -1, 0, &which), second_lock = take_lock(&gpus, -1, 0, &which);
  gpu_queue_join(&one, &second, -1);
  gpu_queue_join(&both, &gpus, -1);
  close(second_lock);
  assert_int_equal(gpu_queue_wait(&both, 0, &which), GPU_LOCK_BUSY);
  close(first_lock);
  first_lock = gpu_queue_wait(&both, 0, &which);
  assert_true(first_lock >= 0);
  assert_int_equal(which, 0);
  second_lock = gpu_queue_wait(&one, 0, &which);
  assert_true(second_lock >= 0);
  close(first_lock);
  close(second_lock);
  remove_locks(&gpus);
}

// Takes the lock if `holds`, else waits for it; then sleeps until it is killed.
static pid_t start_victim(const struct gpu_list *gpus, bool holds) {
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    struct gpu_queue queue;
    size_t which;
    gpu_queue_join(&queue, gpus, -1);
    if (holds && gpu_queue_wait(&queue, 0, &which) < 0) _exit(1);
    if (write(ready[1], "", 1) != 1) _exit(1);
    for (;;)
      pause();
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  close(ready[1]);
  return pid;
}

static void end_victim(pid_t pid) {
  int status;
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, &status, 0), pid);
}

// A grader that is killed holds up nobody, neither while it has the GPU nor while it waits.
static void test_killed(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(1);
  struct gpu_queue queue;
  size_t which;
  const pid_t holds = start_victim(&gpus, true), waits = start_victim(&gpus, false);
  gpu_queue_join(&queue, &gpus, -1);
  assert_int_equal(gpu_queue_wait(&queue, 0, &which), GPU_LOCK_BUSY);
  end_victim(holds);
  assert_int_equal(gpu_queue_wait(&queue, 0, &which), GPU_LOCK_BUSY);
  end_victim(waits);
  const int lock = gpu_queue_wait(&queue, 0, &which);
  assert_true(lock >= 0);
  close(lock);
  remove_locks(&gpus);
}

// One that waits and is stopped doesn't hold up the others for ever.
static void test_stopped(void **state) {
  (void)state;
  const struct gpu_list gpus = invent(1);
  size_t which;
  const pid_t stopped = start_victim(&gpus, false);
  const int lock = take_lock(&gpus, -1, PATIENCE, &which);
  assert_true(lock >= 0);
  close(lock);
  end_victim(stopped);
  remove_locks(&gpus);
}

// When no lock can be placed anywhere, grading continues without a lock.
static void test_no_place(void **state) {
  (void)state;
  const struct gpu_list taken = invent(2);
  char path[96];
  for (size_t i = 0; i < 2; i++) {
    path_of(path, &taken, i);
    assert_int_equal(symlink("/nowhere", path), 0);
  }
  size_t which = 7;
  assert_int_equal(take_lock(&taken, -1, PATIENCE, &which), GPU_LOCK_NONE);
  assert_int_equal(which, 0);
  remove_locks(&taken);
}

// An earlier interruption has left EINTR in errno. The search for a GPU must ignore that value, and must end.
static void test_asking_after_an_interruption(void **state) {
  (void)state;
  char description[DEVICE_TEXT];
  struct gpu_list gpus;
  alarm(PATIENCE);
  errno = EINTR;
  device_find_gpu(description, sizeof description, &gpus);
  alarm(0);
  assert_true(description[0] != '\0');
}

// Compared byte by byte, with a - where the driver and NVML have one.
static void test_name(void **state) {
  (void)state;
  CUuuid uuid;
  char name[GPU_NAME];
  for (size_t i = 0; i < sizeof uuid.bytes; i++)
    uuid.bytes[i] = (char)(0xf0 + i);
  gpu_driver_name(&uuid, name);
  assert_string_equal(name, "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_several),  cmocka_unit_test(test_one),
      cmocka_unit_test(test_spare),    cmocka_unit_test(test_busy),
      cmocka_unit_test(test_in_order), cmocka_unit_test(test_in_order_of_several),
      cmocka_unit_test(test_killed),   cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_no_place), cmocka_unit_test(test_asking_after_an_interruption),
      cmocka_unit_test(test_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
