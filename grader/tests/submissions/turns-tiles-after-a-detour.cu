// submission: lab8/4-load
// after: solutions/lab8/4-load.cu
// change: s|^extern "C".*|__global__ void turn(uint32_t *out, const uint32_t *in) {\
// change:   const uint32_t i = blockIdx.x * TILE + threadIdx.x;\
// change:   out[i] = in[i ^ (TILE - 1)];\
// change: }\
// change: \
// change: &|
// change: s/tile.TILE - 1 - me.;/tile[me];/
// change: s|^  \([a-z_]*\)<<<.*|  uint32_t *own = nullptr;\
// change:   if (cudaMalloc(\&own, count * 4) != cudaSuccess) return cudaGetLastError();\
// change:   \1<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(own, in);\
// change:   turn<<<static_cast<uint32_t>(count / TILE), TILE, 0, stream>>>(out, own);\
// change:   cudaStreamSynchronize(stream);\
// change:   cudaFree(own);|
// expect: exit 1
// expect: says the results have to come from the tile in shared memory
// One kernel loads the tiles, and writes them to memory of its own. Another one computes the results.
