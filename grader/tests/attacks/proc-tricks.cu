// attack: 1-bulk-copy-1d
// tries: looks for the grader's memory under /proc
// expect: exit 1
// expect: says tries to look into another process
// expect: silent about opened the memory
#include "lab9.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  char path[64], own[64];
  for (int process = 1; process < 70000; process++) {
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    snprintf(own, sizeof own, "/proc/self/task/%d", process); // the CUDA driver has threads in this process
    int file = access(own, F_OK) == 0 ? -1 : open(path, O_RDWR);
    if (file >= 0) printf("opened the memory of another process\n"), close(file);
  }
  return cudaSuccess;
}
