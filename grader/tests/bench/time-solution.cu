// In: a size in MiB, and (linked with it) a launcher of lab9's exercise EXERCISE, a macro. Out: one launch,
// whose time `vhopper run --time` predicts. Arrays, matrices and numbers as in compare-bandwidth.cu.
//   time-solution MIB
#include "cuda-check.h"
#include "lab9.h"
#include <cstdlib>

int main(int count, char **arguments) {
  const size_t mib = count > 1 ? strtoul(arguments[1], nullptr, 10) : 48, bytes = mib << 20;
  const size_t columns = EXERCISE == 2 ? 16384 : 1024, rows = bytes / 4 / columns;
  void *in, *out;
  CUDA_CHECK(cudaMalloc(&in, bytes));
  CUDA_CHECK(cudaMalloc(&out, bytes));
#if EXERCISE == 1
  CUDA_CHECK(launch_bulk_copy_1d(static_cast<int32_t *>(in), bytes / 4, nullptr));
#elif EXERCISE == 2
  CUDA_CHECK(launch_tiles_2d(static_cast<float *>(out), static_cast<float *>(in), columns, rows, columns * 4,
                             nullptr));
#elif EXERCISE == 3
  CUDA_CHECK(
      launch_phase_reuse(static_cast<int32_t *>(out), static_cast<int32_t *>(in), rows, columns, nullptr));
#else
  CUDA_CHECK(launch_store_commit_groups(static_cast<float *>(out), static_cast<float *>(in), bytes / 4, 1.5f,
                                        2, nullptr));
#endif
  CUDA_CHECK(cudaDeviceSynchronize());
  return rows == 0;
}
