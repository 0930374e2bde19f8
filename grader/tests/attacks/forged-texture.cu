// attack: 1-bulk-copy-1d
// tries: makes texture objects by hand, with sizes that no array has
// honest: yes
// expect: exit 1
// expect: says is no texture object
// expect on gpu: silent about grader error
#include <cstring>
__global__ void fetch(cudaTextureObject_t object, int32_t *data) {
  if (tex2D<float>(object, threadIdx.x * 1e30f, -1e30f) == 12345.f) data[0] = 1;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  uint64_t forged[32];
  void *place;
  cudaMalloc(&place, sizeof forged);
  for (int i = 0; i < 64; i++) {
    for (int word = 0; word < 32; word++)
      forged[word] = i & 1 ? ~0ull >> (word + i) % 64 : 0x0101010101010101ull * i;
    cudaMemcpy(place, forged, sizeof forged, cudaMemcpyHostToDevice);
    fetch<<<1, 32, 0, stream>>>((cudaTextureObject_t)place, data);
  }
  return honest_launch(data, count, stream);
}
