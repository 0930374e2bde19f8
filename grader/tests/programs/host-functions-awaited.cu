// In: nothing. Out: `ok`. Host functions fill page-locked memory that copies in another stream read: after an
// event, after a flag that the host waits for, in the same stream, and with nothing to wait for, since the
// copy reads other bytes; then after a flag that came while other streams worked.
#include "self-check.h"

#include <atomic>

constexpr int COUNT = 4096, WAYS = 5;

struct work {
  int *page, way;
  std::atomic<bool> done;
};

static void fill(void *data) {
  work *w = static_cast<work *>(data);
  for (int i = 0; i < COUNT; i++)
    w->page[i] = i + w->way;
  w->done = true;
}

int main() {
  int *page, *device;
  cudaStream_t fills, copies;
  cudaEvent_t filled;
  CUDA_CHECK(cudaMallocHost(&page, 2 * COUNT * sizeof *page));
  CUDA_CHECK(cudaMalloc(&device, 2 * COUNT * sizeof *device));
  CUDA_CHECK(cudaStreamCreateWithFlags(&fills, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  for (int i = 0; i < 2 * COUNT; i++)
    page[i] = i;
  for (int way = 0; way < WAYS; way++) {
    work w = {page, way, {false}};
    CUDA_CHECK(cudaLaunchHostFunc(fills, fill, &w));
    if (way == 0) {
      CUDA_CHECK(cudaEventRecord(filled, fills));
      CUDA_CHECK(cudaStreamWaitEvent(copies, filled, 0));
    }
    if (way == 4) CUDA_CHECK(cudaMemsetAsync(device, 0, COUNT * sizeof *device, copies));
    while ((way == 1 || way == 4) && !w.done) {
    }
    const size_t from = way == 3 ? COUNT : 0;
    CUDA_CHECK(cudaMemcpyAsync(device, page + from, COUNT * sizeof *page, cudaMemcpyHostToDevice,
                               way == 2 ? fills : copies));
    CUDA_CHECK(cudaDeviceSynchronize());
    std::vector<int> got(COUNT);
    CUDA_CHECK(cudaMemcpy(got.data(), device, COUNT * sizeof *device, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) {
      const int right = way == 3 ? COUNT + i : i + way;
      if (!check_that(got[i] == right, "way %d: [%d] is %d, not %d", way, i, got[i], right)) break;
    }
  }
  return self_check_result();
}
