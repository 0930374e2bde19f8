// In: nothing. Out: `ok` if the device says of itself what an H100 says, as far as programs decide by it.
// The idea: properties and attributes tell the same, and occupancy follows from the documented limits of
// compute capability 9.0.
#include "self-check.h"

__global__ void plain(int *out) {
  *out = 1;
}
__global__ void hungry(int *out) {
  __shared__ int words[12 * 1024 - 256]; // 47 KiB
  words[threadIdx.x] = 1;
  *out = words[threadIdx.x ^ 1];
}
__global__ void grows(int *out) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  *out = shared[threadIdx.x ^ 1];
}

static void properties_are_an_h100s() {
  int count = 0, device = -1;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  CUDA_CHECK(cudaSetDevice(0));
  CUDA_CHECK(cudaGetDevice(&device));
  check_that(count >= 1 && device == 0, "device %d of %d", device, count);
  cudaDeviceProp p;
  CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
  check_that(strstr(p.name, "H100") || strstr(p.name, "H200") || strstr(p.name, "H800"), "the device is a %s",
             p.name);
  check_that(p.major == 9 && p.minor == 0, "compute capability %d.%d", p.major, p.minor);
  check_that(p.sharedMemPerBlock == 49152 && p.sharedMemPerBlockOptin == 232448 &&
                 p.sharedMemPerMultiprocessor == 233472,
             "shared memory %zu, %zu, %zu", p.sharedMemPerBlock, p.sharedMemPerBlockOptin,
             p.sharedMemPerMultiprocessor);
  check_that(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 &&
                 p.maxGridSize[1] == 65535,
             "limits of a launch");
  check_that(p.clusterLaunch == 1 && p.cooperativeLaunch == 1, "clusters %d, cooperative launches %d",
             p.clusterLaunch, p.cooperativeLaunch);
  check_that(p.maxThreadsPerMultiProcessor == 2048 && p.maxBlocksPerMultiProcessor == 32 &&
                 p.regsPerMultiprocessor == 65536,
             "limits of a multiprocessor");
  check_that(p.l2CacheSize >= (40 << 20), "%d bytes of L2", p.l2CacheSize);
  const struct {
    cudaDeviceAttr attribute;
    int expected;
  } same[] = {
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(p.reservedSharedMemPerBlock)},
      {cudaDevAttrComputeCapabilityMajor, 9},
      {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
      {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
  };
  for (const auto &one : same) {
    int value = -1;
    CUDA_CHECK(cudaDeviceGetAttribute(&value, one.attribute, 0));
    check_that(value == one.expected, "attribute %d is %d, not %d", one.attribute, value, one.expected);
  }
  int version = 0;
  CUDA_CHECK(cudaRuntimeGetVersion(&version));
  check_that(version / 1000 == CUDART_VERSION / 1000, "runtime %d", version);
  CUDA_CHECK(cudaDriverGetVersion(&version));
  check_that(version >= CUDART_VERSION / 1000 * 1000, "driver %d", version);
}

static void occupancy_follows_the_limits() {
  int blocks = 0, size = 0, grid = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
  check_that(blocks == 32, "%d blocks of 32 threads", blocks);
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
  check_that(blocks == 2, "%d blocks of 1024 threads", blocks);
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hungry, 64, 0));
  check_that(blocks == 4, "%d blocks with 47 KiB", blocks);
  CUDA_CHECK(cudaFuncSetAttribute(grows, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grows, 64, 232448));
  check_that(blocks == 1, "%d blocks with 227 KiB", blocks);
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, grows, 64, 100 * 1024));
  check_that(blocks == 2, "%d blocks with 100 KiB", blocks);
  CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, plain, 0, 0));
  int processors = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check_that(size == 1024 && grid == 2 * processors, "%d blocks of %d threads", grid, size);
}

// Clusters lie in parts of the chip that are no multiples of them: 30, 15 and 7 on an H100 and an H200.
static void clusters_fit_into_parts_of_the_chip() {
  const struct {
    unsigned size;
    int fit;
  } cases[] = {{1, 132}, {2, 66}, {4, 30}, {8, 15}, {16, 7}};
  CUDA_CHECK(cudaFuncSetAttribute(grows, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  CUDA_CHECK(cudaFuncSetAttribute(grows, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  for (const auto &one : cases) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(16 * one.size);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = 200 << 10; // one block on a processor
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = one.size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, grows, &config));
    check_that(clusters == one.fit, "%d clusters of %u fit, not %d", clusters, one.size, one.fit);
  }
}

int main() {
  properties_are_an_h100s();
  occupancy_follows_the_limits();
  clusters_fit_into_parts_of_the_chip();
  return self_check_result();
}
