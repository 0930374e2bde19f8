// The eleventh set's kernels whose threads load and store by themselves: rows, conversions, small matrices,
// tables, compaction.
#ifndef HELD_OUT_SET_11_PLAIN_CUH
#define HELD_OUT_SET_11_PLAIN_CUH

#include "job.cuh"
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>

template <typename T> __device__ static inline const T *in_as(const job &j) {
  return reinterpret_cast<const T *>(j.in);
}
template <typename T> __device__ static inline T *out_as(const job &j) {
  return reinterpret_cast<T *>(j.out);
}
__device__ static inline size_t threads_of_grid() {
  return gridDim.x * static_cast<size_t>(blockDim.x);
}
__device__ static inline float sum_of(float4 v) {
  return v.x + v.y + v.z + v.w;
}
__device__ static inline float all_of_warp(float v) {
  for (int half = 16; half; half /= 2)
    v += __shfl_xor_sync(~0u, v, half);
  return v;
}

// axpby: quads of a thread in one turn, threads, blocks on a processor (0: as many as there is work for). Two
// halves of the array become one.
template <int N> __global__ void axpby(job j) {
  const size_t half = j.quads / 2, step = threads_of_grid();
  const float4 *x = in_as<float4>(j), *y = x + half;
  for (size_t i = thread_of_grid(); i < half; i += N * step) {
    float4 a[N], b[N];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < half) a[k] = x[i + k * step], b[k] = y[i + k * step];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < half)
        out_as<float4>(j)[i + k * step] = make_float4(2 * a[k].x + 3 * b[k].x, 2 * a[k].y + 3 * b[k].y,
                                                      2 * a[k].z + 3 * b[k].z, 2 * a[k].w + 3 * b[k].w);
  }
}

// soft-rows: words of a row, threads. A warp has a row: the largest and the sum in one pass, the result in
// another.
__global__ void soft_rows(job j) {
  const uint32_t quads = j.p[0] / 4, lane = threadIdx.x % 32;
  const float4 *row = in_as<float4>(j) + thread_of_grid() / 32 * quads;
  float4 *out = out_as<float4>(j) + thread_of_grid() / 32 * quads;
  float top = -1e30f, sum = 0;
  for (uint32_t i = lane; i < quads; i += 32) {
    const float4 v = row[i];
    const float most = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    if (most > top) {
      sum *= __expf(top - most);
      top = most;
    }
    sum += __expf(v.x - top) + __expf(v.y - top) + __expf(v.z - top) + __expf(v.w - top);
  }
  for (int half = 16; half; half /= 2) {
    const float theirs = __shfl_xor_sync(~0u, top, half), their_sum = __shfl_xor_sync(~0u, sum, half);
    const float most = fmaxf(top, theirs);
    sum = sum * __expf(top - most) + their_sum * __expf(theirs - most);
    top = most;
  }
  const float scale = 1 / sum;
  for (uint32_t i = lane; i < quads; i += 32) {
    const float4 v = row[i];
    out[i] = make_float4(__expf(v.x - top) * scale, __expf(v.y - top) * scale, __expf(v.z - top) * scale,
                         __expf(v.w - top) * scale);
  }
}

// layer-norm: quads of a thread, threads. A block has a row, in registers; the weights are a row that all
// blocks read.
template <int N> __global__ void layer_norm(job j) {
  __shared__ float sums[32], squares[32];
  const uint32_t row = N * blockDim.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const float4 *in = in_as<float4>(j) + blockIdx.x * static_cast<size_t>(row) + threadIdx.x;
  float4 *out = out_as<float4>(j) + blockIdx.x * static_cast<size_t>(row) + threadIdx.x;
  float4 v[N];
  float sum = 0, square = 0;
#pragma unroll
  for (int k = 0; k < N; k++) {
    v[k] = in[k * blockDim.x];
    sum += sum_of(v[k]);
    square += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
  }
  sum = all_of_warp(sum), square = all_of_warp(square);
  if (lane == 0) sums[warp] = sum, squares[warp] = square;
  __syncthreads();
  sum = all_of_warp(lane < blockDim.x / 32 ? sums[lane] : 0.0f);
  square = all_of_warp(lane < blockDim.x / 32 ? squares[lane] : 0.0f);
  const float mean = sum / (4 * row), scale = rsqrtf(square / (4 * row) - mean * mean + 1e-5f);
  const float4 *weights = in_as<float4>(j) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < N; k++) {
    const float4 w = __ldg(weights + k * blockDim.x);
    out[k * blockDim.x] = make_float4((v[k].x - mean) * scale * w.x + 1, (v[k].y - mean) * scale * w.y + 1,
                                      (v[k].z - mean) * scale * w.z + 1, (v[k].w - mean) * scale * w.w + 1);
  }
}

