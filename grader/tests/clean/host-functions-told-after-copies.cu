// Host functions wait for the host's word, which the host gives when a copy has been done: by cudaMemcpy from
// and to page-locked memory, from and to pageable memory, and by asking whether a stream is done. A GPU may
// begin the functions before those copies; they use the memory only after them.
#include "corpus.h"

#include <atomic>
#include <unistd.h>

constexpr int COUNT = 4096;
constexpr size_t BYTES = COUNT * sizeof(int);

struct job {
  int *words;
  int last;
  std::atomic<int> word;
};

static void take(void *data) {
  job *j = static_cast<job *>(data);
  while (!j->word)
    usleep(100); // a loop that yields keeps a core busy
  j->last = j->words[COUNT - 1];
}

static void put(void *data) {
  job *j = static_cast<job *>(data);
  while (!j->word)
    usleep(100); // a loop that yields keeps a core busy
  for (int i = 0; i < COUNT; i++)
    j->words[i] = i;
}

__global__ void add(int *to, const int *from) {
  to[blockIdx.x * 1024 + threadIdx.x] = from[blockIdx.x * 1024 + threadIdx.x] + 1;
}

static void tell(job *j, cudaStream_t stream) {
  j->word = 1;
  CUDA_CHECK(cudaStreamSynchronize(stream));
}

static void launch(int *out, const int *in) {
  cudaStream_t held, other;
  int *locked, *there;
  CUDA_CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&locked, BYTES));
  CUDA_CHECK(cudaMalloc(&there, BYTES));
  std::vector<int> pageable(COUNT);
  add<<<COUNT / 1024, 1024>>>(out, in);
  CUDA_CHECK(cudaDeviceSynchronize());

  job down = {locked, 0, {0}}, up = {locked, 0, {0}}, asked = {locked, 0, {0}};
  CUDA_CHECK(cudaLaunchHostFunc(held, take, &down));
  CUDA_CHECK(cudaMemcpy(locked, out, BYTES, cudaMemcpyDeviceToHost));
  tell(&down, held);
  CUDA_CHECK(cudaLaunchHostFunc(held, put, &up));
  CUDA_CHECK(cudaMemcpy(there, locked, BYTES, cudaMemcpyHostToDevice));
  tell(&up, held);
  CUDA_CHECK(cudaLaunchHostFunc(held, take, &asked));
  CUDA_CHECK(cudaMemcpyAsync(locked, out, BYTES, cudaMemcpyDeviceToHost, other));
  while (cudaStreamQuery(other) == cudaErrorNotReady)
    usleep(100); // a loop that yields keeps a core busy
  tell(&asked, held);

  job fetched = {pageable.data(), 0, {0}}, sent = {pageable.data(), 0, {0}};
  CUDA_CHECK(cudaLaunchHostFunc(held, take, &fetched));
  CUDA_CHECK(cudaMemcpyAsync(pageable.data(), out, BYTES, cudaMemcpyDeviceToHost, other));
  tell(&fetched, held);
  CUDA_CHECK(cudaLaunchHostFunc(held, put, &sent));
  CUDA_CHECK(cudaMemcpyAsync(there, pageable.data(), BYTES, cudaMemcpyHostToDevice, other));
  tell(&sent, held);

  const int last = (COUNT - 1) * 7 + 4;
  check_that(down.last == last && asked.last == last && fetched.last == last,
             "the functions have seen %d, %d, %d", down.last, asked.last, fetched.last);
  CUDA_CHECK(cudaFree(there));
  CUDA_CHECK(cudaFreeHost(locked));
  CUDA_CHECK(cudaStreamDestroy(held));
  CUDA_CHECK(cudaStreamDestroy(other));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
