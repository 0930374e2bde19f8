// Each thread stores its own row in bulk groups of its own, with two rows in flight, and waits only for its
// own groups. The threads never synchronise.
#include "corpus.h"

constexpr uint32_t ROUNDS = 5;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int rows[2][64][4];
  for (uint32_t r = 0; r < ROUNDS; r++) {
    int *row = rows[r & 1][threadIdx.x];
    const size_t at = ((size_t{blockIdx.x} * ROUNDS + r) * 64 + threadIdx.x) * 4;
    tma_wait_until_read_pending<1>();
    const int4 v = *reinterpret_cast<const int4 *>(in + at);
    *reinterpret_cast<int4 *>(row) = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    async_proxy_fence();
    cp_async_bulk_shared_to_global(out + at, row, 16);
    tma_commit_group();
  }
  tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      2 * ROUNDS * 256, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); }, corpus_plus_one);
}
