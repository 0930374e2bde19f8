// In: a set of kernels, a size in MiB, a number of rounds. Out: a line for each kernel: its name, the bytes
// that it moves, microseconds (median), and the ratio to a plain copy timed between its launches. The same
// program runs on a GPU and under `vhopper run --time`; held-out.sh puts both side by side. On a GPU each
// kernel's result is checked first.
//   held-out SET MIB ROUNDS [NAME]
#include "launches.cuh"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

enum { FLUSH_BYTES = 128 << 20, MATRIX_WIDTH = 8192, MOST_FLAGS = 1 << 20, MOST_COPIED = 384 << 20 };

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

// The same by the host, in no time of the chip's: kernels that sort, select or count take their course from
// what they read. Arrays larger than those of most predictions stay zero.
static void copy_numbers(const arrays &m) {
  const size_t words = m.bytes / 4, most = 1 << 20;
  if (m.bytes > MOST_COPIED) return;
  std::vector<uint32_t> numbers(most);
  for (size_t first = 0; first < words; first += most) {
    const size_t count = std::min(most, words - first);
    for (size_t i = 0; i < count; i++)
      numbers[i] = number_at(first + i);
    CUDA_CHECK(
        cudaMemcpy(reinterpret_cast<uint32_t *>(m.in) + first, numbers.data(), 4 * count, cudaMemcpyDefault));
  }
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

// Of so many bytes of the array, one is asked for.
static uint32_t every_nth(const variant &v) {
  if (!strcmp(v.family, "every")) return v.p[0];
  return strcmp(v.family, "sparse") ? 1 : v.p[1] / v.p[0];
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
  const double us = median(times);
  const double moved = family_of(v).moved * static_cast<double>(m.bytes) / every_nth(v);
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
    if (verified)
      fill_numbers<<<1056, 256>>>(reinterpret_cast<uint32_t *>(m.in), m.bytes / 4);
    else
      copy_numbers(m);
  }
  for (const variant &v : variants) {
    if ((set && v.set != set) || (name && name_of(v) != name)) continue;
    if (!mib) { // only what there is
      printf("%d %s %g %u\n", v.set, name_of(v).c_str(), family_of(v).moved, every_nth(v));
      continue;
    }
    if (verified) verify(v, m);
    measure(v, m, rounds);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
