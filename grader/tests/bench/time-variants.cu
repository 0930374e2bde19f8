// In: a size in MiB and a number of rounds. Out: one line for each of many kernels: its name, the bytes that
// it moves, microseconds (median), GB/s, and the ratio to a plain copy of as many bytes timed between them.
// The same program runs on a GPU and under `vhopper run --time`: the two tables, side by side, are the time
// model's accuracy (time-accuracy.sh). Every kernel's result is checked first.
//   time-variants MIB ROUNDS [PART-OF-A-NAME]
#include "cuda-check.h"
#include "tensor-map.h"
#include "time-kernels.cuh"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

enum family { PLAIN, WORDS, STRIDE, SCATTERED, THREADS, READ, TILE, BOX, RING, COUNTER, FULL, RING_READ };
enum { TRANSPOSE = RING_READ + 1, TRANSPOSE_CONFLICTS, TRANSPOSE_NAIVE, COPY, SET, ROLES_READ, FAMILIES };
static const char *const family_names[FAMILIES] = {"plain",
                                                   "words",
                                                   "stride",
                                                   "scattered",
                                                   "threads",
                                                   "read",
                                                   "tile",
                                                   "box",
                                                   "ring",
                                                   "counter",
                                                   "ring-full",
                                                   "ring-read",
                                                   "transpose",
                                                   "transpose-conflicts",
                                                   "transpose-naive",
                                                   "memcpy",
                                                   "memset",
                                                   "roles-read"};

// tile in bytes (BOX: box_width in floats, stages its height); blocks on a processor. ROLES_READ: threads
// with those of the loading warp; work 1: reads quads.
struct variant {
  int family;
  uint32_t tile, stages, threads, blocks, unread, work;
};

static const variant variants[] = {
#include "time-variants.def"
};

struct arrays {
  size_t bytes;
  int4 *in, *out;
  uint32_t *counter, *flush, *wrong;
};
enum { FLUSH_BYTES = 128 << 20, SHARED_OF_PROCESSOR = 228 << 10, SHARED_OF_BLOCK = 1024, FIXED = 512 };

__global__ void fill_numbers(uint32_t *to, size_t words) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < words; i += step)
    to[i] = static_cast<uint32_t>(i) * 0x9e3779b9u >> 3;
}

// width 0: out is in plus one; else the transposed matrix
__global__ void count_wrong(uint32_t *wrong, const uint32_t *out, size_t words, uint32_t width) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < words; i += step) {
    const size_t from = width ? i % width * width + i / width : i;
    const uint32_t expected = (static_cast<uint32_t>(from) * 0x9e3779b9u >> 3) + (width ? 0 : 1);
    if (out[i] != expected) atomicAdd(wrong, 1u);
  }
}

static std::string name_of(const variant &v) {
  char text[96];
  snprintf(text, sizeof text, "%s-%u-%u-%u-%u-%u-%u", family_names[v.family], v.tile, v.stages, v.threads,
           v.blocks, v.unread, v.work);
  return text;
}

static bool reads_only(int family) {
  return family == READ || family == RING_READ || family == ROLES_READ;
}

// Unused shared memory keeps more blocks than wanted off a processor.
static uint32_t shared_bytes(const variant &v, uint32_t used) {
  if (!v.blocks) return used;
  const uint32_t most = SHARED_OF_PROCESSOR / v.blocks - SHARED_OF_BLOCK - FIXED;
  const uint32_t more = SHARED_OF_PROCESSOR / (v.blocks + 1) - SHARED_OF_BLOCK;
  return std::min(most / 128 * 128, std::max(used, more / 128 * 128));
}

