// In: nothing. Out: `ok` if cuda::ptx's bulk copies, with their commit and wait groups, stream an array
// through a ring of tiles. The idea: several store groups are in flight; a tile is loaded anew as soon as its
// own store has read it.
// expect: seeds 5
#include "self-check.h"

#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr unsigned TILE = 128, RING = 4, AHEAD = 2;

// out = in ^ mask, one block, one ring; the first thread issues every copy.
__global__ void stream(unsigned *out, const unsigned *in, unsigned tiles, unsigned mask) {
  __shared__ alignas(128) unsigned ring[RING][TILE];
  __shared__ uint64_t loaded[RING];
  if (threadIdx.x == 0) {
    for (uint64_t &barrier : loaded)
      ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const auto load = [&](unsigned tile) {
    uint64_t *barrier = &loaded[tile % RING];
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                   sizeof *ring);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[tile % RING], in + size_t{tile} * TILE,
                       sizeof *ring, barrier);
  };
  if (threadIdx.x == 0)
    for (unsigned tile = 0; tile < AHEAD && tile < tiles; tile++)
      load(tile);
  for (unsigned tile = 0; tile < tiles; tile++) {
    if (threadIdx.x == 0 && tile + AHEAD < tiles) {
      // that tile's last store has read it
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<RING - AHEAD - 1>());
      load(tile + AHEAD);
    }
    while (!ptx::mbarrier_try_wait_parity(&loaded[tile % RING], tile / RING & 1)) {
    }
    unsigned *here = ring[tile % RING];
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x)
      here[i] ^= mask;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + size_t{tile} * TILE, here, sizeof *ring);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// The thread that stored reads its own result back, after the oldest group alone and after all of them.
__global__ void read_back(unsigned *out, unsigned *seen) {
  __shared__ alignas(16) unsigned tile[2][4];
  for (unsigned i = 0; i < 8; i++)
    tile[i / 4][i % 4] = 50 + i;
  ptx::fence_proxy_async(ptx::space_shared);
  for (unsigned group = 0; group < 2; group++) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 4 * group, tile[group], sizeof *tile);
    ptx::cp_async_bulk_commit_group();
  }
  ptx::cp_async_bulk_wait_group(ptx::n32_t<1>());
  for (unsigned i = 0; i < 4; i++)
    seen[i] = out[i];
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  for (unsigned i = 4; i < 8; i++)
    seen[i] = out[i];
}

static void check_stream(unsigned tiles) {
  constexpr unsigned mask = 0x5a5a0ff0;
  std::vector<unsigned> values(size_t{tiles} * TILE);
  random_numbers random = {tiles};
  for (unsigned &value : values)
    value = random.next();
  guarded<unsigned> in(values.size()), out(values.size());
  in.set(values);
  stream<<<1, 64>>>(out.data(), in.data(), tiles, mask);
  const std::vector<unsigned> got = out.get();
  for (size_t i = 0; i < got.size(); i++)
    check_that(got[i] == (values[i] ^ mask), "%u tiles: [%zu] is %08x, not %08x", tiles, i, got[i],
               values[i] ^ mask);
  out.check_bands("out");
}

static void check_read_back() {
  guarded<unsigned> out(8), seen(8);
  read_back<<<1, 1>>>(out.data(), seen.data());
  const std::vector<unsigned> stored = out.get(), got = seen.get();
  for (unsigned i = 0; i < 8; i++) {
    check_that(stored[i] == 50 + i, "stored [%u] is %u, not %u", i, stored[i], 50 + i);
    check_that(got[i] == 50 + i, "read back: [%u] is %u, not %u", i, got[i], 50 + i);
  }
}

int main() {
  for (unsigned tiles : {1, 2, 3, 4, 5, 23})
    check_stream(tiles);
  check_read_back();
  return self_check_result();
}
