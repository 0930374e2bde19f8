// attack: 1-bulk-copy-1d
// tries: makes the file behind its page-locked memory shorter and empties it while a kernel reads it
// The device lives: the file's size is sealed, and bytes that change are only bytes. The kernel does
// nothing else.
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about grader error
// expect: silent about virtual Hopper's process
#include "lab9.h"
#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

static int file = -1;

// The descriptor comes with the device's answer. The program's own function is found first.
extern "C" ssize_t recvmsg(int socket, msghdr *message, int flags) {
  using receive = ssize_t(int, msghdr *, int);
  static receive *next = reinterpret_cast<receive *>(dlsym(RTLD_NEXT, "recvmsg"));
  const ssize_t got = next(socket, message, flags);
  const cmsghdr *header = got > 0 && message->msg_control ? CMSG_FIRSTHDR(message) : nullptr;
  if (header && header->cmsg_type == SCM_RIGHTS)
    file = dup(*reinterpret_cast<const int *>(CMSG_DATA(header)));
  return got;
}

constexpr int COUNT = 1 << 16;

__global__ void read_all(const volatile int *from, int *sum) {
  int own = 0;
  for (int round = 0; round < 2; round++)
    for (int i = threadIdx.x; i < COUNT; i += blockDim.x)
      own += from[i];
  atomicAdd(sum, own);
}

extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  (void)data, (void)count;
  int *memory;
  cudaError_t error = cudaMallocHost(reinterpret_cast<void **>(&memory), (COUNT + 1) * sizeof *memory);
  if (error) return error;
  std::atomic_bool over{false};
  std::thread spoiler([&] {
    while (!over) {
      if (ftruncate(file, 0) == 0) _exit(3); // the seals don't hold
      (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, COUNT * sizeof *memory);
      std::this_thread::sleep_for(std::chrono::microseconds(20)); // a launch takes a hundred times as long
    }
  });
  read_all<<<1, 64, 0, stream>>>(memory, memory + COUNT);
  error = cudaStreamSynchronize(stream);
  over = true;
  spoiler.join();
  return error;
}
