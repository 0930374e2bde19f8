// expect: seeds 3
// In: nothing. Out: `ok` if page-locked memory is memory of the host and of the device at once, however it
// came to be page-locked. The idea: kernels read, write, add up and copy in bulk what the host sees at the
// same addresses.
#include "self-check.h"
#include "tma-interface.cuh"
#include <sys/mman.h>

constexpr int COUNT = 3000;

__global__ void add_one(int *data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += 1;
}

__global__ void add_up(const int *data, int count, unsigned long long *sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(sum, static_cast<unsigned long long>(data[i]));
}

static void check_added(const char *what, int *data, int *device_view) {
  unsigned long long *sum;
  CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&sum), sizeof *sum));
  *sum = 5;
  for (int i = 0; i < COUNT; i++)
    data[i] = 3 * i;
  add_one<<<(COUNT + 127) / 128, 128>>>(device_view, COUNT);
  add_up<<<(COUNT + 127) / 128, 128>>>(device_view, COUNT, sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < COUNT; i++)
    if (!check_that(data[i] == 3 * i + 1, "%s: element %d is %d", what, i, data[i])) break;
  const unsigned long long right = 5 + COUNT + 3ull * COUNT * (COUNT - 1) / 2;
  check_that(*sum == right, "%s: the sum is %llu, not %llu", what, *sum, right);
  CUDA_CHECK(cudaFreeHost(sum));
}

static void allocated(unsigned asked) {
  int *data, *device = nullptr;
  unsigned flags = 77;
  cudaPointerAttributes attributes;
  CUDA_CHECK(cudaHostAlloc(reinterpret_cast<void **>(&data), COUNT * sizeof *data, asked));
  for (int i = 0; i < COUNT; i++)
    check_that(data[i] == 0 || i > 0, "fresh memory: %d", data[i]);
  CUDA_CHECK(cudaHostGetDevicePointer(reinterpret_cast<void **>(&device), data + 7, 0));
  CUDA_CHECK(cudaHostGetFlags(&flags, data));
  check_that((flags & asked) == asked, "asked for flags %u, got %u", asked, flags);
  CUDA_CHECK(cudaPointerGetAttributes(&attributes, data + 7));
  check_that(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == data + 7 &&
                 attributes.devicePointer == device,
             "page-locked memory is of type %d", attributes.type);
  check_added("cudaHostAlloc", data, device - 7);
  CUDA_CHECK(cudaFreeHost(data));
}

// Two arrays that share a page, on the heap; and one on the stack.
static void registered() {
  std::vector<int> both(2 * COUNT + 50, 9);
  int here[COUNT], *first = &both[0], *second = &both[COUNT + 11];
  CUDA_CHECK(cudaHostRegister(first, COUNT * sizeof(int), cudaHostRegisterDefault));
  check_added("the first half", first, first);
  CUDA_CHECK(
      cudaHostRegister(second, COUNT * sizeof(int), cudaHostRegisterMapped | cudaHostRegisterPortable));
  check_that(first[5] == 16 && both[COUNT + 5] == 9, "registering changed the memory");
  check_that(cudaHostRegister(first + 2, 4, 0) == cudaErrorHostMemoryAlreadyRegistered, "registered twice");
  (void)cudaGetLastError();
  check_added("the second half", second, second);
  check_added("the first half again", first, first);
  CUDA_CHECK(cudaHostUnregister(first));
  check_that(cudaHostUnregister(first) == cudaErrorHostMemoryNotRegistered, "unregistered twice");
  (void)cudaGetLastError();
  check_added("the second half alone", second, second);
  check_that(both[COUNT + 5] == 9 && both[2 * COUNT + 20] == 9, "a kernel wrote beside its array");
  CUDA_CHECK(cudaHostUnregister(second));
  for (int i = 0; i < COUNT; i++)
    check_that(first[i] == 3 * i + 1, "unregistering changed element %d to %d", i, first[i]);
  CUDA_CHECK(cudaHostRegister(here, sizeof here, 0));
  check_added("an array on the stack", here, here);
  CUDA_CHECK(cudaHostUnregister(here));
  CUDA_CHECK(cudaHostRegister(first, COUNT * sizeof(int), 0));
  check_added("registered once more", first, first);
  CUDA_CHECK(cudaHostUnregister(first));
}

