// attack: 1-bulk-copy-1d
// tries: locks single bytes of files; each lock takes memory of the kernel's, which no limit counts
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: exit 1
// expect on gpu: says returns a CUDA error
#include <cstdio>
#include <fcntl.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  const int file = open("/tmp/locked", O_CREAT | O_RDWR, 0600);
  int locked = 0;
  for (int i = 0; i < 100; i++) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_start = 2 * i;
    lock.l_len = 1;
    locked += fcntl(file, i & 1 ? F_SETLK : F_OFD_SETLK, &lock) == 0;
  }
  return locked ? cudaErrorUnknown : honest_launch(data, count, stream);
}
