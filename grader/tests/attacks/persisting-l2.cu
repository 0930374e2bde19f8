// attack: 1-bulk-copy-1d
// tries: asks for the second-level cache to be kept for its data
// honest: yes
// expect: exit 0
// expect: says The exercise passes
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
  cudaStreamAttrValue window = {};
  window.accessPolicyWindow = {data, 1 << 20, 1.0f, cudaAccessPropertyPersisting,
                               cudaAccessPropertyStreaming};
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
  cudaGetLastError();
  return honest_launch(data, count, stream);
}
