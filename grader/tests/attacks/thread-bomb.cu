// attack: 1-bulk-copy-1d
// tries: starts threads without end
// expect: exit 1
// expect: says starts threads without end
#include "lab9.h"
#include <pthread.h>
#include <unistd.h>
static void *wait_for_ever(void *) {
  for (;;)
    pause();
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  pthread_t thread;
  for (int i = 0; i < 100000; i++)
    pthread_create(&thread, nullptr, wait_for_ever, nullptr);
  return cudaSuccess;
}
