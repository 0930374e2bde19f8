// submission: lab8/2-parity
// after: solutions/lab8/2-parity.cu
// change: s|^#include "lab8.h"|&\
// change: #include <vector>|
// change: s/tile.me. = in.first + me.;/tile[me] = in[(first + me) ^ 127];/
// change: s|^  turn_round<<<.*|  std::vector<uint32_t> numbers(count), results(count);\
// change:   cudaMemcpyAsync(numbers.data(), in, count * 4, cudaMemcpyDeviceToHost, stream);\
// change:   cudaStreamSynchronize(stream);\
// change:   for (size_t i = 0; i < count; i++) results[i] = numbers[i ^ 127];\
// change:   uint32_t *own = nullptr;\
// change:   if (cudaMalloc(\&own, count * 4) != cudaSuccess) return cudaGetLastError();\
// change:   for (size_t i = 0; i < count; i++) numbers[i] = results[i];\
// change:   cudaMemcpyAsync(own, numbers.data(), count * 4, cudaMemcpyHostToDevice, stream);\
// change:   turn_round<<<static_cast<uint32_t>(count / (ROUNDS * TILE)), TILE, 0, stream>>>(out, own);\
// change:   cudaStreamSynchronize(stream);\
// change:   cudaFree(own);|
// expect: exit 1
// expect: says the numbers have to come from the input by the tile in shared memory
// The host computes the results, and the kernel with the barrier only copies them.
