// In: nothing. Out: `ok` if the contiguous bulk copies move the right bytes, with and without cache hints and
// prefetches. The idea: load, turn round in shared memory, store; sizes from the smallest to many, and a copy
// of what was just written.
#include "self-check.h"
#include "tma-interface.cuh"

constexpr uint32_t MOST = 4096; // words

// out = in backwards, by way of shared memory.
template <int hint> __global__ void reverse(uint32_t *out, const uint32_t *in, uint32_t count) {
  __shared__ alignas(16) uint32_t tile[MOST];
  __shared__ uint64_t loaded;
  const uint64_t load_policy = hint == 1 ? create_policy_evict_first() : create_policy_evict_last();
  if (threadIdx.x == 0) {
    cp_async_bulk_prefetch(in, count * 4);
    init_barrier(loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(loaded, count * 4);
    if (hint)
      cp_async_bulk_global_to_shared_hint(tile, in, count * 4, &loaded, load_policy);
    else
      cp_async_bulk_global_to_shared(tile, in, count * 4, loaded);
  }
  __syncthreads();
  wait(loaded, 0);
  for (uint32_t i = threadIdx.x; i < count / 2; i += blockDim.x) {
    const uint32_t swapped = tile[i];
    tile[i] = tile[count - 1 - i];
    tile[count - 1 - i] = swapped;
  }
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (hint)
      cp_async_bulk_shared_to_global_hint(out, tile, count * 4, create_policy_evict_normal());
    else
      cp_async_bulk_shared_to_global(out, tile, count * 4);
    tma_store_commit_group();
    tma_store_wait_until_read_pending<0>();
    tma_store_wait_until_pending<0>();
  }
}

// The same thread writes global memory, loads it through the async proxy and reads back a store of its own.
__global__ void write_then_load(uint32_t *scratch, uint32_t *seen) {
  __shared__ alignas(16) uint32_t tile[4];
  __shared__ uint64_t loaded;
  init_barrier(&loaded, 1);
  for (uint32_t i = 0; i < 4; i++)
    scratch[i] = 100 + i;
  async_proxy_fence_global();
  async_proxy_fence();
  expect_bytes_and_arrive(&loaded, sizeof tile);
  cp_async_bulk_global_to_shared_cta(tile, scratch, sizeof tile, &loaded);
  wait(&loaded, 0);
  for (uint32_t i = 0; i < 4; i++)
    tile[i] += 1000;
  async_proxy_fence_all();
  cp_async_bulk_shared_to_global(scratch, tile, sizeof tile);
  tma_commit_group();
  tma_wait_until_pending<0>(); // all of it: what was written is visible to this thread
  for (uint32_t i = 0; i < 4; i++)
    seen[i] = scratch[i];
}

template <int hint> static void check_count(uint32_t count) {
  guarded<uint32_t> in(count), out(count);
  std::vector<uint32_t> values(count);
  for (uint32_t i = 0; i < count; i++)
    values[i] = i * 2654435761u;
  in.set(values);
  reverse<hint><<<1, 96>>>(out.data(), in.data(), count);
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint32_t> got = out.get();
  for (uint32_t i = 0; i < count; i++)
    if (!check_that(got[i] == values[count - 1 - i], "count %u, hint %d: [%u] is %u, not %u", count, hint, i,
                    got[i], values[count - 1 - i]))
      break;
  in.check_bands("in");
  out.check_bands("out");
}

int main() {
  for (uint32_t count : {4u, 8u, 12u, 100u, 1000u, MOST}) {
    check_count<0>(count);
    check_count<1>(count);
    check_count<2>(count);
  }
  guarded<uint32_t> scratch(4), seen(4);
  write_then_load<<<1, 1>>>(scratch.data(), seen.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint32_t> got = seen.get();
  for (uint32_t i = 0; i < 4; i++)
    check_that(got[i] == 1100 + i, "written, loaded, stored, read: [%u] is %u, not %u", i, got[i], 1100 + i);
  return self_check_result();
}
