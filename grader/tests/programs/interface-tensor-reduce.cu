// In: nothing. Out: `ok` if reducing tensor stores combine inside the tensor and nowhere else. The idea: one
// operation for each rank and, at rank 2, every operation, with a box that hangs over the edge.
#include "self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t DIM[5] = {12, 5, 3, 3, 2}, BOX[5] = {8, 2, 2, 2, 2};
constexpr int32_t C0 = 8, C1 = 4, C2 = 0, C3 = 2, C4 = 1, AT[5] = {C0, C1, C2, C3, C4}; // where the box lies
enum operation { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, OPERATIONS };
static const char *const operation_names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

__device__ static void reduce_2d(operation what, const CUtensorMap *map, const void *box) {
  switch (what) {
  case ADD: cp_reduce_async_bulk_tensor_2d_shared_to_global_add(map, C0, C1, box); break;
  case MIN: cp_reduce_async_bulk_tensor_2d_shared_to_global_min(map, C0, C1, box); break;
  case MAX: cp_reduce_async_bulk_tensor_2d_shared_to_global_max(map, C0, C1, box); break;
  case INC: cp_reduce_async_bulk_tensor_2d_shared_to_global_inc(map, C0, C1, box); break;
  case DEC: cp_reduce_async_bulk_tensor_2d_shared_to_global_dec(map, C0, C1, box); break;
  case AND: cp_reduce_async_bulk_tensor_2d_shared_to_global_and(map, C0, C1, box); break;
  case OR: cp_reduce_async_bulk_tensor_2d_shared_to_global_or(map, C0, C1, box); break;
  default: cp_reduce_async_bulk_tensor_2d_shared_to_global_xor(map, C0, C1, box); break;
  }
}

__device__ static void add(int rank, const CUtensorMap *map, const void *box) {
  switch (rank) {
  case 1: cp_reduce_async_bulk_tensor_1d_shared_to_global_add(map, C0, box); break;
  case 3: cp_reduce_async_bulk_tensor_3d_shared_to_global_add(map, C0, C1, C2, box); break;
  case 4: cp_reduce_async_bulk_tensor_4d_shared_to_global_add(map, C0, C1, C2, C3, box); break;
  default: cp_reduce_async_bulk_tensor_5d_shared_to_global_add(map, C0, C1, C2, C3, C4, box); break;
  }
}

__device__ __host__ static uint32_t operand(uint32_t i) {
  return i * 2654435761u >> 16;
}

__global__ void reduce_box(const __grid_constant__ CUtensorMap map, int rank, operation what,
                           uint32_t elements) {
  __shared__ alignas(128) uint32_t box[8 * 2 * 2 * 2 * 2];
  for (uint32_t i = threadIdx.x; i < elements; i += blockDim.x)
    box[i] = operand(i);
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (rank == 2)
      reduce_2d(what, &map, box);
    else
      add(rank, &map, box);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

static uint32_t combine(operation what, uint32_t x, uint32_t y) {
  switch (what) {
  case ADD: return x + y;
  case MIN: return x < y ? x : y;
  case MAX: return x > y ? x : y;
  case INC: return x >= y ? 0 : x + 1;
  case DEC: return x == 0 || x > y ? y : x - 1;
  case AND: return x & y;
  case OR: return x | y;
  default: return x ^ y;
  }
}

static void check(int rank, operation what) {
  tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  o.rank = static_cast<uint32_t>(rank);
  uint32_t elements = 1, in_box = 1;
  for (int d = 0; d < rank; d++) {
    elements *= DIM[d];
    in_box *= BOX[d];
    o.global_dim[d] = DIM[d];
    o.box_dim[d] = BOX[d];
    o.global_strides[d] = elements * sizeof(uint32_t);
  }
  guarded<uint32_t> tensor(elements);
  std::vector<uint32_t> values(elements);
  for (uint32_t i = 0; i < elements; i++)
    values[i] = operand(i + 1000);
  tensor.set(values);
  o.global_address = tensor.data();
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  reduce_box<<<1, 32>>>(map, rank, what, in_box);
  CUDA_CHECK(cudaDeviceSynchronize());

  for (uint32_t i = 0; i < in_box; i++) {
    uint32_t rest = i, index = 0, scale = 1;
    bool inside = true;
    for (int d = 0; d < rank; d++) {
      const uint32_t c = static_cast<uint32_t>(AT[d]) + rest % BOX[d];
      inside = inside && c < DIM[d];
      index += c * scale;
      scale *= DIM[d];
      rest /= BOX[d];
    }
    if (inside) values[index] = combine(what, values[index], operand(i));
  }
  check_that(tensor.get() == values, "rank %d, %s: the tensor differs", rank, operation_names[what]);
  tensor.check_bands("tensor");
}

int main() {
  for (int rank = 1; rank <= 5; rank++)
    check(rank, ADD);
  for (int what = ADD; what < OPERATIONS; what++)
    check(2, static_cast<operation>(what));
  return self_check_result();
}
