// expect: seeds 3
// In: nothing. Out: `ok` if host and kernel see what the other writes to page-locked memory while the
// kernel runs: the host polls a flag of the kernel's, the kernel one of the host's, and both take turns.
#include "self-check.h"
#include <atomic>
#include <chrono>
#include <cuda/atomic>
#include <thread>

struct mailbox {
  alignas(128) int to_device, to_host;
  int values[64];
};

__global__ void tells_the_host(volatile mailbox *box, volatile int *done) {
  box->values[threadIdx.x] = static_cast<int>(threadIdx.x) * 7;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x > 0) return;
  box->to_host = 1;
  while (box->to_device == 0) {
  }
  *done = box->values[63] + 1; // which the host has written since
}

__global__ void takes_turns(mailbox *box, int rounds) {
  cuda::atomic_ref<int, cuda::thread_scope_system> mine(box->to_device), others(box->to_host);
  for (int round = 1; round <= rounds; round++) {
    while (mine.load(cuda::memory_order_acquire) != round) {
    }
    box->values[0] += round;
    others.store(round, cuda::memory_order_release);
  }
}

// One block waits for the host, the others for that block.
__global__ void passes_it_on(mailbox *box, int *gate, int *seen) {
  if (blockIdx.x == 0) {
    cuda::atomic_ref<int, cuda::thread_scope_system> start(box->to_device);
    while (start.load() == 0)
      __nanosleep(200);
    atomicExch(gate, 1);
  } else {
    while (atomicAdd(gate, 0) == 0) {
    }
  }
  atomicAdd(seen, 1);
}

template <class type> static volatile type &seen_by_host(type &value) {
  return value;
}

static mailbox *make_mailbox() {
  mailbox *box;
  CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void **>(&box), sizeof *box, cudaHostAllocMapped));
  memset(box, 0, sizeof *box);
  return box;
}

static void host_polls() {
  mailbox *box = make_mailbox();
  int *done, result = 0;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&done), sizeof *done));
  tells_the_host<<<1, 64>>>(box, done);
  CUDA_CHECK(cudaGetLastError());
  while (!seen_by_host(box->to_host)) {
  }
  for (int i = 0; i < 64; i++)
    check_that(seen_by_host(box->values[i]) == 7 * i, "the host sees %d at %d", box->values[i], i);
  check_that(cudaStreamQuery(nullptr) == cudaErrorNotReady, "the kernel has ended without the host");
  check_that(cudaPeekAtLastError() == cudaSuccess, "not ready counts as an error");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  seen_by_host(box->values[63]) = 41;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  seen_by_host(box->to_device) = 1;
  CUDA_CHECK(cudaMemcpy(&result, done, sizeof result, cudaMemcpyDeviceToHost));
  check_that(result == 42, "the kernel saw %d", result);
  check_that(cudaStreamQuery(nullptr) == cudaSuccess, "the kernel has not ended");
  CUDA_CHECK(cudaFree(done));
  CUDA_CHECK(cudaFreeHost(box));
}

static void turns(mailbox *box) {
  constexpr int ROUNDS = 50;
  cudaEvent_t before, after;
  float milliseconds = -1;
  CUDA_CHECK(cudaEventCreate(&before));
  CUDA_CHECK(cudaEventCreate(&after));
  CUDA_CHECK(cudaEventRecord(before));
  takes_turns<<<1, 1>>>(box, ROUNDS);
  CUDA_CHECK(cudaEventRecord(after));
  check_that(cudaEventQuery(after) == cudaErrorNotReady, "the event is there before the kernel has ended");
  check_that(cudaEventElapsedTime(&milliseconds, before, after) == cudaErrorNotReady, "its time is known");
  for (int round = 1; round <= ROUNDS; round++) {
    seen_by_host(box->to_device) = round;
    while (seen_by_host(box->to_host) != round) {
    }
  }
  while (cudaEventQuery(after) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, before, after));
  check_that(milliseconds > 0, "it took %f ms", static_cast<double>(milliseconds));
  check_that(box->values[0] == ROUNDS * (ROUNDS + 1) / 2, "the rounds add up to %d", box->values[0]);
  CUDA_CHECK(cudaEventDestroy(before));
  CUDA_CHECK(cudaEventDestroy(after));
}

static void host_thread_answers() {
  mailbox *box = make_mailbox();
  int *gate, seen = 0;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&gate), 2 * sizeof *gate));
  CUDA_CHECK(cudaMemset(gate, 0, 2 * sizeof *gate));
  std::thread other([box] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    seen_by_host(box->to_device) = 1;
  });
  passes_it_on<<<20, 32>>>(box, gate, gate + 1);
  CUDA_CHECK(cudaDeviceSynchronize()); // this thread waits meanwhile
  other.join();
  CUDA_CHECK(cudaMemcpy(&seen, gate + 1, sizeof seen, cudaMemcpyDeviceToHost));
  check_that(seen == 20 * 32, "%d threads went on", seen);
  CUDA_CHECK(cudaFree(gate));
  CUDA_CHECK(cudaFreeHost(box));
}

int main() {
  host_polls();
  mailbox *box = make_mailbox();
  turns(box);
  CUDA_CHECK(cudaFreeHost(box));
  mailbox *own = new mailbox();
  CUDA_CHECK(cudaHostRegister(own, sizeof *own, cudaHostRegisterMapped));
  turns(own);
  CUDA_CHECK(cudaHostUnregister(own));
  delete own;
  host_thread_answers();
  return self_check_result();
}