// Where Linux puts mappings is drawn at random, in the upper sixteenth of a process's addresses at most.
static void registered_anywhere() {
  constexpr uint64_t PLACES[] = {0x6ff040000000, 0x7a0000000000, 0x7e0000000000, 0x7e0200000000,
                                 0x7f0040000000};
  void *beside[3];
  for (void *&one : beside)
    CUDA_CHECK(cudaMalloc(&one, 3 << 20));
  for (uint64_t place : PLACES) {
    void *wanted = reinterpret_cast<void *>(place), // NOLINT(performance-no-int-to-ptr): nothing is there yet
        *there = mmap(wanted, 1 << 20, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (there == MAP_FAILED) continue; // something of this process
    CUDA_CHECK(cudaHostRegister(there, 1 << 20, 0));
    check_added("far up", static_cast<int *>(there), static_cast<int *>(there));
    CUDA_CHECK(cudaHostUnregister(there));
    munmap(there, 1 << 20);
  }
  for (void *one : beside)
    CUDA_CHECK(cudaFree(one));
}

static void copied() {
  int *pinned, *device, plain[4] = {1, 2, 3, 4};
  CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&pinned), sizeof plain));
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&device), sizeof plain));
  CUDA_CHECK(cudaMemcpy(pinned, plain, sizeof plain, cudaMemcpyHostToHost));
  CUDA_CHECK(cudaMemcpyAsync(device, pinned, sizeof plain, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(pinned, 0, sizeof plain));
  check_that(pinned[3] == 0, "filled: %d", pinned[3]);
  CUDA_CHECK(cudaMemcpy(pinned, device, sizeof plain, cudaMemcpyDefault));
  check_that(pinned[0] == 1 && pinned[3] == 4, "there and back: %d and %d", pinned[0], pinned[3]);
  add_one<<<1, 32>>>(pinned, 4);
  CUDA_CHECK(cudaMemcpy(plain, pinned, sizeof plain, cudaMemcpyDefault)); // waits for the kernel
  check_that(plain[0] == 2 && plain[3] == 5, "after the kernel: %d and %d", plain[0], plain[3]);
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaFree(device));
}

constexpr int TILE = 256;

// Bulk copies reach page-locked memory as they reach device memory.
__global__ void double_tile(const int *in, int *out) {
  __shared__ alignas(128) int tile[TILE];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    init_barrier(&barrier, 1);
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&barrier, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + blockIdx.x * TILE, sizeof tile, &barrier);
  }
  wait(&barrier, 0);
  for (int i = threadIdx.x; i < TILE; i += blockDim.x)
    tile[i] *= 2;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  cp_async_bulk_shared_to_global(out + blockIdx.x * TILE, tile, sizeof tile);
  tma_commit_group();
  tma_wait_until_pending<0>();
}

static void copied_in_bulk() {
  constexpr int TILES = 5;
  int *in, *out;
  CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&in), TILES * TILE * sizeof *in));
  CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&out), TILES * TILE * sizeof *out));
  for (int i = 0; i < TILES * TILE; i++)
    in[i] = i;
  double_tile<<<TILES, 64>>>(in, out);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < TILES * TILE; i++)
    if (!check_that(out[i] == 2 * i, "bulk copies: element %d is %d", i, out[i])) break;
  CUDA_CHECK(cudaFreeHost(in));
  CUDA_CHECK(cudaFreeHost(out));
}

static void refused() {
  int plain = 0, *pinned;
  void *device;
  unsigned flags;
  check_that(cudaHostGetDevicePointer(&device, &plain, 0) == cudaErrorInvalidValue,
             "a plain variable has one");
  check_that(cudaHostGetFlags(&flags, &plain) == cudaErrorInvalidValue, "a plain variable has flags");
  check_that(cudaFreeHost(&plain) == cudaErrorInvalidValue, "freed a plain variable");
  check_that(cudaHostAlloc(&device, 4, 64) == cudaErrorInvalidValue, "took unknown flags");
  void *nowhere = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(nowhere, 4096);
  check_that(cudaHostRegister(nowhere, 4096, 0) != cudaSuccess, "registered what isn't there");
  CUDA_CHECK(cudaMallocHost(reinterpret_cast<void **>(&pinned), 4));
  check_that(cudaHostUnregister(pinned) != cudaSuccess, "unregistered what was allocated");
  CUDA_CHECK(cudaFreeHost(pinned));
  CUDA_CHECK(cudaFreeHost(nullptr));
  (void)cudaGetLastError();
}

int main() {
  int can = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCanMapHostMemory, 0));
  check_that(can == 1, "the device can't map memory of the host");
  for (unsigned flags = 0; flags < 8; flags++)
    allocated(flags);
  registered();
  registered_anywhere();
  copied();
  copied_in_bulk();
  refused();
  for (int i = 0; i < 2000; i++) { // nothing is left behind
    void *one;
    CUDA_CHECK(cudaMallocHost(&one, 100000));
    CUDA_CHECK(cudaFreeHost(one));
  }
  return self_check_result();
}
