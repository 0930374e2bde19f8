// The referee's kernels of lab10. In: a case. Out: its inputs, and what is wrong with results, on the GPU.
// What all labs share is in trusted.cuh.
#include "exercises/trusted.cuh"

// ---- the bits of the exercises' inputs ----

struct transpose {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return random_at(c, i); }
};

TRUSTED(transpose)

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
