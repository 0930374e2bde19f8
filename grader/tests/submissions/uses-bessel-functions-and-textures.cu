// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: exit 0
// expect: says build ok
// Needs headers without which the grader compiles at first.
#include <cmath>

__global__ void looks_up(float *out, cudaTextureObject_t texture) {
  *out = tex1Dfetch<float>(texture, 1);
}

double of_a_drum(double x) {
  return std::cyl_bessel_j(0.0, x);
}
