#!/bin/sh
# In: build/bin/vhopper and nvcc. Out: exit 0 if `vhopper run` says what the host's code has to do with a
# fault: who launched the kernel, which calls failed unseen, what is never freed.
# The idea: one program makes one mistake of the host's, the one that its argument names.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
vhopper=$PWD/build/bin/vhopper
work=$(sh grader/tests/work-folder.sh vhopper-host $$)
trap 'rm -rf "$work"' EXIT
compile() { sh grader/tests/known-nvcc.sh "$nvcc" "$@"; }
failed=0

cat >"$work/host.cu" <<'CUDA'
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
static std::atomic<bool> gate;
static void wait_for_program(void *) { // for 6 s at most
  for (int i = 0; i < 60 && !gate; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}
template <int N, typename T> __global__ void fill(T *p) { p[threadIdx.x] = N; }
__global__ void race(int *p) {
  __shared__ int a[64];
  a[threadIdx.x] = 1;
  p[threadIdx.x] = a[63 - threadIdx.x];
}
static void launch_it(int *p) {
  fill<3, int><<<1, 32>>>(p); // the launch
}
int main(int, char **arguments) {
  static int host[1 << 18];
  const char *mode = arguments[1];
  int *p, *q;
  cudaMalloc(&p, 4096);
  if (!strcmp(mode, "outside")) launch_it(p + 1020);
  if (!strcmp(mode, "races"))
    for (int i = 0; i < 5; i++) race<<<1, 64>>>(p);
  if (!strcmp(mode, "leak"))
    for (int i = 0; i < 3; i++) cudaMalloc(&q, 1000); // the leak
  if (!strncmp(mode, "gate", 4)) {
    cudaLaunchHostFunc(0, wait_for_program, nullptr);
    fill<1, int><<<1, 32>>>(p);
    if (mode[4]) cudaMemcpyAsync(host, p, 4, cudaMemcpyDeviceToHost, 0);
    gate = true;
    return cudaDeviceSynchronize();
  }
  if (!strcmp(mode, "double")) {
    cudaFree(p);
    cudaFree(p); // again
    return 0;
  }
  if (!strcmp(mode, "freed")) {
    cudaFree(p);
    return cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost) ? 0 : 1; // after free
  }
  if (!strcmp(mode, "over")) cudaMemcpy(p, host, 16384, cudaMemcpyHostToDevice); // too long
  if (!strcmp(mode, "over-freed")) { // its last byte lies in memory that was freed
    cudaMalloc(&q, 4096);
    int *low = p < q ? p : q, *high = p < q ? q : p;
    cudaFree(high);
    return cudaMemset(low, 0, (char *)high - (char *)low + 16) ? 0 : 1;
  }
  if (!strcmp(mode, "staged") || !strcmp(mode, "small") || !strcmp(mode, "ordered")) {
    const size_t bytes = !strcmp(mode, "small") ? 256 << 10 : sizeof host;
    cudaStream_t free_one;
    cudaMalloc(&q, sizeof host);
    cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking);
    cudaMemcpy(q, host, bytes, cudaMemcpyHostToDevice);
    if (!strcmp(mode, "ordered")) cudaStreamSynchronize(0);
    fill<3, int><<<1, 32, 0, free_one>>>(q);
    cudaStreamSynchronize(free_one);
  }
  if (!strcmp(mode, "reset")) cudaDeviceReset();
  if (!strcmp(mode, "seen-double")) cudaFree(p), cudaFree(p), cudaGetLastError(), p = nullptr;
  if (!strcmp(mode, "refused")) race<<<1, 2048>>>(p); // too many
  if (!strcmp(mode, "seen") && cudaFree(host)) return cudaGetLastError() ? 0 : 1;
  cudaFree(p);
  return 0;
}
CUDA
architecture='arch=compute_90,code=[sm_90,compute_90]'
compile -g -lineinfo -cudart shared -gencode "$architecture" "$work/host.cu" -o "$work/host"

