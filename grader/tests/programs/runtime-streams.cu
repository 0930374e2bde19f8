// In: nothing. Out: `ok` if streams keep order, events know their time, and each host thread has its own last
// error. The idea: work that depends on work in another stream, callbacks that note when they were called,
// threads that err.
#include "self-check.h"

#include <thread>

__global__ void add(int *value, int what) {
  *value += what;
}

static void streams_and_events_keep_order() {
  cudaStream_t first, second;
  cudaEvent_t event;
  int lowest, highest, priority;
  unsigned flags;
  CUDA_CHECK(cudaStreamCreate(&first));
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
  check_that(highest < lowest, "priorities from %d to %d", lowest, highest);
  CUDA_CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, highest));
  CUDA_CHECK(cudaStreamGetPriority(second, &priority));
  CUDA_CHECK(cudaStreamGetFlags(second, &flags));
  check_that(priority == highest && flags == cudaStreamNonBlocking, "priority %d, flags %u", priority, flags);
  CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  guarded<int> value(1);
  CUDA_CHECK(cudaMemsetAsync(value.data(), 0, sizeof(int), first));
  add<<<1, 1, 0, first>>>(value.data(), 5);
  CUDA_CHECK(cudaEventRecord(event, first));
  CUDA_CHECK(cudaStreamWaitEvent(second, event, 0));
  add<<<1, 1, 0, second>>>(value.data(), 7);
  CUDA_CHECK(cudaStreamSynchronize(second));
  CUDA_CHECK(cudaEventQuery(event));
  CUDA_CHECK(cudaStreamQuery(first));
  check_that(value.get()[0] == 12, "5 + 7 is %d", value.get()[0]);
  CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
}

static void events_measure_time() {
  cudaEvent_t start, end;
  float milliseconds = -1;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&end));
  guarded<int> value(1);
  value.set({0});
  CUDA_CHECK(cudaEventRecord(start));
  for (int i = 0; i < 10; i++)
    add<<<1, 1>>>(value.data(), 1);
  CUDA_CHECK(cudaEventRecord(end));
  CUDA_CHECK(cudaEventSynchronize(end));
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  check_that(milliseconds > 0 && milliseconds < 1000, "ten launches took %g ms", milliseconds);
  check_that(value.get()[0] == 10, "%d additions", value.get()[0]);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(end));
}

static void host_functions_come_in_their_turn() {
  struct notes {
    int *device;
    int count;
  } notes = {nullptr, 0};
  guarded<int> value(1);
  value.set({0});
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  int before = -1, after = -1;
  add<<<1, 1, 0, stream>>>(value.data(), 1);
  CUDA_CHECK(cudaMemcpyAsync(&before, value.data(), sizeof before, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaLaunchHostFunc(
      stream, [](void *data) { static_cast<struct notes *>(data)->count++; }, &notes));
  CUDA_CHECK(cudaStreamAddCallback(
      stream,
      [](cudaStream_t, cudaError_t error, void *data) {
        if (error == cudaSuccess) static_cast<struct notes *>(data)->count += 10;
      },
      &notes, 0));
  add<<<1, 1, 0, stream>>>(value.data(), 1);
  CUDA_CHECK(cudaMemcpyAsync(&after, value.data(), sizeof after, cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(before == 1 && after == 2 && notes.count == 11, "%d, %d and %d", before, after, notes.count);
  CUDA_CHECK(cudaStreamDestroy(stream));
}

static void threads_have_their_own_last_error() {
  std::vector<std::thread> threads;
  std::vector<int> sums(8);
  for (int t = 0; t < 8; t++) {
    threads.emplace_back([t, &sums] {
      if (t % 2) {
        cudaSetDevice(99);
        check_that(cudaPeekAtLastError() == cudaErrorInvalidDevice, "thread %d: its error is lost", t);
      } else {
        check_that(cudaPeekAtLastError() == cudaSuccess, "thread %d: an error of another thread", t);
        int *value;
        CUDA_CHECK(cudaMalloc(&value, sizeof *value));
        CUDA_CHECK(cudaMemset(value, 0, sizeof *value));
        for (int i = 0; i < 20; i++)
          add<<<1, 1>>>(value, t + 1);
        CUDA_CHECK(cudaMemcpy(&sums[t], value, sizeof *value, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaFree(value));
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < 8; t += 2)
    check_that(sums[t] == 20 * (t + 1), "thread %d: %d", t, sums[t]);
  check_that(cudaGetLastError() == cudaSuccess, "an error of another thread");
}

int main() {
  streams_and_events_keep_order();
  events_measure_time();
  host_functions_come_in_their_turn();
  threads_have_their_own_last_error();
  return self_check_result();
}
