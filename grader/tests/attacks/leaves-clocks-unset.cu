// attack: 1-bulk-copy-1d
// tries: replaces a clock by one that says nothing: a driver that does not start is no fault of the grader
// honest: yes
// expect: exit 0
// expect: says in the place of a library's: clock_gettime.
// expect on gpu: says in the place of a library's: clock_gettime.
// What the caller finds is whatever was there, so on a GPU the driver starts or it doesn't.
#include <time.h>
extern "C" int clock_gettime(clockid_t, timespec *) noexcept {
  return 0;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
