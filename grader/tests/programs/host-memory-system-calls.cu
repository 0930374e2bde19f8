// expect: seeds 3
// In: nothing. Out: `ok`. System calls read and write page-locked memory of which a kernel uses another part:
// from the host's own thread, from a second one while launches go on, and what a flag of the kernel's covers.
// And a signal's handler writes, too, while the program does.
#include "self-check.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

constexpr int COUNT = 1 << 14; // of each half

__global__ void add_one(int *data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

__global__ void fill_and_tell(int *data, int *flag) {
  for (int i = static_cast<int>(threadIdx.x); i < COUNT; i += static_cast<int>(blockDim.x))
    data[i] = 5;
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x == 0) *static_cast<volatile int *>(flag) = 1;
}

static void check_call(const char *name, long long answer, long long wanted) {
  if (answer == wanted) return;
  printf("%s: %lld, not %lld: %s\n", name, answer, wanted, strerror(errno));
  exit(1);
}

static int sink_of_handler;

static void on_alarm(int) {
  (void)!write(sink_of_handler, "x", 1);
}

static void write_under_signals(int sink) {
  struct sigaction action = {}, before = {};
  const itimerval often = {{0, 50}, {0, 50}}, never = {};
  sink_of_handler = sink;
  action.sa_handler = on_alarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 100000; i++) // some thousand signals
    (void)!write(sink, "y", 1);
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

int main() {
  constexpr size_t BYTES = COUNT * sizeof(int);
  int *both, *flag, pair[2];
  cudaStream_t stream;
  CUDA_CHECK(cudaHostAlloc(&both, 2 * BYTES, cudaHostAllocMapped));
  CUDA_CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  memset(both, 0, 2 * BYTES);
  *flag = 0;
  int *other = both + COUNT;
  const int zeros = open("/dev/zero", O_RDONLY), nowhere = open("/dev/null", O_WRONLY);
  FILE *file = fopen("/dev/zero", "rb"), *sink = fopen("/dev/null", "wb");
  check_call("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);

  iovec parts[2] = {{other, BYTES / 2}, {other + COUNT / 2, BYTES / 2}};
  for (int turn = 0; turn < 6; turn++) {
    add_one<<<COUNT / 256, 256, 0, stream>>>(both);
    switch (turn) {
    case 0: check_call("read", read(zeros, other, BYTES), BYTES); break;
    case 1: check_call("fread", static_cast<long long>(fread(other, 4, COUNT, file)), COUNT); break;
    case 2: check_call("readv", readv(zeros, parts, 2), BYTES); break;
    case 3: check_call("write", write(nowhere, other, BYTES), BYTES); break;
    case 4: check_call("fwrite", static_cast<long long>(fwrite(other, 4, COUNT, sink)), COUNT); break;
    default: {
      std::ofstream out("/dev/null", std::ios::binary);
      out.write(reinterpret_cast<const char *>(other), BYTES);
      check_call("ofstream", out.good(), 1);
    }
    }
  }
  // A thread waits for bytes while the kernel is launched beside it. They end before the part that it offers
  // room for, which the kernel has.
  std::thread reader([&] { check_call("recv", recv(pair[0], other - 4, BYTES, 0), 16); });
  add_one<<<COUNT / 256, 256, 0, stream>>>(both);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  add_one<<<COUNT / 512, 256, 0, stream>>>(both);
  check_call("send", send(pair[1], "0123456789abcdef", 16, 0), 16);
  reader.join();
  CUDA_CHECK(cudaStreamSynchronize(stream));
  check_that(both[0] == 8 && both[COUNT - 5] == 7, "%d and %d", both[0], both[COUNT - 5]);

  fill_and_tell<<<1, 256, 0, stream>>>(both, flag);
  while (!*static_cast<volatile int *>(flag))
    continue;
  check_call("write", write(nowhere, both, BYTES), BYTES);
  CUDA_CHECK(cudaStreamSynchronize(stream));
  write_under_signals(nowhere);
  puts("ok");
  return 0;
}