// octets: threads, blocks on a processor. A histogram of bytes, each warp's in shared memory; only reads.
__global__ void octets(job j) {
  uint32_t *all = reinterpret_cast<uint32_t *>(memory), *mine = all + threadIdx.x / 32 * 256;
  for (uint32_t i = threadIdx.x; i < blockDim.x / 32 * 256; i += blockDim.x)
    all[i] = 0;
  __syncthreads();
  for (size_t i = thread_of_grid(); i < j.quads; i += threads_of_grid()) {
    const int4 v = j.in[i];
    const uint32_t words[] = {static_cast<uint32_t>(v.x), static_cast<uint32_t>(v.y),
                              static_cast<uint32_t>(v.z), static_cast<uint32_t>(v.w)};
#pragma unroll
    for (int k = 0; k < 16; k++)
      atomicAdd(&mine[words[k / 4] >> k % 4 * 8 & 255], 1u);
  }
  __syncthreads();
  for (uint32_t bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    uint32_t sum = 0;
    for (uint32_t warp = 0; warp < blockDim.x / 32; warp++)
      sum += all[warp * 256 + bin];
    atomicAdd(out_as<uint32_t>(j) + bin, sum);
  }
}

// scan-part: threads. Each block's running sums, a quad for a thread: shuffles, then the warps' sums.
__global__ void scan_part(job j) {
  __shared__ int sums[32];
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int4 v = j.in[thread_of_grid()];
  v.y += v.x, v.z += v.y, v.w += v.z;
  int sum = v.w;
  for (uint32_t step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += before;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int part = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (uint32_t step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(~0u, part, step);
      if (lane >= step) part += before;
    }
    sums[lane] = part;
  }
  __syncthreads();
  const int before = sum - v.w + (warp ? sums[warp - 1] : 0);
  j.out[thread_of_grid()] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// embed: bytes of a row, rows of the table as a power of 2, threads. A warp fetches the row that a word of
// the array names.
__global__ void embed(job j) {
  const uint32_t quads = j.p[0] / 16, lane = threadIdx.x % 32;
  const size_t row = thread_of_grid() / 32;
  const uint32_t from = in_as<uint32_t>(j)[row] & ((1u << j.p[1]) - 1);
  for (uint32_t i = lane; i < quads; i += 32)
    j.out[row * quads + i] = j.in[from * static_cast<size_t>(quads) + i];
}

// turn-wide: rows of threads. A matrix of 64-bit words transposed by tiles of 32 x 32, with padding.
__global__ void turn_wide(job j) {
  __shared__ double tile[32][33];
  const size_t width = j.width / 2, height = j.height;
  const size_t x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (uint32_t k = threadIdx.y; k < 32; k += blockDim.y)
    tile[k][threadIdx.x] = in_as<double>(j)[(y + k) * width + x + threadIdx.x];
  __syncthreads();
  for (uint32_t k = threadIdx.y; k < 32; k += blockDim.y)
    out_as<double>(j)[(x + k) * height + y + threadIdx.x] = tile[threadIdx.x][k];
}

// turn-half: rows of threads. The same of 16-bit words, by tiles of 64 x 64, two words for a thread.
__global__ void turn_half(job j) {
  __shared__ uint16_t tile[64][66];
  const size_t width = j.width * size_t{2}, height = j.height;
  const size_t x = blockIdx.x * 64, y = blockIdx.y * 64;
  for (uint32_t k = threadIdx.y; k < 64; k += blockDim.y)
    *reinterpret_cast<uint32_t *>(&tile[k][2 * threadIdx.x]) =
        in_as<uint32_t>(j)[((y + k) * width + x) / 2 + threadIdx.x];
  __syncthreads();
  for (uint32_t k = threadIdx.y; k < 64; k += blockDim.y)
    out_as<uint32_t>(j)[((x + k) * height + y) / 2 + threadIdx.x] =
        tile[2 * threadIdx.x][k] | static_cast<uint32_t>(tile[2 * threadIdx.x + 1][k]) << 16;
}

// slots: stages (2, 4 or 8), threads, blocks on a processor. cp.async, each thread with its own slots: nobody
// meets.
template <int STAGES> __global__ void slots(job j) {
  const size_t step = threads_of_grid();
  int4 *mine = memory + threadIdx.x;
  size_t next = thread_of_grid();
  auto fetch = [&](uint32_t s) {
    if (next < j.quads) __pipeline_memcpy_async(mine + s * blockDim.x, j.in + next, 16);
    __pipeline_commit();
    next += step;
  };
  for (uint32_t s = 0; s < STAGES; s++)
    fetch(s);
  uint32_t s = 0;
  for (size_t i = thread_of_grid(); i < j.quads; i += step) {
    __pipeline_wait_prior(STAGES - 1);
    j.out[i] = one_more(mine[s * blockDim.x]);
    fetch(s);
    s = (s + 1) % STAGES;
  }
}

// half-eight: threads. Eight floats of a thread become halves, in one store.
__global__ void half_eight(job j) {
  const size_t i = thread_of_grid();
  const float4 a = in_as<float4>(j)[2 * i], b = in_as<float4>(j)[2 * i + 1];
  const __half2 v[4] = {__floats2half2_rn(a.x, a.y), __floats2half2_rn(a.z, a.w), __floats2half2_rn(b.x, b.y),
                        __floats2half2_rn(b.z, b.w)};
  uint4 packed;
  memcpy(&packed, v, sizeof packed);
  out_as<uint4>(j)[i] = packed;
}

// to-eight-bits: threads, blocks on a processor (0: as many as there is work for)
__global__ void to_eight_bits(job j) {
  for (size_t i = thread_of_grid(); i < j.quads; i += threads_of_grid()) {
    const float4 v = in_as<float4>(j)[i];
    out_as<uint32_t>(j)[i] = __nv_fp8x4_e4m3(v).__x;
  }
}

// matrices: threads. A thread multiplies a matrix of 4 x 4 floats, which lie one after the other.
__global__ void matrices(job j) {
  const float4 *a = in_as<float4>(j) + thread_of_grid() * 4;
  float4 *out = out_as<float4>(j) + thread_of_grid() * 4;
  float4 rows[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    rows[k] = a[k];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const float4 v = rows[k];
    out[k] = make_float4(v.x * 0.5f + v.y * 0.25f + v.w, v.y * 1.5f - v.z * 0.5f, v.z * 2 + v.x,
                         v.w * 0.75f + v.x * 0.125f + v.y);
  }
}

// products: matrices of a block. Pairs of matrices of 16 x 16 floats multiplied in shared memory by 256
// threads.
__global__ void products(job j) {
  __shared__ float a[16][16], b[16][17];
  const size_t half = j.quads * 2;
  const uint32_t x = threadIdx.x % 16, y = threadIdx.x / 16;
  for (uint32_t n = 0; n < j.p[0]; n++) {
    const size_t i = (blockIdx.x * static_cast<size_t>(j.p[0]) + n) * 256 + threadIdx.x;
    a[y][x] = in_as<float>(j)[i];
    b[y][x] = in_as<float>(j)[half + i];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
      sum += a[y][k] * b[k][x];
    out_as<float>(j)[i] = sum;
    __syncthreads();
  }
}

// wave: threads across, threads down. A step of the wave equation; out has the step before.
__global__ void wave(job j) {
  const size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= j.width - 1 || y >= j.height - 1) return;
  const float *in = in_as<float>(j) + y * j.width + x;
  float *out = out_as<float>(j) + y * j.width + x;
  const float around = in[-1] + in[1] + *(in - j.width) + in[j.width];
  *out = 2 * in[0] - *out + 0.1f * (around - 4 * in[0]);
}

