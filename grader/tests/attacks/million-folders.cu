// attack: 1-bulk-copy-1d
// tries: makes empty folders without end; each takes memory of the kernel's, which no limit counts
// honest: yes
// expect: exit 1
// expect: says makes files without end
// expect: says made files by the thousand
#include <cstdio>
#include <sys/stat.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  char name[32];
  for (int i = 0; i < 20000; i++) {
    snprintf(name, sizeof name, "/tmp/%d", i);
    mkdir(name, 0700);
  }
  return honest_launch(data, count, stream);
}
