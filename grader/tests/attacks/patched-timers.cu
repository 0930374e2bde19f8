// attack: 1-bulk-copy-1d
// tries: replaces every clock by one that stands still; the referee uses its own clock
// honest: yes
// expect: exit 0
// expect: says in the place of a library's: clock_gettime, cudaEventElapsedTime, gettimeofday
// expect on gpu: exit 1
#include <sys/time.h>
#include <time.h>
extern "C" int clock_gettime(clockid_t, timespec *time) noexcept {
  return *time = {}, 0;
}
extern "C" int gettimeofday(timeval *time, void *) noexcept {
  return *time = {}, 0;
}
extern "C" cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) {
  return *ms = 0, cudaSuccess;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
