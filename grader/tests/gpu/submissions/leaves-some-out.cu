// submission: 2-tiles-2d
// before: #define launch_tiles_2d honest
// after: solutions/lab9/2-tiles-2d.cu
// expect: exit 1
// expect: says computes a wrong result on large arrays
// expect: says out[16000][0]
// Leaves the last rows out, in the hope that they are not checked.
#undef launch_tiles_2d
extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height,
                                       size_t pitch_bytes, cudaStream_t stream) {
  return honest(out, in, width, height > 16001 ? 16001 : height, pitch_bytes, stream);
}
