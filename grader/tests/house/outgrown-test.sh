#!/bin/sh
# In: build/bin/vhopper and nvcc. Out: exit 0 if a launch that touches more of global memory than notes are
# kept on is named, for a person and in the JSON, and a smaller one is not.
# The idea: threads write words that lie far apart, so each word takes a note of its own.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/scatter.cu" <<'CUDA'
#include <cstdlib>
__global__ void scatter(unsigned *out, unsigned count) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < count; i++)
    out[(i * all + n) * 2654435761u % (all * count)] = n;
}
int main(int, char **argument) {
  const unsigned blocks = 64, threads = 256, count = atoi(argument[1]);
  unsigned *out;
  cudaMalloc(&out, sizeof *out * blocks * threads * count);
  scatter<<<blocks, threads>>>(out, count);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return cudaFree(out) != cudaSuccess;
}
CUDA
"$nvcc" -std=c++17 -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' -o "$work/scatter" \
  "$work/scatter.cu"
# says WORDS COUNT: whether the launch of COUNT words for each thread is told to be too large (1 or 0).
says() {
  build/bin/vhopper run --json "$work/found.json" -- "$work/scatter" "$2" >"$work/said" 2>&1 || {
    echo "$2 words for each thread: exit $?"
    failed=1
  }
  found=$(grep -c 'of scatter, the order between blocks in global memory was not judged to the end' \
    "$work/said" || true)
  counted=$(sed -n 's/.*"launches_outgrown": *\([0-9]*\).*/\1/p' "$work/found.json")
  [ "$found $counted" = "$1 $1" ] || {
    echo "$2 words for each thread: told $found, counted $counted, expected $1"
    cat "$work/said"
    failed=1
  }
}
says 0 8
says 1 256
exit $failed
