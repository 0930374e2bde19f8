// Bulk copies without a map, both ways: sizes from 16 bytes to 64 KiB, offsets on 16 bytes, both spellings of
// the destination, cache hints.
#include "conformance.cuh"

static __global__ void copy_through(const uint8_t *in, uint8_t *out, uint32_t bytes, uint32_t shared_offset,
                                    int spelling, uint32_t *told) {
  __shared__ uint64_t bar;
  uint8_t *tile = tile_area() + shared_offset;
  if (threadIdx.x == 0) {
    barrier_init(&bar, 1);
    fence_async();
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(&bar)), "r"(bytes)
                 : "memory");
    if (spelling == 0)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                   :
                   : "r"(shared_address(tile)), "l"(in), "r"(bytes), "r"(shared_address(&bar))
                   : "memory");
    else if (spelling == 1)
      asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                   :
                   : "r"(shared_address(tile)), "l"(in), "r"(bytes), "r"(shared_address(&bar))
                   : "memory");
    else
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                   "[%0], [%1], %2, [%3], %4;"
                   :
                   : "r"(shared_address(tile)), "l"(in), "r"(bytes), "r"(shared_address(&bar)), "l"(policy)
                   : "memory");
    barrier_wait(&bar, 0);
    if (spelling == 2)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;"
                   :
                   : "l"(out), "r"(shared_address(tile)), "r"(bytes), "l"(policy)
                   : "memory");
    else
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                   :
                   : "l"(out), "r"(shared_address(tile)), "r"(bytes)
                   : "memory");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(in), "r"(bytes) : "memory");
    commit_group();
    wait_all_groups();
    *told = bytes;
  }
}

int main() {
  std::vector<uint8_t> source(tile_room + 64), shown(tile_room + 64);
  for (size_t i = 0; i < source.size(); i++)
    source[i] = static_cast<uint8_t>(i * 7 + i / 256 * 13 + 1);
  device_bytes in(source.size()), out(source.size()), told(4);
  MUST(cudaMemcpy(in.at, source.data(), source.size(), cudaMemcpyHostToDevice));
  MUST(cudaFuncSetAttribute(copy_through, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  const uint32_t sizes[] = {16, 32, 48, 112, 128, 144, 1008, 4096, 16384, 65520, 65536};
  int spelling = 0;
  for (uint32_t bytes : sizes) {
    for (uint32_t shift = 0; shift <= 48; shift += 48) {
      MUST(cudaMemset(out.at, 0xee, source.size()));
      uint32_t shared_offset = bytes + shift <= tile_room ? shift : 0;
      copy_through<<<1, 32, shared_bytes>>>(
          in.at + shift, out.at + 64 - shift - 16, bytes - (bytes + shift + 64 > source.size() ? 64 : 0),
          shared_offset, spelling++ % 3, reinterpret_cast<uint32_t *>(told.at));
      MUST(cudaDeviceSynchronize());
      MUST(cudaMemcpy(shown.data(), out.at, shown.size(), cudaMemcpyDeviceToHost));
      printf("%u bytes, source + %u: ", bytes, shift);
      show("out", shown.data(), shown.size(), 4);
    }
  }
}
