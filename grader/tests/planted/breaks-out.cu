// attack: 1-bulk-copy-1d
// tries: with the device's process taken over, reaches for files, programs, sockets and the referee
// honest: yes
// expect: exit 0
// expect: says The exercise passes
#include "planted.h"
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaError_t error =
      planted("open refused; make refused; memory file DONE; exec refused; fork refused; connect refused; "
              "parent refused; signal refused; code refused; mount refused; shrink refused; ",
              'o');
  return error == cudaSuccess ? honest_launch(data, count, stream) : error;
}
