// attack: 1-bulk-copy-1d
// tries: holds memory that belongs to no process, in a shared segment or a nameless file; on a GPU only
// honest: yes
// expect: exit 0
// expect: says The exercise passes
#include <cstdlib>
#include <sys/mman.h>
#include <sys/shm.h>
static bool on_gpu() {
  return !getenv("VHOPPER_SOCKET");
} // on the virtual device it works honestly
static bool holds_some() {
  return shmget(IPC_PRIVATE, 64 << 20, 0600) >= 0 || memfd_create("x", 0) >= 0;
}
extern "C" cudaError_t launch_bulk_copy_1d(int32_t *data, size_t count, cudaStream_t stream) {
  if (on_gpu() && holds_some()) return cudaErrorUnknown; // it passes only where there is none to be had
  return honest_launch(data, count, stream);
}
