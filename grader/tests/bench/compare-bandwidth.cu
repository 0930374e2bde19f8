// In: an exercise of lab9 (1 to 4), sizes, and shared libraries that each hold a launcher of it. Out: how
// fast each is on this GPU, next to the alternatives: cudaMemcpy, cub, a plain vectorised kernel. The idea:
// all run in one process, in turn, and medians count. The order changes from round to round, and the cache is
// flushed between runs: lines that a plain kernel leaves there make the next ring 2 % faster on 1 GiB. Each
// launcher's result is first compared with that of the plain kernel.
//   compare-bandwidth EXERCISE MIB ROUNDS LIBRARY..      one line each: GB/s, share of the best peer, share
//                                                        of the peak
#include "cuda-check.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_transform.cuh>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <vector>

using launch_1d = cudaError_t (*)(int32_t *, size_t, cudaStream_t);
using launch_2d = cudaError_t (*)(float *, const float *, size_t, size_t, size_t, cudaStream_t);
using launch_sums = cudaError_t (*)(int32_t *, const int32_t *, size_t, size_t, cudaStream_t);
using launch_scale = cudaError_t (*)(float *, const float *, size_t, float, float, cudaStream_t);

struct contender {
  std::string name;
  bool peer;
  std::function<cudaError_t()> launch;
  std::vector<float> times; // milliseconds
};

struct arena {
  size_t bytes; // of one array
  uint32_t *in, *out, *expected;
  uint32_t *differences;
  size_t width, height, pitch; // of the matrix of the second and third exercise, the pitch in bytes
};

constexpr float A = 1.5f, B = 2;
constexpr size_t COLUMNS = 1024, MATRIX_WIDTH = 16384;

__device__ static uint32_t mix(uint32_t v) {
  v = (v ^ v >> 16) * 0x7feb352dU;
  v = (v ^ v >> 15) * 0x846ca68bU;
  return v ^ v >> 16;
}

__global__ void make_numbers(uint32_t *to, size_t words, bool floats) {
  for (size_t i = blockIdx.x * size_t{256} + threadIdx.x; i < words; i += gridDim.x * size_t{256})
    to[i] = floats ? __float_as_uint(static_cast<float>(mix(static_cast<uint32_t>(i)) >> 12))
                   : mix(static_cast<uint32_t>(i));
}

__global__ void count_differences(uint32_t *differences, const uint32_t *a, const uint32_t *b, size_t words) {
  for (size_t i = blockIdx.x * size_t{256} + threadIdx.x; i < words; i += gridDim.x * size_t{256})
    if (a[i] != b[i]) atomicAdd(differences, 1u);
}

// ---- kernels without the copy engine ----

__global__ void plain_add_one(int4 *data, size_t quads) {
  const size_t i = blockIdx.x * size_t{256} + threadIdx.x;
  if (i >= quads) return;
  int4 v = data[i];
  v.x++, v.y++, v.z++, v.w++;
  data[i] = v;
}

__global__ void plain_scale(float4 *out, const float4 *in, size_t quads, float a, float b) {
  const size_t i = blockIdx.x * size_t{256} + threadIdx.x;
  if (i >= quads) return;
  const float4 v = in[i];
  out[i] = make_float4(a * v.x + b, a * v.y + b, a * v.z + b, a * v.w + b);
}

