// attack: 4-store-commit-groups
// tries: changes the input so that it fits the output
// honest: yes
// expect: exit 1
// expect: says changes its input
__global__ void poke(float *in, float *out, float b) {
  in[0] = 0, out[0] = b;
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  cudaError_t error = honest_launch(out, in, count, a, b, stream);
  poke<<<1, 1, 0, stream>>>(const_cast<float *>(in), out, b);
  return error;
}
