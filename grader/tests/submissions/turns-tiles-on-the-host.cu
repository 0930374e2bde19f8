// submission: lab8/1-barrier
// after: solutions/lab8/1-barrier.cu
// change: s|^#include "lab8.h"|&\
// change: #include <vector>|
// change: s|^  turn_round<<<.*|  uint32_t *own = nullptr;\
// change:   if (cudaMalloc(\&own, count * 4) != cudaSuccess) return cudaGetLastError();\
// change:   cudaMemsetAsync(own, 0, count * 4, stream);\
// change:   turn_round<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(own, own);\
// change:   std::vector<uint32_t> numbers(count), results(count);\
// change:   cudaMemcpyAsync(numbers.data(), in, count * 4, cudaMemcpyDeviceToHost, stream);\
// change:   cudaStreamSynchronize(stream);\
// change:   for (size_t i = 0; i < count; i++) results[i] = numbers[i ^ 127];\
// change:   cudaMemcpyAsync(out, results.data(), count * 4, cudaMemcpyHostToDevice, stream);\
// change:   cudaStreamSynchronize(stream);\
// change:   cudaFree(own);|
// expect: exit 1
// expect: says the threads have to meet at a barrier in shared memory before they write
// The kernel with the barrier works on memory of its own, and the host computes the results.
