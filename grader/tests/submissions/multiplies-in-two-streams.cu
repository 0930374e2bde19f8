// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/launch_matmul/launch_part/; s/extern "C"/static/
// expect: exit 0
// expect: says passes
// Two halves of the rows, which know nothing of each other: a block has half as many tiles in each.
extern "C" cudaError_t launch_matmul(uint16_t *c, const uint16_t *a, const uint16_t *b, size_t m, size_t n,
                                     size_t k, cudaStream_t stream) {
  static cudaStream_t other;
  static cudaEvent_t ready, done;
  const size_t half = m / 2 / ROWS * ROWS;
  cudaError_t error = cudaSuccess;
  if (half == 0) return launch_part(c, a, b, m, n, k, stream);
  if (!other) error = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (error == cudaSuccess && !ready) error = cudaEventCreate(&ready);
  if (error == cudaSuccess && !done) error = cudaEventCreate(&done);
  if (error == cudaSuccess) error = cudaEventRecord(ready, stream);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(other, ready, 0);
  if (error == cudaSuccess) error = launch_part(c, a, b, half, n, k, stream);
  if (error == cudaSuccess) error = launch_part(c + half * n, a + half * k, b, m - half, n, k, other);
  if (error == cudaSuccess) error = cudaEventRecord(done, other);
  return error == cudaSuccess ? cudaStreamWaitEvent(stream, done, 0) : error;
}
