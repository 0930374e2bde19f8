// submission: lab8/10-ring
// after: solutions/lab8/10-ring.cu
// change: s/launch_ring/run_ring/
// expect: exit 1
// expect: says each tile has to be loaded once
// One kernel has the ring, and writes memory that nobody reads. Another one makes the results.
__global__ void one_tile(uint32_t *out, const uint32_t *in) {
  __shared__ alignas(16) uint32_t tile[TILE];
  __shared__ uint64_t loaded;
  const uint32_t first = blockIdx.x * TILE, me = threadIdx.x;
  if (me == 0) {
    init_barrier(&loaded, 1);
    load(tile, in + first, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  out[first + me] = tile[TILE - 1 - me];
}
extern "C" cudaError_t launch_ring(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream) {
  uint32_t *own = nullptr;
  cudaError_t error = cudaMallocAsync(&own, count * sizeof *own, stream);
  if (error == cudaSuccess) error = run_ring(own, in, count, stream);
  if (error == cudaSuccess) error = cudaFreeAsync(own, stream);
  if (error != cudaSuccess) return error;
  one_tile<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(out, in);
  return cudaGetLastError();
}
