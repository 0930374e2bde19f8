// attack: 1-bulk-copy-1d
// tries: nothing: an honest submission, one thread of which computes while another waits for a stream
// The library that plays CUDA's looks whether the other threads sleep. That is not the submission's doing.
// honest: yes
// expect: exit 0
// expect: says The exercise passes
// expect: silent about sandbox
#include <atomic>
#include <thread>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  std::atomic_bool over{false};
  std::thread counts([&] {
    for (unsigned n = 0; !over; n++)
      asm volatile("" : : "r"(n));
  });
  cudaError_t error = honest_launch(data, count, stream);
  if (!error) error = cudaStreamSynchronize(stream);
  over = true;
  counts.join();
  return error;
}
