// attack: 1-bulk-copy-1d
// tries: draws the numbers that it expects the grader to draw
// expect: exit 1
// expect: says No element is right
// expect: says starts no kernel
#include "lab9.h"
#include <cstdlib>
#include <vector>
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  std::vector<int32_t> guess(count);
  srand(1);
  for (int32_t &value : guess)
    value = rand() + 1;
  return cudaMemcpyAsync(data, guess.data(), 4 * count, cudaMemcpyHostToDevice, stream);
}
