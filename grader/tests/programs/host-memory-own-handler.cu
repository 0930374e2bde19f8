// expect: fault stream-order
// In: nothing. Out: `ok`. A program has handlers of its own for memory faults, set before a page is guarded
// and while it is. They get its own faults, and no others; a read that is too early is still seen.
#include "self-check.h"

#include <csetjmp>
#include <csignal>
#include <sys/mman.h>

constexpr int COUNT = 1024; // a page: only whole pages of page-locked memory are watched

static sigjmp_buf back;
static volatile int met, met_later;
static int *forbidden;

static void on_fault(int, siginfo_t *info, void *) {
  met = met + 1;
  if (info->si_addr == forbidden) siglongjmp(back, 1);
  _exit(3);
}

static void on_later_fault(int) {
  met_later = met_later + 1;
  siglongjmp(back, 1);
}

static bool own_fault() {
  if (sigsetjmp(back, 1) != 0) return true;
  *static_cast<volatile int *>(forbidden) = 1;
  return false;
}

__global__ void fill(int *to) {
  to[threadIdx.x] = static_cast<int>(threadIdx.x) + 7;
}

int main() {
  int *results, *device;
  cudaStream_t stream;
  struct sigaction action = {}, told = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  forbidden = static_cast<int *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  CUDA_CHECK(cudaMallocHost(&results, COUNT * sizeof *results));
  CUDA_CHECK(cudaMalloc(&device, COUNT * sizeof *device));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  memset(results, 0, COUNT * sizeof *results);

  // Set before any page is guarded.
  if (sigaction(SIGSEGV, &action, nullptr) != 0) return 1;
  fill<<<1, COUNT, 0, stream>>>(device);
  CUDA_CHECK(cudaMemcpyAsync(results, device, COUNT * sizeof *results, cudaMemcpyDeviceToHost, stream));
  const int too_early = *static_cast<volatile int *>(&results[COUNT - 1]);
  CUDA_CHECK(cudaDeviceSynchronize());
  const bool first = own_fault() && met == 1;

  // Set while one is.
  CUDA_CHECK(cudaMemcpyAsync(results, device, COUNT * sizeof *results, cudaMemcpyDeviceToHost, stream));
  const bool kept = sigaction(SIGSEGV, nullptr, &told) == 0 && told.sa_sigaction == on_fault;
  const bool was = signal(SIGSEGV, on_later_fault) == reinterpret_cast<sighandler_t>(on_fault);
  const int again = *static_cast<volatile int *>(&results[0]);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  const bool second = met_later == 0 && own_fault() && met_later == 1 && met == 1;
  if (!first || !kept || !was || !second)
    printf("first %d kept %d was %d second %d\n", first, kept, was, second);
  printf(too_early >= 0 && again >= 0 && first && kept && was && second ? "ok\n" : "wrong\n");
  return 0;
}