// halo: rows of threads. A tile of 32 words across with its edges goes to shared memory first.
__global__ void halo(job j) {
  float *tile = reinterpret_cast<float *>(memory);
  const uint32_t rows = blockDim.y + 2, count = 34 * rows, first = threadIdx.y * 32 + threadIdx.x;
  const int left = static_cast<int>(blockIdx.x * 32) - 1,
            above = static_cast<int>(blockIdx.y * blockDim.y) - 1;
  for (uint32_t i = first; i < count; i += 32 * blockDim.y) {
    const int x = left + static_cast<int>(i % 34), y = above + static_cast<int>(i / 34);
    const bool inside = x >= 0 && y >= 0 && x < static_cast<int>(j.width) && y < static_cast<int>(j.height);
    tile[i] = inside ? in_as<float>(j)[static_cast<size_t>(y) * j.width + x] : 0;
  }
  __syncthreads();
  const float *at = tile + (threadIdx.y + 1) * 34 + threadIdx.x + 1;
  const size_t row = blockIdx.y * static_cast<size_t>(blockDim.y) + threadIdx.y;
  out_as<float>(j)[row * j.width + blockIdx.x * 32 + threadIdx.x] =
      at[0] * 0.5f + (at[-1] + at[1] + at[-34] + at[34]) * 0.125f;
}

