// Partial tiles of a cluster are copied to a neighbour by bulk copies within the cluster, from rank to rank,
// and added up on the way. The copy completes on a barrier of the receiver, which announced the bytes before
// any block could send. The sender waits until its source has been read before it exits.
#include "corpus.h"

constexpr uint32_t RANKS = 4;

__global__ void __cluster_dims__(RANKS) kernel(int *out, const int *in) {
  __shared__ alignas(128) int own[CORPUS_TILE], received[CORPUS_TILE];
  __shared__ uint64_t loaded, arrived;
  const uint32_t rank = cluster_block_rank();
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    init_barrier(&arrived, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof own);
    cp_async_bulk_global_to_shared(own, in + first, sizeof own, &loaded);
    if (rank > 0) expect_bytes_and_arrive(&arrived, sizeof received);
  }
  cluster_arrive();
  cluster_wait();
  wait(&loaded, 0);
  if (rank > 0) {
    wait_cluster(&arrived, 0);
    own[threadIdx.x] += received[threadIdx.x];
  }
  out[first + threadIdx.x] = own[threadIdx.x];
  async_proxy_fence();
  __syncthreads();
  if (rank + 1 < RANKS && threadIdx.x == 0)
    cp_async_bulk_shared_to_remote(map_to_block(received, rank + 1), own, sizeof own,
                                   map_to_block(&arrived, rank + 1));
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      2 * RANKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2 * RANKS, CORPUS_TILE>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = in[i];
        for (size_t rank = i / CORPUS_TILE % RANKS, at = i; rank > 0; rank--)
          sum += in[at -= CORPUS_TILE];
        return sum;
      });
}
