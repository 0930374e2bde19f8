// In: nothing. Out: `ok` if tensor copies of rank 1 to 5 move the right boxes both ways. The idea: a box that
// hangs over the edges is loaded (zeros outside) and another one stored (cut off), with and without cache
// hints, into this block by its own form of the instruction, too, and all compared.
#include "self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t DIM[5] = {20, 7, 6, 5, 4}, BOX[5] = {8, 3, 2, 3, 2};
constexpr int32_t LOAD_AT[5] = {-4, -1, 5, 3, -1}, STORE_AT[5] = {16, 5, 0, 4, 3};

constexpr uint32_t product(const uint32_t (&sizes)[5], int rank) {
  uint32_t elements = 1;
  for (int i = 0; i < rank; i++)
    elements *= sizes[i];
  return elements;
}

template <int rank> constexpr uint32_t box_elements = product(BOX, rank);

template <int rank>
__device__ static void load(void *box, const CUtensorMap *map, const int32_t (&c)[5], uint64_t *bar) {
  if constexpr (rank == 1) cp_async_bulk_tensor_1d_global_to_shared(box, map, c[0], bar);
  if constexpr (rank == 2) cp_async_bulk_tensor_2d_global_to_shared(box, map, c[0], c[1], bar);
  if constexpr (rank == 3) cp_async_bulk_tensor_3d_global_to_shared(box, map, c[0], c[1], c[2], bar);
  if constexpr (rank == 4) cp_async_bulk_tensor_4d_global_to_shared(box, map, c[0], c[1], c[2], c[3], bar);
  if constexpr (rank == 5)
    cp_async_bulk_tensor_5d_global_to_shared(box, map, c[0], c[1], c[2], c[3], c[4], bar);
}

template <int rank>
__device__ static void load_hint(void *box, const CUtensorMap *map, const int32_t (&c)[5], uint64_t *bar,
                                 uint64_t policy) {
  if constexpr (rank == 1) cp_async_bulk_tensor_1d_global_to_shared_hint(box, map, c[0], bar, policy);
  if constexpr (rank == 2) cp_async_bulk_tensor_2d_global_to_shared_hint(box, map, c[0], c[1], bar, policy);
  if constexpr (rank == 3)
    cp_async_bulk_tensor_3d_global_to_shared_hint(box, map, c[0], c[1], c[2], bar, policy);
  if constexpr (rank == 4)
    cp_async_bulk_tensor_4d_global_to_shared_hint(box, map, c[0], c[1], c[2], c[3], bar, policy);
  if constexpr (rank == 5)
    cp_async_bulk_tensor_5d_global_to_shared_hint(box, map, c[0], c[1], c[2], c[3], c[4], bar, policy);
}

template <int rank>
__device__ static void load_cta(void *box, const CUtensorMap *map, const int32_t (&c)[5], uint64_t *bar) {
  if constexpr (rank == 1) cp_async_bulk_tensor_1d_global_to_shared_cta(box, map, c[0], bar);
  if constexpr (rank == 2) cp_async_bulk_tensor_2d_global_to_shared_cta(box, map, c[0], c[1], bar);
  if constexpr (rank == 3) cp_async_bulk_tensor_3d_global_to_shared_cta(box, map, c[0], c[1], c[2], bar);
  if constexpr (rank == 4)
    cp_async_bulk_tensor_4d_global_to_shared_cta(box, map, c[0], c[1], c[2], c[3], bar);
  if constexpr (rank == 5)
    cp_async_bulk_tensor_5d_global_to_shared_cta(box, map, c[0], c[1], c[2], c[3], c[4], bar);
}

template <int rank>
__device__ static void store(const CUtensorMap *map, const int32_t (&c)[5], const void *box) {
  if constexpr (rank == 1) cp_async_bulk_tensor_1d_shared_to_global(map, c[0], box);
  if constexpr (rank == 2) cp_async_bulk_tensor_2d_shared_to_global(map, c[0], c[1], box);
  if constexpr (rank == 3) cp_async_bulk_tensor_3d_shared_to_global(map, c[0], c[1], c[2], box);
  if constexpr (rank == 4) cp_async_bulk_tensor_4d_shared_to_global(map, c[0], c[1], c[2], c[3], box);
  if constexpr (rank == 5) cp_async_bulk_tensor_5d_shared_to_global(map, c[0], c[1], c[2], c[3], c[4], box);
}

template <int rank>
__device__ static void store_hint(const CUtensorMap *map, const int32_t (&c)[5], const void *box,
                                  uint64_t policy) {
  if constexpr (rank == 1) cp_async_bulk_tensor_1d_shared_to_global_hint(map, c[0], box, policy);
  if constexpr (rank == 2) cp_async_bulk_tensor_2d_shared_to_global_hint(map, c[0], c[1], box, policy);
  if constexpr (rank == 3) cp_async_bulk_tensor_3d_shared_to_global_hint(map, c[0], c[1], c[2], box, policy);
  if constexpr (rank == 4)
    cp_async_bulk_tensor_4d_shared_to_global_hint(map, c[0], c[1], c[2], c[3], box, policy);
  if constexpr (rank == 5)
    cp_async_bulk_tensor_5d_shared_to_global_hint(map, c[0], c[1], c[2], c[3], c[4], box, policy);
}