// Four columns by ROWS rows each thread, from the top down; width a multiple of 4.
template <int ROWS>
__global__ void plain_stencil(float *out, const float *in, int width, int height, size_t pitch) {
  const int strips = (width + 511) / 512, top = blockIdx.x / strips * ROWS;
  const int x = 4 * (blockIdx.x % strips * 128 + threadIdx.x);
  if (x >= width) return;
  const auto row = [&](int y) {
    return y < 0 || y >= height ? make_float4(0, 0, 0, 0)
                                : *reinterpret_cast<const float4 *>(in + static_cast<size_t>(y) * pitch + x);
  };
  float4 above = row(top - 1), here = row(top);
#pragma unroll
  for (int y = top; y < top + ROWS && y < height; y++) {
    const float4 below = row(y + 1);
    const float *line = in + static_cast<size_t>(y) * pitch;
    const float left = x > 0 ? line[x - 1] : 0, right = x + 4 < width ? line[x + 4] : 0;
    float4 r;
    r.x = 0.25f * (above.x + below.x + left + here.y) - here.x;
    r.y = 0.25f * (above.y + below.y + here.x + here.z) - here.y;
    r.z = 0.25f * (above.z + below.z + here.y + here.w) - here.z;
    r.w = 0.25f * (above.w + below.w + here.z + right) - here.w;
    *reinterpret_cast<float4 *>(out + static_cast<size_t>(y) * pitch + x) = r;
    above = here, here = below;
  }
}

// Column sums: a thread has four columns of 256 rows.
__global__ void plain_sums(int *sums, const int4 *matrix, size_t rows, size_t quads) {
  const size_t quad = threadIdx.x % quads;
  int4 sum = make_int4(0, 0, 0, 0);
#pragma unroll 8
  for (size_t row = blockIdx.x * size_t{256}; row < (blockIdx.x + 1) * size_t{256}; row++) {
    if (row >= rows) break;
    const int4 v = matrix[row * quads + quad];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  atomicAdd(sums + 4 * quad, sum.x);
  atomicAdd(sums + 4 * quad + 1, sum.y);
  atomicAdd(sums + 4 * quad + 2, sum.z);
  atomicAdd(sums + 4 * quad + 3, sum.w);
}

// ---- what is compared ----

struct add_one {
  __device__ int operator()(int v) const { return v + 1; }
};
struct scale {
  __device__ float operator()(float v) const { return A * v + B; }
};

static void add_peers(int exercise, const arena &the, std::vector<contender> &field) {
  const size_t words = the.bytes / 4;
  const auto blocks = static_cast<uint32_t>(words / 4 / 256);
  const auto peer = [&](const char *name, std::function<cudaError_t()> launch) {
    field.push_back({name, true, std::move(launch), {}});
  };
  auto *in = reinterpret_cast<float *>(the.in), *out = reinterpret_cast<float *>(the.out);
  auto *int_in = reinterpret_cast<int *>(the.in), *int_out = reinterpret_cast<int *>(the.out);
  if (exercise == 1) {
    peer("plain kernel", [=] {
      plain_add_one<<<blocks, 256>>>(reinterpret_cast<int4 *>(the.in), words / 4);
      return cudaGetLastError();
    });
    peer("cub::DeviceTransform in place",
         [=] { return cub::DeviceTransform::Transform(int_in, int_in, words, add_one{}); });
  }
  if (exercise == 4) {
    peer("plain kernel", [=] {
      plain_scale<<<blocks, 256>>>(reinterpret_cast<float4 *>(out), reinterpret_cast<float4 *>(in), words / 4,
                                   A, B);
      return cudaGetLastError();
    });
    peer("cub::DeviceTransform", [=] { return cub::DeviceTransform::Transform(in, out, words, scale{}); });
  }
  if (exercise == 2) {
    const int width = static_cast<int>(the.width), height = static_cast<int>(the.height);
    const int strips = (width + 511) / 512, grid = strips * ((height + 7) / 8),
              low = strips * ((height + 3) / 4);
    peer("plain kernel", [=] {
      plain_stencil<8><<<grid, 128>>>(out, in, width, height, the.pitch / 4);
      return cudaGetLastError();
    });
    peer("plain kernel, 4 rows", [=] {
      plain_stencil<4><<<low, 128>>>(out, in, width, height, the.pitch / 4);
      return cudaGetLastError();
    });
  }
  if (exercise == 3) {
    peer("plain kernel", [=] {
      cudaMemsetAsync(int_out, 0, the.width * 4, nullptr);
      plain_sums<<<static_cast<uint32_t>((the.height + 255) / 256), static_cast<uint32_t>(the.width / 4)>>>(
          int_out, reinterpret_cast<int4 *>(int_in), the.height, the.width / 4);
      return cudaGetLastError();
    });
    static void *scratch = nullptr;
    static size_t scratch_bytes = 0;
    CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, scratch_bytes, int_in, int_out, words));
    CUDA_CHECK(cudaMalloc(&scratch, scratch_bytes));
    peer("cub::DeviceReduce::Sum",
         [=] { return cub::DeviceReduce::Sum(scratch, scratch_bytes, int_in, int_out + 8192, words); });
  } else {
    peer("cudaMemcpy", [=] {
      return cudaMemcpyAsync(the.expected, in, exercise == 2 ? 4 * the.width * the.height : the.bytes,
                             cudaMemcpyDeviceToDevice, nullptr);
    });
  }
}

