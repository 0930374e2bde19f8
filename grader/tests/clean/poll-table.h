// For files of many small kernels: each kernel is launched on zeroed words, and its output is checked. No
// include guard: the corpus puts each member into a namespace of its own, and each needs these names there.
#include "corpus.h"

struct poll_case {
  const char *name;
  void (*kernel)(int *out, int *word); // out: one int a thread; word: 4096 zeroed ones, shared by all
  unsigned blocks, threads;
  int (*expected)(int thread, int count); // of the grid; how many threads it has
};

template <size_t cases> static int poll_check(const poll_case (&table)[cases]) {
  for (const poll_case &c : table) {
    guarded<int> out(size_t{c.blocks} * c.threads), word(4096);
    CUDA_CHECK(cudaMemset(out.data(), 0, out.bytes()));
    CUDA_CHECK(cudaMemset(word.data(), 0, word.bytes()));
    c.kernel<<<c.blocks, c.threads>>>(out.data(), word.data());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<int> got = out.get();
    const int count = static_cast<int>(got.size());
    for (int i = 0; i < count; i++)
      if (!check_that(got[i] == c.expected(i, count), "%s: [%d] is %d, not %d", c.name, i, got[i],
                      c.expected(i, count)))
        break;
  }
  return self_check_result();
}

// ---- what the kernels are made of -------------------------------------------------------------------------

__device__ static inline int poll_load(int *at) {
  int value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ static inline void poll_store(int *at, int value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ static inline int poll_thread() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ static inline unsigned long long poll_time() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

static int poll_one(int, int) {
  return 1;
}
static int poll_index(int i, int) {
  return i;
}
static int poll_count(int, int n) {
  return n;
}
