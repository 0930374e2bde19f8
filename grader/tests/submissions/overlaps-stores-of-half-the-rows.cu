// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/launch_matmul/run_all/
// expect: exit 1
// expect: says the stores of a tile have to overlap with the loads of the next one
// expect: says in blocks that move less than 85 % of the bytes
// Blocks of one tile each: nothing is loaded while results leave.
static cudaError_t launch_one_each(const CUtensorMap &a_map, const CUtensorMap &b_map,
                                   const CUtensorMap &c_map, size_t m, size_t n, size_t k,
                                   cudaStream_t stream) {
  const size_t down = (m + ROWS - 1) / ROWS, across = (n + COLUMNS - 1) / COLUMNS;
  cudaError_t error =
      cudaFuncSetAttribute(matmul, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(storage));
  if (error != cudaSuccess) return error;
  matmul<<<static_cast<uint32_t>(down * across), THREADS, sizeof(storage), stream>>>(
      a_map, b_map, c_map,
      {static_cast<uint32_t>(k), static_cast<uint32_t>(down), static_cast<uint32_t>(across)});
  return cudaGetLastError();
}
static cudaError_t part(uint16_t *c, const uint16_t *a, const uint16_t *b, size_t m, size_t n, size_t k,
                        bool show, cudaStream_t stream) {
  CUtensorMap a_map, b_map, c_map;
  if (m == 0) return cudaSuccess;
  cudaError_t error = encode_matrix(&a_map, a, m, k, ROWS, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error == cudaSuccess) error = encode_matrix(&b_map, b, n, k, COLUMNS, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error == cudaSuccess) error = encode_matrix(&c_map, c, m, n, GROUP_ROWS, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error != cudaSuccess) return error;
  return show ? launch_tiles(matmul, a_map, b_map, c_map, m, n, k, stream)
              : launch_one_each(a_map, b_map, c_map, m, n, k, stream);
}
extern "C" cudaError_t launch_matmul(uint16_t *c, const uint16_t *a, const uint16_t *b, size_t m, size_t n,
                                     size_t k, cudaStream_t stream) {
  const size_t first = m / 128 / 2 * 128;
  cudaError_t error = part(c, a, b, first, n, k, true, stream);
  if (error == cudaSuccess) error = part(c + first * n, a + first * k, b, m - first, n, k, false, stream);
  return error;
}
