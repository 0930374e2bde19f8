// Several threads raise one flag: all write the same value, so it doesn't matter which of them comes last.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ int found;
  const size_t at = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  if (in[at] % 2 == 1) found = 1;
  __syncthreads();
  out[at] = in[at] + found;
}

int main() {
  return corpus_check(
      2 * 128, [](int *out, const int *in) { kernel<<<2, 128>>>(out, in); }, corpus_plus_one);
}
