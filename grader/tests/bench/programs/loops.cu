// In: the name of a kernel. Out: exit 0 when its result is right. The idea: the loops that most kernels are
// made of, as a student writes them; shared memory read by broadcast, by neighbours and by stride.
#include "measured.h"
#include <cstring>

constexpr uint32_t TILE = 32, SIDE = 192;

// Each block makes a tile of c = a b. A warp reads one word of `left` for all its lanes, and a row of
// `right`.
__global__ void product(float *c, const float *a, const float *b) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const uint32_t x = threadIdx.x, y = threadIdx.y;
  const uint32_t row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (uint32_t k = 0; k < SIDE; k += TILE) {
    left[y][x] = a[row * SIDE + k + x];
    right[y][x] = b[(k + y) * SIDE + column];
    __syncthreads();
    for (uint32_t i = 0; i < TILE; i++)
      sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  c[row * SIDE + column] = sum;
}

// The same, but b is read transposed: the lanes of a warp read words that are a padded row apart.
__global__ void product_strided(float *c, const float *a, const float *b) {
  __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
  const uint32_t x = threadIdx.x, y = threadIdx.y;
  const uint32_t row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (uint32_t k = 0; k < SIDE; k += TILE) {
    left[y][x] = a[row * SIDE + k + x];
    right[y][x] = b[(blockIdx.x * TILE + y) * SIDE + k + x];
    __syncthreads();
    for (uint32_t i = 0; i < TILE; i++)
      sum += left[y][i] * right[x][i];
    __syncthreads();
  }
  c[row * SIDE + column] = sum;
}

static void run_product(bool strided) {
  std::vector<float> a(SIDE * SIDE), b(SIDE * SIDE);
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  float *c = on_device<float>(SIDE * SIDE);
  const float *da = on_device(SIDE * SIDE, a.data()), *db = on_device(SIDE * SIDE, b.data());
  const dim3 grid(SIDE / TILE, SIDE / TILE), block(TILE, TILE);
  launch([&] {
    if (strided)
      product_strided<<<grid, block>>>(c, da, db);
    else
      product<<<grid, block>>>(c, da, db);
  });
  float expected = 0; // of row 3, column 9
  for (uint32_t i = 0; i < SIDE; i++)
    expected += a[3 * SIDE + i] * (strided ? b[9 * SIDE + i] : b[i * SIDE + 9]);
  must_be("row 3, column 9", from_device(c, SIDE * SIDE)[3 * SIDE + 9], expected);
}

constexpr uint32_t ITEMS = 1 << 21;

__global__ void sum_by_shuffles(uint32_t *sum, const uint32_t *in) {
  __shared__ uint32_t parts[32];
  uint32_t mine = 0;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < ITEMS; i += gridDim.x * blockDim.x) {
    uint32_t item = in[i];
    for (uint32_t step = 16; step > 0; step /= 2)
      item += __shfl_down_sync(0xffffffffu, item, step);
    mine += item;
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (uint32_t w = 1; w < blockDim.x / 32; w++)
    mine += parts[w];
  atomicAdd(sum, mine);
}

__global__ void histogram(uint32_t *counts, const uint32_t *in) {
  __shared__ uint32_t bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < ITEMS; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] >> 8 & 255], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

// What tree reductions do: 256 threads that meet all the time.
__global__ void meetings(uint32_t *out) {
  __shared__ uint32_t box[256];
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    box[threadIdx.x] = i + threadIdx.x;
    __syncthreads();
    sum += box[threadIdx.x ^ 32];
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

static void run_over_items(bool counts) {
  std::vector<uint32_t> items(ITEMS);
  uint32_t sum = 0, ones = 0;
  for (uint32_t i = 0; i < ITEMS; i++) {
    items[i] = i * 2654435761u >> 7;
    sum += items[i];
    ones += (items[i] >> 8 & 255) == 1;
  }
  uint32_t *result = on_device<uint32_t>(256);
  const uint32_t *in = on_device(ITEMS, items.data());
  launch([&] {
    if (counts)
      histogram<<<32, 256>>>(result, in);
    else
      sum_by_shuffles<<<32, 256>>>(result, in);
  });
  must_be("result", from_device(result, 256)[counts ? 1 : 0], launches() * (counts ? ones : sum));
}

__global__ void write_one(uint32_t *out) {
  *out = 1;
}

// What start-up takes, to be subtracted.
static void run_nothing() {
  uint32_t *out = on_device<uint32_t>(1);
  write_one<<<1, 1>>>(out);
  must_be("the word", from_device(out, 1)[0], 1);
}

static void run_meetings() {
  uint32_t *out = on_device<uint32_t>(16 * 256);
  launch([&] { meetings<<<16, 256>>>(out); });
  must_be("thread 0", from_device(out, 256)[0], 1000 * 999 / 2 + 1000 * 32);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "product") == 0)
    run_product(false);
  else if (strcmp(name, "product-strided") == 0)
    run_product(true);
  else if (strcmp(name, "shuffles") == 0)
    run_over_items(false);
  else if (strcmp(name, "histogram") == 0)
    run_over_items(true);
  else if (strcmp(name, "meetings") == 0)
    run_meetings();
  else if (strcmp(name, "nothing") == 0)
    run_nothing();
  else
    return fprintf(stderr, "no kernel '%s'\n", name), 1;
}
