// nvcc: -Xptxas -w
// In: nothing. Out: `ok` if multicast loads reach the blocks of their mask, and only those. The idea: in
// clusters of four, each block sends its own piece to all, and one box of a tensor goes to the odd blocks.
#include "self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t BLOCKS = 4, PIECE = 64, ODD_BLOCKS = 0b1010, BOX_WIDTH = 16, BOX_HEIGHT = 4;
constexpr uint32_t BOX = BOX_WIDTH * BOX_HEIGHT, OUT = BLOCKS * PIECE + BOX;

__global__ void __cluster_dims__(BLOCKS)
    spread(uint32_t *out, const uint32_t *in, const __grid_constant__ CUtensorMap map, int rank_of_map) {
  __shared__ alignas(128) uint32_t pieces[BLOCKS * PIECE];
  __shared__ alignas(128) uint32_t box[BOX];
  __shared__ uint64_t bar;
  const uint32_t rank = cluster_block_rank();
  const bool odd = (ODD_BLOCKS >> rank & 1) != 0;
  for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
    box[i] = 7;
  async_proxy_fence(); // the box may arrive over these sevens
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    // whoever sends, each block announces its own
    expect_bytes_and_arrive(&bar, sizeof pieces + (odd ? sizeof box : 0));
  }
  cluster_arrive();
  cluster_wait(); // every block's barrier is ready before the first byte is sent
  if (threadIdx.x == 0) {
    const uint32_t first = (blockIdx.x / BLOCKS * BLOCKS + rank) * PIECE;
    cp_async_bulk_global_to_shared_multicast(pieces + rank * PIECE, in + first, PIECE * 4, &bar,
                                             (1 << BLOCKS) - 1);
    if (rank == 0 && rank_of_map == 1)
      cp_async_bulk_tensor_1d_global_to_shared_multicast(box, &map, 4, &bar, ODD_BLOCKS);
    if (rank == 0 && rank_of_map == 2)
      cp_async_bulk_tensor_2d_global_to_shared_multicast(box, &map, 4, -1, &bar, ODD_BLOCKS);
    if (rank == 0 && rank_of_map == 3)
      cp_async_bulk_tensor_3d_global_to_shared_multicast(box, &map, 4, -1, 0, &bar, ODD_BLOCKS);
    if (rank == 0 && rank_of_map == 4)
      cp_async_bulk_tensor_4d_global_to_shared_multicast(box, &map, 4, -1, 0, 0, &bar, ODD_BLOCKS);
    if (rank == 0 && rank_of_map == 5)
      cp_async_bulk_tensor_5d_global_to_shared_multicast(box, &map, 4, -1, 0, 0, 0, &bar, ODD_BLOCKS);
  }
  wait_cluster(&bar, 0);
  for (uint32_t i = threadIdx.x; i < BLOCKS * PIECE; i += blockDim.x)
    out[blockIdx.x * OUT + i] = pieces[i];
  for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
    out[blockIdx.x * OUT + BLOCKS * PIECE + i] = box[i];
  cluster_arrive();
  cluster_wait(); // nobody leaves while somebody's copies may still arrive
}

static void check_rank(uint32_t rank) {
  constexpr uint32_t GRID = 2 * BLOCKS, WIDTH = 80;
  guarded<uint32_t> in(GRID * PIECE), out(GRID * OUT), matrix(WIDTH * 8);
  std::vector<uint32_t> values(in.count), matrix_values(matrix.count);
  for (uint32_t i = 0; i < values.size(); i++)
    values[i] = 10000 + i;
  for (uint32_t i = 0; i < matrix_values.size(); i++)
    matrix_values[i] = 50000 + i;
  in.set(values);
  matrix.set(matrix_values);

  tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  o.rank = rank;
  o.global_address = matrix.data();
  for (uint32_t d = 0; d < rank; d++) {
    o.global_dim[d] = d == 0 ? WIDTH : d == 1 ? 8 : 1;
    o.global_strides[d] = WIDTH * 4;
    o.box_dim[d] = d == 0 ? (rank == 1 ? BOX : BOX_WIDTH) : d == 1 ? BOX_HEIGHT : 1;
  }
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  spread<<<GRID, 64>>>(out.data(), in.data(), map, static_cast<int>(rank));
  CUDA_CHECK(cudaDeviceSynchronize());

  const std::vector<uint32_t> got = out.get();
  for (uint32_t i = 0; i < got.size(); i++) {
    const uint32_t block = i / OUT, at = i % OUT, b = at - BLOCKS * PIECE,
                   box_row = rank == 1 ? 0 : b / BOX_WIDTH;
    uint32_t expected = 7;
    if (at < BLOCKS * PIECE)
      expected = values[block / BLOCKS * BLOCKS * PIECE + at];
    else if (ODD_BLOCKS >> block % BLOCKS & 1)
      expected = rank == 1      ? matrix_values[4 + b]
                 : box_row == 0 ? 0
                                : matrix_values[(box_row - 1) * WIDTH + 4 + b % BOX_WIDTH];
    if (!check_that(got[i] == expected, "rank %u: block %u's element %u is %u, not %u", rank, block, at,
                    got[i], expected))
      break;
  }
  out.check_bands("out");
}

int main() {
  for (uint32_t rank = 1; rank <= 5; rank++)
    check_rank(rank);
  return self_check_result();
}
