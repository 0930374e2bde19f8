// expect: seeds 3
// In: nothing. Out: `ok` if host and kernel see what the other writes to managed memory while the kernel
// runs, as on a GPU whose host may touch managed memory meanwhile: both take turns by flags, in memory of
// cudaMallocManaged and in __managed__ variables that the host has not touched before.
#include "self-check.h"
#include <chrono>
#include <cuda/atomic>
#include <thread>

using system_word = cuda::atomic_ref<int, cuda::thread_scope_system>;

struct mailbox {
  alignas(128) int to_device, to_host;
  int value;
};

__managed__ int started;
__managed__ int doubled = 21;

__global__ void takes_turns(mailbox *box, int rounds) {
  for (int round = 1; round <= rounds; round++) {
    while (system_word(box->to_device).load(cuda::memory_order_acquire) != round) {
    }
    box->value += round;
    system_word(box->to_host).store(round, cuda::memory_order_release);
  }
}

__global__ void waits_for_a_variable() {
  while (system_word(started).load(cuda::memory_order_acquire) == 0)
    __nanosleep(200);
  doubled *= 2;
}

// All blocks but one wait for that one, which waits for the host.
__global__ void passes_it_on(mailbox *box, int *gate, int *seen) {
  if (blockIdx.x == 0) {
    while (*static_cast<volatile int *>(&box->to_device) == 0) {
    }
    atomicExch(gate, 1);
  }
  while (atomicAdd(gate, 0) == 0) {
  }
  atomicAdd(seen, 1);
}

// It is never idle: it counts until the host ends it.
__global__ void works_on(mailbox *box) {
  while (*static_cast<volatile int *>(&box->to_device) == 0)
    *static_cast<volatile int *>(&box->value) = box->value + 1;
}

static mailbox *make_mailbox() {
  mailbox *box;
  CUDA_CHECK(cudaMallocManaged(&box, sizeof *box));
  *box = {0, 0, 0};
  return box;
}

static void turns() {
  constexpr int ROUNDS = 50;
  mailbox *box = make_mailbox();
  takes_turns<<<1, 1>>>(box, ROUNDS);
  CUDA_CHECK(cudaGetLastError());
  check_that(cudaStreamQuery(nullptr) == cudaErrorNotReady, "the kernel has ended without the host");
  for (int round = 1; round <= ROUNDS; round++) {
    system_word(box->to_device).store(round, cuda::memory_order_release);
    while (system_word(box->to_host).load(cuda::memory_order_acquire) != round) {
    }
    box->value += 1;
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(box->value == ROUNDS * (ROUNDS + 1) / 2 + ROUNDS, "the rounds add up to %d", box->value);
  CUDA_CHECK(cudaFree(box));
}

static void a_variable() {
  waits_for_a_variable<<<1, 1>>>();
  system_word(started).store(1, cuda::memory_order_release);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(doubled == 42, "the variable is %d", doubled);
}

static void ended_by_the_host() {
  mailbox *box = make_mailbox();
  works_on<<<1, 1>>>(box);
  while (*static_cast<volatile int *>(&box->value) == 0) { // it has begun
  }
  system_word(box->to_device).store(1, cuda::memory_order_release);
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(box->value > 0, "the kernel has counted to %d", box->value);
  CUDA_CHECK(cudaFree(box));
}

static void another_thread_answers() {
  mailbox *box = make_mailbox();
  int *gate, seen = 0;
  CUDA_CHECK(cudaMalloc(&gate, 2 * sizeof *gate));
  CUDA_CHECK(cudaMemset(gate, 0, 2 * sizeof *gate));
  std::thread other([box] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    system_word(box->to_device).store(1, cuda::memory_order_release);
  });
  passes_it_on<<<20, 32>>>(box, gate, gate + 1);
  CUDA_CHECK(cudaDeviceSynchronize()); // this thread waits meanwhile
  other.join();
  CUDA_CHECK(cudaMemcpy(&seen, gate + 1, sizeof seen, cudaMemcpyDeviceToHost));
  check_that(seen == 20 * 32, "%d threads went on", seen);
  CUDA_CHECK(cudaFree(gate));
  CUDA_CHECK(cudaFree(box));
}

// Page-locked memory beside it changes nothing.
static void with_page_locked_memory() {
  int *locked;
  CUDA_CHECK(cudaMallocHost(&locked, sizeof *locked));
  *locked = 0;
  turns();
  CUDA_CHECK(cudaFreeHost(locked));
}

int main() {
  int concurrent = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  check_that(concurrent == 1, "the attribute is %d", concurrent);
  a_variable();
  turns();
  ended_by_the_host();
  another_thread_answers();
  with_page_locked_memory();
  return self_check_result();
}
