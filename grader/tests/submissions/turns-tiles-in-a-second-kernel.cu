// submission: lab8/2-parity
// after: solutions/lab8/2-parity.cu
// change: s|^extern "C".*|__global__ void turn(uint32_t *out, const uint32_t *in) {\
// change:   const uint32_t i = blockIdx.x * TILE + threadIdx.x;\
// change:   out[i] = in[i ^ (TILE - 1)];\
// change: }\
// change: \
// change: &|
// change: s|^  turn_round<<<.*|  uint32_t *own = nullptr;\
// change:   if (cudaMalloc(\&own, count * 4) != cudaSuccess) return cudaGetLastError();\
// change:   turn_round<<<static_cast<uint32_t>(count / (ROUNDS * TILE)), TILE, 0, stream>>>(own, in);\
// change:   turn<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(out, in);\
// change:   cudaStreamSynchronize(stream);\
// change:   cudaFree(own);|
// expect: exit 1
// expect: says the threads have to meet at a barrier in shared memory before they write
// The kernel with the barrier writes memory of its own. A kernel without one computes the results.
