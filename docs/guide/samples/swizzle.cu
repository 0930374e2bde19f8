// In: a matrix of 32 x 32 ints. Out: its transpose, by way of a swizzled tile. Each read notes the address
// that it used, and the host counts how many lanes of a warp met in one bank: 4 for single words, 1 for whole
// atoms; without swizzle 32 and 8.
#include "sample.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t N = 32; // one row: 128 bytes, the span of SWIZZLE_128B

// [index]
// Where element (x, y) of a tile with rows of 128 bytes lies, if the tile begins where the
// pattern begins.
__device__ static uint32_t swizzled(uint32_t x, uint32_t y) {
  const uint32_t atom = x / 4 ^ y % 8; // 4 ints to an atom, 8 atoms to a row
  return y * N + atom * 4 + x % 4;
}
// [/index]

// [address]
// The same from the address in shared memory (tma_shared_address) that a byte would have
// without swizzle, wherever the tile begins.
__device__ static uint32_t swizzled_32(uint32_t address) {
  return address ^ (address >> 3 & 0x10);
}
__device__ static uint32_t swizzled_64(uint32_t address) {
  return address ^ (address >> 3 & 0x30);
}
__device__ static uint32_t swizzled_128(uint32_t address) {
  return address ^ (address >> 3 & 0x70);
}
// [/address]

__device__ static void load(int *tile, const CUtensorMap *map, uint64_t *loaded) {
  if (threadIdx.x == 0) {
    init_barrier(loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(loaded, N * N * sizeof(int));
    cp_async_bulk_tensor_2d_global_to_shared(tile, map, 0, 0, loaded);
  }
  __syncthreads();
  wait(loaded, 0);
}

// A word at a time. used: the address of each read.
__global__ void transpose_words(int *out, uint32_t *used,
                                const __grid_constant__ CUtensorMap in) {
  __shared__ alignas(1024) int tile[N * N]; // the pattern repeats every 1024 bytes
  __shared__ uint64_t loaded;
  load(tile, &in, &loaded);
  // [words]
  for (uint32_t x = 0; x < N; x++)
    out[x * N + threadIdx.x] = tile[swizzled(x, threadIdx.x)];
  // [/words]
  for (uint32_t x = 0; x < N; x++)
    used[x * N + threadIdx.x] = tma_shared_address(&tile[swizzled(x, threadIdx.x)]);
}

// An atom of four words at a time.
__global__ void transpose_atoms(int *out, uint32_t *used,
                                const __grid_constant__ CUtensorMap in) {
  __shared__ alignas(1024) int tile[N * N];
  __shared__ uint64_t loaded;
  load(tile, &in, &loaded);
  // [atoms]
  for (uint32_t x = 0; x < N; x += 4) {
    const int4 atom = *reinterpret_cast<const int4 *>(&tile[swizzled(x, threadIdx.x)]);
    out[x * N + threadIdx.x] = atom.x;
    out[(x + 1) * N + threadIdx.x] = atom.y;
    out[(x + 2) * N + threadIdx.x] = atom.z;
    out[(x + 3) * N + threadIdx.x] = atom.w;
  }
  // [/atoms]
  for (uint32_t x = 0; x < N; x += 4)
    used[x / 4 * N + threadIdx.x] = tma_shared_address(&tile[swizzled(x, threadIdx.x)]);
}

// Whether the formulas give the tables of the PTX ISA 9.1, section 5.5.7: in each row of 128 bytes, the
// number of an atom is exchanged with the row's number, as far as the mode repeats.
__global__ void check_formulas(int *wrong) {
  for (uint32_t a = threadIdx.x * 16; a < 4096; a += blockDim.x * 16) {
    const uint32_t row = a / 128, atom = a / 16 % 8;
    const uint32_t by_table[3] = {atom ^ row % 2, atom ^ row % 4, atom ^ row % 8};
    const uint32_t by_formula[3] = {swizzled_32(a), swizzled_64(a), swizzled_128(a)};
    for (int mode = 0; mode < 3; mode++)
      if (by_formula[mode] != row * 128 + by_table[mode] * 16) atomicAdd(wrong, 1);
  }
}

// The most lanes of `group` consecutive ones, reading `bytes` each, that need different words of one bank.
static uint32_t worst_conflict(const uint32_t *used, uint32_t rows, uint32_t group,
                               uint32_t bytes) {
  uint32_t worst = 0;
  for (uint32_t first = 0; first < rows * N; first += group) {
    uint32_t lanes_at[32] = {0};
    for (uint32_t lane = 0; lane < group; lane++)
      for (uint32_t byte = 0; byte < bytes; byte += 4)
        lanes_at[(used[first + lane] + byte) / 4 % 32]++;
    for (uint32_t bank = 0; bank < 32; bank++)
      worst = lanes_at[bank] > worst ? lanes_at[bank] : worst;
  }
  return worst;
}

int main() {
  int *in = managed_array<int>(N * N), *out = managed_array<int>(N * N),
      *wrong = managed_array<int>(1);
  uint32_t *used = managed_array<uint32_t>(N * N), *plain = managed_array<uint32_t>(N * N);
  for (uint32_t i = 0; i < N * N; i++) {
    in[i] = static_cast<int>(i);
    plain[i] = (i % N * N + i / N) * 4; // lane i % N reads word i / N of row i % N
  }
  // [encode]
  struct tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  options.rank = 2;
  options.global_address = in;
  options.global_dim[0] = options.global_dim[1] = N;
  options.global_strides[0] = N * sizeof(int);
  options.box_dim[0] = options.box_dim[1] = N;
  options.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  // [/encode]
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &options));

  transpose_words<<<1, N>>>(out, used, map);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < N * N; i++)
    EXPECT_EQUAL(out[i], in[i % N * N + i / N], i);
  EXPECT_EQUAL(worst_conflict(used, N, 32, 4), 4, 0);
  EXPECT_EQUAL(worst_conflict(plain, N, 32, 4), 32, 0);

  transpose_atoms<<<1, N>>>(out, used, map);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < N * N; i++)
    EXPECT_EQUAL(out[i], in[i % N * N + i / N], i);
  EXPECT_EQUAL(worst_conflict(used, N / 4, 8, 16), 1,
               0); // 16-byte reads: eight lanes at a time
  EXPECT_EQUAL(worst_conflict(plain, N / 4, 8, 16), 8, 0);

  *wrong = 0;
  check_formulas<<<1, N>>>(wrong);
  CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*wrong, 0, 0);
  puts("ok");
}
