// The referee's kernels of lab10. In: a case. Out: its inputs, and what is wrong with results, on the GPU.
// What all labs share is in trusted.cuh.
#include "exercises/lab10/trusted-matmul.cuh"
#include "exercises/trusted.cuh"

// ---- the bits of the exercises' inputs ----

struct transpose {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) {
    return transpose_input(random_at(c, i));
  }
};

struct halo_3d {
  __device__ static float value(const trusted_case &c, uint64_t i) { return tiles_2d_input(random_at(c, i)); }
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return __float_as_uint(value(c, i)); }
};

TRUSTED(transpose)
TRUSTED(halo_3d)

// Two numbers in a word.
struct matmul {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) {
    const uint32_t random = random_at(c, i);
    return bf16_of(static_cast<float>(matmul_input(random, 0))) |
           uint32_t{bf16_of(static_cast<float>(matmul_input(random, 1)))} << 16;
  }
};

TRUSTED(matmul)

// ---- checking output and input ----

extern "C" __global__ void trusted_transpose_check(const uint32_t *out, trusted_case c,
                                                   trusted_finding *finding, const uint32_t *in) {
  const uint64_t gap = c.pitch_bytes - transpose_pitch(c.columns, 0),
                 out_pitch = transpose_pitch(c.rows, gap);
  for (uint64_t x = blockIdx.x; x < c.columns; x += gridDim.x)
    for (uint64_t y = threadIdx.x; y < c.rows; y += 256)
      if (out[x * (out_pitch / 4) + y] != transpose::input(c, y * c.columns + x))
        report_output(finding, x * c.rows + y);
  each_element(c, [&](uint64_t i, uint64_t offset) {
    if (in[offset] != transpose::input(c, i)) report_input(finding, i);
  });
}

// The number at (x, y, z) of a volume, zero outside. -1 has wrapped around to the largest number.
__device__ static float number_at(const trusted_case &c, uint64_t x, uint64_t y, uint64_t z) {
  const bool inside = x < c.columns && y < c.plane_rows && z < c.rows / c.plane_rows;
  return inside ? halo_3d::value(c, (z * c.plane_rows + y) * c.columns + x) : 0;
}

extern "C" __global__ void trusted_halo_3d_check(const float *out, trusted_case c, trusted_finding *finding,
                                                 const float *in) {
  for (uint64_t row = blockIdx.x; row < c.rows; row += gridDim.x) {
    const uint64_t y = row % c.plane_rows, z = row / c.plane_rows;
    for (uint64_t x = threadIdx.x; x < c.columns; x += 256) {
      const float middle = number_at(c, x, y, z);
      const float expected = halo_3d_result(number_at(c, x - 1, y, z) + number_at(c, x + 1, y, z) +
                                                number_at(c, x, y - 1, z) + number_at(c, x, y + 1, z) +
                                                number_at(c, x, y, z - 1) + number_at(c, x, y, z + 1),
                                            middle);
      const uint64_t offset = row * (c.pitch_bytes / 4) + x, i = row * c.columns + x;
      if (!result_is_right(expected, out[offset], 0)) report_output(finding, i);
      if (__float_as_uint(in[offset]) != __float_as_uint(middle)) report_input(finding, i);
    }
  }
}

// Only the inputs: trusted_matmul_compare looks at the results.
extern "C" __global__ void trusted_matmul_check(const uint32_t *, trusted_case c, trusted_finding *finding,
                                                const uint32_t *in) {
  each_element(c, [&](uint64_t i, uint64_t offset) {
    if (in[offset] != matmul::input(c, i)) report_input(finding, i);
  });
}
