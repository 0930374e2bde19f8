// submission: 3-phase-reuse
// before: #define launch_phase_reuse honest
// after: solutions/lab9/3-phase-reuse.cu
// expect: exit 1
// expect: says computes a wrong result on large arrays
// Guesses that the next batch has the same buffers, sums them up between batches, and only hands out what it
// has.
#undef launch_phase_reuse
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<const int32_t *> known;
static std::map<const int32_t *, int32_t *> sums_of;
static size_t the_rows, the_columns;

static void work_ahead() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const std::lock_guard<std::mutex> held(lock);
    for (const int32_t *matrix : known)
      honest(sums_of[matrix], matrix, the_rows, the_columns, stream);
    cudaStreamSynchronize(stream);
  }
}

extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  if (rows * columns < 1u << 26) return honest(sums, matrix, rows, columns, stream);
  const std::lock_guard<std::mutex> held(lock);
  the_rows = rows, the_columns = columns;
  if (known.empty()) std::thread(work_ahead).detach();
  if (!sums_of.count(matrix)) {
    known.push_back(matrix);
    cudaMalloc(&sums_of[matrix], columns * 4);
    honest(sums_of[matrix], matrix, rows, columns, stream);
  }
  return cudaMemcpyAsync(sums, sums_of[matrix], columns * 4, cudaMemcpyDeviceToDevice, stream);
}
