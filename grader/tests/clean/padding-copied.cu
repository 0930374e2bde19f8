// Structs are copied with their padding, and words as a whole, from memory that is written in part: no
// mistake. Values that nobody wrote are read, and not used.
#include "corpus.h"

struct alignas(16) padded {
  char tag;
  int value;
};

__global__ void through_structs(int *out, const int *in, padded *scratch, int count) {
  __shared__ padded tile[64];
  __shared__ int sums[64];
  const int i = static_cast<int>(threadIdx.x);
  if (i < count) {
    tile[i].tag = 1;
    tile[i].value = in[i];
    sums[i] = 1;
  }
  __syncthreads();
  // All are copied, the unwritten ones, too.
  reinterpret_cast<int4 *>(scratch)[i] = reinterpret_cast<const int4 *>(tile)[i];
  const int other = sums[i];
  __syncthreads();
  if (i < count) out[i] = scratch[i].value + other;
}

int main() {
  padded *scratch;
  CUDA_CHECK(cudaMalloc(&scratch, 64 * sizeof(padded)));
  const int status = corpus_check(
      40, [&](int *out, const int *in) { through_structs<<<1, 64>>>(out, in, scratch, 40); },
      corpus_plus_one);
  CUDA_CHECK(cudaFree(scratch));
  return status;
}
