// Shared parts of the conformance programs: kernels that move one tile and print all of shared memory, and
// functions that print. In: a case. Out: bytes on stdout, the same on every Hopper and on the virtual Hopper.
// The chip's output is kept as NAME.expected. The code here doesn't use the kit's interface. The instructions
// are written out, so that an error in the interface can't hide an error here.
#ifndef TMA_LAB_TESTS_CONFORMANCE_CUH
#define TMA_LAB_TESTS_CONFORMANCE_CUH

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

static inline void must(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  printf("%s: %s\n", what, cudaGetErrorName(error));
  exit(1);
}
#define MUST(call) must((call), #call)

// ---- printing ---------------------------------------------------------------------------------------------

static inline uint64_t fingerprint(const void *bytes, size_t size) { // FNV-1a
  uint64_t sum = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < size; i++)
    sum = (sum ^ static_cast<const uint8_t *>(bytes)[i]) * 0x100000001b3ull;
  return sum;
}

// Prints the fingerprint, then lines of 32 bytes. Lines that equal the previous line are only counted. After
// `most` lines the function prints no more lines.
static inline void show(const char *label, const void *memory, size_t size, size_t most = 64) {
  const uint8_t *bytes = static_cast<const uint8_t *>(memory);
  printf("%s: %zu bytes, fingerprint %016llx\n", label, size, (unsigned long long)fingerprint(memory, size));
  size_t repeats = 0, lines = 0;
  for (size_t at = 0; at < size && lines < most; at += 32) {
    size_t count = size - at < 32 ? size - at : 32;
    if (at && count == 32 && !memcmp(bytes + at, bytes + at - 32, 32)) {
      repeats++;
      continue;
    }
    if (repeats) printf("  (%zu more)\n", repeats);
    repeats = 0;
    printf("  %05zx ", at);
    for (size_t i = 0; i < count; i++)
      printf("%s%02x", i % 8 ? "" : " ", bytes[at + i]);
    printf("\n");
    lines++;
  }
  if (repeats) printf("  (%zu more)\n", repeats);
}

// ---- tensor maps ------------------------------------------------------------------------------------------

struct tensor_case {
  const char *name;
  CUtensorMapDataType type;
  uint32_t element_bytes, rank;
  uint64_t dim[5], stride[4]; // stride in bytes; 0: contiguous, rounded up to 16
  uint32_t box[5], element_stride[5];
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;
  int32_t coordinate[5];
  uint32_t shared_offset; // offset of the tile from a multiple of 1024
};

typedef CUresult encode_function(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                 const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                                 CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);

static inline encode_function *find_encode() {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess) {
    printf("no cuTensorMapEncodeTiled\n");
    exit(1);
  }
  return reinterpret_cast<encode_function *>(found);
}

// Fills in the fields that a case left at zero. Returns the bytes of the whole tensor.
static inline size_t complete(tensor_case &c) {
  size_t bytes = c.dim[0] * c.element_bytes;
  for (uint32_t i = 0; i + 1 < c.rank; i++) {
    if (!c.stride[i]) c.stride[i] = ((i ? c.stride[i - 1] * c.dim[i] : bytes) + 15) / 16 * 16;
    bytes = c.stride[i] * c.dim[i + 1];
  }
  for (uint32_t i = 0; i < 5; i++)
    if (!c.element_stride[i]) c.element_stride[i] = 1;
  return (bytes + 15) / 16 * 16;
}

static inline CUresult encode(const tensor_case &c, void *tensor, CUtensorMap *map) {
  cuuint64_t dim[5], stride[4];
  cuuint32_t box[5], element_stride[5];
  for (int i = 0; i < 5; i++) {
    dim[i] = c.dim[i];
    box[i] = c.box[i];
    element_stride[i] = c.element_stride[i];
    if (i < 4) stride[i] = c.stride[i];
  }
  return find_encode()(map, c.type, c.rank, tensor, dim, stride, box, element_stride, c.interleave, c.swizzle,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, c.fill);
}

// ---- device -----------------------------------------------------------------------------------------------

