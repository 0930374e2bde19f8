// Kernels that launch kernels: where their parameters go, what they see of their parents, that a tail launch
// comes last, copies and fills by kernels, errors, a tree
// of launches, memory from cudaMalloc in a kernel.
// nvcc: -rdc=true -lcudadevrt
// expect: seeds 2
#include "self-check.h"

struct mixed {
  char letter;
  double number;
};

__global__ void add(int *to, char letter, mixed m, short s) {
  __shared__ int part[64];
  extern __shared__ int more[];
  more[threadIdx.x] = part[threadIdx.x] = letter + static_cast<int>(m.number) + m.letter + s;
  __syncthreads();
  atomicAdd(to, part[blockDim.x - 1 - threadIdx.x] + more[threadIdx.x] - part[threadIdx.x]);
}
__global__ void with_parameters(int *to) {
  const mixed m = {1, 1000.0};
  if (threadIdx.x % 8 == 0)
    add<<<dim3(1, 2), 32, 32 * sizeof(int)>>>(to, 2, m, static_cast<short>(threadIdx.x));
}

// Each child sees what its parent's thread wrote before, and stands behind the one before it in its stream.
__global__ void append(int *list, int *count, int value) {
  list[(*count)++] = value;
}
__global__ void in_order(int *list, int *count) {
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, count, 9);
  append<<<1, 1>>>(list, count, 1);
  append<<<1, 1>>>(list, count, 2);
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) __trap();
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, count, 10);
  cudaStreamDestroy(stream);
}

// Sums 1 to n by halves.
__global__ void halves(unsigned long long *sum, int from, int to) {
  if (to - from <= 4) {
    for (int i = from; i < to; i++)
      atomicAdd(sum, static_cast<unsigned long long>(i));
    return;
  }
  const int middle = (from + to) / 2;
  halves<<<1, 1, 0, cudaStreamFireAndForget>>>(sum, from, middle);
  halves<<<1, 1, 0, cudaStreamFireAndForget>>>(sum, middle, to);
}

__global__ void copies(int *a, int *b) {
  a[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x) return;
  cudaMemcpyAsync(b, a, 16 * sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
  cudaMemsetAsync(b + 8, 0, 4 * sizeof(int), nullptr); // on an H100 any other value is taken for 0, too
}

__global__ void errors(int *to) {
  append<<<1, 2048>>>(to + 8, to + 9, 0);
  to[0] = cudaPeekAtLastError();
  to[1] = cudaGetLastError();
  to[2] = cudaGetLastError();
  append<<<0, 1>>>(to + 8, to + 9, 0);
  to[3] = cudaGetLastError();
}

// Memory of the heap, which a child frees; words of an error.
__global__ void give_back(int *heap, int *to) {
  *to = *heap;
  cudaFree(heap);
}
__global__ void heap(int *to) {
  int *memory, device = -1;
  to[0] = cudaMalloc(reinterpret_cast<void **>(&memory), 1 << 20);
  *memory = 77;
  give_back<<<1, 1>>>(memory, to + 1);
  to[2] = cudaGetDevice(&device) + device;
  const char *words = cudaGetErrorString(cudaErrorInvalidValue), *expected = "invalid argument";
  int i = 0;
  while (words[i] && words[i] == expected[i])
    i++;
  to[3] = words[i] == expected[i] ? i : -1;
}

static std::vector<int> result(int *memory) {
  std::vector<int> values(16);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(values.data(), memory, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemset(memory, 0, values.size() * sizeof(int)));
  return values;
}

int main() {
  int *a, *b;
  CUDA_CHECK(cudaMalloc(&a, 16 * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&b, 16 * sizeof(int)));
  CUDA_CHECK(cudaMemset(a, 0, 16 * sizeof(int)));
  CUDA_CHECK(cudaMemset(b, 0, 16 * sizeof(int)));

  with_parameters<<<2, 32>>>(a);
  const int sum = result(a)[0], wanted = 2 * 2 * 32 * (4 * 1003 + 0 + 8 + 16 + 24);
  check_that(sum == wanted, "parameters: %d, not %d", sum, wanted);

  in_order<<<1, 1>>>(a, a + 15);
  const std::vector<int> order = result(a);
  check_that(order[15] == 4 && order[0] == 1 && order[1] == 2 && order[2] == 9 && order[3] == 10,
             "order: %d: %d %d %d %d", order[15], order[0], order[1], order[2], order[3]);

  halves<<<1, 1>>>(reinterpret_cast<unsigned long long *>(a), 0, 1000);
  check_that(result(a)[0] == 999 * 1000 / 2, "a tree of launches");

  copies<<<1, 16>>>(a, b);
  const std::vector<int> copied = result(b);
  for (int i = 0; i < 16; i++)
    check_that(copied[i] == (i < 8 || i >= 12 ? i : 0), "copied[%d] = %d", i, copied[i]);
  result(a);

  errors<<<1, 1>>>(a);
  const std::vector<int> e = result(a);
  check_that(e[0] == cudaErrorInvalidConfiguration && e[1] == e[0] && !e[2] &&
                 e[3] == cudaErrorInvalidConfiguration,
             "errors: %d %d %d %d", e[0], e[1], e[2], e[3]);
  // more often than the heap has room for
  for (int i = 0; i < 20; i++) {
    heap<<<1, 1>>>(a);
    const std::vector<int> h = result(a);
    check_that(!h[0] && h[1] == 77 && !h[2] && h[3] == 16, "heap: %d %d %d %d", h[0], h[1], h[2], h[3]);
  }
  return self_check_result();
}