static CUtensorMap matrix_map(void *address, const job &j, size_t height) {
  tensor_map_options o = {};
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = 2;
  o.global_address = address;
  o.global_dim[0] = j.width;
  o.global_dim[1] = height;
  o.global_strides[0] = j.width * 4ull;
  o.box_dim[0] = j.box_width;
  o.box_dim[1] = j.box_height;
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

static int processors() {
  int count;
  CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

static job job_of(const variant &v, const arrays &a) {
  job j = {a.out, a.in, a.bytes / 16, v.tile / 16, v.stages, v.unread, v.work, 1, a.counter, 0, 0, 0};
  if (v.family == BOX) {
    j.width = 8192;
    j.box_width = v.tile;
    j.box_height = v.stages;
    j.tile = v.tile * v.stages / 4;
  }
  if (v.family == ROLES_READ) {
    j.width = 4096;
    j.box_width = 64;
    j.box_height = v.tile / 256;
  }
  if (v.family >= TRANSPOSE && v.family <= TRANSPOSE_NAIVE)
    for (j.width = 1024; 4ull * j.width * 2 * j.width * 2 <= a.bytes;)
      j.width *= 2;
  return j;
}

static void launch_box(const variant &v, const arrays &a, const job &j, uint32_t shared) {
  const size_t height = a.bytes / 4 / j.width;
  const CUtensorMap from = matrix_map(a.in, j, height), to = matrix_map(a.out, j, height);
  const dim3 grid(j.width / j.box_width, static_cast<uint32_t>(height / j.box_height));
  CUDA_CHECK(cudaFuncSetAttribute(one_box, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
  one_box<<<grid, v.threads, shared>>>(from, to, j);
}

template <int STAGES, int ROWS, bool QUADS>
static void launch_roles(const variant &v, const arrays &a, const job &j, uint32_t shared) {
  const auto kernel = roles_read<STAGES, ROWS, QUADS>;
  const CUtensorMap from = matrix_map(a.in, j, a.bytes / 4 / j.width);
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
  kernel<<<processors() * v.blocks, v.threads, shared>>>(from, j);
}

// The sizes that there is a kernel for.
static void launch_roles(const variant &v, const arrays &a, const job &j, uint32_t shared) {
  const uint32_t rows = v.tile / 256;
  if (rows == 32 && v.stages == 2 && !v.work) return launch_roles<2, 32, false>(v, a, j, shared);
  if (rows == 32 && v.stages == 4 && !v.work) return launch_roles<4, 32, false>(v, a, j, shared);
  if (rows == 32 && v.stages == 8 && !v.work) return launch_roles<8, 32, false>(v, a, j, shared);
  if (rows == 32 && v.stages == 2) return launch_roles<2, 32, true>(v, a, j, shared);
  if (rows == 32 && v.stages == 4) return launch_roles<4, 32, true>(v, a, j, shared);
  if (rows == 32 && v.stages == 8) return launch_roles<8, 32, true>(v, a, j, shared);
  if (rows == 128 && v.stages == 4 && !v.work) return launch_roles<4, 128, false>(v, a, j, shared);
  if (rows == 128 && v.stages == 4) return launch_roles<4, 128, true>(v, a, j, shared);
  fprintf(stderr, "time-variants: no kernel for %s\n", name_of(v).c_str());
  exit(1);
}

template <typename KERNEL>
static void launch_shared(KERNEL kernel, uint32_t blocks, const variant &v, const job &j, uint32_t shared) {
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
  kernel<<<blocks, v.threads, shared>>>(j);
}

static void launch_plain(const variant &v, const arrays &a, const job &j) {
  const uint32_t threads = v.threads ? v.threads : 1, chip = processors();
  const uint32_t each = static_cast<uint32_t>((j.quads + threads - 1) / threads);
  const dim3 sides(j.width / SIDE, j.width / SIDE), block(SIDE, ROWS_AT_ONCE);
  switch (v.family) {
  case PLAIN: plain<<<each, v.threads>>>(j); break;
  case WORDS: plain_words<<<4 * each, v.threads>>>(j); break;
  case STRIDE: plain_stride<<<chip * v.blocks, v.threads>>>(j); break;
  case SCATTERED: plain_scattered<<<4 * each, v.threads>>>(j); break;
  case READ: plain_read<<<chip * v.blocks, v.threads>>>(j); break;
  case TRANSPOSE: transpose<1><<<sides, block>>>(j); break;
  case TRANSPOSE_CONFLICTS: transpose<0><<<sides, block>>>(j); break;
  case TRANSPOSE_NAIVE: transpose_naive<<<sides, block>>>(j); break;
  case COPY: CUDA_CHECK(cudaMemcpyAsync(a.out, a.in, a.bytes, cudaMemcpyDeviceToDevice)); break;
  default: CUDA_CHECK(cudaMemsetAsync(a.out, 1, a.bytes)); break;
  }
}

static void launch(const variant &v, const arrays &a) {
  const job j = job_of(v, a);
  const uint32_t persistent = processors() * v.blocks;
  const uint32_t one = shared_bytes(v, j.tile * 16), ring_of = shared_bytes(v, j.tile * 16 * v.stages);
  switch (v.family) {
  case THREADS: launch_shared(staged_by_threads, persistent, v, j, one); break;
  case TILE: launch_shared(one_tile, static_cast<uint32_t>(j.quads / j.tile), v, j, one); break;
  case BOX: launch_box(v, a, j, one); break;
  case RING: launch_shared(ring<false, false>, persistent, v, j, ring_of); break;
  case COUNTER: launch_shared(ring<true, false>, persistent, v, j, ring_of); break;
  case FULL: launch_shared(ring<false, true>, persistent, v, j, ring_of); break;
  case RING_READ: launch_shared(ring_read, persistent, v, j, ring_of); break;
  case ROLES_READ: launch_roles(v, a, j, ring_of); break;
  default: launch_plain(v, a, j); break;
  }
  CUDA_CHECK(cudaGetLastError());
}

static uint64_t bytes_moved(const variant &v, const arrays &a) {
  const job j = job_of(v, a);
  const bool square = v.family >= TRANSPOSE && v.family <= TRANSPOSE_NAIVE;
  if (square) return 8ull * j.width * j.width;
  return reads_only(v.family) || v.family == SET ? a.bytes : 2 * a.bytes;
}

static void check(const variant &v, const arrays &a) {
  if (reads_only(v.family) || v.family == COPY || v.family == SET) return;
  const job j = job_of(v, a);
  const bool square = v.family >= TRANSPOSE && v.family <= TRANSPOSE_NAIVE;
  uint32_t wrong = 0;
  CUDA_CHECK(cudaMemset(a.out, 0xff, a.bytes));
  CUDA_CHECK(cudaMemset(a.counter, 0, sizeof *a.counter));
  launch(v, a);
  CUDA_CHECK(cudaMemset(a.wrong, 0, sizeof *a.wrong));
  count_wrong<<<1056, 256>>>(a.wrong, reinterpret_cast<const uint32_t *>(a.out),
                             square ? size_t{j.width} * j.width : a.bytes / 4, square ? j.width : 0);
  CUDA_CHECK(cudaMemcpy(&wrong, a.wrong, sizeof wrong, cudaMemcpyDeviceToHost));
  if (!wrong) return;
  fprintf(stderr, "time-variants: %s gives %u wrong words\n", name_of(v).c_str(), wrong);
  exit(1);
}

// Microseconds by events. The cache holds other lines before.
static float time_once(const variant &v, const arrays &a) {
  static cudaEvent_t begin, end;
  if (!begin) CUDA_CHECK(cudaEventCreate(&begin));
  if (!end) CUDA_CHECK(cudaEventCreate(&end));
  CUDA_CHECK(cudaMemsetAsync(a.counter, 0, sizeof *a.counter));
  CUDA_CHECK(cudaMemsetAsync(a.flush, 0, FLUSH_BYTES));
  CUDA_CHECK(cudaEventRecord(begin));
  launch(v, a);
  CUDA_CHECK(cudaEventRecord(end));
  CUDA_CHECK(cudaEventSynchronize(end));
  float milliseconds;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return 1000 * milliseconds;
}

static float median(std::vector<float> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int main(int count, char **arguments) {
  const size_t mib = count > 1 ? strtoul(arguments[1], nullptr, 10) : 64;
  const int rounds = count > 2 ? atoi(arguments[2]) : 1;
  const char *part = count > 3 ? arguments[3] : "";
  const variant copy = {COPY, 0, 0, 0, 0, 0, 0};
  arrays a = {mib << 20, nullptr, nullptr, nullptr, nullptr, nullptr};
  CUDA_CHECK(cudaMalloc(&a.in, a.bytes));
  CUDA_CHECK(cudaMalloc(&a.out, a.bytes));
  CUDA_CHECK(cudaMalloc(&a.counter, sizeof *a.counter));
  CUDA_CHECK(cudaMalloc(&a.wrong, sizeof *a.wrong));
  CUDA_CHECK(cudaMalloc(&a.flush, FLUSH_BYTES));
  fill_numbers<<<1056, 256>>>(reinterpret_cast<uint32_t *>(a.in), a.bytes / 4);
  const char *no_check = getenv("TIME_VARIANTS_NO_CHECK");
  for (const variant &v : variants) {
    const std::string name = name_of(v);
    if (!strstr(name.c_str(), part)) continue;
    if (!no_check) check(v, a);
    std::vector<float> times, copies;
    for (int i = 0; i < rounds; i++) {
      copies.push_back(time_once(copy, a));
      times.push_back(time_once(v, a));
    }
    const double us = median(times), rate = static_cast<double>(bytes_moved(v, a)) / us / 1e3;
    const double of_copy = 2.0 * static_cast<double>(a.bytes) / median(copies) / 1e3;
    printf("%-36s %12llu bytes %10.2f us %8.1f GB/s %6.3f\n", name.c_str(),
           static_cast<unsigned long long>(bytes_moved(v, a)), us, rate, rate / of_copy);
    fflush(stdout);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
