// For vhopper run --time: what kernels read from clocks, one figure a line. Memory that the host sees as well
// is changed once, though the kernels are rehearsed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(status));
  exit(1);
}

__device__ uint64_t nanoseconds() {
  uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

__global__ void chase(const int *next, int steps, long long *out, int *count) {
  int at = 0;
  const long long begin = clock64();
  for (int i = 0; i < steps; i++)
    at = next[at];
  out[1] = at;
  out[0] = (clock64() - begin) / steps;
  atomicAdd(count, 1);
  printf("a line of the kernel\n");
}

__global__ void chain(float *x, long long *out) {
  float value = x[0];
  x[1] = value; // so that the load has come
  const long long begin = clock64();
#pragma unroll
  for (int i = 0; i < 256; i++)
    value = value * 1.0001f + 0.5f;
  x[0] = value;
  out[0] = clock64() - begin;
}

__global__ void sleep_for(unsigned nanos, uint64_t *out) {
  const uint64_t begin = nanoseconds();
  __nanosleep(nanos);
  out[0] = nanoseconds() - begin;
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void waves(uint64_t *when) {
  const uint64_t now = nanoseconds();
  __nanosleep(2000);
  if (threadIdx.x == 0) when[blockIdx.x] = now;
}

int main() {
  enum { ELEMENTS = 1 << 22, BLOCKS = 10 * 264, STEPS = 100 };
  int *next, *count;
  long long *out;
  uint64_t *when;
  float *x, ms;
  cudaEvent_t before, after;
  check(cudaMallocManaged(&next, ELEMENTS * sizeof *next));
  check(cudaMallocManaged(&count, sizeof *count));
  check(cudaMallocHost(&out, 2 * sizeof *out));
  check(cudaMallocManaged(&when, BLOCKS * sizeof *when));
  check(cudaMallocManaged(&x, 2 * sizeof *x));
  check(cudaEventCreate(&before));
  check(cudaEventCreate(&after));
  for (int i = 0; i < ELEMENTS; i++)
    next[i] = (i + 32 * 1021) % ELEMENTS;
  chase<<<1, 1>>>(next, STEPS, out, count);
  check(cudaDeviceSynchronize());
  printf("count %d\nchase %lld\n", *count, out[0]);
  x[0] = 1;
  chain<<<1, 32>>>(x, out);
  check(cudaDeviceSynchronize());
  printf("chain %lld\n", out[0]);
  sleep_for<<<1, 1>>>(5000, when);
  check(cudaDeviceSynchronize());
  printf("sleep %llu\n", (unsigned long long)when[0]);
  check(cudaEventRecord(before));
  spin<<<1, 1>>>(2000000);
  check(cudaEventRecord(after));
  check(cudaDeviceSynchronize());
  check(cudaEventElapsedTime(&ms, before, after));
  printf("spin %.0f\n", ms * 1000);
  waves<<<BLOCKS, 1024>>>(when);
  check(cudaDeviceSynchronize());
  printf("together %lld\nwaves %lld\n", (long long)(when[263] - when[0]),
         (long long)(when[BLOCKS - 1] - when[0]));
}