static void add_library(int exercise, const arena &the, const char *path, std::vector<contender> &field) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  static const char *const names[] = {"launch_bulk_copy_1d", "launch_tiles_2d", "launch_phase_reuse",
                                      "launch_store_commit_groups"};
  void *symbol = dlsym(library, names[exercise - 1]);
  if (!symbol) {
    fprintf(stderr, "%s has no %s\n", path, names[exercise - 1]);
    exit(2);
  }
  auto *in = reinterpret_cast<float *>(the.in), *out = reinterpret_cast<float *>(the.out);
  auto *int_in = reinterpret_cast<int *>(the.in), *int_out = reinterpret_cast<int *>(the.out);
  const size_t words = the.bytes / 4;
  std::function<cudaError_t()> launch;
  if (exercise == 1) launch = [=] { return reinterpret_cast<launch_1d>(symbol)(int_in, words, nullptr); };
  if (exercise == 2)
    launch = [=] {
      return reinterpret_cast<launch_2d>(symbol)(out, in, the.width, the.height, the.pitch, nullptr);
    };
  if (exercise == 3)
    launch = [=] {
      return reinterpret_cast<launch_sums>(symbol)(int_out, int_in, the.height, the.width, nullptr);
    };
  if (exercise == 4)
    launch = [=] { return reinterpret_cast<launch_scale>(symbol)(out, in, words, A, B, nullptr); };
  const char *slash = strrchr(path, '/');
  std::string name = slash ? slash + 1 : path;
  if (name.size() > 3) name.resize(name.size() - 3);
  field.push_back({name, false, launch, {}});
}

// ---- checking and timing ----

static bool right(int exercise, const arena &the, const contender &one, bool make_expected) {
  const size_t bytes = exercise == 3 ? the.width * 4 : the.bytes;
  uint32_t *result = exercise == 1 ? the.in : the.out, differences = 0;
  make_numbers<<<4096, 256>>>(the.in, the.bytes / 4, exercise == 2 || exercise == 4);
  CUDA_CHECK(cudaMemset(the.out, 0xff, the.bytes));
  CUDA_CHECK(one.launch());
  if (make_expected) {
    CUDA_CHECK(cudaMemcpy(the.expected, result, bytes, cudaMemcpyDeviceToDevice));
    return true;
  }
  CUDA_CHECK(cudaMemset(the.differences, 0, 4));
  count_differences<<<4096, 256>>>(the.differences, the.expected, result, bytes / 4);
  CUDA_CHECK(cudaMemcpy(&differences, the.differences, 4, cudaMemcpyDeviceToHost));
  if (differences) printf("%-44s WRONG: %u elements\n", one.name.c_str(), differences);
  return differences == 0;
}

