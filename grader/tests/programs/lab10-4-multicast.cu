// nvcc: -Ilabs/lab10
// target: sm_90a
// In: nothing, or the word `bandwidth`. Out: `ok` if the solution of lab10's fourth exercise is right. The
// idea: sizes around the tile's, the slice's, the ring's and the cluster's. With `bandwidth` the same kernel
// without multicast is timed beside it.
#include "../../../solutions/lab10/4-multicast.cu"
#include "lab9-bandwidth.h"

static void check_size(size_t rows, size_t columns, size_t sets) {
  guarded<int32_t> matrix(rows * columns), weights(sets * rows), sums(sets * columns);
  std::vector<int32_t> numbers(matrix.count), factors(weights.count);
  random_numbers random = {rows * 10000 + columns * 100 + sets};
  for (int32_t &number : numbers)
    number = static_cast<int32_t>(random.next());
  for (int32_t &factor : factors)
    factor = static_cast<int32_t>(random.next());
  matrix.set(numbers);
  weights.set(factors);
  CUDA_CHECK(launch_multicast(sums.data(), matrix.data(), weights.data(), rows, columns, sets, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int32_t> after = sums.get();
  for (size_t i = 0; i < sets * columns; i++) {
    uint32_t expected = 0;
    for (size_t row = 0; row < rows; row++)
      expected += static_cast<uint32_t>(factors[i / columns * rows + row]) *
                  static_cast<uint32_t>(numbers[row * columns + i % columns]);
    if (!check_that(after[i] == static_cast<int32_t>(expected),
                    "%zu x %zu, %zu sets: [%zu][%zu] is %d, not %d", rows, columns, sets, i / columns,
                    i % columns, after[i], static_cast<int32_t>(expected)))
      break;
  }
  matrix.check_bands("matrix");
  weights.check_bands("weights");
  sums.check_bands("sums");
}

// ---- the same without multicast ---------------------------------------------------------------------------

__device__ static void load_alone(storage &s, const CUtensorMap *matrix_map, const CUtensorMap *weights_map,
                                  const work &w) {
  const int32_t column = static_cast<int32_t>(blockIdx.y * WIDTH), set = static_cast<int32_t>(blockIdx.x);
  ring_place at = {0, 0};
  for (uint32_t n = 0; n < tile_count(w); n++) {
    stage &to = s.stages[at.stage];
    const int32_t row = static_cast<int32_t>(n * HEIGHT);
    wait(&s.empty[at.stage], at.parity ^ 1);
    expect_bytes_and_arrive(&s.full[at.stage], STAGE_BYTES);
    cp_async_bulk_tensor_2d_global_to_shared(to.weights, weights_map, row, set, &s.full[at.stage]);
    for (uint32_t slice = 0; slice < HEIGHT; slice += SLICE)
      cp_async_bulk_tensor_2d_global_to_shared(to.tile[slice], matrix_map, column,
                                               row + static_cast<int32_t>(slice), &s.full[at.stage]);
    at.advance();
  }
}

__global__ void __launch_bounds__(THREADS, 1)
    weighted_sums_alone(uint32_t *sums, const __grid_constant__ CUtensorMap matrix_map,
                        const __grid_constant__ CUtensorMap weights_map, work w) {
  extern __shared__ __align__(128) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0)
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], WARPS);
    }
  __syncthreads();
  if (threadIdx.x == WIDTH) load_alone(s, &matrix_map, &weights_map, w);
  if (threadIdx.x >= WIDTH) return;
  uint32_t sum = 0;
  ring_place at = {0, 0};
  for (uint32_t n = 0; n < tile_count(w); n++) {
    wait(&s.full[at.stage], at.parity);
    sum += weighted_sum(s.stages[at.stage]);
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&s.empty[at.stage]);
    at.advance();
  }
  put_sum(sums, w, sum);
}

static cudaError_t launch_alone(int32_t *sums, const int32_t *matrix, const int32_t *weights, size_t rows,
                                size_t columns, size_t sets) {
  CUtensorMap matrix_map = {}, weights_map = {};
  cudaError_t error = encode_matrix(&matrix_map, matrix, rows, columns, WIDTH, SLICE);
  if (error == cudaSuccess) error = encode_matrix(&weights_map, weights, sets, rows, HEIGHT, 1);
  if (error != cudaSuccess) return error;
  return launch_clusters(weighted_sums_alone, sums, matrix_map, weights_map, rows, columns, sets, nullptr);
}

// 128 sets: a block for each of 128 processors. Then the results of both ways are compared.
static void print_speeds(size_t rows, size_t columns, size_t sets) {
  guarded<int32_t> matrix(rows * columns), weights(sets * rows), sums(sets * columns);
  matrix.set(std::vector<int32_t>(matrix.count, 3));
  weights.set(std::vector<int32_t>(weights.count, 5));
  const double bytes = 4e-6 * static_cast<double>(rows * columns * sets);
  const float alone = median_milliseconds(
      [&] { return launch_alone(sums.data(), matrix.data(), weights.data(), rows, columns, sets); });
  const std::vector<int32_t> expected = sums.get();
  const float together = median_milliseconds([&] {
    return launch_multicast(sums.data(), matrix.data(), weights.data(), rows, columns, sets, nullptr);
  });
  check_that(sums.get() == expected, "the two ways differ");
  printf("4-multicast, %zu x %zu, %zu sets: %.0f GB/s of tiles with multicast, %.0f without: %.3f times\n",
         rows, columns, sets, bytes / together, bytes / alone, alone / together);
}

int main(int argument_count, char **arguments) {
  if (asked_for_bandwidth(argument_count, arguments)) {
    print_speeds(49152, 256, 128);
    print_speeds(4800, 2048, 128);
    return self_check_result();
  }
  const size_t sizes[][3] = {{4, 4, 1},    {48, 256, 2}, {24, 256, 2}, {28, 260, 3},
                             {300, 60, 2}, {192, 8, 4},  {196, 12, 5}, {452, 4, 1}};
  for (const auto &size : sizes)
    check_size(size[0], size[1], size[2]);
  return self_check_result();
}