# expect STATUS TEXT OPTIONS MODE: TEXT, or the line of the source that TEXT is a part of.
expect() {
  wanted=$1
  text=$2
  shift 2
  status=0
  "$vhopper" run "$@" >"$work/output" 2>&1 || status=$?
  if [ "$status" != "$wanted" ] || ! tr '\n' ' ' <"$work/output" | sed 's/  */ /g' | grep -qF -- "$text"; then
    echo "$*: exit $status, expected $wanted and '$text'"
    cat "$work/output"
    failed=1
  fi
}

program=$work/host
expect 66 '(rule out-of-bounds, kernel fill<3, int>)' -- "$program" outside
expect 66 '// the launch called from' -- "$program" outside
expect 66 'launch 1, made by the host at' -- "$program" outside
expect 66 'launch_it(p + 1020)' --json "$work/report" -- "$program" outside
grep -q '"symbol": "_Z4fillILi3EiEvPT0_"' "$work/report" || { echo 'JSON lacks the symbol'; failed=1; }
expect 66 '(in 5 launches, first in number 1)' -- "$program" races
expect 66 '1 fault, 0 warnings' -- "$program" races

expect 0 'no kernel ran' --leak-check -- "$program" clean
expect 0 'no kernel ran' -- "$program" leak
expect 66 '3 allocations made here, of 3000 bytes in all' --leak-check -- "$program" leak
expect 66 '// the leak' --leak-check -- "$program" leak
expect 66 'freed by the host' --api-errors error --leak-check -- "$program" double
expect 66 'the memory was freed before: 0x' -- "$program" double
expect 66 'Free memory once, after its last use' -- "$program" double
expect 66 '// again' -- "$program" double
expect 66 '1 fault, 0 warnings;' -- "$program" double
expect 0 'no kernel ran, so nothing was checked;' --api-errors ignore -- "$program" double
expect 66 '// after free' -- "$program" freed
expect 66 'cudaMemcpy returned cudaErrorInvalidValue: the memory was freed before' -- "$program" freed
# What is only too long, what was never allocated and what a reset has taken are warnings.
expect 0 'has 16384 bytes from 0x' -- "$program" over
expect 0 'warning: a call of the CUDA runtime failed' -- "$program" over
expect 0 '0 faults, 1 warning;' -- "$program" over
expect 66 '1 fault, 0 warnings;' --api-errors error -- "$program" over
expect 0 'in no allocation: device memory has none' -- "$program" reset
expect 0 '0 faults, 1 warning;' -- "$program" over-freed
# Many programs rely on what cudaMemcpy from pageable memory has not promised.
expect 0 'warning: two operations' -- "$program" staged
expect 0 'cudaMemcpy from pageable memory may return before its bytes have landed' -- "$program" staged
expect 66 '1 fault, 0 warnings;' --strict -- "$program" staged
expect 0 '0 faults, 0 warnings;' --strict -- "$program" ordered
expect 0 '0 faults, 0 warnings;' -- "$program" small
expect 66 '1 fault, 0 warnings;' --strict -- "$program" small
expect 0 '1 launch: 0 faults, 0 warnings' -- "$program" gate
expect 0 'a host function has run for 5 s, and a call of the program waits' -- "$program" gate-and-copy
expect 66 '// too many' -- "$program" refused
expect 0 'no kernel ran, so nothing was checked;' --api-errors error -- "$program" seen
expect 0 'no kernel ran, so nothing was checked;' --api-errors error -- "$program" seen-double
expect 2 'must be warn, error or ignore' --api-errors loud -- "$program" seen

# A finding of the host's code has a place, so a baseline can accept it.
expect 66 'rule leak' --leak-check --write-suppressions "$work/base" -- "$program" leak
expect 0 '1 suppressed' --leak-check --suppressions "$work/base" -- "$program" leak
exit $failed
