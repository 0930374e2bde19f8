// wgmma's fence, commit_group and wait_group where no product was started: the kernel goes on, and computes
// what it would without them. CUTLASS's pipelines call them so.
// target: sm_90a
#include "self-check.h"

enum { THREADS = 128, VALUES = 4 * THREADS };

__global__ void between_groups(uint32_t *out) {
  uint32_t value = threadIdx.x + blockIdx.x * blockDim.x;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  value = value * 3 + 1;
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  // Warps part ways, each as a whole: .aligned asks no more.
  if (threadIdx.x / 32 % 2) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  out[threadIdx.x + blockIdx.x * blockDim.x] = value;
}

int main() {
  uint32_t *out, got[VALUES];
  CUDA_CHECK(cudaMalloc(&out, sizeof got));
  between_groups<<<VALUES / THREADS, THREADS>>>(out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (uint32_t i = 0; i < VALUES; i++)
    check_that(got[i] == i * 3 + 1, "out[%u] is %u, not %u", i, got[i], i * 3 + 1);
  return self_check_result();
}
