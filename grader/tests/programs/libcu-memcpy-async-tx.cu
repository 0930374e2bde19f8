// In: nothing. Out: `ok` if cuda::device::memcpy_async_tx and barrier_arrive_tx deliver every tile over many
// phases of a cuda::barrier. The idea: sums of windows of two arrays, brought by two copies under one
// announcement; then bytes announced apart from the arrival.
// expect: seeds 5
#include "self-check.h"

#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr unsigned TILE = 256, THREADS = 96;

// The first thread announces both copies with its arrival; the others just arrive.
__global__ void add_tiles(float *out, const float *a, const float *b, unsigned tiles) {
  __shared__ alignas(16) float tile_a[TILE], tile_b[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const size_t first = size_t{tile} * TILE;
    block_barrier::arrival_token token;
    if (threadIdx.x == 0) {
      const auto bytes = cuda::aligned_size_t<16>(sizeof tile_a);
      cuda::device::memcpy_async_tx(tile_a, a + first, bytes, barrier);
      cuda::device::memcpy_async_tx(tile_b, b + first, bytes, barrier);
      token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile_a + sizeof tile_b);
    } else {
      token = barrier.arrive();
    }
    barrier.wait(cuda::std::move(token));
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
      out[first + i] = tile_a[i] + tile_b[i];
    __syncthreads();
  }
}

// Every thread copies its own piece and announces it, then arrives, and waits by parity.
__global__ void reverse_pieces(int *out, const int *in, unsigned rounds) {
  __shared__ alignas(16) int tile[THREADS * 4];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  for (unsigned round = 0; round < rounds; round++) {
    const size_t first = size_t{round} * THREADS * 4;
    const unsigned piece = threadIdx.x * 4;
    cuda::device::barrier_expect_tx(barrier, 16);
    cuda::device::memcpy_async_tx(tile + piece, in + first + piece, cuda::aligned_size_t<16>(16), barrier);
    (void)barrier.arrive();
    barrier.wait_parity(round & 1);
    for (unsigned i = 0; i < 4; i++)
      out[first + piece + i] = tile[THREADS * 4 - 1 - piece - i];
    __syncthreads();
  }
}

static void check_add(unsigned tiles) {
  const size_t count = size_t{tiles} * TILE;
  std::vector<float> x(count), y(count);
  for (size_t i = 0; i < count; i++) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 77) * 0.5f;
  }
  guarded<float> a(count), b(count), out(count);
  a.set(x);
  b.set(y);
  add_tiles<<<2, THREADS>>>(out.data(), a.data(), b.data(), tiles);
  const std::vector<float> got = out.get();
  for (size_t i = 0; i < count; i++)
    check_that(got[i] == x[i] + y[i], "%u tiles: [%zu] is %g, not %g", tiles, i, got[i], x[i] + y[i]);
  out.check_bands("out");
}

static void check_reverse() {
  constexpr unsigned rounds = 5, length = THREADS * 4;
  std::vector<int> values(rounds * length);
  random_numbers random = {5};
  for (int &value : values)
    value = static_cast<int>(random.next());
  guarded<int> in(values.size()), out(values.size());
  in.set(values);
  reverse_pieces<<<1, THREADS>>>(out.data(), in.data(), rounds);
  const std::vector<int> got = out.get();
  for (size_t i = 0; i < got.size(); i++) {
    const int expected = values[i / length * length + length - 1 - i % length];
    check_that(got[i] == expected, "reversed: [%zu] is %d, not %d", i, got[i], expected);
  }
  out.check_bands("out");
}

int main() {
  for (unsigned tiles : {1, 2, 3, 11})
    check_add(tiles);
  check_reverse();
  return self_check_result();
}
