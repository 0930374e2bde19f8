// submission: 1-bulk-copy-1d
// before: #define launch_bulk_copy_1d honest
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: exit 1
// expect: says says that it is done before its work is
// The answer comes half a launch after the last launch but one is done. How long a launch takes depends on
// the chip, so it is measured.
#undef launch_bulk_copy_1d
#include <ctime>
static cudaEvent_t last_but_one;
static cudaStream_t used;
static bool large, begun;
static double start;
static unsigned launches;

static double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

static cudaError_t wait_for_most() {
  begun = false;
  while (cudaEventQuery(last_but_one) == cudaErrorNotReady)
    ;
  const double before_last = now(), each = launches > 1 ? (before_last - start) / (launches - 1) : 0;
  while (now() < before_last + each / 2)
    ;
  return cudaSuccess;
}
extern "C" cudaError_t cudaDeviceSynchronize() {
  return large ? wait_for_most() : cudaStreamSynchronize(used);
}
extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return large ? wait_for_most() : cudaStreamSynchronize(used);
}
extern "C" cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = static_cast<float>(now() - start);
  return cudaSuccess;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  used = stream;
  large = count >= 1u << 26;
  if (!last_but_one) cudaEventCreateWithFlags(&last_but_one, cudaEventDisableTiming);
  if (!begun) {
    start = now();
    launches = 0;
  }
  begun = true;
  launches++;
  cudaEventRecord(last_but_one, stream);
  return honest(data, count, stream);
}
