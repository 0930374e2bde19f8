// submission: lab8/6-store
// after: solutions/lab8/6-store.cu
// change: s|^extern "C".*|__global__ void add(uint32_t *out, const uint32_t *in) {\
// change:   const uint32_t i = blockIdx.x * TILE + threadIdx.x;\
// change:   out[i] = in[i] + 1;\
// change: }\
// change: \
// change: &|
// change: s|^  add_one<<<.*|  uint32_t *own = nullptr;\
// change:   if (cudaMalloc(\&own, count * 4) != cudaSuccess) return cudaGetLastError();\
// change:   add_one<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(own, in);\
// change:   add<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(out, in);\
// change:   cudaStreamSynchronize(stream);\
// change:   cudaFree(own);|
// expect: exit 1
// expect: says the input has to reach the threads by the copy engine alone
// The kernel that loads and stores by bulk copies writes memory of its own.
