// In: device memory, 256-byte aligned, and a stream. Out: kernels started on that stream, without waiting for
// them; the first CUDA error, or cudaSuccess. The idea: these ten functions are all that the grader knows of
// a submission. A tile is 128 numbers; count is a positive multiple of 512, so there are only whole tiles.
#ifndef TMA_LAB_LAB8_H
#define TMA_LAB_LAB8_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Each tile of `out` is that of `in`, turned round.
cudaError_t launch_barrier(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);
cudaError_t launch_parity(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);
cudaError_t launch_bytes(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);
cudaError_t launch_load(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);

// out[i] = in[i] + 1
cudaError_t launch_fence(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);
cudaError_t launch_store(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);

// out[i] = in[i] + 1, and out[count + i] = out[i] + 1. `out` has 2 * count numbers.
cudaError_t launch_read_or_all(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);

// out[y][x] = in[y][x] + 1. width: a positive multiple of 32; height: of 8.
cudaError_t launch_tensor_map(uint32_t *out, const uint32_t *in, size_t width, size_t height,
                              cudaStream_t stream);

// out[y][x] = in[y][x + 4], and 0 where that lies outside. width: a positive multiple of 4; height: any.
cudaError_t launch_over_the_edge(uint32_t *out, const uint32_t *in, size_t width, size_t height,
                                 cudaStream_t stream);

// As the first four.
cudaError_t launch_ring(uint32_t *out, const uint32_t *in, size_t count, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
