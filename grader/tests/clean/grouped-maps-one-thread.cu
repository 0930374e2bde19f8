// target: sm_90a
// Two maps in global memory, one for each of two operands, are made anew for each group by the one thread
// that loads with them, as DeepGEMM does: replaced in shared memory, drained of the copies that may still
// read them, copied by plain stores, released, acquired. The loads of a group are under way when the next
// group begins.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr uint32_t GROUPS = 7, ROWS = 8, WIDTH = 16, TILE = ROWS * WIDTH;

__device__ alignas(128) CUtensorMap operand_maps[2];

struct storage {
  alignas(128) int tiles[2][2][ROWS][WIDTH]; // stage, operand
  alignas(128) CUtensorMap drafts[2];
  uint64_t full[2], empty[2];
};

__device__ static void copy_map(CUtensorMap *to, const CUtensorMap *from) {
  for (uint32_t i = 0; i < sizeof *to / sizeof(int4); i++)
    reinterpret_cast<int4 *>(to)[i] = reinterpret_cast<const int4 *>(from)[i];
}

__device__ static void produce(storage &s, const int *in) {
  for (uint32_t group = 0; group < GROUPS; group++) {
    const uint32_t stage = group % 2;
    for (uint32_t i = 0; i < 2; i++)
      ptx::tensormap_replace_global_address(ptx::space_shared, &s.drafts[i], in + (2 * group + i) * TILE);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
    copy_map(&operand_maps[0], &s.drafts[0]);
    copy_map(&operand_maps[1], &s.drafts[1]);
    ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu);
    for (uint32_t i = 0; i < 2; i++)
      ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &operand_maps[i],
                                         ptx::n32_t<128>());
    wait(&s.empty[stage], group / 2 % 2 ^ 1);
    expect_bytes_and_arrive(&s.full[stage], sizeof s.tiles[0]);
    for (uint32_t i = 0; i < 2; i++)
      cp_async_bulk_tensor_2d_global_to_shared(s.tiles[stage][i], &operand_maps[i], 0, 0, &s.full[stage]);
  }
}

__global__ void kernel(int *out, const int *in, const __grid_constant__ CUtensorMap pattern) {
  __shared__ storage s;
  if (threadIdx.x == 0) {
    s.drafts[0] = s.drafts[1] = pattern;
    for (uint32_t i = 0; i < 2; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], TILE);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == TILE) produce(s, in);
  for (uint32_t group = 0; threadIdx.x < TILE && group < GROUPS; group++) {
    const uint32_t stage = group % 2, i = threadIdx.x;
    wait(&s.full[stage], group / 2 % 2);
    out[group * TILE + i] = (&s.tiles[stage][0][0][0])[i] - (&s.tiles[stage][1][0][0])[i];
    arrive(&s.empty[stage]);
  }
}

int main() {
  return corpus_check(
      2 * GROUPS * TILE,
      [](int *out, const int *in) {
        kernel<<<1, TILE + 32>>>(out, in, corpus_map(in, WIDTH, ROWS, WIDTH, ROWS));
      },
      [](const std::vector<int> &in, size_t i) {
        const size_t group = i / TILE, at = i % TILE;
        return group < GROUPS ? in[2 * group * TILE + at] - in[(2 * group + 1) * TILE + at] : 0;
      });
}
