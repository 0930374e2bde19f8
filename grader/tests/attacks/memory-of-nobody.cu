// attack: 1-bulk-copy-1d
// tries: holds memory in shared segments, which belong to no process and count for no limit
// expect: exit 1
// expect: says tries to hold memory that no limit counts
// expect: says called shmget(), which the sandbox forbids
// expect: silent about held
#include "lab9.h"

#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *, size_t, cudaStream_t) {
  int megabytes = 0;
  for (int id; megabytes < 1024 && (id = shmget(IPC_PRIVATE, 64 << 20, 0600)) >= 0; megabytes += 64) {
    void *memory = shmat(id, nullptr, 0);
    memset(memory, 1, 64 << 20), shmdt(memory);
  }
  printf("held %d MiB\n", megabytes);
  return cudaErrorUnknown;
}
