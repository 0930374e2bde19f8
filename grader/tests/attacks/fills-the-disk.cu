// attack: 1-bulk-copy-1d
// tries: fills the disk
// expect: exit 1
// expect: silent about wrote too much
// expect: says It wrote a file larger than the grader allows
#include "lab9.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  static char block[1 << 20];
  size_t total = 0;
  for (const char *folder : {".", "/tmp", "/dev/shm", "/var/tmp", "/"})
    for (int i = 0; i < 40; i++) {
      char path[64];
      snprintf(path, sizeof path, "%s/fill-%d", folder, i);
      int file = open(path, O_CREAT | O_WRONLY, 0600);
      for (ssize_t got; file >= 0 && (got = write(file, block, 8 << 10)) > 0 && total < size_t(1) << 30;)
        total += size_t(got);
      if (file >= 0) close(file);
    }
  if (total > 200 << 20) printf("wrote too much\n");
  return cudaSuccess;
}
