// Three-dimensional boxes with halos in a ring that a single warp fills and empties: loads are issued far
// ahead and prefetched further ahead. Several blocks add sums to the output by reducing tensor stores.
#include "corpus.h"
#include "tma-cache.cuh"

constexpr uint32_t X = 16, Y = 8, Z = 6, STAGES = 2;

static CUtensorMap map_of(const int *data, uint32_t x, uint32_t y) {
  CUtensorMap map;
  struct tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = 3;
  o.global_address = data;
  o.global_dim[0] = X;
  o.global_dim[1] = Y;
  o.global_dim[2] = Z;
  o.global_strides[0] = X * sizeof(int);
  o.global_strides[1] = X * Y * sizeof(int);
  o.box_dim[0] = x;
  o.box_dim[1] = y;
  o.box_dim[2] = 1;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

__global__ void kernel(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) int box[STAGES][Y + 2][X], result[Y][X];
  __shared__ uint64_t full[STAGES];
  const uint32_t lane = threadIdx.x;
  if (lane == 0) {
    for (uint32_t s = 0; s < STAGES; s++)
      init_barrier(&full[s], 1);
    fence_mbarrier_init();
    prefetch_tensormap(&from);
    prefetch_tensormap(&to);
  }
  __syncwarp();
  for (uint32_t z = 0; z < Z + STAGES - 1; z++) {
    if (lane == 0 && z < Z) {
      if (z + 1 < Z) cp_async_bulk_prefetch_tensor_3d(&from, 0, -1, static_cast<int32_t>(z + 1));
      expect_bytes_and_arrive(&full[z % STAGES], sizeof box[0]);
      cp_async_bulk_tensor_3d_global_to_shared(box[z % STAGES], &from, 0, -1, static_cast<int32_t>(z),
                                               &full[z % STAGES]);
    }
    if (z + 1 < STAGES) continue;
    const uint32_t layer = z + 1 - STAGES, s = layer % STAGES;
    wait(&full[s], layer / STAGES & 1);
    if (lane == 0) tma_wait_until_read_pending<0>();
    __syncwarp();
    for (uint32_t i = lane; i < Y * X; i += 32)
      result[i / X][i % X] =
          box[s][i / X + 2 * blockIdx.x][i % X]; // the row above, by block 0; the row below, by block 1
    async_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      asm volatile(
          "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
              &to),
          "r"(0), "r"(0), "r"(layer), "r"(tma_shared_address(result))
          : "memory");
      tma_commit_group();
    }
  }
  if (lane == 0) tma_wait_until_pending<0>();
}

int main() {
  return corpus_check(
      X * Y * Z, [](int *out, const int *in) { kernel<<<2, 32>>>(map_of(in, X, Y + 2), map_of(out, X, Y)); },
      [](const std::vector<int> &in, size_t i) {
        const size_t y = i / X % Y;
        return (y > 0 ? in[i - X] : 0) + (y + 1 < Y ? in[i + X] : 0);
      });
}
