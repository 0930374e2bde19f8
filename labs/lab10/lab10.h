// In: device memory, 256-byte aligned, and a stream. Out: kernels started on that stream, without waiting for
// them; the first CUDA error, or cudaSuccess. The idea: these functions are all that the grader knows of
// a submission.
#ifndef TMA_LAB_LAB10_H
#define TMA_LAB_LAB10_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// 1-reduce: sums[c] = matrix[0][c] + matrix[1][c] + .., exact, wrapping around as unsigned numbers do.
// rows: at least 1. columns: any positive multiple of 4 up to 2^22. Rows follow each other without a gap.
// sums holds anything before the launch.
cudaError_t launch_reduce(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                          cudaStream_t stream);

// 2-transpose: out[x][y] = in[y][x]. width, height: of `in`, at least 1. Its rows are in_pitch_bytes apart,
// those of `out` out_pitch_bytes: multiples of 16 that hold a row. What lies between rows of `in` may hold
// anything. Between rows of `out` you may write up to the next multiple of 16 bytes after a row's end, as
// tensor copies do, and no further.
cudaError_t launch_transpose(int32_t *out, const int32_t *in, size_t width, size_t height,
                             size_t in_pitch_bytes, size_t out_pitch_bytes, cudaStream_t stream);

// 3-halo-3d: out[z][y][x] = (the sum of its six neighbours in `in`) / 8 - in[z][y][x]. A neighbour outside
// the volume counts as 0. Numbers may be any floats, also infinities and NaNs. width, height, depth: at least
// 1. Rows are pitch_bytes apart in both, a multiple of 16 that holds a row, and planes pitch_bytes * height.
// What lies between rows of `in` may hold anything. Between rows of `out` you may write up to the next
// multiple of 16 bytes after a row's end, and no further.
cudaError_t launch_halo_3d(float *out, const float *in, size_t width, size_t height, size_t depth,
                           size_t pitch_bytes, cudaStream_t stream);

// 4-multicast: sums[s][c] = the sum over r of weights[s][r] * matrix[r][c], exact, wrapping around as
// unsigned numbers do. matrix: `rows` rows of `columns` numbers; weights: `sets` rows of `rows` numbers;
// sums: `sets` rows of `columns` numbers; all without gaps. rows, columns: positive multiples of 4. sets: at
// least 1.
cudaError_t launch_multicast(int32_t *sums, const int32_t *matrix, const int32_t *weights, size_t rows,
                             size_t columns, size_t sets, cudaStream_t stream);

// 5-matmul: c[i][j] = the sum over l of a[i][l] * b[j][l]: the product of `a` and the transpose of `b`. All
// three hold bf16 numbers, given as their 16 bits; sums are made in float and rounded once. a: m rows of k
// numbers, b: n rows of k, c: m rows of n, without gaps. m, n, k: positive multiples of 128.
cudaError_t launch_matmul(uint16_t *c, const uint16_t *a, const uint16_t *b, size_t m, size_t n, size_t k,
                          cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
