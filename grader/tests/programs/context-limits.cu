// In: nothing. Out: `ok` if the limits of the context are kept: cudaDeviceGetLimit says what was set, and
// kernels get it. The heap of the kernels' malloc has 8 MiB at first; its size is fixed once a kernel
// that allocates was launched, until cudaDeviceReset. A larger stack allows deeper calls.
#include "self-check.h"

enum { PIECE = 1 << 16, KEPT = 64, DEPTH = 200 };
__device__ void *pieces;

__global__ void take_all(int *taken) {
  void **piece;
  for (*taken = 0; *taken < 4096 && (piece = static_cast<void **>(malloc(PIECE))); ++*taken) {
    *piece = pieces;
    pieces = piece;
  }
}

__global__ void give_all() {
  while (pieces) {
    void **piece = static_cast<void **>(pieces);
    pieces = *piece;
    free(piece);
  }
}

// Keeps 64 registers across each call.
__device__ __noinline__ int deep(int left, volatile int *from) {
  int kept[KEPT], sum;
#pragma unroll
  for (int i = 0; i < KEPT; i++)
    kept[i] = from[i];
  sum = left ? deep(left - 1, from) : 0;
#pragma unroll
  for (int i = 0; i < KEPT; i++)
    sum += kept[i];
  return sum;
}

__global__ void go_deep(int *result, int *from) {
  *result = deep(DEPTH - 1, from);
}

static int taken() {
  int *device, host = -1;
  CUDA_CHECK(cudaMalloc(&device, sizeof *device));
  take_all<<<1, 1>>>(device);
  CUDA_CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(device));
  return host;
}

static size_t limit(cudaLimit which) {
  size_t value = 0;
  CUDA_CHECK(cudaDeviceGetLimit(&value, which));
  return value;
}

static void heap_has_its_size() {
  const int most = (8 << 20) / PIECE; // the chip's heap keeps some of it for itself
  check_that(limit(cudaLimitMallocHeapSize) == 8 << 20, "a heap of %zu", limit(cudaLimitMallocHeapSize));
  int first = taken();
  check_that(first > most / 2 && first <= most, "%d pieces of the default heap", first);
  check_that(taken() == 0, "pieces of a full heap");
  check_that(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20) == cudaErrorInvalidValue, "a late limit");
  cudaGetLastError();
  give_all<<<1, 1>>>();
  int again = taken();
  check_that(again == first, "%d pieces, then %d", first, again);
  CUDA_CHECK(cudaDeviceReset());
  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
  check_that(limit(cudaLimitMallocHeapSize) >= 32 << 20, "set to %zu", limit(cudaLimitMallocHeapSize));
  int larger = taken();
  check_that(larger > 3 * first, "%d pieces of 32 MiB", larger);
  CUDA_CHECK(cudaDeviceReset());
  check_that(limit(cudaLimitMallocHeapSize) == 8 << 20, "a reset leaves %zu", limit(cudaLimitMallocHeapSize));
}

static void stack_has_its_size() {
  int ones[KEPT], *from, *result, host = 0;
  for (int &one : ones)
    one = 1;
  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 128 << 10));
  check_that(limit(cudaLimitStackSize) >= 128 << 10, "a stack of %zu", limit(cudaLimitStackSize));
  CUDA_CHECK(cudaMalloc(&from, sizeof ones));
  CUDA_CHECK(cudaMalloc(&result, sizeof *result));
  CUDA_CHECK(cudaMemcpy(from, ones, sizeof ones, cudaMemcpyHostToDevice));
  go_deep<<<1, 1>>>(result, from);
  CUDA_CHECK(cudaMemcpy(&host, result, sizeof host, cudaMemcpyDeviceToHost));
  check_that(host == KEPT * DEPTH, "deep calls give %d", host);
}

int main() {
  size_t value;
  check_that(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1) != cudaSuccess, "an unknown limit");
  check_that(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)) != cudaSuccess, "asked");
  cudaGetLastError();
  heap_has_its_size();
  stack_has_its_size();
  return self_check_result();
}
