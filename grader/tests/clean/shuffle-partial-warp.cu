// Warps of which only some lanes shuffle: 24 lanes of a whole warp, and the 16 lanes of the block's last one.
// They read lanes that take no part, and throw away what they get.
#include "corpus.h"

constexpr int COUNT = 24;

__device__ int sum_of(unsigned mask, int value, int lane, int count) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const int other = __shfl_down_sync(mask, value, offset);
    if (lane + offset < count) value += other;
  }
  return __shfl_sync(mask, value, 0);
}

// Each half of the offsets reads lanes outside the mask, but lane 0 never does.
__device__ int sum_of_sixteen(int value) {
  for (int offset = 8; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffu, value, offset);
  return value;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ int sums[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, count = warp == 0 ? COUNT : 16;
  const unsigned mask = (1u << count) - 1;
  const int value = in[blockIdx.x * 48 + threadIdx.x];
  int result = 0;
  if (lane < count) {
    const int next = __shfl_down_sync(mask, value, 1), last = __shfl_sync(mask, value, count - 1 + lane % 2);
    const int sum = sum_of(mask, value, lane, count);
    const bool inside = lane + 1 < count;
    result = sum + (inside ? next - value : 0) + (lane % 2 ? 0 : last);
  }
  if (warp == 1) {
    const int sum = sum_of_sixteen(value);
    if (lane == 0) sums[1] = sum;
  } else if (lane < 16) {
    const int sum = sum_of_sixteen(value);
    if (lane == 0) sums[0] = sum;
  }
  __syncthreads();
  out[blockIdx.x * 48 + threadIdx.x] = result + sums[0] + 3 * sums[1];
}

int main() {
  return corpus_check(
      2 * 48, [](int *out, const int *in) { kernel<<<2, 48>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t block = i / 48 * 48, t = i % 48, first = block + t / 32 * 32;
        const int lane = static_cast<int>(t % 32), count = t < 32 ? COUNT : 16;
        unsigned sums[2] = {0, 0}, sum = 0, result = 0;
        for (int k = 0; k < 16; k++)
          sums[0] += in[block + k], sums[1] += in[block + 32 + k];
        for (int k = 0; k < count; k++)
          sum += in[first + k];
        if (lane < count) {
          result = sum;
          if (lane + 1 < count) result += static_cast<unsigned>(in[i + 1]) - in[i];
          if (lane % 2 == 0) result += in[first + count - 1];
        }
        return static_cast<int>(result + sums[0] + 3 * sums[1]);
      });
}
