// attack: 1-bulk-copy-1d
// tries: takes all memory of the machine
// expect: exit 1
// expect: says crashes on the host
#include "lab9.h"
#include <cstring>
#include <vector>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count, (void)stream;
  std::vector<char *> all;
  for (;;) {
    all.push_back(new char[1 << 30]);
    for (size_t i = 0; i < 1 << 30; i += 1 << 20)
      all.back()[i] = 1;
  }
}
