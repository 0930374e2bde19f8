// submission: lab8/7-read-or-all
// after: solutions/lab8/7-read-or-all.cu
// change: s|^extern "C".*|__global__ void add(uint32_t *out, const uint32_t *in, size_t count) {\
// change:   const uint32_t i = blockIdx.x * TILE + threadIdx.x;\
// change:   out[i] = in[i] + 1;\
// change:   out[count + i] = in[i] + 2;\
// change: }\
// change: \
// change: &|
// change: s|^  add_twice<<<.*|  uint32_t *own = nullptr;\
// change:   if (cudaMalloc(\&own, count * 8) != cudaSuccess) return cudaGetLastError();\
// change:   add_twice<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(own, in, count);\
// change:   add<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(out, in, count);\
// change:   cudaStreamSynchronize(stream);\
// change:   cudaFree(own);|
// expect: exit 1
// expect: says the threads have to write the second half alone
// The kernel with the store writes memory of its own.
