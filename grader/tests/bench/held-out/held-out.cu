// In: a set of kernels, a size in MiB, a number of rounds. Out: a line for each kernel: its name, the bytes
// that it moves, microseconds (median), and the ratio to a plain copy timed between its launches. The same
// program runs on a GPU and under `vhopper run --time`; held-out.sh puts both side by side. On a GPU each
// kernel's result is checked first.
//   held-out SET MIB ROUNDS [NAME]
#include "boxes.cuh"
#include "bulk.cuh"
#include "cuda-check.h"
#include "plain.cuh"
#include "tensor-map.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

enum check { NOT, SAME, ONE_MORE, TURNED, SUM };
enum { FLUSH_BYTES = 128 << 20, SHARED_OF_PROCESSOR = 228 << 10, SHARED_OF_BLOCK = 1024, FIXED = 1024 };
enum { MATRIX_WIDTH = 8192, CUBE_WIDTH = 512, CUBE_HEIGHT = 256, MOST_FLAGS = 1 << 20 };

struct arrays {
  size_t bytes;
  int4 *in, *out;
  uint32_t *counter, *flush, *places;
  uint64_t *flags, *sums;
};
struct variant {
  int set;
  const char *family;
  uint32_t p[PARAMETERS];
};
static const variant variants[] = {
#include "held-out.def"
};

// ---- launches ---------------------------------------------------------------------------------------------

static uint32_t processors() {
  int count;
  CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<uint32_t>(count);
}

// Unused shared memory keeps more blocks than wanted off a processor.
static uint32_t shared_for(uint32_t blocks, uint32_t used) {
  const uint32_t most = SHARED_OF_PROCESSOR / blocks - SHARED_OF_BLOCK - FIXED;
  const uint32_t more = SHARED_OF_PROCESSOR / (blocks + 1) - SHARED_OF_BLOCK;
  return std::min(most / 128 * 128, std::max(used, more / 128 * 128));
}

template <typename KERNEL, typename... ARGUMENTS>
static void start(KERNEL kernel, dim3 grid, uint32_t threads, uint32_t shared, ARGUMENTS... arguments) {
  if (shared)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
  kernel<<<grid, threads, shared>>>(arguments...);
}

template <typename KERNEL>
static void start_clusters(KERNEL kernel, uint32_t grid, uint32_t threads, uint32_t shared, uint32_t size,
                           job j) {
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = size;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(grid);
  c.blockDim = dim3(threads);
  c.dynamicSmemBytes = shared;
  c.attrs = &a;
  c.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&c, kernel, j));
}

