// In: nothing. Out: `ok` if a value that a stream writes behind another stream's launch, which still runs, is
// seen after what the launch has written; and one that nothing orders behind it at once.
#include "self-check.h"
#include <cuda.h>

struct words {
  unsigned value, begin;
  int data;
};

// Takes longer than the host's next calls.
__global__ void takes_its_time(words *w, int rounds) {
  int x = 1;
  for (int i = 0; i < rounds; i++)
    x = x * 3 + i;
  __threadfence_system();
  w->data = x | 1;
}

__global__ void waits_for_the_value(words *w) {
  while (*static_cast<volatile unsigned *>(&w->value) == 0) {
  }
  w->data = 5;
}

static void write_value(cudaStream_t stream, unsigned *word) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult how;
  CUDA_CHECK(
      cudaGetDriverEntryPointByVersion("cuStreamWriteValue32", &found, 12000, cudaEnableDefault, &how));
  const CUresult status = reinterpret_cast<decltype(cuStreamWriteValue32) *>(found)(
      stream, reinterpret_cast<CUdeviceptr>(word), 1, 0);
  check_that(status == CUDA_SUCCESS, "cuStreamWriteValue32 returned %d", status);
}

int main() {
  constexpr int ROUNDS = 2000000;
  words *w;
  cudaStream_t first, second, third;
  cudaEvent_t done, later;
  CUDA_CHECK(cudaMallocHost(&w, sizeof *w));
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&later, cudaEventDisableTiming));
  volatile words *seen = w;
  seen->value = seen->data = 0;
  takes_its_time<<<1, 1, 0, first>>>(w, ROUNDS);
  CUDA_CHECK(cudaEventRecord(done, first));
  CUDA_CHECK(cudaStreamWaitEvent(second, done));
  CUDA_CHECK(cudaEventRecord(later, second));
  CUDA_CHECK(cudaStreamWaitEvent(third, later));
  write_value(third, &w->value);
  while (seen->value == 0) {
  }
  check_that(seen->data != 0, "the value was there before the launch's end");
  CUDA_CHECK(cudaDeviceSynchronize());
  seen->value = seen->data = 0;
  waits_for_the_value<<<1, 1, 0, first>>>(w);
  write_value(third, &w->value); // which still waits for nothing but the last launch
  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(seen->data == 5, "the launch has made %d", seen->data);
  CUDA_CHECK(cudaEventDestroy(done));
  CUDA_CHECK(cudaEventDestroy(later));
  for (cudaStream_t stream : {first, second, third})
    CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(w));
  return self_check_result();
}
