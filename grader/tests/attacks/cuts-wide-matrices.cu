// attack: 2-tiles-2d
// honest: yes
// tries: right results for every matrix that has at most 3000 columns
// expect: exit 1
// expect: says computes a wrong result
extern "C" cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height,
                                       size_t pitch_bytes, cudaStream_t stream) {
  return honest_launch(out, in, width < 3000 ? width : 3000, height, pitch_bytes, stream);
}
