// In: the name of a kernel. Out: exit 0 when its result is right. The idea: what users may bring beyond the
// loops of loops.cu: other patterns of access, other control flow, other types, and tensor cores.
#include "measured.h"
#include <cstring>
#include <cuda_fp16.h>
#include <mma.h>

constexpr uint32_t THREADS = 256, BLOCKS = 64, ALL = THREADS * BLOCKS;

__device__ static uint32_t self() {
  return blockIdx.x * THREADS + threadIdx.x;
}

// Each lane walks a row of its own, so a warp touches 32 lines.
__global__ void strided(uint32_t *out, const uint32_t *in) {
  constexpr uint32_t ROW = 64;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < ROW; i++)
    sum += in[self() * ROW + i];
  out[self()] = sum;
}

// Reads and writes where the data says.
__global__ void gather(uint32_t *out, const uint32_t *in) {
  for (uint32_t i = self(); i < 32 * ALL; i += ALL) {
    const uint32_t from = i * 2654435761u % (32 * ALL), to = i * 40503u % (32 * ALL);
    out[to] = in[from] + 1;
  }
}

__noinline__ __device__ uint32_t fibonacci(uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion(uint32_t *out, const uint32_t *in) {
  out[self()] = fibonacci(9 + (in[self()] & 0));
}

// An array that is indexed by data lies in local memory: insertion sort of 24 numbers.
__global__ void local_array(uint32_t *out, const uint32_t *in) {
  uint32_t items[24];
  for (uint32_t i = 0; i < 24; i++)
    items[i] = in[i * ALL + self()] * 2654435761u;
  for (uint32_t i = 1; i < 24; i++) {
    const uint32_t item = items[i];
    uint32_t at = i;
    for (; at > 0 && items[at - 1] > item; at--)
      items[at] = items[at - 1];
    items[at] = item;
  }
  out[self()] = items[0];
}

// Collatz: each lane goes on for as long as its number needs.
__global__ void divergent(uint32_t *out, const uint32_t *in) {
  uint32_t number = self() + 1 + (in[self()] & 0), steps = 0;
  for (; number != 1; steps++)
    number = number % 2 ? 3 * number + 1 : number / 2;
  out[self()] = steps;
}

__global__ void global_atomics(uint32_t *out, const uint32_t *in) {
  for (uint32_t i = self(); i < 32 * ALL; i += ALL) {
    atomicAdd(&out[in[i] % 1024], 1u);
    atomicMax(&out[1024 + in[i] % 64], in[i]);
  }
}

__global__ void doubles(double *out, const double *in) {
  double x = in[self()], sum = 0;
  for (uint32_t i = 0; i < 200; i++) {
    x = x * 0.999 + 0.001;
    sum += x / (1.0 + sum * sum);
  }
  out[self()] = sum;
}

__global__ void halves(__half2 *out, const __half2 *in) {
  __half2 x = in[self()], sum = __float2half2_rn(0);
  const __half2 step = __float2half2_rn(0.5f);
  for (uint32_t i = 0; i < 300; i++) {
    sum = __hfma2(x, step, sum);
    x = __hmax2(__hmul2(x, step), step);
  }
  out[self()] = sum;
}

// Powers modulo a prime, by products of 128 bits.
__global__ void long_integers(uint64_t *out, const uint64_t *in) {
  const uint64_t prime = (1ull << 61) - 1;
  uint64_t power = 1, base = self() + 2 + (in[self()] & 0);
  for (uint32_t bit = 0; bit < 60; bit++) {
    const uint64_t low = power * base, high = __umul64hi(power, base);
    power = (low & prime) + (low >> 61 | high << 3);
    if (power >= prime) power -= prime;
    base = base / 3 + low % 1000 + 1;
  }
  out[self()] = power;
}

// A warp makes tiles of 16 x 16 by tensor cores, from shared memory.
__global__ void mma_products(float *out, const __half *in) {
  using namespace nvcuda::wmma;
  __shared__ __half left[16 * 64], right[64 * 16];
  for (uint32_t i = threadIdx.x; i < 16 * 64; i += THREADS)
    left[i] = in[i], right[i] = in[i + 1024];
  __syncthreads();
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.f);
  for (uint32_t turn = 0; turn < 8; turn++) {
    for (uint32_t k = 0; k < 64; k += 16) {
      fragment<matrix_a, 16, 16, 16, __half, row_major> a;
      fragment<matrix_b, 16, 16, 16, __half, row_major> b;
      load_matrix_sync(a, left + k, 64);
      load_matrix_sync(b, right + k * 16, 16);
      mma_sync(sum, a, b, sum);
    }
  }
  store_matrix_sync(out + (blockIdx.x * THREADS / 32 + threadIdx.x / 32) * 256, sum, 16, mem_row_major);
}

