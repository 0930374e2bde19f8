// In: the name of a kernel. Out: exit 0 when its result is right. The idea: tiles that copies bring: a
// stencil with a border, a ring of stages, and a cluster whose blocks share what they load.
#include "measured.h"
#include "tensor-map.h"
#include "tma-interface.cuh"
#include <cstring>

constexpr uint32_t WIDTH = 1024, HEIGHT = 512, INNER = 32;
constexpr uint32_t BORDER = 4, PITCH = INNER + 2 * BORDER, ROWS = INNER + 2; // 16 bytes on either side

// Each block loads a tile with its border (zeros outside), and adds the four neighbours of each element.
__global__ void stencil(float *out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[ROWS * PITCH];
  __shared__ uint64_t bar;
  const int32_t x0 = blockIdx.x * INNER, y0 = blockIdx.y * INNER;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_tensor_2d_global_to_shared(tile, &map, x0 - static_cast<int>(BORDER), y0 - 1, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  const uint32_t x = threadIdx.x % 32;
  for (uint32_t y = threadIdx.x / 32 + 1; y <= INNER; y += blockDim.x / 32) {
    const float *at = &tile[y * PITCH + BORDER + x];
    out[(y0 + y - 1) * WIDTH + x0 + x] = at[-1] + at[1] + at[-static_cast<int>(PITCH)] + at[PITCH];
  }
}

constexpr uint32_t STAGES = 4, STAGE = 1024, ROUNDS = 64; // uint4 of a stage, stages of a block

// Warp 0 fills the stages, the others add up what comes.
__global__ void ring(uint32_t *sums, const uint4 *in) {
  __shared__ alignas(128) uint4 stages[STAGES * STAGE / 2];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  constexpr uint32_t QUADS = STAGE / 2, BYTES = QUADS * sizeof(uint4);
  const uint4 *mine = in + static_cast<size_t>(blockIdx.x) * ROUNDS * QUADS;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], blockDim.x / 32 - 1);
    }
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (uint32_t r = 0; r < ROUNDS && threadIdx.x == 0; r++) {
      const uint32_t s = r % STAGES, parity = r / STAGES & 1;
      wait(&empty[s], parity ^ 1);
      expect_bytes_and_arrive(&full[s], BYTES);
      cp_async_bulk_global_to_shared(stages + s * QUADS, mine + r * QUADS, BYTES, &full[s]);
    }
    return;
  }
  uint32_t sum = 0;
  for (uint32_t r = 0; r < ROUNDS; r++) {
    const uint32_t s = r % STAGES;
    wait(&full[s], r / STAGES & 1);
    for (uint32_t i = threadIdx.x - 32; i < QUADS; i += blockDim.x - 32) {
      const uint4 quad = stages[s * QUADS + i];
      sum += quad.x + quad.y + quad.z + quad.w;
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[s]);
  }
  atomicAdd(sums, sum);
}

constexpr uint32_t BLOCKS = 4, PIECE = 512, TURNS = 64; // words that each block sends to all

// Each block of a cluster loads a quarter of the tile, for all four.
__global__ void __cluster_dims__(BLOCKS) shared_loads(uint32_t *sums, const uint32_t *in) {
  __shared__ alignas(128) uint32_t tile[BLOCKS * PIECE];
  __shared__ uint64_t bar;
  const uint32_t rank = cluster_block_rank();
  const uint32_t *mine = in + static_cast<size_t>(blockIdx.x / BLOCKS) * TURNS * BLOCKS * PIECE;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
  }
  uint32_t sum = 0;
  for (uint32_t t = 0; t < TURNS; t++) {
    if (threadIdx.x == 0) expect_bytes_and_arrive(&bar, sizeof tile);
    cluster_arrive();
    cluster_wait(); // all have read the tile before
    if (threadIdx.x == 0)
      cp_async_bulk_global_to_shared_multicast(tile + rank * PIECE, mine + (t * BLOCKS + rank) * PIECE,
                                               PIECE * sizeof *tile, &bar, (1 << BLOCKS) - 1);
    wait_cluster(&bar, t & 1);
    for (uint32_t i = threadIdx.x; i < BLOCKS * PIECE; i += blockDim.x)
      sum += tile[i];
  }
  atomicAdd(sums, sum);
  cluster_arrive();
  cluster_wait();
}

static void run_stencil() {
  std::vector<float> in(WIDTH * HEIGHT);
  for (uint32_t i = 0; i < in.size(); i++)
    in[i] = static_cast<float>(i % 11);
  float *out = on_device<float>(in.size());
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode_2d(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, on_device(in.size(), in.data()),
                                  WIDTH, HEIGHT, WIDTH * sizeof(float), PITCH, ROWS));
  launch([&] { stencil<<<dim3(WIDTH / INNER, HEIGHT / INNER), 256>>>(out, map); });
  const uint32_t at = 40 * WIDTH + 70;
  must_be("row 40, column 70", from_device(out, in.size())[at],
          in[at - 1] + in[at + 1] + in[at - WIDTH] + in[at + WIDTH]);
}

static void run_sum(bool cluster) {
  const uint32_t grid = 16;
  const size_t words = cluster ? grid * TURNS * PIECE : grid * ROUNDS * STAGE * 2;
  std::vector<uint32_t> in(words);
  uint32_t expected = 0;
  for (size_t i = 0; i < words; i++)
    in[i] = static_cast<uint32_t>(i), expected += in[i];
  uint32_t *sums = on_device<uint32_t>(1);
  const uint32_t *device = on_device(words, in.data());
  launch([&] {
    if (cluster)
      shared_loads<<<grid, 256>>>(sums, device);
    else
      ring<<<grid, 288>>>(sums, reinterpret_cast<const uint4 *>(device));
  });
  must_be("sum", from_device(sums, 1)[0], launches() * (cluster ? expected * BLOCKS : expected));
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "stencil") == 0)
    run_stencil();
  else if (strcmp(name, "ring") == 0)
    run_sum(false);
  else if (strcmp(name, "cluster") == 0)
    run_sum(true);
  else
    return fprintf(stderr, "no kernel '%s'\n", name), 1;
}
