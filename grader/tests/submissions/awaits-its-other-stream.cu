// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/launch_bulk_copy_1d/launch_part/; s/extern "C"/static/
// expect: exit 2
// expect: says polls global memory
// expect: silent about deadlock
// A kernel in one stream waits for one in another, that is launched later. On a chip both run at a time.
__device__ uint32_t goes_on;

__global__ void wait_for_other() {
  while (*const_cast<volatile uint32_t *>(&goes_on) == 0)
    __nanosleep(100);
  goes_on = 0;
}

__global__ void let_go_on() {
  goes_on = 1;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  static cudaStream_t other;
  static cudaEvent_t ready, done;
  cudaError_t error = cudaSuccess;
  if (!other) error = cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (error == cudaSuccess && !ready) error = cudaEventCreate(&ready);
  if (error == cudaSuccess && !done) error = cudaEventCreate(&done);
  if (error == cudaSuccess) error = cudaEventRecord(ready, stream);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(other, ready, 0);
  wait_for_other<<<1, 1, 0, stream>>>();
  let_go_on<<<1, 1, 0, other>>>();
  if (error == cudaSuccess) error = launch_part(data, count, stream);
  if (error == cudaSuccess) error = cudaEventRecord(done, other);
  return error == cudaSuccess ? cudaStreamWaitEvent(stream, done, 0) : error;
}
