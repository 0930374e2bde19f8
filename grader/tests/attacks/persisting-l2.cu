// attack: 1-bulk-copy-1d
// tries: asks for the second-level cache to be kept for its data
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect on gpu: says MiB of the L2 cache aside for accesses that persist
// expect on gpu: says correct
// expect on gpu: silent about faster than the memory
// On an H100 it passes as if nothing had been asked for; on an H200 its own window costs it a quarter.
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 16 << 20);
  cudaStreamAttrValue window = {};
  window.accessPolicyWindow = {data, 1 << 20, 1.0f, cudaAccessPropertyPersisting,
                               cudaAccessPropertyStreaming};
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
  cudaGetLastError();
  return honest_launch(data, count, stream);
}