// width, height and depth in words; a box of b[0] x b[1] x b[2]
static CUtensorMap map_of(const void *address, const job &j, uint32_t rank, const uint32_t *b, bool swizzled,
                          bool turned) {
  tensor_map_options o = {};
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = rank;
  o.global_address = address;
  o.global_dim[0] = rank == 3 ? CUBE_WIDTH : turned ? j.height : j.width;
  o.global_dim[1] = rank == 3 ? CUBE_HEIGHT : turned ? j.width : j.height;
  o.global_dim[2] = j.quads * 4 / (CUBE_WIDTH * CUBE_HEIGHT);
  o.global_strides[0] = o.global_dim[0] * 4;
  o.global_strides[1] = o.global_dim[1] * o.global_strides[0];
  for (uint32_t i = 0; i < rank; i++)
    o.box_dim[i] = b[i];
  if (swizzled) o.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

static uint32_t blocks_for(const job &j, size_t bytes) {
  return static_cast<uint32_t>(j.quads * 16 / bytes);
}

static void run_pieces(const job &j) {
  start(pieces, blocks_for(j, j.p[1]), j.p[3], shared_for(j.p[4], j.p[1]), j);
}
static void run_crew(const job &j) {
  start(crew, processors() * j.p[3], (j.p[2] + 1) * 32, shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_batch(const job &j) {
  start(batch, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_spill(const job &j) {
  start(spill, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_pour(const job &j) {
  start(pour, processors() * j.p[2], 128, shared_for(j.p[2], j.p[0]), j);
}
static void run_adds(const job &j) {
  start(adds, blocks_for(j, j.p[0]), j.p[1], shared_for(j.p[2], j.p[0]), j);
}
static void run_rows_in(const job &j) {
  start(rows<false>, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_rows_out(const job &j) {
  start(rows<true>, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_level(const job &j) {
  start(level, blocks_for(j, j.p[0]), j.p[1], shared_for(j.p[2], j.p[0]), j);
}
static void run_twins(const job &j) {
  start(twins, processors() * j.p[3], j.p[2], shared_for(j.p[3], 2 * j.p[0] * j.p[1]), j);
}

template <typename T> static void run_each_of(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * j.p[1] * j.p[2]);
  if (j.p[1] == 1)
    start(each<T, 1>, blocks, j.p[2], 0, j);
  else if (j.p[1] == 2)
    start(each<T, 2>, blocks, j.p[2], 0, j);
  else if (j.p[1] == 4)
    start(each<T, 4>, blocks, j.p[2], 0, j);
  else
    start(each<T, 8>, blocks, j.p[2], 0, j);
}
static void run_each(const job &j) {
  switch (j.p[0]) {
  case 1: return run_each_of<unsigned char>(j);
  case 2: return run_each_of<unsigned short>(j);
  case 4: return run_each_of<int>(j);
  case 8: return run_each_of<int2>(j);
  default: return run_each_of<int4>(j);
  }
}
static void run_own(const job &j) {
  start(own, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[1], 0, j);
}
static void run_async(const job &j) {
  const uint32_t shared = shared_for(j.p[3], j.p[0] * j.p[1]), blocks = processors() * j.p[3];
  if (j.p[1] == 2) start(async_ring<2>, blocks, j.p[2], shared, j);
  if (j.p[1] == 3) start(async_ring<3>, blocks, j.p[2], shared, j);
  if (j.p[1] == 4) start(async_ring<4>, blocks, j.p[2], shared, j);
}
static void run_turn(const job &j) {
  const dim3 grid(j.width / j.p[0], j.height / j.p[0]);
  if (j.p[0] == 32 && j.p[1]) return start(turn<32, 1>, grid, j.p[2], 0, j);
  if (j.p[0] == 32) return start(turn<32, 0>, grid, j.p[2], 0, j);
  if (j.p[0] == 16) return start(turn<16, 1>, grid, j.p[2], 0, j);
  start(turn<64, 1>, grid, j.p[2], 0, j);
}
static void run_row_sums(const job &j) {
  start(row_sums, blocks_for(j, size_t{j.p[0]} * (j.p[1] / 32)), j.p[1], 0, j);
}
static void run_column_sums(const job &j) {
  start(column_sums, dim3(2048 / j.p[1], blocks_for(j, size_t{j.p[0]} * 32768)), j.p[1], 0, j);
}
static void run_four(const job &j) {
  start(four, blocks_for(j, size_t{j.p[0]} * 64), j.p[0], 0, j);
}
static void run_widen(const job &j) {
  start(widen, blocks_for(j, size_t{j.p[0]} * 16), j.p[0], 0, j);
}
static void run_pick(const job &j) {
  start(pick, blocks_for(j, size_t{j.p[1]} * 16), j.p[1], 0, j);
}
static void run_every(const job &j) {
  start(every, blocks_for(j, size_t{j.p[1]} * 16 * j.p[0]), j.p[1], 0, j);
}
static void run_two_reads(const job &j) {
  const uint32_t blocks = processors() * j.p[2], shared = shared_for(j.p[2], 0);
  if (j.p[0] == 1) return start(two_reads<1>, blocks, j.p[1], shared, j);
  start(two_reads<4>, blocks, j.p[1], shared, j);
}
static void run_three(const job &j) {
  start(three, blocks_for(j, size_t{j.p[0]} * 4), j.p[0], 0, j);
}
static void run_chain(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * j.p[1] * 4);
  if (j.p[0] == 4) return start(chain<4>, blocks, j.p[1], 0, j);
  start(chain<16>, blocks, j.p[1], 0, j);
}
static void run_put(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * j.p[1]);
  if (j.p[0] == 1) return start(put<unsigned char>, blocks, j.p[1], 0, j);
  if (j.p[0] == 4) return start(put<int>, blocks, j.p[1], 0, j);
  start(put<int4>, blocks, j.p[1], 0, j);
}

static void run_cubes(const job &j) {
  const CUtensorMap from = map_of(j.in, j, 3, j.p, false, false), to = map_of(j.out, j, 3, j.p, false, false);
  const dim3 grid(CUBE_WIDTH / j.p[0], CUBE_HEIGHT / j.p[1],
                  blocks_for(j, size_t{CUBE_WIDTH} * CUBE_HEIGHT * 4 * j.p[2]));
  start(cubes, grid, j.p[3], shared_for(j.p[4], j.p[0] * j.p[1] * j.p[2] * 4), from, to, j);
}
static void run_sheets(const job &j) {
  const CUtensorMap from = map_of(j.in, j, 2, j.p, false, false), to = map_of(j.out, j, 2, j.p, false, false);
  start(sheets, processors() * j.p[4], j.p[3], shared_for(j.p[4], j.p[0] * j.p[1] * 4 * j.p[2]), from, to, j);
}
static void run_cross(const job &j) {
  const uint32_t box[] = {j.p[0] + 8, j.p[1] + 2};
  const CUtensorMap from = map_of(j.in, j, 2, box, false, false);
  start(cross, dim3(j.width / j.p[0], j.height / j.p[1]), j.p[2], shared_for(j.p[3], box[0] * box[1] * 4),
        from, from, j);
}
static void run_flip(const job &j) {
  const uint32_t box[] = {32, 32};
  const CUtensorMap from = map_of(j.in, j, 2, box, j.p[0], false),
                    to = map_of(j.out, j, 2, box, j.p[0], true);
  start(flip, dim3(j.width / 32, j.height / 32), j.p[1], shared_for(j.p[2], 8192), from, to, j);
}
static void run_deal(const job &j) {
  const uint32_t size = j.p[2], clusters = size <= 2 ? processors() / size : size == 4 ? 30 : 15;
  start_clusters(deal, clusters * size, j.p[3], shared_for(1, j.p[0] * j.p[1]), size, j);
}
static void run_peers(const job &j) {
  start_clusters(peers, blocks_for(j, j.p[0]), j.p[2], shared_for(j.p[3], j.p[0]), j.p[1], j);
}

// moved: bytes that the caller asks for, in arrays
struct family {
  const char *name;
  void (*run)(const job &);
  double moved;
  check checked;
};
static const family families[] = {
    {"pieces", run_pieces, 2, ONE_MORE},  {"crew", run_crew, 2, ONE_MORE},
    {"batch", run_batch, 2, ONE_MORE},    {"spill", run_spill, 2, ONE_MORE},
    {"pour", run_pour, 1, NOT},           {"adds", run_adds, 3, NOT},
    {"rows-in", run_rows_in, 2, SUM},     {"rows-out", run_rows_out, 2, SUM},
    {"level", run_level, 2, NOT},         {"twins", run_twins, 1.5, NOT},
    {"each", run_each, 2, SAME},          {"own", run_own, 2, ONE_MORE},
    {"async", run_async, 2, ONE_MORE},    {"turn", run_turn, 2, TURNED},
    {"row-sums", run_row_sums, 1, NOT},   {"column-sums", run_column_sums, 1, NOT},
    {"four", run_four, 1.25, NOT},        {"widen", run_widen, 1.5, NOT},
    {"pick", run_pick, 2, SUM},           {"every", run_every, 1, NOT},
    {"two-reads", run_two_reads, 1, NOT}, {"three", run_three, 2, NOT},
    {"chain", run_chain, 2, NOT},         {"put", run_put, 1, NOT},
    {"cubes", run_cubes, 2, ONE_MORE},    {"sheets", run_sheets, 2, ONE_MORE},
    {"cross", run_cross, 2, NOT},         {"flip", run_flip, 2, TURNED},
    {"deal", run_deal, 2, ONE_MORE},      {"peers", run_peers, 2, ONE_MORE},
};

static const family &family_of(const variant &v) {
  for (const family &f : families)
    if (!strcmp(f.name, v.family)) return f;
  fprintf(stderr, "held-out: no family %s\n", v.family);
  exit(1);
}

static std::string name_of(const variant &v) {
  std::string name = v.family;
  uint32_t last = PARAMETERS;
  while (last > 1 && !v.p[last - 1])
    last--;
  for (uint32_t i = 0; i < last; i++)
    name += "-" + std::to_string(v.p[i]);
  return name;
}

static job job_of(const variant &v, const arrays &m) {
  job j = {};
  j.out = m.out;
  j.in = m.in;
  j.quads = m.bytes / 16;
  memcpy(j.p, v.p, sizeof j.p);
  j.counter = m.counter;
  j.flags = m.flags;
  j.places = m.places;
  j.width = MATRIX_WIDTH;
  j.height = static_cast<uint32_t>(m.bytes / 4 / MATRIX_WIDTH);
  return j;
}

// ---- inputs and results -----------------------------------------------------------------------------------

__host__ __device__ static inline uint32_t number_at(size_t i) {
  return static_cast<uint32_t>(i) * 0x9e3779b9u >> 3;
}

__global__ void fill_numbers(uint32_t *to, size_t words) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = thread_of_grid(); i < words; i += step)
    to[i] = number_at(i);
}

// Each row's place once: the prime is larger than there are rows.
__global__ void fill_places(uint32_t *places, uint32_t rows) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  for (size_t i = thread_of_grid(); i < rows; i += step)
    places[i] = static_cast<uint32_t>(i * 2654435761ull % rows);
}

// sums[0]: wrong words; sums[1], sums[2]: sums of out and of what was expected
__global__ void compare(uint64_t *sums, const uint32_t *out, job j, check how) {
  const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
  uint64_t wrong = 0, is = 0, should = 0;
  for (size_t i = thread_of_grid(); i < 4 * j.quads; i += step) {
    const size_t from = how == TURNED ? i % j.height * j.width + i / j.height : i;
    const uint32_t expected = number_at(from) + (how == ONE_MORE || how == SUM);
    wrong += out[i] != expected;
    is += out[i];
    should += expected;
  }
  atomicAdd(reinterpret_cast<unsigned long long *>(sums), wrong);
  atomicAdd(reinterpret_cast<unsigned long long *>(sums) + 1, is);
  atomicAdd(reinterpret_cast<unsigned long long *>(sums) + 2, should);
}

static uint32_t row_bytes(const variant &v) {
  const bool in_rows = !strncmp(v.family, "rows", 4) || !strcmp(v.family, "pick");
  return in_rows ? v.p[0] : 0;
}

static void prepare(const variant &v, const arrays &m) {
  CUDA_CHECK(cudaMemsetAsync(m.counter, 0, sizeof *m.counter));
  if (!strcmp(v.family, "chain")) CUDA_CHECK(cudaMemsetAsync(m.flags, 0, MOST_FLAGS * sizeof *m.flags));
  if (!row_bytes(v)) return;
  fill_places<<<1056, 256>>>(m.places, static_cast<uint32_t>(m.bytes / row_bytes(v)));
}

static void run(const variant &v, const arrays &m) {
  family_of(v).run(job_of(v, m));
  CUDA_CHECK(cudaGetLastError());
}

static void verify(const variant &v, const arrays &m) {
  const check how = family_of(v).checked;
  if (how == NOT) return;
  CUDA_CHECK(cudaMemset(m.out, 0xff, m.bytes));
  prepare(v, m);
  run(v, m);
  CUDA_CHECK(cudaMemset(m.sums, 0, 3 * sizeof *m.sums));
  compare<<<1056, 256>>>(m.sums, reinterpret_cast<const uint32_t *>(m.out), job_of(v, m), how);
  uint64_t sums[3];
  CUDA_CHECK(cudaMemcpy(sums, m.sums, sizeof sums, cudaMemcpyDeviceToHost));
  if (how == SUM ? sums[1] == sums[2] : !sums[0]) return;
  fprintf(stderr, "held-out: %s gives %llu wrong words\n", name_of(v).c_str(),
          static_cast<unsigned long long>(sums[0]));
  exit(1);
}

// ---- times ------------------------------------------------------------------------------------------------

// Microseconds by events. The cache holds other lines before. v NULL: a plain copy.
static float time_once(const variant *v, const arrays &m) {
  static cudaEvent_t begin, end;
  if (!begin) CUDA_CHECK(cudaEventCreate(&begin));
  if (!end) CUDA_CHECK(cudaEventCreate(&end));
  if (v) prepare(*v, m);
  CUDA_CHECK(cudaMemsetAsync(m.flush, 0, FLUSH_BYTES));
  CUDA_CHECK(cudaEventRecord(begin));
  if (v)
    run(*v, m);
  else
    CUDA_CHECK(cudaMemcpyAsync(m.out, m.in, m.bytes, cudaMemcpyDeviceToDevice));
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

static void measure(const variant &v, const arrays &m, int rounds) {
  std::vector<float> times, copies;
  for (int i = 0; i < rounds; i++) {
    copies.push_back(time_once(nullptr, m));
    times.push_back(time_once(&v, m));
  }
  const double us = median(times), every_nth = !strcmp(v.family, "every") ? v.p[0] : 1;
  const double moved = family_of(v).moved * static_cast<double>(m.bytes) / every_nth;
  const double of_copy = 2.0 * static_cast<double>(m.bytes) / median(copies);
  printf("%-30s %12.0f bytes %10.2f us %6.3f\n", name_of(v).c_str(), moved, us, moved / us / of_copy);
  fflush(stdout);
}

int main(int count, char **arguments) {
  const int set = count > 1 ? atoi(arguments[1]) : 0;
  const size_t mib = count > 2 ? strtoul(arguments[2], nullptr, 10) : 48;
  const int rounds = count > 3 ? atoi(arguments[3]) : 1;
  const char *name = count > 4 ? arguments[4] : nullptr;
  const bool verified = !getenv("HELD_OUT_NO_CHECK");
  arrays m = {};
  m.bytes = mib << 20;
  if (mib) {
    CUDA_CHECK(cudaMalloc(&m.in, m.bytes));
    CUDA_CHECK(cudaMalloc(&m.out, m.bytes));
    CUDA_CHECK(cudaMalloc(&m.counter, sizeof *m.counter));
    CUDA_CHECK(cudaMalloc(&m.places, m.bytes / 32 * sizeof *m.places));
    CUDA_CHECK(cudaMalloc(&m.flags, MOST_FLAGS * sizeof *m.flags));
    CUDA_CHECK(cudaMalloc(&m.sums, 3 * sizeof *m.sums));
    CUDA_CHECK(cudaMalloc(&m.flush, FLUSH_BYTES));
    if (verified) fill_numbers<<<1056, 256>>>(reinterpret_cast<uint32_t *>(m.in), m.bytes / 4);
  }
  for (const variant &v : variants) {
    if ((set && v.set != set) || (name && name_of(v) != name)) continue;
    if (!mib) { // only what there is
      printf("%d %s %g %u\n", v.set, name_of(v).c_str(), family_of(v).moved,
             strcmp(v.family, "every") ? 1 : v.p[0]);
      continue;
    }
    if (verified) verify(v, m);
    measure(v, m, rounds);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
