// In: nothing. Out: `ok` if kernels get the configuration and the arguments they were launched with, in every
// form of launch. The idea: one kernel writes down all it sees of its launch; each form launches it and
// looks.
#include "self-check.h"

#include <cooperative_groups.h>

struct odd {
  char a;
  double b;
  short c[3];
  char d;
}; // with gaps inside

struct seen {
  uint32_t grid[3], block[3], shared, cluster, named, last_block;
  odd value;
  char character;
  uint64_t number;
};

__constant__ int factor = 3;
__device__ int counter = 40;

__global__ void look(seen *out, char character, odd value, uint64_t number) {
  uint32_t shared, cluster, named;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(cluster));
  asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(named));
  const uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (block == gridDim.x * gridDim.y * gridDim.z - 1 && threadIdx.x + threadIdx.y + threadIdx.z == 0) {
    *out = {{gridDim.x, gridDim.y, gridDim.z},
            {blockDim.x, blockDim.y, blockDim.z},
            shared,
            cluster,
            named,
            block,
            value,
            character,
            number};
  }
}

__global__ void __cluster_dims__(2, 1, 1) look_clustered(uint32_t *out) {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) out[blockIdx.x] = rank;
}

template <class number> __global__ void add(number *values, number what) {
  values[threadIdx.x] += what * static_cast<number>(factor);
}

__global__ void count() {
  atomicAdd(&counter, 1);
}

__global__ void fill_shared(int *out, int count) {
  extern __shared__ int shared[];
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    shared[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = shared[count - 1];
}

__global__ void all_meet(int *flags, int *sum) {
  flags[blockIdx.x] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) {
    int found = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
      found += flags[i];
    *sum = found;
  }
}

static const odd value = {1, 2.5, {3, 4, 5}, 6};

static void check_seen(const char *form, const guarded<seen> &out, dim3 grid, dim3 block, uint32_t shared,
                       uint32_t cluster) {
  CUDA_CHECK(cudaDeviceSynchronize());
  const seen got = out.get()[0];
  check_that(got.grid[0] == grid.x && got.grid[1] == grid.y && got.grid[2] == grid.z, "%s: grid %u %u %u",
             form, got.grid[0], got.grid[1], got.grid[2]);
  check_that(got.block[0] == block.x && got.block[1] == block.y && got.block[2] == block.z,
             "%s: block %u %u %u", form, got.block[0], got.block[1], got.block[2]);
  check_that(got.shared == shared, "%s: %u bytes of shared memory", form, got.shared);
  check_that(got.cluster == cluster, "%s: clusters of %u", form, got.cluster);
  check_that(got.named == (cluster != 1), "%s: a cluster is named: %u", form, got.named);
  check_that(got.character == 'c' && got.number == 0x123456789abcdef0, "%s: '%c' and %lx", form,
             got.character, got.number);
  check_that(got.value.a == 1 && got.value.b == 2.5 && got.value.c[2] == 5 && got.value.d == 6,
             "%s: the structure differs", form);
  out.check_bands(form);
}

static void launches_in_every_form() {
  guarded<seen> out(1);
  seen *pointer = out.data();
  char character = 'c';
  odd copy = value;
  uint64_t number = 0x123456789abcdef0;
  void *arguments[] = {&pointer, &character, &copy, &number};
  const dim3 grid(3, 2, 4), block(4, 2, 3);
  look<<<grid, block, 100>>>(pointer, character, copy, number);
  CUDA_CHECK(cudaGetLastError());
  check_seen("<<<>>>", out, grid, block, 100, 1);
  CUDA_CHECK(
      cudaLaunchKernel(reinterpret_cast<const void *>(look), dim3(7), dim3(33), arguments, 0, nullptr));
  check_seen("cudaLaunchKernel", out, dim3(7), dim3(33), 0, 1);
  cudaKernel_t kernel;
  CUDA_CHECK(cudaGetKernel(&kernel, reinterpret_cast<const void *>(look)));
  CUDA_CHECK(
      cudaLaunchKernel(reinterpret_cast<const void *>(kernel), dim3(1), dim3(2), arguments, 16, nullptr));
  check_seen("a kernel's handle", out, dim3(1), dim3(2), 16, 1);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, look, pointer, character, copy, number));
  check_seen("cudaLaunchKernelEx", out, dim3(8), dim3(32), 0, 4);
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(look), dim3(5), dim3(64), arguments,
                                         0, nullptr));
  check_seen("cudaLaunchCooperativeKernel", out, dim3(5), dim3(64), 0, 1);
}

static void launches_compiled_clusters() {
  guarded<uint32_t> ranks(6);
  look_clustered<<<6, 32>>>(ranks.data());
  CUDA_CHECK(cudaGetLastError());
  const std::vector<uint32_t> got = ranks.get();
  for (uint32_t i = 0; i < 6; i++)
    check_that(got[i] == i % 2, "block %u has rank %u", i, got[i]);
}

static void knows_templates_and_variables() {
  guarded<double> doubles(4);
  guarded<int> integers(4);
  doubles.set({1, 2, 3, 4});
  integers.set({1, 2, 3, 4});
  add<<<1, 4>>>(doubles.data(), 0.5);
  add<<<1, 4>>>(integers.data(), 100);
  check_that(doubles.get()[3] == 5.5 && integers.get()[3] == 304, "%g and %d", doubles.get()[3],
             integers.get()[3]);
  const int five = 5;
  CUDA_CHECK(cudaMemcpyToSymbol(factor, &five, sizeof five));
  add<<<1, 4>>>(integers.data(), 100);
  check_that(integers.get()[0] == 801, "with another factor: %d", integers.get()[0]);
  count<<<3, 64>>>();
  int counted = 0;
  CUDA_CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  check_that(counted == 40 + 192, "the counter is %d", counted);
  void *address;
  size_t bytes;
  CUDA_CHECK(cudaGetSymbolAddress(&address, counter));
  CUDA_CHECK(cudaGetSymbolSize(&bytes, counter));
  CUDA_CHECK(cudaMemset(address, 0, bytes));
  CUDA_CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
  check_that(bytes == 4 && counted == 0, "the counter of %zu bytes is %d", bytes, counted);
}

static void gives_large_shared_memory() {
  guarded<int> out(1);
  constexpr int BYTES = 232448;
  CUDA_CHECK(cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  fill_shared<<<1, 256, BYTES>>>(out.data(), BYTES / 4);
  CUDA_CHECK(cudaGetLastError());
  check_that(out.get()[0] == BYTES / 4 - 1, "the last word is %d", out.get()[0]);
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, fill_shared));
  check_that(attributes.maxDynamicSharedSizeBytes == BYTES && attributes.sharedSizeBytes == 0,
             "%d and %zu bytes", attributes.maxDynamicSharedSizeBytes, attributes.sharedSizeBytes);
}

static void lets_a_whole_grid_meet() {
  constexpr int BLOCKS = 100;
  guarded<int> flags(BLOCKS), sum(1);
  flags.set(std::vector<int>(BLOCKS, 0));
  int *flags_pointer = flags.data(), *sum_pointer = sum.data();
  void *arguments[] = {&flags_pointer, &sum_pointer};
  CUDA_CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(all_meet), dim3(BLOCKS), dim3(1),
                                         arguments, 0, nullptr));
  check_that(sum.get()[0] == BLOCKS, "%d blocks met", sum.get()[0]);
}

int main() {
  launches_in_every_form();
  launches_compiled_clusters();
  knows_templates_and_variables();
  gives_large_shared_memory();
  lets_a_whole_grid_meet();
  return self_check_result();
}
