// ldmatrix, stmatrix and movmatrix: which element of which matrix every lane's registers hold, from the
// formulas of the PTX ISA (9.7.14.5.15 to .17). NOT YET RUN ON A GPU: what is right is taken from the ISA's
// text alone; `make test-gpu` runs this program natively and will tell.
#include <utility>

#include "self-check.h"

enum {
  LANES = 32,
  MATRICES = 4,
  ROWS = 8,
  MATRIX_WORDS = MATRICES * LANES,
  PITCH = 24
}; // PITCH: halves from row to row, 48 bytes

static __device__ uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// One of eight: load or store, x1, x2 or x4, as they are or transposed. r: one word of each matrix and lane.
template <int COUNT, bool TRANSPOSED> static __device__ void load_rows(uint32_t at, uint32_t r[MATRICES]) {
  if (COUNT == 1 && !TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at) : "memory");
  if (COUNT == 1 && TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[0])
                 : "r"(at)
                 : "memory");
  if (COUNT == 2 && !TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(at)
                 : "memory");
  if (COUNT == 2 && TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(at)
                 : "memory");
  if (COUNT == 4 && !TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
  if (COUNT == 4 && TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

template <int COUNT, bool TRANSPOSED>
static __device__ void store_rows(uint32_t at, const uint32_t r[MATRICES]) {
  if (COUNT == 1 && !TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(r[0]) : "memory");
  if (COUNT == 1 && TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(at), "r"(r[0])
                 : "memory");
  if (COUNT == 2 && !TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(r[0]), "r"(r[1])
                 : "memory");
  if (COUNT == 2 && TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" ::"r"(at), "r"(r[0]),
                 "r"(r[1])
                 : "memory");
  if (COUNT == 4 && !TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]),
                 "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
  if (COUNT == 4 && TRANSPOSED)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

// Lanes whose address is not used pass an invalid one: it must not be accessed.
template <int COUNT> static __device__ uint32_t row_address(uint16_t (*rows)[PITCH]) {
  // rows in any order
  return threadIdx.x < COUNT * ROWS ? shared_address(rows[(threadIdx.x * 5 + 3) % LANES]) : 0xfffffff1u;
}

template <int COUNT, bool TRANSPOSED> static __global__ void load(const uint16_t *in, uint32_t *out) {
  __shared__ alignas(16) uint16_t rows[LANES][PITCH];
  for (uint32_t i = threadIdx.x; i < LANES * PITCH; i += LANES)
    rows[i / PITCH][i % PITCH] = in[i];
  __syncwarp();
  uint32_t r[MATRICES] = {1, 2, 3, 4};
  load_rows<COUNT, TRANSPOSED>(row_address<COUNT>(rows), r);
  for (int m = 0; m < MATRICES; m++)
    out[m * LANES + threadIdx.x] = r[m];
}

template <int COUNT, bool TRANSPOSED> static __global__ void store(const uint32_t *in, uint16_t *out) {
  __shared__ alignas(16) uint16_t rows[LANES][PITCH];
  for (uint32_t i = threadIdx.x; i < LANES * PITCH; i += LANES)
    rows[i / PITCH][i % PITCH] = 0xabcd;
  uint32_t r[MATRICES];
  for (int m = 0; m < MATRICES; m++)
    r[m] = in[m * LANES + threadIdx.x];
  __syncwarp();
  store_rows<COUNT, TRANSPOSED>(row_address<COUNT>(rows), r);
  __syncwarp();
  for (uint32_t i = threadIdx.x; i < LANES * PITCH; i += LANES)
    out[i] = rows[i / PITCH][i % PITCH];
}

static __global__ void generic_and_moved(const uint16_t *in, uint32_t *out) {
  __shared__ alignas(16) uint16_t rows[LANES][PITCH];
  for (uint32_t i = threadIdx.x; i < LANES * PITCH; i += LANES)
    rows[i / PITCH][i % PITCH] = in[i];
  __syncwarp();
  uint32_t r = 0, moved = 0;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];"
               : "=r"(r)
               : "l"(&rows[threadIdx.x % ROWS][8])
               : "memory");
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(r));
  out[threadIdx.x] = r;
  out[LANES + threadIdx.x] = moved;
}

// The place of half `h` (0 low, 1 high) of a lane's word in its matrix.
static void place_in_matrix(int lane, int h, bool transposed, int *row, int *column) {
  *row = lane / 4;
  *column = lane % 4 * 2 + h;
  if (transposed) std::swap(*row, *column);
}

template <int COUNT, bool TRANSPOSED> static void check_matrices() {
  guarded<uint16_t> halves(LANES * PITCH);
  guarded<uint32_t> words(MATRIX_WORDS);
  std::vector<uint16_t> in(LANES * PITCH);
  for (size_t i = 0; i < in.size(); i++)
    in[i] = static_cast<uint16_t>(i * 7 + 1);
  halves.set(in);
  load<COUNT, TRANSPOSED><<<1, LANES>>>(halves.data(), words.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<uint32_t> r = words.get();
  std::vector<uint16_t> stored(LANES * PITCH, 0xabcd);
  for (int m = 0; m < MATRICES; m++) {
    for (int lane = 0; lane < LANES; lane++) {
      uint32_t expected = m < COUNT ? 0 : static_cast<uint32_t>(m) + 1;
      for (int h = 0; h < 2 && m < COUNT; h++) {
        int row, column;
        place_in_matrix(lane, h, TRANSPOSED, &row, &column);
        int at = ((m * ROWS + row) * 5 + 3) % LANES * PITCH + column;
        expected |= static_cast<uint32_t>(in[at]) << 16 * h;
        stored[at] = in[at];
      }
      check_that(r[m * LANES + lane] == expected, "ldmatrix x%d trans %d: matrix %d, lane %d: %08x, not %08x",
                 COUNT, TRANSPOSED, m, lane, r[m * LANES + lane], expected);
    }
  }
  store<COUNT, TRANSPOSED><<<1, LANES>>>(words.data(), halves.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<uint16_t> out = halves.get();
  for (size_t i = 0; i < out.size(); i++)
    check_that(out[i] == stored[i], "stmatrix x%d trans %d: half %zu: %04x, not %04x", COUNT, TRANSPOSED, i,
               out[i], stored[i]);
}

static void check_generic_and_moved() {
  guarded<uint16_t> halves(LANES * PITCH);
  guarded<uint32_t> words(2 * LANES);
  std::vector<uint16_t> in(LANES * PITCH);
  for (size_t i = 0; i < in.size(); i++)
    in[i] = static_cast<uint16_t>(i);
  halves.set(in);
  generic_and_moved<<<1, LANES>>>(halves.data(), words.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<uint32_t> r = words.get();
  for (int lane = 0; lane < 2 * LANES; lane++) {
    uint32_t expected = 0;
    for (int h = 0; h < 2; h++) {
      int row, column;
      place_in_matrix(lane % LANES, h, lane >= LANES, &row, &column);
      expected |= static_cast<uint32_t>(in[row * PITCH + 8 + column]) << 16 * h;
    }
    check_that(r[lane] == expected, "%s, lane %d: %08x, not %08x",
               lane < LANES ? "generic ldmatrix" : "movmatrix", lane % LANES, r[lane], expected);
  }
}

int main() {
  check_matrices<1, false>();
  check_matrices<1, true>();
  check_matrices<2, false>();
  check_matrices<2, true>();
  check_matrices<4, false>();
  check_matrices<4, true>();
  check_generic_and_moved();
  return self_check_result();
}
