// attack: 4-store-commit-groups
// tries: has the ring copy all data into constant memory, piece by piece, and works from there
// honest: yes
// expect: exit 1
// expect: says the numbers may not go another way round, by memory of the program's own
constexpr uint32_t PIECE = 15000;
__constant__ float table[PIECE];
__global__ void scale_from_table(float *aside, uint32_t count, float a, float b) {
  const uint32_t i = blockIdx.x * 256 + threadIdx.x;
  if (i < count) aside[i] = a * table[i] + b;
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  void *pieces;
  float *aside;
  cudaError_t error = cudaGetSymbolAddress(&pieces, table);
  if (error == cudaSuccess) error = cudaMallocAsync(&aside, 4 * count, stream);
  for (size_t first = 0; first < count && error == cudaSuccess; first += PIECE) {
    const uint32_t length = uint32_t(count - first < PIECE ? count - first : PIECE);
    error = honest_launch(static_cast<float *>(pieces), in + first, length, 1, 0, stream);
    scale_from_table<<<(length + 255) / 256, 256, 0, stream>>>(aside + first, length, a, b);
  }
  if (error == cudaSuccess) error = honest_launch(out, aside, count, 1, 0, stream);
  cudaFreeAsync(aside, stream);
  return error;
}
