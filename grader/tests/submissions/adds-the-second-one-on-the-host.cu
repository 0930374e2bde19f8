// submission: lab8/7-read-or-all
// after: solutions/lab8/7-read-or-all.cu
// change: s|^#include "lab8.h"|&\
// change: #include <vector>|
// change: /out\[count + first/d
// change: s|^  return cudaGetLastError();|  std::vector<uint32_t> results(count);\
// change:   cudaMemcpyAsync(results.data(), out, count * 4, cudaMemcpyDeviceToHost, stream);\
// change:   cudaStreamSynchronize(stream);\
// change:   for (uint32_t \&result : results) result++;\
// change:   cudaMemcpyAsync(out + count, results.data(), count * 4, cudaMemcpyHostToDevice, stream);\
// change:   return cudaStreamSynchronize(stream);|
// expect: exit 1
// expect: says the results have to be read where the store has put them
