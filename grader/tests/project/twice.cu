// Called from another file: compiled with separable compilation.
static __device__ int same(int value) {
  return value;
}
__device__ int table[4] = {1, 2, 3, 4};
__device__ int twice(int value) {
  return 2 * same(value);
}