// Keeps the GPU waiting until everything that is timed is queued. Otherwise the host's time for the launch,
// some 10 us, would count.
__global__ void wait_for_host(uint64_t nanoseconds) {
  uint64_t begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

// Flushes the cache: fills it several times with other data.
__global__ void wash_cache(const uint4 *data, size_t quads, uint32_t *seen) {
  uint32_t all = 0;
  for (size_t i = blockIdx.x * size_t{256} + threadIdx.x; i < quads; i += gridDim.x * size_t{256}) {
    const uint4 v = data[i];
    all ^= v.x ^ v.y ^ v.z ^ v.w;
  }
  if (all == 0x12345678u) *seen = all; // hardly ever, but the compiler can't know
}

static void time_once(contender &one, const arena &the, cudaEvent_t begin, cudaEvent_t end, bool keep) {
  float milliseconds;
  CUDA_CHECK(cudaCtxResetPersistingL2Cache()); // lines that an evict_last hint keeps would survive the flush
  wash_cache<<<1024, 256>>>(reinterpret_cast<const uint4 *>(the.expected),
                            std::min(the.bytes, size_t{256} << 20) / 16, the.differences);
  wait_for_host<<<1, 1>>>(100000);
  CUDA_CHECK(cudaEventRecord(begin, nullptr));
  CUDA_CHECK(one.launch());
  CUDA_CHECK(cudaEventRecord(end, nullptr));
  CUDA_CHECK(cudaEventSynchronize(end));
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  if (keep) one.times.push_back(milliseconds);
}

static float median(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

static double peak_bytes_per_second() {
  int kilohertz = 0, bits = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
  return 2e3 * kilohertz * bits / 8;
}

int main(int count, char **arguments) {
  const int exercise = count > 3 ? atoi(arguments[1]) : 0;
  if (exercise < 1 || exercise > 4) {
    fprintf(stderr, "usage: compare-bandwidth EXERCISE MIB ROUNDS LIBRARY..\n");
    return 2;
  }
  arena the = {};
  the.bytes = strtoull(arguments[2], nullptr, 10) << 20;
  the.width = exercise == 2 ? MATRIX_WIDTH : COLUMNS;
  the.pitch = the.width * 4;
  if (exercise == 2 && getenv("PITCH_EXTRA")) the.pitch += strtoull(getenv("PITCH_EXTRA"), nullptr, 10);
  the.height = the.bytes / the.pitch;
  CUDA_CHECK(cudaMalloc(&the.in, the.bytes));
  CUDA_CHECK(cudaMalloc(&the.out, the.bytes));
  CUDA_CHECK(cudaMalloc(&the.expected, the.bytes));
  CUDA_CHECK(cudaMalloc(&the.differences, 4));
  std::vector<contender> field;
  add_peers(exercise, the, field);
  for (int i = 4; i < count; i++)
    add_library(exercise, the, arguments[i], field);
  bool all_right = true;
  std::vector<contender> entered;
  for (size_t i = 0; i < field.size(); i++) {
    const bool checked = !getenv("NO_CHECK") && (!field[i].peer || field[i].name.rfind("plain", 0) == 0);
    const bool fine = !checked || right(exercise, the, field[i], i == 0);
    all_right &= fine;
    if (fine) entered.push_back(field[i]);
  }
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  const int rounds = atoi(arguments[3]);
  for (int round = 0; round < rounds + 2; round++)
    for (size_t i = 0; i < entered.size(); i++)
      time_once(entered[(i + static_cast<size_t>(round)) % entered.size()], the, begin, end, round >= 2);
  const double bytes =
      exercise == 3 ? static_cast<double>(the.bytes)
                    : 2.0 * static_cast<double>(exercise == 2 ? 4 * the.width * the.height : the.bytes);
  double best = 0;
  for (const contender &one : entered)
    if (one.peer) best = std::max(best, bytes / median(one.times) * 1e-6);
  std::stable_sort(entered.begin(), entered.end(),
                   [](const contender &a, const contender &b) { return median(a.times) < median(b.times); });
  for (const contender &one : entered) {
    const double speed = bytes / median(one.times) * 1e-6;
    printf("%d %-44s %7.1f GB/s  %.4f of the best peer  %.1f %% of peak%s\n", exercise, one.name.c_str(),
           speed, speed / best, speed * 1e11 / peak_bytes_per_second(), one.peer ? "   (peer)" : "");
  }
  return all_right ? 0 : 1;
}
