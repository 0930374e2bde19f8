// attack: 1-bulk-copy-1d
// tries: replaces functions by weak ones and by one with a library's version, which a check may overlook
// honest: yes
// expect: exit 0
// expect: says in the place of a library's:
// expect: says times
// expect: says cudaMemGetInfo
#include <sys/times.h>
extern "C" __attribute__((weak)) cudaError_t cudaMemGetInfo(size_t *, size_t *) {
  return cudaErrorUnknown;
}
extern "C" clock_t own_times(struct tms *) {
  return 0;
}
asm(".symver own_times, times@@GLIBC_2.2.5");
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  return honest_launch(data, count, stream);
}
