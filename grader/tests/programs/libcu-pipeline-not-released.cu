// expect: fault deadlock
// expect: says have called consumer_release() for the stage
// A cuda::pipeline of a whole block whose stages nobody gives back.
#include <cuda_runtime.h>

#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr int TILE = 128, TILES = 4, STAGES = 2;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int ring[STAGES][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int n = 0, next = 0; n < TILES; n++) {
    for (; next < TILES && next < n + STAGES; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, ring[next % STAGES], in + next * TILE, sizeof ring[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[n * TILE + threadIdx.x] = ring[n % STAGES][TILE - 1 - threadIdx.x];
  }
}

int main() {
  int *numbers;
  if (cudaMalloc(&numbers, 2 * TILES * TILE * sizeof *numbers) != cudaSuccess) return 1;
  if (cudaMemset(numbers, 0, 2 * TILES * TILE * sizeof *numbers) != cudaSuccess) return 1;
  kernel<<<1, TILE>>>(numbers + TILES * TILE, numbers);
  cudaDeviceSynchronize();
  cudaFree(numbers);
}