// compact: 0: a block asks for room once, 1: each word asks, threads. Words that 4 divides move to the front.
__global__ void compact(job j) {
  __shared__ uint32_t kept, base;
  const uint32_t v = in_as<uint32_t>(j)[thread_of_grid()];
  if (j.p[0]) {
    if (v % 4 == 0) out_as<uint32_t>(j)[atomicAdd(j.counter, 1u)] = v;
    return;
  }
  if (threadIdx.x == 0) kept = 0;
  __syncthreads();
  uint32_t at = 0;
  if (v % 4 == 0) at = atomicAdd(&kept, 1u);
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(j.counter, kept);
  __syncthreads();
  if (v % 4 == 0) out_as<uint32_t>(j)[base + at] = v;
}

// ahead: threads, blocks on a processor. Two buffers in turn; the next quad is under way in a register.
__global__ void ahead(job j) {
  const uint32_t across = blockDim.x - 1 - threadIdx.x;
  const size_t step = threads_of_grid();
  int4 next = make_int4(0, 0, 0, 0);
  size_t i = thread_of_grid();
  if (i < j.quads) next = j.in[i];
  for (uint32_t n = 0; i < j.quads; n ^= 1, i += step) {
    int4 *buffer = memory + n * blockDim.x;
    buffer[threadIdx.x] = next;
    if (i + step < j.quads) next = j.in[i + step];
    __syncthreads();
    j.out[i - threadIdx.x + across] = one_more(buffer[across]);
  }
}

// fill-streaming: quads of a thread, threads. Only streaming stores.
template <int N> __global__ void fill_streaming(job j) {
  int4 *to = j.out + blockIdx.x * static_cast<size_t>(N * blockDim.x) + threadIdx.x;
#pragma unroll
  for (int k = 0; k < N; k++)
    __stcs(to + k * blockDim.x, make_int4(1, 2, 3, 4));
}

// peak: quads of a thread, threads. The largest word, by streaming loads; one atomic for each warp.
template <int N> __global__ void peak(job j) {
  const int4 *from = j.in + blockIdx.x * static_cast<size_t>(N * blockDim.x) + threadIdx.x;
  int4 v[N];
#pragma unroll
  for (int k = 0; k < N; k++)
    v[k] = __ldcs(from + k * blockDim.x);
  int most = 0;
#pragma unroll
  for (int k = 0; k < N; k++)
    most = max(most, max(max(v[k].x, v[k].y), max(v[k].z, v[k].w)));
  most = __reduce_max_sync(~0u, most);
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<int *>(j.counter), most);
}

// thin: quads of a thread in one turn, threads, blocks on a processor. Few warps that ask for much.
template <int N> __global__ void thin(job j) {
  const size_t step = threads_of_grid();
  for (size_t i = thread_of_grid(); i < j.quads; i += N * step) {
    int4 v[N];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < j.quads) v[k] = j.in[i + k * step];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (i + k * step < j.quads) j.out[i + k * step] = one_more(v[k]);
  }
}

// times-vector: threads. A matrix times a vector; a warp has a row of it, and all read the vector.
__global__ void times_vector(job j) {
  const size_t row = thread_of_grid() / 32;
  const uint32_t lane = threadIdx.x % 32, quads = j.width / 4;
  const float4 *a = in_as<float4>(j) + row * quads, *x = in_as<float4>(j);
  float sum = 0;
  for (uint32_t i = lane; i < quads; i += 32) {
    const float4 v = a[i], w = x[i];
    sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
  }
  sum = all_of_warp(sum);
  if (lane == 0) out_as<float>(j)[row] = sum;
}

// vector-times: threads, rows of a block. A vector times a matrix; a thread has a word of each row.
__global__ void vector_times(job j) {
  const size_t x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * static_cast<size_t>(j.p[1]);
  float sum = 0;
#pragma unroll 8
  for (uint32_t k = 0; k < j.p[1]; k++)
    sum += in_as<float>(j)[(first + k) * j.width + x] * in_as<float>(j)[first + k];
  atomicAdd(out_as<float>(j) + x, sum);
}

// gray: threads. Three bytes of a dot become one; each is loaded by itself.
__global__ void gray(job j) {
  const size_t i = thread_of_grid();
  const uint8_t *dot = in_as<uint8_t>(j) + 3 * i;
  out_as<uint8_t>(j)[i] = static_cast<uint8_t>((77 * dot[0] + 150 * dot[1] + 29 * dot[2]) >> 8);
}

