// In: device memory, 256-byte aligned, and a stream. Out: kernels started on that stream, without waiting for
// them; the first CUDA error, or cudaSuccess. The idea: these four functions are all that the grader knows of
// a submission.
#ifndef TMA_LAB_LAB9_H
#define TMA_LAB_LAB9_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 1-bulk-copy-1d: data[i] += 1 in place, wrapping around as unsigned numbers do.
// count: any positive multiple of 4.
cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream);

// 2-tiles-2d: out[y][x] = 0.25f * (in[y-1][x] + in[y+1][x] + in[y][x-1] + in[y][x+1]) - in[y][x], with zero
// outside. Numbers may be any floats, also infinities and NaNs: what the formula gives is right.
// width, height: any, at least 1. pitch_bytes: from one row to the next in both matrices, a multiple of 16,
// at least 4 * width. Between width and pitch the input holds anything. In the output, a tensor store ends
// each row at the next multiple of 16 bytes, so anything may be written up to there. The bytes beyond belong
// to somebody else.
cudaError_t launch_tiles_2d(float *out, const float *in, size_t width, size_t height, size_t pitch_bytes,
                            cudaStream_t stream);

// 3-phase-reuse: sums[c] = matrix[0][c] + matrix[1][c] + .., exact, wrapping around as unsigned numbers do.
// rows: at least 1, usually many more than columns. columns: any positive multiple of 4 up to 2^26. Rows
// follow each other without a gap. sums holds anything before the launch.
cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                               cudaStream_t stream);

// 4-store-commit-groups: out[i] = a * in[i] + b. out and in don't overlap. Numbers may be any floats, also
// infinities and NaNs: what the formula gives is right.
// count: any positive multiple of 4.
cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                       cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