static __device__ __forceinline__ uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
static __device__ __forceinline__ void barrier_init(uint64_t *bar, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(shared_address(bar)), "r"(count) : "memory");
}
static __device__ __forceinline__ void barrier_expect(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(bar)), "r"(bytes)
               : "memory");
}
static __device__ __forceinline__ void barrier_complete(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(shared_address(bar)), "r"(bytes)
               : "memory");
}
static __device__ __forceinline__ void barrier_arrive(uint64_t *bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(shared_address(bar)) : "memory");
}
static __device__ __forceinline__ bool barrier_test(uint64_t *bar, uint32_t parity) {
  uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(shared_address(bar)), "r"(parity)
      : "memory");
  return done;
}
static __device__ __forceinline__ bool barrier_try(uint64_t *bar, uint32_t parity) { // waits up to 0.1 ms
  uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 100000; selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(shared_address(bar)), "r"(parity)
      : "memory");
  return done;
}
static __device__ __forceinline__ void barrier_wait(uint64_t *bar, uint32_t parity) {
  while (!barrier_try(bar, parity))
    continue;
}
static __device__ __forceinline__ void fence_async() {
  asm volatile("fence.proxy.async;" ::: "memory");
}
static __device__ __forceinline__ void commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ __forceinline__ void wait_all_groups() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static constexpr uint32_t tile_room = 64 << 10, poison = 0xa5a5a5a5u;
static constexpr uint32_t shared_bytes = tile_room + 1024;

// Returns the tile area, at a multiple of 1024 in shared addresses.
static __device__ __forceinline__ uint8_t *tile_area() {
  extern __shared__ uint8_t dynamic[];
  uint32_t address = shared_address(dynamic);
  return dynamic + ((address + 1023) / 1024 * 1024 - address);
}

#define TENSOR_LOAD(rank, coordinates, ...)                                                         \
  asm volatile("cp.async.bulk.tensor." #rank                                                        \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " coordinates \
               "], [%2];"                                                                           \
               :                                                                                    \
               : "r"(to), "l"(map), "r"(bar), __VA_ARGS__                                           \
               : "memory")
#define TENSOR_STORE(rank, coordinates, ...)                                                          \
  asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.tile.bulk_group [%1, " coordinates \
               "], [%0];"                                                                             \
               :                                                                                      \
               : "r"(from), "l"(map), __VA_ARGS__                                                     \
               : "memory")

