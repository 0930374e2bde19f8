// expect: seeds 2
// In: nothing. Out: `ok`. Three threads of the host write one half of page-locked memory while a fourth
// launches kernels that use the other half, and waits for each: pages are guarded and opened beside them. And
// three threads each launch on managed memory of their own, and write other managed memory beside the kernel.
#include "self-check.h"

#include <atomic>
#include <thread>

constexpr int COUNT = 1 << 13, LAUNCHES = 300, WRITERS = 3; // COUNT: of each half

__global__ void add_one(int *data) {
  data[threadIdx.x] += 1;
}

static void beside_page_locked() {
  int *data;
  cudaStream_t stream;
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  CUDA_CHECK(cudaHostAlloc(&data, 2 * COUNT * sizeof *data, cudaHostAllocMapped));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  memset(data, 0, 2 * COUNT * sizeof *data);
  for (int writer = 0; writer < WRITERS; writer++)
    writers.emplace_back([&stop, writer, theirs = static_cast<volatile int *>(data + COUNT)] {
      while (!stop)
        for (int i = writer; i < COUNT; i += 1024)
          theirs[i] = theirs[i] + 1;
    });
  for (int i = 0; i < LAUNCHES; i++) {
    add_one<<<1, 32, 0, stream>>>(data);
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }
  stop = true;
  for (std::thread &writer : writers)
    writer.join();
  for (int i = 0; i < COUNT; i++)
    check_that(data[i] == (i < 32 ? LAUNCHES : 0), "element %d is %d", i, data[i]);
}

static void with_managed(int *errors) {
  int *theirs, *ours;
  cudaStream_t stream;
  CUDA_CHECK(cudaMallocManaged(&theirs, COUNT * sizeof *theirs));
  CUDA_CHECK(cudaMallocManaged(&ours, COUNT * sizeof *ours));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  memset(theirs, 0, COUNT * sizeof *theirs);
  memset(ours, 0, COUNT * sizeof *ours);
  for (int turn = 0; turn < 40; turn++) {
    add_one<<<1, 32, 0, stream>>>(theirs);
    for (int i = 0; i < COUNT; i++)
      ours[i] += 1;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++)
      theirs[i] += 1;
  }
  for (int i = 0; i < COUNT; i++)
    *errors += ours[i] != 40 || theirs[i] != (i < 32 ? 80 : 40);
}

int main() {
  beside_page_locked();
  std::thread threads[3];
  int errors[3] = {};
  for (int i = 0; i < 3; i++)
    threads[i] = std::thread(with_managed, &errors[i]);
  for (int i = 0; i < 3; i++) {
    threads[i].join();
    check_that(errors[i] == 0, "thread %d: %d elements are wrong", i, errors[i]);
  }
  return self_check_result();
}
