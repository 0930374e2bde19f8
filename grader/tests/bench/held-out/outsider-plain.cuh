// The tenth set's kernels whose threads load and store by themselves, as anybody would write them.
#ifndef HELD_OUT_OUTSIDER_PLAIN_CUH
#define HELD_OUT_OUTSIDER_PLAIN_CUH

#include "job.cuh"
#include <cuda_fp16.h>

__device__ static inline float warp_sum(float v) {
  for (int lane = 16; lane; lane >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, lane);
  return v;
}

// saxpy: bytes of an element (4 or 16), threads, blocks on a processor (0: as many blocks as elements need)
__global__ void saxpy_words(job j) {
  const float *x = reinterpret_cast<const float *>(j.in);
  float *y = reinterpret_cast<float *>(j.out);
  for (size_t i = thread_of_grid(); i < j.quads * 4; i += static_cast<size_t>(gridDim.x) * blockDim.x)
    y[i] = 2.5f * x[i] + y[i];
}
__global__ void saxpy_quads(job j) {
  const float4 *x = reinterpret_cast<const float4 *>(j.in);
  float4 *y = reinterpret_cast<float4 *>(j.out);
  for (size_t i = thread_of_grid(); i < j.quads; i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    const float4 a = x[i];
    float4 b = y[i];
    b.x += 2.5f * a.x;
    b.y += 2.5f * a.y;
    b.z += 2.5f * a.z;
    b.w += 2.5f * a.w;
    y[i] = b;
  }
}

// ldg: quads of a thread, threads. Loads by __ldg, stores by __stcs; a thread's quads lie a block apart.
template <int N> __global__ void ldg(job j) {
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x * N + threadIdx.x;
  int4 v[N];
#pragma unroll
  for (int k = 0; k < N; k++)
    v[k] = __ldg(j.in + first + k * blockDim.x);
#pragma unroll
  for (int k = 0; k < N; k++)
    __stcs(j.out + first + k * blockDim.x, one_more(v[k]));
}

// dotted: threads, blocks on a processor. The halves' product, each block's part by one atomic.
__global__ void dotted(job j) {
  __shared__ float parts[32];
  const float4 *a = reinterpret_cast<const float4 *>(j.in), *b = a + j.quads / 2;
  float sum = 0;
  for (size_t i = thread_of_grid(); i < j.quads / 2; i += static_cast<size_t>(gridDim.x) * blockDim.x) {
    const float4 p = a[i], q = b[i];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) atomicAdd(reinterpret_cast<float *>(j.counter), sum);
  }
}

// softmax: words of a row, threads. A block has a row, which waits in shared memory.
__global__ void softmax(job j) {
  __shared__ float parts[32];
  __shared__ float whole;
  float *row = reinterpret_cast<float *>(memory);
  const uint32_t words = j.p[0], warps = blockDim.x / 32, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float *in = reinterpret_cast<const float *>(j.in) + static_cast<size_t>(blockIdx.x) * words;
  float *out = reinterpret_cast<float *>(j.out) + static_cast<size_t>(blockIdx.x) * words;
  float top = -1e30f;
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    row[i] = in[i];
    top = fmaxf(top, row[i]);
  }
  for (int half = 16; half; half >>= 1)
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, half));
  if (lane == 0) parts[warp] = top;
  __syncthreads();
  for (uint32_t i = 0; i < warps; i++)
    top = fmaxf(top, parts[i]);
  __syncthreads();
  float sum = 0;
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x) {
    row[i] = __expf(row[i] - top);
    sum += row[i];
  }
  sum = warp_sum(sum);
  if (lane == 0) parts[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (uint32_t i = 0; i < warps; i++)
      sum += parts[i];
    whole = 1.0f / sum;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    out[i] = row[i] * whole;
}

// norm: threads. A warp brings a row of 1024 words to mean 0 and variance 1, in registers.
__global__ void norm_rows(job j) {
  const size_t row = thread_of_grid() / 32;
  const uint32_t lane = threadIdx.x % 32;
  const float4 *in = reinterpret_cast<const float4 *>(j.in) + row * 256 + lane;
  float4 *out = reinterpret_cast<float4 *>(j.out) + row * 256 + lane;
  float4 v[8];
  float sum = 0, squares = 0;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k] = in[k * 32];
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
    squares += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
  }
  for (int half = 16; half; half >>= 1) {
    sum += __shfl_xor_sync(0xffffffffu, sum, half);
    squares += __shfl_xor_sync(0xffffffffu, squares, half);
  }
  const float mean = sum / 1024, scale = rsqrtf(squares / 1024 - mean * mean + 1e-5f);
#pragma unroll
  for (int k = 0; k < 8; k++)
    out[k * 32] = make_float4((v[k].x - mean) * scale, (v[k].y - mean) * scale, (v[k].z - mean) * scale,
                              (v[k].w - mean) * scale);
}

// jacobi: threads across, threads down. Five places of a matrix, straight from global memory.
__global__ void jacobi(job j) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int width = static_cast<int>(j.width), height = static_cast<int>(j.height);
  if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
  const float *in = reinterpret_cast<const float *>(j.in) + static_cast<size_t>(y) * width + x;
  reinterpret_cast<float *>(j.out)[static_cast<size_t>(y) * width + x] =
      0.2f * (in[0] + in[-1] + in[1] + in[-width] + in[width]);
}

