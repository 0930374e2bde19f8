// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/launch_bulk_copy_1d/launch_part/; s/extern "C"/static/
// expect: exit 0
// expect: says The exercise passes
static cudaStream_t side;
static cudaEvent_t fork_event, join_event;

static cudaError_t make_side() {
  cudaError_t error = cudaSuccess;
  if (!side) error = cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  if (error == cudaSuccess && !fork_event) error = cudaEventCreate(&fork_event);
  if (error == cudaSuccess && !join_event) error = cudaEventCreate(&join_event);
  return error;
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  const size_t half = count / 8 * 4;
  cudaError_t error = make_side();
  if (error == cudaSuccess) error = cudaEventRecord(fork_event, stream);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(side, fork_event, 0);
  if (error == cudaSuccess && half) error = launch_part(data, half, side);
  if (error == cudaSuccess) error = launch_part(data + half, count - half, stream);
  if (error == cudaSuccess) error = cudaEventRecord(join_event, side);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(stream, join_event, 0);
  return error;
}
