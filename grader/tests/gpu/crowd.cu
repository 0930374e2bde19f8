// In: busy or idle, and seconds. Out: a program that uses the GPU beside the grader, until its time is over:
// busy copies without a pause, idle only has a context. Says "ready" once it does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <unistd.h>

int main(int count, char **arguments) {
  const bool busy = count > 1 && strcmp(arguments[1], "busy") == 0;
  const time_t end = time(nullptr) + (count > 2 ? atoi(arguments[2]) : 10);
  const size_t bytes = size_t{1} << 30;
  char *from, *to;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) return 2;
  puts("ready");
  fflush(stdout);
  while (time(nullptr) < end) {
    if (!busy) {
      sleep(1);
      continue;
    }
    for (int i = 0; i < 20; i++)
      cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  }
  return 0;
}