// volume: threads across, threads down, planes of a block. Seven places of a volume of 512 x 256 in a plane;
// a thread goes up and keeps the planes below and above in registers.
__global__ void volume(job j) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const size_t plane = 512 * 256, planes = j.quads * 4 / plane;
  const size_t first = static_cast<size_t>(blockIdx.z) * j.p[2];
  if (x == 0 || y == 0 || x == 511 || y == 255) return;
  const float *in = reinterpret_cast<const float *>(j.in) + first * plane + y * 512 + x;
  float *out = reinterpret_cast<float *>(j.out) + first * plane + y * 512 + x;
  float below = first ? *(in - plane) : 0.0f, here = in[0];
  for (size_t z = 0; z < j.p[2] && first + z < planes; z++) {
    const float above = first + z + 1 < planes ? in[plane] : 0.0f;
    out[0] = 0.4f * here + 0.1f * (below + above + in[-1] + in[1] + in[-512] + in[512]);
    below = here;
    here = above;
    in += plane;
    out += plane;
  }
}

// blur: rows of a tile (32 words wide). Nine places of a matrix; a block brings its tile and an edge of one
// word to shared memory, a thread for each word.
template <int ROWS> __global__ void blur(job j) {
  __shared__ float tile[ROWS + 2][34];
  const int width = static_cast<int>(j.width), height = static_cast<int>(j.height);
  const int left = static_cast<int>(blockIdx.x * 32) - 1, top = static_cast<int>(blockIdx.y * ROWS) - 1;
  const float *in = reinterpret_cast<const float *>(j.in);
  for (int i = static_cast<int>(threadIdx.x); i < (ROWS + 2) * 34; i += 32 * ROWS) {
    const int x = min(max(left + i % 34, 0), width - 1), y = min(max(top + i / 34, 0), height - 1);
    tile[i / 34][i % 34] = in[static_cast<size_t>(y) * width + x];
  }
  __syncthreads();
  const int x = static_cast<int>(threadIdx.x % 32), y = static_cast<int>(threadIdx.x / 32);
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 3; dy++)
#pragma unroll
    for (int dx = 0; dx < 3; dx++)
      sum += tile[y + dy][x + dx];
  reinterpret_cast<float *>(j.out)[static_cast<size_t>(top + 1 + y) * width + left + 1 + x] = sum / 9;
}

// quads: threads. A matrix transposed in tiles of 64 x 64 words, by quads on both sides; places are crossed.
__global__ void quads(job j) {
  __shared__ __align__(16) int tile[64 * 64];
  const size_t x = blockIdx.x * 64, y = blockIdx.y * 64, in_pitch = j.width / 4, out_pitch = j.height / 4;
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) {
    const uint32_t row = i / 16, quad = i % 16;
    const int4 v = j.in[(y + row) * in_pitch + x / 4 + quad];
    const int words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (uint32_t k = 0; k < 4; k++)
      tile[(quad * 4 + k) * 64 + (row ^ quad * 4)] = words[k];
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) {
    const uint32_t row = i / 16, quad = i % 16;
    j.out[(x + row) * out_pitch + y / 4 + quad] =
        *reinterpret_cast<const int4 *>(&tile[row * 64 + (quad * 4 ^ row / 4 * 4)]);
  }
}

// zip: threads. Two arrays, the halves, become one of pairs.
__global__ void zip(job j) {
  const size_t i = thread_of_grid();
  const float *a = reinterpret_cast<const float *>(j.in), *b = a + j.quads * 2;
  reinterpret_cast<float2 *>(j.out)[i] = make_float2(a[i], b[i]);
}

// narrow: threads. Numbers of 4 bytes become numbers of 2.
__global__ void narrow(job j) {
  const size_t i = thread_of_grid();
  const float4 v = reinterpret_cast<const float4 *>(j.in)[i];
  __half2 *out = reinterpret_cast<__half2 *>(j.out) + 2 * i;
  out[0] = __floats2half2_rn(v.x, v.y);
  out[1] = __floats2half2_rn(v.z, v.w);
}

// lookup: the table's words, as a power of two; threads. A word of out is a word of a table that stays in the
// caches, at the place that the word of in names.
__global__ void lookup(job j) {
  const uint32_t *in = reinterpret_cast<const uint32_t *>(j.in);
  const size_t i = thread_of_grid();
  reinterpret_cast<uint32_t *>(j.out)[i] = __ldg(in + (in[i] & ((1u << j.p[0]) - 1)));
}

// trickle: bytes of a cp.async (4, 8 or 16), copies of a thread at once, threads. Through shared memory.
template <int BYTES, int N> __global__ void trickle(job j) {
  char *mine = reinterpret_cast<char *>(memory) + threadIdx.x * BYTES;
  const size_t first = (static_cast<size_t>(blockIdx.x) * blockDim.x * N + threadIdx.x) * BYTES;
  const char *in = reinterpret_cast<const char *>(j.in) + first;
#pragma unroll
  for (int k = 0; k < N; k++)
    if (BYTES == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       tma_shared_address(mine + k * blockDim.x * BYTES)),
                   "l"(in + k * blockDim.x * BYTES)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                       tma_shared_address(mine + k * blockDim.x * BYTES)),
                   "l"(in + k * blockDim.x * BYTES), "n"(BYTES)
                   : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  char *out = reinterpret_cast<char *>(j.out) + first;
#pragma unroll
  for (int k = 0; k < N; k++)
    for (int w = 0; w < BYTES / 4; w++)
      reinterpret_cast<int *>(out + k * blockDim.x * BYTES)[w] =
          reinterpret_cast<const int *>(mine + k * blockDim.x * BYTES)[w] + 1;
}

#endif