// Rows of a table in shared memory, by vectors of 16 bytes; every thread begins at another one.
__device__ static uint32_t read_rows(const uint4 *table) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 64; i++) {
    const uint4 row = table[(threadIdx.x + i) % THREADS];
    sum += row.x + row.y + row.w;
  }
  return sum;
}

__global__ void vectors(uint32_t *out, const uint32_t *in) {
  __shared__ uint4 table[THREADS];
  table[threadIdx.x] = make_uint4(in[self()], 1, 2, 3);
  __syncthreads();
  out[self()] = read_rows(table);
}

// The same beside bytes of a text in shared memory.
__global__ void bytes_and_vectors(uint32_t *out, const uint32_t *in) {
  __shared__ uint4 table[THREADS];
  __shared__ unsigned char text[4 * THREADS];
  table[threadIdx.x] = make_uint4(in[self()], 1, 2, 3);
  for (uint32_t i = threadIdx.x; i < 4 * THREADS; i += THREADS)
    text[i] = static_cast<unsigned char>(i);
  __syncthreads();
  uint32_t sum = read_rows(table);
  for (uint32_t i = 0; i < 64; i++)
    sum += text[(3 * threadIdx.x + i) % (4 * THREADS)];
  out[self()] = sum;
}

// Every thread begins at another word of a table in shared memory.
__global__ void rotated(uint32_t *out, const uint32_t *in) {
  __shared__ uint32_t table[THREADS];
  table[threadIdx.x] = in[self()];
  __syncthreads();
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 256; i++)
    sum += table[(5 * threadIdx.x + i) % THREADS];
  out[self()] = sum;
}

template <class result, class element>
static double run(void (*kernel)(result *, const element *), uint32_t results, const std::vector<element> &in,
                  uint32_t at) {
  result *out = on_device<result>(results);
  const element *const from = on_device(in.size(), in.data());
  launch([&] { kernel<<<BLOCKS, THREADS>>>(out, from); });
  return static_cast<double>(from_device(out, results)[at]);
}

static double run_halves() {
  uint32_t *out = on_device<uint32_t>(ALL);
  const std::vector<uint32_t> ones(ALL, 0x3c003c00u);
  const auto *in = reinterpret_cast<const __half2 *>(on_device(ALL, ones.data()));
  launch([&] { halves<<<BLOCKS, THREADS>>>(reinterpret_cast<__half2 *>(out), in); });
  return from_device(out, ALL)[1];
}

static double run_products() {
  float *out = on_device<float>(ALL / 32 * 256);
  const std::vector<uint16_t> ones(2048, 0x3c00);
  const auto *in = reinterpret_cast<const __half *>(on_device(2048, ones.data()));
  launch([&] { mma_products<<<BLOCKS, THREADS>>>(out, in); });
  return from_device(out, ALL / 32 * 256)[300];
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  std::vector<uint32_t> items(64 * ALL);
  for (uint32_t i = 0; i < items.size(); i++)
    items[i] = i * 2654435761u >> 7;
  const std::vector<uint32_t> zeros(64 * ALL), few(items.begin(), items.begin() + 32 * ALL);
  double got = -1;
#define KIND(NAME, ...) \
  if (strcmp(name, #NAME) == 0) got = __VA_ARGS__
  KIND(nothing, 0);
  KIND(strided, run(strided, ALL, items, 5));
  KIND(gather, run(gather, 32 * ALL, few, 5));
  KIND(recursion, run(recursion, ALL, items, 5));
  KIND(local_array, run(local_array, ALL, few, 5));
  KIND(divergent, run(divergent, ALL, items, 26));
  KIND(global_atomics, run(global_atomics, 2048, few, 5));
  KIND(doubles, run(doubles, ALL, std::vector<double>(ALL, 0.5), 5));
  KIND(halves, run_halves());
  KIND(long_integers, run(long_integers, ALL, std::vector<uint64_t>(ALL, 7), 5));
  KIND(mma_products, run_products());
  KIND(vectors, run(vectors, ALL, items, 5));
  KIND(bytes_and_vectors, run(bytes_and_vectors, ALL, items, 5));
  KIND(rotated, run(rotated, ALL, items, 5));
  printf("%s %.17g\n", name, got);
}
