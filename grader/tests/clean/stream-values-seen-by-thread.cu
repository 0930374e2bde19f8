// A stream tells the host by a value, and waits for the host's answer in the same page: first of a program
// with one thread, then of another thread, which looks at the value while the first makes the stream's calls.
#include "stream-values.h"

#include <thread>

constexpr int COUNT = 512;
constexpr unsigned TILES = 6;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

static void await(const unsigned *word, unsigned value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
    std::this_thread::yield();
}

static void answer(unsigned *word, unsigned value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void see(int *tile, const int *from, int more) {
  for (int i = 0; i < COUNT; i++) {
    check_that(tile[i] == from[i] + more, "%d is not %d", tile[i], from[i] + more);
    tile[i] = -1;
  }
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  unsigned *words;
  int *tiles[2], *from;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&words, 4 * sizeof(unsigned)));
  CUDA_CHECK(cudaMallocHost(&from, COUNT * sizeof(int)));
  for (auto &tile : tiles)
    CUDA_CHECK(cudaMallocHost(&tile, COUNT * sizeof(int)));
  for (int i = 0; i < 4; i++)
    words[i] = 0;
  CUDA_CHECK(cudaMemcpy(from, in, COUNT * sizeof(int), cudaMemcpyDeviceToHost));
  add<<<1, COUNT>>>(out, in, 1); // loads its code: that may wait for all streams
  CUDA_CHECK(cudaDeviceSynchronize());
  add<<<1, COUNT, 0, stream>>>(tiles[0], in, 3);
  stream_writes(stream, words, 1);
  stream_waits(stream, words + 1, 1);
  await(words, 1);
  see(tiles[0], from, 3);
  answer(words + 1, 1);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  std::thread taker([&] {
    for (unsigned t = 0; t < TILES; t++) {
      await(words + 2, t + 1);
      see(tiles[t % 2], from, static_cast<int>(t));
      answer(words + 3, t + 1);
    }
  });
  for (unsigned t = 0; t < TILES; t++) {
    if (t >= 2) stream_waits(stream, words + 3, t - 1);
    add<<<1, COUNT, 0, stream>>>(tiles[t % 2], in, static_cast<int>(t));
    stream_writes(stream, words + 2, t + 1);
  }
  taker.join();
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (auto &tile : tiles)
    CUDA_CHECK(cudaFreeHost(tile));
  CUDA_CHECK(cudaFreeHost(from));
  CUDA_CHECK(cudaFreeHost(words));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
