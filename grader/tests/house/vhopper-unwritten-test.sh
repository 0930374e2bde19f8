#!/bin/sh
# In: build/bin/vhopper and nvcc. Out: exit 0 if `--unwritten` reports what a kernel makes of memory that
# nobody has written, and stays silent about copies of it.
# The idea: one program does one thing with unwritten memory, the one that its argument names.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
work=$(sh grader/tests/work-folder.sh vhopper-unwritten $$)
trap 'rm -rf "$work"' EXIT
compile() { sh grader/tests/known-nvcc.sh "$nvcc" "$@"; }
failed=0
cat >"$work/fresh.cu" <<'CUDA'
#include <cstring>
struct alignas(16) padded { char tag; int value; };
__global__ void copy(float4 *to, const float4 *from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void copy_structs(padded *to, const padded *from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void branch(int *to, const int *from) {
  if (from[threadIdx.x] > 3) to[0] = 1; // branch
}
__global__ void follow(int *to, int *const *from) { to[0] = *from[threadIdx.x]; }
__global__ void count(int *to) { atomicAdd(to, 1); }
__global__ void sum(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x] * 2 + 1; }
__global__ void shared(int *to) {
  __shared__ int some[64];
  if (threadIdx.x < 32) some[threadIdx.x] = 1;
  __syncthreads();
  if (some[threadIdx.x] == 1) to[threadIdx.x] = 1; // shared
}
__global__ void local(int *to, int n) {
  int own[32];
  for (int i = 0; i < n; i++) own[i * 2 % 32] = i;
  if (own[n + 20] > 0) to[0] = 1; // local
}
__global__ void unused(int *to, int n) {
  __shared__ int some[64];
  if (threadIdx.x < n) some[threadIdx.x] = 1;
  __syncthreads();
  const int other = some[threadIdx.x] * 3;
  if (threadIdx.x < n) to[threadIdx.x] = other;
}
int main(int, char **arguments) {
  const char *mode = arguments[1];
  char *to, *from;
  cudaMalloc(&to, 4096);
  cudaMalloc(&from, 4096);
  if (!strcmp(mode, "copy")) copy<<<1, 32>>>((float4 *)to, (float4 *)from);
  if (!strcmp(mode, "structs")) copy_structs<<<1, 32>>>((padded *)to, (padded *)from);
  if (!strcmp(mode, "branch")) branch<<<1, 32>>>((int *)to, (int *)from);
  if (!strcmp(mode, "cleared")) cudaMemset(from, 0, 4096), branch<<<1, 32>>>((int *)to, (int *)from);
  if (!strcmp(mode, "copied")) {
    copy<<<1, 32>>>((float4 *)to, (float4 *)from);
    branch<<<1, 8>>>((int *)from, (int *)to);
  }
  if (!strcmp(mode, "follow")) follow<<<1, 32>>>((int *)to, (int **)from);
  if (!strcmp(mode, "count")) count<<<1, 32>>>((int *)to);
  if (!strcmp(mode, "sum")) sum<<<1, 32>>>((float *)to, (float *)from);
  if (!strcmp(mode, "shared")) shared<<<1, 64>>>((int *)to);
  if (!strcmp(mode, "local")) local<<<1, 1>>>((int *)to, 4);
  if (!strcmp(mode, "unused")) unused<<<1, 64>>>((int *)to, 20);
  cudaDeviceSynchronize();
  cudaFree(to);
  cudaFree(from);
}
CUDA
compile -lineinfo -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' "$work/fresh.cu" \
  -o "$work/fresh"
# expect STATUS TEXT MODE [OPTIONS]
expect() {
  wanted=$1
  text=$2
  mode=$3
  status=0
  shift 3
  build/bin/vhopper run "${1:---unwritten}" -- "$work/fresh" "$mode" >"$work/output" 2>&1 || status=$?
  if [ $status != "$wanted" ] || ! tr '\n' ' ' <"$work/output" | sed 's/  */ /g' | grep -qF -- "$text"; then
    echo "$mode: exit $status, expected $wanted and '$text'"
    cat "$work/output"
    failed=1
  fi
}
expect 66 '// branch' branch
expect 66 'rule unwritten-read, kernel branch' branch
expect 66 'bytes into allocation 2' branch
expect 0 '0 faults, 0 warnings' copy
expect 0 '0 faults, 0 warnings' structs
expect 0 '0 faults, 0 warnings' cleared
expect 66 'unwritten-read' copied
expect 66 'takes an address from them' follow
expect 66 'kernel count' count
expect 0 '0 faults, 1 warning' sum
expect 66 '// shared' shared
expect 66 'in shared memory, 128 bytes from its beginning' shared
expect 66 '// local' local
expect 0 '0 faults, 0 warnings' unused
exit $failed
