// A brake: reads a part of what the solution has read or written once more, so that launch and brake together
// are slower than the solution by about the same share on any chip. Comes after the solution's source, whose
// launcher has been renamed.
__device__ static uint32_t brake_seen;

__global__ static void __launch_bounds__(256) brake_kernel(const uint4 *data, size_t quads) {
  const size_t first = blockIdx.x * size_t{1024} + threadIdx.x;
  uint32_t all = 0;
  for (size_t i = first; i < first + 1024 && i < quads; i += 256) {
    const uint4 v = data[i];
    all ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (all == 0x12345678u) brake_seen = all; // hardly ever, but the compiler can't know
}

static cudaError_t brake(const void *data, size_t bytes, double share, cudaStream_t stream) {
  const size_t quads = static_cast<size_t>(static_cast<double>(bytes / 16) * share);
  if (quads >= 1024)
    brake_kernel<<<static_cast<uint32_t>(quads / 1024), 256, 0, stream>>>(static_cast<const uint4 *>(data),
                                                                          quads);
  return cudaGetLastError();
}
