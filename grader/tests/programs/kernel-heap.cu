// Correct uses of malloc and free in kernels: nothing may be reported. Each thread writes its memory and
// reads it back; freed memory is allocated again; one block frees what another block allocated.
#include "self-check.h"
#include <cstdio>

__device__ int *handed_over[64];

__global__ void take_and_give(int *wrong) {
  for (int turn = 0; turn < 8; turn++) {
    int count = 16 + threadIdx.x, *mine = (int *)malloc(count * sizeof(int));
    if (!mine) return (void)atomicAdd(wrong, 1);
    for (int i = 0; i < count; i++)
      mine[i] = turn * 1000 + i;
    for (int i = 0; i < count; i++)
      if (mine[i] != turn * 1000 + i) atomicAdd(wrong, 1);
    free(mine);
  }
}

// 64 blocks together take half of the 8 MiB that the heap has unless cudaDeviceSetLimit says otherwise.
__global__ void hand_over() {
  int *mine = (int *)malloc(1 << 16);
  mine[0] = blockIdx.x;
  handed_over[blockIdx.x] = mine;
}

__global__ void take_over(int *wrong) {
  int from = (blockIdx.x + 1) % gridDim.x;
  if (handed_over[from][0] != from) atomicAdd(wrong, 1);
  free(handed_over[from]);
  free(NULL);
}

int main() {
  int *wrong, result = 0;
  cudaMalloc(&wrong, sizeof *wrong);
  cudaMemset(wrong, 0, sizeof *wrong);
  take_and_give<<<16, 64>>>(wrong);
  for (int turn = 0; turn < 4; turn++) {
    hand_over<<<64, 1>>>();
    take_over<<<64, 1>>>(wrong);
  }
  cudaError_t error = cudaMemcpy(&result, wrong, sizeof result, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess || result) return printf("%s, %d wrong\n", cudaGetErrorString(error), result), 1;
  puts("ok");
}