static __device__ __forceinline__ void tensor_load(int rank, uint32_t to, const CUtensorMap *map,
                                                   uint32_t bar, const int32_t *c) {
  switch (rank) {
  case 1: TENSOR_LOAD(1, "{%3}", "r"(c[0])); break;
  case 2: TENSOR_LOAD(2, "{%3, %4}", "r"(c[0]), "r"(c[1])); break;
  case 3: TENSOR_LOAD(3, "{%3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
  case 4: TENSOR_LOAD(4, "{%3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
  case 5:
    TENSOR_LOAD(5, "{%3, %4, %5, %6, %7}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
    break;
  }
}
static __device__ __forceinline__ void tensor_store(int rank, uint32_t from, const CUtensorMap *map,
                                                    const int32_t *c) {
  switch (rank) {
  case 1: TENSOR_STORE(1, "{%2}", "r"(c[0])); break;
  case 2: TENSOR_STORE(2, "{%2, %3}", "r"(c[0]), "r"(c[1])); break;
  case 3: TENSOR_STORE(3, "{%2, %3, %4}", "r"(c[0]), "r"(c[1]), "r"(c[2])); break;
  case 4: TENSOR_STORE(4, "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])); break;
  case 5:
    TENSOR_STORE(5, "{%2, %3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
    break;
  }
}

struct tile_place {
  int32_t coordinate[5];
  uint32_t offset;
};

// Loads a tile into poisoned shared memory, measures how many bytes the copy reports to its barrier, and
// copies all shared memory out.
static __global__ void load_tile(const __grid_constant__ CUtensorMap map, int rank, tile_place place,
                                 uint32_t *memory, uint32_t words, uint32_t *bytes) {
  __shared__ uint64_t bar;
  constexpr uint32_t plenty = 1 << 19, unit = 16;
  uint8_t *area = tile_area();
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    reinterpret_cast<uint32_t *>(area)[i] = poison;
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(&bar, plenty);
    tensor_load(rank, shared_address(area) + place.offset, &map, shared_address(&bar), place.coordinate);
    for (int i = 0; i < 20; i++) // no thread has arrived, so the phase stays; meanwhile the tile lands
      if (barrier_try(&bar, 0)) break;
    barrier_arrive(&bar);
    uint32_t missing = 0;
    while (!barrier_test(&bar, 0) && missing < plenty) {
      barrier_complete(&bar, unit);
      missing += unit;
    }
    *bytes = plenty - missing;
  }
  __syncthreads();
  if (!barrier_test(&bar, 0)) return;
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    memory[i] = reinterpret_cast<uint32_t *>(area)[i];
}

// Fills shared memory, and stores a tile from there.
static __global__ void store_tile(const __grid_constant__ CUtensorMap map, int rank, tile_place place,
                                  const uint32_t *contents) {
  uint8_t *area = tile_area();
  for (uint32_t i = threadIdx.x; i < tile_room / 4; i += blockDim.x)
    reinterpret_cast<uint32_t *>(area)[i] = contents[i];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor_store(rank, shared_address(area) + place.offset, &map, place.coordinate);
    commit_group();
    wait_all_groups();
  }
}

// ---- cases ------------------------------------------------------------------------------------------------

static inline tile_place place_of(const tensor_case &c) {
  tile_place place = {};
  memcpy(place.coordinate, c.coordinate, sizeof place.coordinate);
  place.offset = c.shared_offset;
  return place;
}

// Returns the words of shared memory to show: the box without gaps, and 256 bytes more.
static inline uint32_t box_words(const tensor_case &c) {
  uint32_t bytes = c.element_bytes;
  for (uint32_t i = 0; i < c.rank; i++)
    bytes *= c.box[i];
  bytes = (bytes + c.shared_offset + 256 + 31) / 32 * 32;
  return (bytes < tile_room ? bytes : tile_room) / 4;
}

struct device_bytes {
  uint8_t *at = nullptr;
  explicit device_bytes(size_t size) { MUST(cudaMalloc(reinterpret_cast<void **>(&at), size)); }
  ~device_bytes() { cudaFree(at); }
  device_bytes(const device_bytes &) = delete;
  device_bytes &operator=(const device_bytes &) = delete;
};

// Element i of the tensor's memory holds i + 1 (in its low bytes), so that each element can be recognised.
static inline std::vector<uint8_t> numbered(size_t bytes, uint32_t element_bytes) {
  std::vector<uint8_t> contents(bytes);
  for (size_t i = 0; i < bytes / element_bytes; i++) {
    uint64_t value = i + 1;
    memcpy(&contents[i * element_bytes], &value, element_bytes);
  }
  return contents;
}

static inline void load_case(tensor_case c, const std::vector<uint8_t> *contents = nullptr) {
  size_t bytes = complete(c);
  device_bytes tensor(bytes + 4096), memory(tile_room), told(4);
  std::vector<uint8_t> source = contents ? *contents : numbered(bytes, c.element_bytes);
  source.resize(bytes + 4096);
  MUST(cudaMemcpy(tensor.at, source.data(), source.size(), cudaMemcpyHostToDevice));
  alignas(64) CUtensorMap map;
  CUresult result = encode(c, tensor.at, &map);
  if (result != CUDA_SUCCESS) {
    printf("%s: encode says %d\n", c.name, static_cast<int>(result));
    return;
  }
  uint32_t words = box_words(c), count = 0;
  MUST(cudaFuncSetAttribute(load_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  load_tile<<<1, 128, shared_bytes>>>(map, static_cast<int>(c.rank), place_of(c),
                                      reinterpret_cast<uint32_t *>(memory.at), words,
                                      reinterpret_cast<uint32_t *>(told.at));
  MUST(cudaDeviceSynchronize());
  std::vector<uint8_t> shown(words * 4);
  MUST(cudaMemcpy(shown.data(), memory.at, shown.size(), cudaMemcpyDeviceToHost));
  MUST(cudaMemcpy(&count, told.at, 4, cudaMemcpyDeviceToHost));
  printf("%s: %u bytes told\n", c.name, count);
  show(c.name, shown.data(), shown.size());
}

// Before the store, the tensor's bytes are all 0xee. The tile: byte i of shared memory is (i + i / 256) mod
// 251.
static inline void store_case(tensor_case c) {
  size_t bytes = complete(c);
  device_bytes tensor(bytes + 4096), memory(tile_room);
  MUST(cudaMemset(tensor.at, 0xee, bytes + 4096));
  std::vector<uint8_t> tile(tile_room);
  for (size_t i = 0; i < tile.size(); i++)
    tile[i] = static_cast<uint8_t>((i + i / 256) % 251);
  MUST(cudaMemcpy(memory.at, tile.data(), tile.size(), cudaMemcpyHostToDevice));
  alignas(64) CUtensorMap map;
  CUresult result = encode(c, tensor.at, &map);
  if (result != CUDA_SUCCESS) {
    printf("%s: encode says %d\n", c.name, static_cast<int>(result));
    return;
  }
  MUST(cudaFuncSetAttribute(store_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  store_tile<<<1, 128, shared_bytes>>>(map, static_cast<int>(c.rank), place_of(c),
                                       reinterpret_cast<uint32_t *>(memory.at));
  MUST(cudaDeviceSynchronize());
  std::vector<uint8_t> shown(bytes + 64);
  MUST(cudaMemcpy(shown.data(), tensor.at, shown.size(), cudaMemcpyDeviceToHost));
  show(c.name, shown.data(), shown.size());
}

#endif
