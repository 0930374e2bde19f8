// The host makes, fills, hands on and frees memory of its own, and asks for each error.
#include "corpus.h"

__global__ void plus_one(int *out, const int *in, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = in[i] + 1;
}

static void through_scratch(int *out, const int *in, int count) {
  const size_t bytes = sizeof(int) * static_cast<size_t>(count);
  int *scratch;
  CUDA_CHECK(cudaMalloc(&scratch, bytes));
  CUDA_CHECK(cudaMemcpy(scratch, in, bytes, cudaMemcpyDeviceToDevice));
  plus_one<<<(count + 127) / 128, 128>>>(out, scratch, count);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(scratch));
  // A call that fails, and is asked about, is no mistake.
  if (cudaMemset(scratch, 0, bytes) == cudaSuccess || cudaGetLastError() == cudaSuccess)
    check_that(false, "freed memory can be filled");
}

int main() {
  return corpus_check(
      300, [](int *out, const int *in) { through_scratch(out, in, 300); }, corpus_plus_one);
}
