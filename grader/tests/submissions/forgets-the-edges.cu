// submission: 2-tiles-2d
// expect: exit 1
// expect: says 2-tiles-2d computes a wrong result
// expect: says still hold the poison
// expect: says The same numbers again: make lab9-2 SUBMISSION=
#include "lab9.h"

// The last column is not written.
__global__ void kernel(float *out, const float *in, size_t width, size_t height, size_t pitch) {
  for (size_t i = threadIdx.x; i < width * height; i += blockDim.x) {
    size_t y = i / width, x = i % width;
    const float *at = in + y * pitch + x;
    float up = y > 0 ? at[-static_cast<ptrdiff_t>(pitch)] : 0, down = y + 1 < height ? at[pitch] : 0;
    float left = x > 0 ? at[-1] : 0, right = x + 1 < width ? at[1] : 0;
    if (width < 64 || x + 1 < width) out[y * pitch + x] = 0.25f * (up + down + left + right) - at[0];
  }
}

extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height,
                                       size_t pitch_bytes, cudaStream_t stream) {
  kernel<<<1, 256, 0, stream>>>(out, in, width, height, pitch_bytes / 4);
  return cudaGetLastError();
}
