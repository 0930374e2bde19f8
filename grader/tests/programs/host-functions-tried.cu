// Host functions are tried before the host waits for another stream (shim/client-probe.h). What one prints is
// printed once, a byte that it reads from a pipe is there when it runs, and what it counts is counted once.
// Each waits for the host in a way of its own, so nothing is reported. One that sleeps between two looks is
// known for one that waits after a few milliseconds of the processor.
#include "self-check.h"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <sys/resource.h>
#include <unistd.h>

constexpr int COUNT = 4096;
constexpr size_t BYTES = COUNT * sizeof(int);

struct job {
  const int *words;
  int ends[2];
  std::mutex mutex;
  std::condition_variable told;
  bool is_told;
  int calls, last;
};

static void wait_at_pipe(void *data) {
  job *j = static_cast<job *>(data);
  char word;
  j->calls++;
  if (read(j->ends[0], &word, 1) == 1) j->last = j->words[COUNT - 1];
}

static void print_and_wait(void *data) {
  job *j = static_cast<job *>(data);
  j->calls++;
  if (write(STDOUT_FILENO, "o", 1) != 1) return;
  std::unique_lock<std::mutex> lock(j->mutex);
  j->told.wait(lock, [j] { return j->is_told; });
  j->last = j->words[COUNT - 1];
}

static void sleep_and_look(void *data) {
  job *j = static_cast<job *>(data);
  for (bool is_told = false; !is_told;) {
    usleep(100);
    std::lock_guard<std::mutex> lock(j->mutex);
    is_told = j->is_told;
  }
  j->calls++;
  j->last = j->words[COUNT - 1];
}

// What the processes that were started here, and have ended, took of the processor.
static long milliseconds_of_others() {
  rusage use;
  if (getrusage(RUSAGE_CHILDREN, &use) != 0) return -1;
  return 1000 * (use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000;
}

static bool is_told_after_a_copy(job *j, void (*function)(void *), const int *there, int *here) {
  cudaStream_t held, copies;
  CUDA_CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaLaunchHostFunc(held, function, j));
  CUDA_CHECK(cudaMemcpyAsync(here, there, BYTES, cudaMemcpyDeviceToHost, copies));
  CUDA_CHECK(cudaStreamSynchronize(copies));
  if (write(j->ends[1], "x", 1) != 1) return false;
  {
    std::lock_guard<std::mutex> lock(j->mutex);
    j->is_told = true;
  }
  j->told.notify_all();
  CUDA_CHECK(cudaStreamSynchronize(held));
  CUDA_CHECK(cudaStreamDestroy(held));
  CUDA_CHECK(cudaStreamDestroy(copies));
  return j->calls == 1 && j->last == 0x02020202;
}

int main() {
  int *there, *here;
  CUDA_CHECK(cudaMalloc(&there, BYTES));
  CUDA_CHECK(cudaMallocHost(&here, BYTES));
  CUDA_CHECK(cudaMemset(there, 2, BYTES));
  CUDA_CHECK(cudaDeviceSynchronize());
  job first = {here, {0, 0}, {}, {}, false, 0, 0}, second = {here, {0, 0}, {}, {}, false, 0, 0},
      third = {here, {0, 0}, {}, {}, false, 0, 0};
  if (pipe(first.ends) != 0 || pipe(second.ends) != 0 || pipe(third.ends) != 0) return 1;
  if (!is_told_after_a_copy(&first, wait_at_pipe, there, here)) return 2;
  if (!is_told_after_a_copy(&second, print_and_wait, there, here)) return 3;
  const long before = milliseconds_of_others();
  if (!is_told_after_a_copy(&third, sleep_and_look, there, here)) return 4;
  const long spent = milliseconds_of_others() - before;
  if (spent >= 40) return printf("a function that sleeps was tried for %ld ms\n", spent), 5;
  puts("k");
  CUDA_CHECK(cudaFree(there));
  CUDA_CHECK(cudaFreeHost(here));
  return 0;
}
