// attack: 1-bulk-copy-1d
// tries: never comes back, but none of its threads works long enough to be seen
// deadline: 1
// expect: exit 1
// expect: says does not come back
#include "lab9.h"
#include <ctime>
#include <pthread.h>
static void *work(void *nothing) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 50;
  while (clock() < end) {
  }
  return nothing;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *, size_t, cudaStream_t) {
  for (pthread_t thread;;) {
    if (pthread_create(&thread, nullptr, work, nullptr)) return cudaErrorUnknown;
    pthread_join(thread, nullptr);
  }
}
