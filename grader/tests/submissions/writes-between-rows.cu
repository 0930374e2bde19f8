// submission: 2-tiles-2d
// expect: exit 1
// expect: says 2-tiles-2d writes between the rows
// expect: says `out`, row 0, 0 bytes past its last element
#include "lab9.h"

extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height,
                                       size_t pitch_bytes, cudaStream_t stream) {
  return cudaMemsetAsync(out, 0, pitch_bytes * height, stream);
}
