#!/bin/sh
# In: build/bin/vhopper and nvcc. Out: exit 0 if a launch that touches more of global memory than notes are
# kept on is named, for a person and in the JSON, and a smaller one is not.
# The idea: threads write words here and there. Where they read each of them before, pages go by notes, and
# where no two lie in one line of 128 bytes, each word takes room of its own. Otherwise four million words of
# one array fit, and as many lines as this has.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
work=$(sh grader/tests/work-folder.sh outgrown $$)
trap 'rm -rf "$work"' EXIT
compile() { sh grader/tests/known-nvcc.sh "$nvcc" "$@"; }
failed=0
cat >"$work/scatter.cu" <<'CUDA'
#include <cstdlib>
__global__ void scatter(unsigned *out, unsigned count, unsigned apart, bool reads) {
  const unsigned n = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (unsigned i = 0; i < count; i++) {
    unsigned *place = &out[(i * all + n) * 2654435761u % (all * count) * apart];
    *place = reads ? *place + n : n;
  }
}
int main(int, char **argument) {
  const unsigned blocks = 64, threads = 256, count = atoi(argument[1]), apart = atoi(argument[2]);
  const bool reads = atoi(argument[3]);
  unsigned *out;
  cudaMalloc(&out, sizeof *out * blocks * threads * count * apart);
  scatter<<<blocks, threads>>>(out, count, apart, reads);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return cudaFree(out) != cudaSuccess;
}
CUDA
compile -std=c++17 -cudart shared -gencode 'arch=compute_90,code=[sm_90,compute_90]' -o "$work/scatter" \
  "$work/scatter.cu"
# says TOLD COUNT APART READS: whether the launch of COUNT words for each thread, each so many words behind
# the last one, read before (1) or not (0), is told to be too large (1 or 0).
says() {
  build/bin/vhopper run --json "$work/found.json" -- "$work/scatter" "$2" "$3" "$4" >"$work/said" 2>&1 || {
    echo "$2 words for each thread, $3 apart, reads $4: exit $?"
    failed=1
  }
  found=$(grep -c 'of scatter, the order between blocks in global memory was not judged to the end' \
    "$work/said" || true)
  counted=$(sed -n 's/.*"launches_outgrown": *\([0-9]*\).*/\1/p' "$work/found.json")
  [ "$found $counted" = "$1 $1" ] || {
    echo "$2 words for each thread, $3 apart, reads $4: told $found, counted $counted, expected $1"
    cat "$work/said"
    failed=1
  }
}
says 0 8 32 1
says 0 256 1 0
says 0 64 32 0
says 1 64 32 1
exit $failed
