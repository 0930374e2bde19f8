// submission: 1-bulk-copy-1d
// before: #define launch_bulk_copy_1d honest
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: says of the L2 cache aside for accesses that persist
// Keeps the beginning of the array in the L2 cache, as far as the cache allows. This makes it 60 % slower.
#undef launch_bulk_copy_1d

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  int most = 0, window = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0);
  cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0);
  static bool done;
  if (most == 0 || done) return honest(data, count, stream);
  done = true;
  cudaError_t error = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most);
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = data;
  value.accessPolicyWindow.num_bytes = count * 4 < static_cast<size_t>(window) ? count * 4 : window;
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  if (error == cudaSuccess)
    error = cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  return error == cudaSuccess ? honest(data, count, stream) : error;
}
