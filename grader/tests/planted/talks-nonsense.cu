// attack: 1-bulk-copy-1d
// tries: with the device's process taken over, gives the referee answers that nobody asked for
// honest: yes
// expect: exit 2
// expect: says the virtual Hopper's process answers what nobody asked
// expect: silent about passes
#include "planted.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  planted("", 'n');
  return honest_launch(data, count, stream);
}
