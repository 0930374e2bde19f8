// attack: 1-bulk-copy-1d
// tries: holds memory in files without a name, each as large as a file may be
// expect: exit 1
// expect: says tries to hold memory that no limit counts
// expect: says called memfd_create(), which the sandbox forbids
// expect: silent about held
#include "lab9.h"

#include <csignal>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *, size_t, cudaStream_t) {
  static char block[1 << 20];
  int megabytes = 0;
  signal(SIGXFSZ, SIG_IGN);
  for (int file; megabytes < 1024 && (file = memfd_create("x", 0)) >= 0;)
    while (megabytes < 1024 && write(file, block, sizeof block) > 0)
      megabytes++;
  printf("held %d MiB\n", megabytes);
  return cudaErrorUnknown;
}