// bias: threads, blocks on a processor (0: as many as there is work for). A row of weights is added to each.
__global__ void bias(job j) {
  for (size_t i = thread_of_grid(); i < j.quads; i += threads_of_grid()) {
    const float4 v = in_as<float4>(j)[i], b = __ldg(in_as<float4>(j) + i % (j.width / 4));
    out_as<float4>(j)[i] =
        make_float4(fmaxf(v.x + b.x, 0), fmaxf(v.y + b.y, 0), fmaxf(v.z + b.z, 0), fmaxf(v.w + b.w, 0));
  }
}

// rotary: threads. Pairs of floats turned by an angle of their place.
__global__ void rotary(job j) {
  const size_t i = thread_of_grid();
  const float4 v = in_as<float4>(j)[i];
  const float place = static_cast<float>(i / (j.width / 4)), rate = static_cast<float>(i % 16) * -0.5f;
  float s, c, t, d;
  __sincosf(place * __expf(rate), &s, &c);
  __sincosf(place * __expf(rate - 0.25f), &t, &d);
  out_as<float4>(j)[i] =
      make_float4(v.x * c - v.y * s, v.x * s + v.y * c, v.z * d - v.w * t, v.z * t + v.w * d);
}

// odd-bits: threads. A word of out for each warp: which of its words are odd.
__global__ void odd_bits(job j) {
  const uint32_t bits = __ballot_sync(~0u, in_as<uint32_t>(j)[thread_of_grid()] & 1);
  if (threadIdx.x % 32 == 0) out_as<uint32_t>(j)[thread_of_grid() / 32] = bits;
}

// ends-of-lines: threads, blocks on a processor. How many bytes are 10; only reads.
__global__ void ends_of_lines(job j) {
  uint32_t count = 0;
  for (size_t i = thread_of_grid(); i < j.quads; i += threads_of_grid()) {
    const uint4 v = in_as<uint4>(j)[i];
    count += __popc(__vcmpeq4(v.x, 0x0a0a0a0a)) + __popc(__vcmpeq4(v.y, 0x0a0a0a0a));
    count += __popc(__vcmpeq4(v.z, 0x0a0a0a0a)) + __popc(__vcmpeq4(v.w, 0x0a0a0a0a));
  }
  count = __reduce_add_sync(~0u, count / 8);
  if (threadIdx.x % 32 == 0) atomicAdd(j.counter, count);
}

// row-best: words of a row, threads. Where the largest word of a row is; a warp has a row.
__global__ void row_best(job j) {
  const size_t row = thread_of_grid() / 32;
  int most = -1, where = 0;
  for (uint32_t i = threadIdx.x % 32; i < j.p[0]; i += 32) {
    const int v = in_as<int>(j)[row * j.p[0] + i];
    if (v > most) most = v, where = static_cast<int>(i);
  }
  for (int half = 16; half; half /= 2) {
    const int other = __shfl_xor_sync(~0u, most, half), there = __shfl_xor_sync(~0u, where, half);
    if (other > most || (other == most && there < where)) most = other, where = there;
  }
  if (threadIdx.x % 32 == 0) out_as<int>(j)[row] = where;
}

// butterfly: threads. Sum and difference of words half an array apart.
__global__ void butterfly(job j) {
  const size_t i = thread_of_grid(), half = j.quads / 2;
  const int4 a = j.in[i], b = j.in[half + i];
  j.out[i] = make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  j.out[half + i] = make_int4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

// few-of-row: words of the vector as a power of 2, threads. A matrix with 8 words in a row times a vector: a
// half of the array has the words, the other their columns.
__global__ void few_of_row(job j) {
  const size_t row = thread_of_grid();
  const float4 *values = in_as<float4>(j) + row * 2;
  const uint4 *columns = in_as<uint4>(j) + j.quads / 2 + row * 2;
  const float *x = in_as<float>(j);
  const uint32_t mask = (1u << j.p[0]) - 1;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 2; k++) {
    const float4 v = values[k];
    const uint4 c = columns[k];
    sum += v.x * x[c.x & mask] + v.y * x[c.y & mask] + v.z * x[c.z & mask] + v.w * x[c.w & mask];
  }
  out_as<float>(j)[row] = sum;
}

// narrow-copy: bytes of a word (1 or 2), threads. A word for each thread.
template <typename T> __global__ void narrow_copy(job j) {
  out_as<T>(j)[thread_of_grid()] = in_as<T>(j)[thread_of_grid()];
}

#endif
