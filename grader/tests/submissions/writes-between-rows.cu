// submission: 2-tiles-2d
// expect: exit 1
// expect: says 2-tiles-2d writes between the rows
// expect: says `out`, row 0, 12 bytes past its last element
#include "lab9.h"

// Every element is correct, but the kernel writes on to the end of the pitch.
__global__ void kernel(float *out, const float *in, size_t width, size_t height, size_t pitch) {
  for (size_t i = threadIdx.x; i < pitch * height; i += blockDim.x) {
    size_t y = i / pitch, x = i % pitch;
    const float *at = in + i;
    if (x < width) {
      float up = y > 0 ? at[-static_cast<ptrdiff_t>(pitch)] : 0, down = y + 1 < height ? at[pitch] : 0;
      float left = x > 0 ? at[-1] : 0, right = x + 1 < width ? at[1] : 0;
      out[i] = 0.25f * (up + down + left + right) - at[0];
    } else {
      out[i] = 0;
    }
  }
}

extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height,
                                       size_t pitch_bytes, cudaStream_t stream) {
  kernel<<<1, 256, 0, stream>>>(out, in, width, height, pitch_bytes / 4);
  return cudaGetLastError();
}
