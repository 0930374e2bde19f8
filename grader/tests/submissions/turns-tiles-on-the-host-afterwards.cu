// submission: lab8/1-barrier
// after: solutions/lab8/1-barrier.cu
// change: s|^#include "lab8.h"|&\
// change: #include <vector>|
// change: s|^  return cudaGetLastError();|  std::vector<uint32_t> numbers(count), results(count);\
// change:   cudaMemcpyAsync(numbers.data(), in, count * 4, cudaMemcpyDeviceToHost, stream);\
// change:   cudaStreamSynchronize(stream);\
// change:   for (size_t i = 0; i < count; i++) results[i] = numbers[i ^ 127];\
// change:   cudaMemcpyAsync(out, results.data(), count * 4, cudaMemcpyHostToDevice, stream);\
// change:   return cudaStreamSynchronize(stream);|
// change: s/^  tile.me. = .*/  tile[me] = me;/
// expect: exit 1
// expect: says each number has to be written once
// The kernel with the barrier writes rubbish, and the host writes the results over it.
