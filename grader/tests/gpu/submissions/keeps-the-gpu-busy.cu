// submission: 1-bulk-copy-1d
// before: #define launch_bulk_copy_1d honest
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: exit 1
// expect: says keeps the GPU busy between its launches
// A thread of its own slows down the trusted copy, so that the submission's ratio rises.
#undef launch_bulk_copy_1d
#include <atomic>
#include <chrono>
#include <thread>

__global__ void idle_about(long long clocks) {
  const long long until = clock64() + clocks;
  while (clock64() < until) {
  }
}

static std::atomic<bool> launching{false};

static void disturb() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (launching) continue;
    idle_about<<<132, 32, 0, stream>>>(500000);
    cudaStreamSynchronize(stream);
  }
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static bool started = false;
  if (count > (1u << 26)) {
    if (!started) std::thread(disturb).detach();
    started = true;
  }
  return honest(data, count, stream);
}
