// In: nothing. Out: `ok` if a producer and a consumer warp stream a matrix, in a program that brings a
// CUDA_CHECK and a cuda_check of its own. The idea: the interface's macro gives way to the program's, and no
// name of the header collides with what such programs call their own.
// nvcc: -Xlinker build/lib/libcuda.so.1
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static int checked = 0; // how often the program's own check was called

void cuda_check(cudaError_t code, const char *file, int line) {
  checked++;
  if (code == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(code));
  exit(1);
}
void cuda_check(CUresult code, const char *file, int line) {
  cuda_check(code == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown, file, line);
}

#define CUDA_CHECK(x)                    \
  do {                                   \
    cuda_check((x), __FILE__, __LINE__); \
  } while (0)

#include "tma-interface.cuh"

#define STAGES       3
#define TILE_ROWS    16
#define TILE_COLUMNS 32

// Warp 0 produces, warp 1 consumes; results go back through one box per tile.
__global__ void pipeline(__grid_constant__ const CUtensorMap in, __grid_constant__ const CUtensorMap out,
                         const int tiles) {
  __shared__ alignas(128) int stages[STAGES][TILE_ROWS * TILE_COLUMNS];
  __shared__ alignas(8) uint64_t produced[STAGES], consumed[STAGES];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (int i = 0; i < STAGES; i++) {
      init_barrier(&produced[i], 1);
      init_barrier(&consumed[i], 1);
    }
  async_proxy_fence();
  __syncthreads();
  for (int tile = 0; tile < tiles; tile++) {
    const int stage = tile % STAGES, phase = tile / STAGES % 2;
    if (warp == 0 && lane == 0) {
      if (tile >= STAGES) wait(consumed[stage], !phase);
      expect_bytes_and_arrive(&produced[stage], sizeof(stages[0]));
      cp_async_bulk_tensor_2d_global_to_shared(stages[stage], &in, 0, tile * TILE_ROWS, produced[stage]);
    }
    if (warp == 1) {
      wait(&produced[stage], phase);
      for (int i = lane; i < TILE_ROWS * TILE_COLUMNS; i += 32)
        stages[stage][i] = 2 * stages[stage][i];
      async_proxy_fence();
      __syncwarp();
      if (lane == 0) {
        cp_async_bulk_tensor_2d_shared_to_global(&out, 0, tile * TILE_ROWS, stages[stage]);
        tma_commit_group();
        tma_wait_until_pending<0>();
        arrive(&consumed[stage], 1);
      }
    }
  }
}

static CUtensorMap encode(int *matrix, int rows) {
  CUtensorMap map;
  const cuuint64_t dimensions[2] = {TILE_COLUMNS, static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[1] = {TILE_COLUMNS * sizeof(int)};
  const cuuint32_t box[2] = {TILE_COLUMNS, TILE_ROWS}, ones[2] = {1, 1};
  CUDA_CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dimensions, strides, box,
                                    ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                    CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

int main() {
  const int tiles = 10, rows = tiles * TILE_ROWS, count = rows * TILE_COLUMNS;
  int *in, *out;
  CUDA_CHECK(cuInit(0));
  CUDA_CHECK(cudaMallocManaged(&in, count * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&out, count * sizeof(int)));
  for (int i = 0; i < count; i++)
    in[i] = i;
  pipeline<<<1, 64>>>(encode(in, rows), encode(out, rows), tiles);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < count; i++)
    if (out[i] != 2 * i) {
      printf("out[%d] is %d\n", i, out[i]);
      return 1;
    }
  if (checked != 6) {
    printf("the program's own CUDA_CHECK was called %d times, not 6\n", checked);
    return 1;
  }
  printf("ok\n");
}