template <int rank> __device__ static void prefetch(const CUtensorMap *map, const int32_t (&c)[5]) {
  if constexpr (rank == 1) cp_async_bulk_prefetch_tensor_1d(map, c[0]);
  if constexpr (rank == 2) cp_async_bulk_prefetch_tensor_2d(map, c[0], c[1]);
  if constexpr (rank == 3) cp_async_bulk_prefetch_tensor_3d(map, c[0], c[1], c[2]);
  if constexpr (rank == 4) cp_async_bulk_prefetch_tensor_4d(map, c[0], c[1], c[2], c[3]);
  if constexpr (rank == 5) cp_async_bulk_prefetch_tensor_5d(map, c[0], c[1], c[2], c[3], c[4]);
}

// Loads one box three times (plainly, with a hint, for this block) into `loaded_box`, and stores a numbered
// box twice into the two tensors.
template <int rank>
__global__ void copy_boxes(int32_t *loaded_box, const __grid_constant__ CUtensorMap in,
                           const __grid_constant__ CUtensorMap out,
                           const __grid_constant__ CUtensorMap out_hint) {
  constexpr uint32_t elements = box_elements<rank>;
  constexpr int32_t load_at[5] = {LOAD_AT[0], LOAD_AT[1], LOAD_AT[2], LOAD_AT[3], LOAD_AT[4]};
  constexpr int32_t store_at[5] = {STORE_AT[0], STORE_AT[1], STORE_AT[2], STORE_AT[3], STORE_AT[4]};
  __shared__ alignas(128) int32_t box[4][(elements + 31) / 32 * 32];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    prefetch<rank>(&in, load_at);
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, 3 * elements * sizeof(int32_t));
    load<rank>(box[0], &in, load_at, &bar);
    load_hint<rank>(box[1], &in, load_at, &bar, create_policy_evict_first());
    load_cta<rank>(box[3], &in, load_at, &bar);
  }
  for (uint32_t i = threadIdx.x; i < elements; i += blockDim.x)
    box[2][i] = -1 - static_cast<int32_t>(i);
  async_proxy_fence();
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < elements; i += blockDim.x) {
    loaded_box[i] = box[0][i];
    loaded_box[elements + i] = box[1][i];
    loaded_box[2 * elements + i] = box[3][i];
  }
  if (threadIdx.x == 0) {
    store<rank>(&out, store_at, box[2]);
    tma_commit_group();
    store_hint<rank>(&out_hint, store_at, box[2], create_policy_evict_last());
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
}

// The index in the tensor of element i of a box at `at`, or -1 if it lies outside.
static int64_t tensor_index(int rank, const int32_t (&at)[5], uint32_t i) {
  int64_t index = 0, scale = 1;
  for (int d = 0; d < rank; d++) {
    const int64_t c = at[d] + static_cast<int64_t>(i % BOX[d]);
    if (c < 0 || c >= DIM[d]) return -1;
    index += c * scale;
    scale *= DIM[d];
    i /= BOX[d];
  }
  return index;
}

static void encode(CUtensorMap *map, int rank, const void *tensor) {
  tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = static_cast<uint32_t>(rank);
  o.global_address = tensor;
  uint64_t stride = sizeof(int32_t);
  for (int d = 0; d < rank; d++) {
    o.global_dim[d] = DIM[d];
    o.box_dim[d] = BOX[d];
    o.global_strides[d] = stride *= DIM[d];
  }
  CUDA_CHECK(tensor_map_encode(map, &o));
}

template <int rank> static void check_rank() {
  constexpr uint32_t elements = product(DIM, rank), in_box = box_elements<rank>;
  guarded<int32_t> in(elements), out(elements), out_hint(elements), loaded(3 * in_box);
  std::vector<int32_t> values(elements), untouched(elements, 7), expected(untouched);
  for (uint32_t i = 0; i < elements; i++)
    values[i] = static_cast<int32_t>(i + 1);
  in.set(values);
  out.set(untouched);
  out_hint.set(untouched);
  CUtensorMap in_map, out_map, out_hint_map;
  encode(&in_map, rank, in.data());
  encode(&out_map, rank, out.data());
  encode(&out_hint_map, rank, out_hint.data());
  copy_boxes<rank><<<1, 32>>>(loaded.data(), in_map, out_map, out_hint_map);
  CUDA_CHECK(cudaDeviceSynchronize());

  const std::vector<int32_t> box = loaded.get();
  for (uint32_t i = 0; i < 3 * in_box; i++) {
    const int64_t from = tensor_index(rank, LOAD_AT, i % in_box);
    const int32_t wanted = from < 0 ? 0 : values[from];
    if (!check_that(box[i] == wanted, "rank %d load: box[%u] is %d, not %d", rank, i, box[i], wanted)) break;
  }
  for (uint32_t i = 0; i < in_box; i++) {
    const int64_t to = tensor_index(rank, STORE_AT, i);
    if (to >= 0) expected[to] = -1 - static_cast<int32_t>(i);
  }
  check_that(out.get() == expected, "rank %d store: the tensor differs", rank);
  check_that(out_hint.get() == expected, "rank %d store with a hint: the tensor differs", rank);
  out.check_bands("out");
  out_hint.check_bands("out_hint");
}

int main() {
  check_rank<1>();
  check_rank<2>();
  check_rank<3>();
  check_rank<4>();
  check_rank<5>();
  return self_check_result();
}
