// attack: 1-bulk-copy-1d
// tries: takes a minute on its first launch to prepare the others
// honest: yes
// deadline: 1
// expect: exit 1
// expect: says does not come back
#include <unistd.h>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static int launches;
  if (!launches++) sleep(60);
  return honest_launch(data, count, stream);
}
