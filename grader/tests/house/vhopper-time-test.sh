#!/bin/sh
# In: build/bin/vhopper, and the kernels of grader/tests/bench/time-variants.cu. Out: exit 0 if predictions of
# vhopper run --time are the same each time, order the kernels as a chip does, and reach the program's events.
# Without --time one line says that times mean nothing.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=build/bin/vhopper bench=grader/tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface $bench/time-variants.cu -o "$work/variants"
export TIME_VARIANTS_NO_CHECK=1

fail() { printf 'vhopper-time-test: %s\n' "$1" >&2; cat "$work/out" "$work/err" >&2; exit 1; }
predict() { # CHIP NAME [MIB]: GB/s of a kernel
  $vhopper run --time "$1" --no-check -- "$work/variants" "${3:-24}" 1 "$2" >"$work/out" 2>"$work/err" ||
    fail "$2 does not run"
  awk 'NR == 1 { print int($6) }' "$work/out"
}
slow=$(predict h100 scattered-0-32) once=$(predict h100 ring-16384-1-256) copy=$(predict h100 memcpy)
grep -q 'predicted for an h100: ring takes' "$work/err" && fail 'a copy is no kernel'
fast=$(predict h100 tile-4096-0-128-12)
grep -q 'predicted for an h100: one_tile takes .* us, .* GB/s; bound by ' "$work/err" || fail 'no line for it'
[ "$fast" = "$(predict h100 tile-4096-0-128-12)" ] || fail 'another prediction the second time'
if [ "$slow" -ge "$once" ] || [ "$once" -ge "$fast" ]; then fail "in the wrong order: $slow $once $fast"; fi
if [ "$fast" -lt $((copy * 9 / 10)) ] || [ "$fast" -gt 3400 ]; then fail "$fast GB/s, a copy $copy"; fi
few=$(predict h100 ring-read-4096-2-256-1)
if [ "$few" -lt 600 ] || [ "$few" -gt 2000 ]; then fail "$few GB/s with 8 KiB in flight on a processor"; fi
[ "$(predict h200 tile-4096-0-128-12)" -gt "$fast" ] || fail 'no faster on an H200'
# A ring with a warp that only loads. Its readers' loads from shared memory overlap, since ptxas puts them
# before the additions; what they take of shared memory doesn't keep the loading warp from its barriers.
for chip in h100 h200; do
  four=$(predict $chip roles-read-8192-4-160-1-0-0)
  eight=$(predict $chip roles-read-8192-8-160-1-0-0)
  [ "$eight" -ge $((four * 97 / 100)) ] || fail "$chip: eight stages are slower than four: $eight, $four"
  # 52 cycles a word: a chip reads 2150 to 2200 in a long launch
  if [ "$four" -lt 1500 ] || [ "$four" -gt 1950 ]; then fail "$chip: four stages read $four GB/s"; fi
done
# Two words of a sector are put together in the cache; a store to 32 lines keeps the processor four times as
# long as one to 16, and loads of lines in more than 16 parts of 2 MiB bring nothing for others.
half=$(predict h100 scattered-0-16-256 48) most=$(predict h100 scattered-0-32-256 48)
[ "$half" -gt $((2 * most)) ] || fail "16 places: $half GB/s, 32 places: $most"
$vhopper run --no-check --time h100 --json "$work/json" -- \
  "$work/variants" 24 1 plain-0-0-256 >"$work/out" 2>&1
grep -q '"bound_by"' "$work/json" || fail 'no prediction in the JSON'
grep -q '"chip": "h100"' "$work/json" || fail 'no chip in the JSON'
$vhopper run --no-check -- "$work/variants" 4 1 plain-0-0-256 >"$work/out" 2>"$work/err"
[ "$(grep -c 'times are not measured here' "$work/err")" = 1 ] || fail 'nothing said without --time'
$vhopper run --time h300 -- true >"$work/out" 2>"$work/err" && fail 'an unknown chip is taken'
grep -q 'h100 or h200' "$work/err" || fail 'the chips are not named'

# Half of what a short launch reads lies in the L2 cache: blocks that find theirs there rush, and that is no
# reason for the others to wait in a queue that the memory doesn't have.
cat >"$work/half.cu" <<'CUDA'
#include "tma-interface.cuh"
constexpr int N = 1024, THREADS = 128, TILES = 132 * 4 * 8;
__global__ void half(float *out, const float *in) {
  __shared__ alignas(128) float tile[N];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) init_barrier(&full, 1);
  async_proxy_fence();
  __syncthreads();
  for (int t = blockIdx.x, n = 0; t < TILES; t += gridDim.x, n++) {
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&full, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + t * N, sizeof tile, &full);
    }
    wait(&full, n & 1);
    for (int i = threadIdx.x; i < N; i += THREADS)
      tile[i] += 1;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + t * N, tile, sizeof tile);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
    }
    __syncthreads();
  }
}
int main() {
  float *in, *out;
  if (cudaMalloc(&in, TILES * N * 4) != cudaSuccess) return 1;
  if (cudaMalloc(&out, TILES * N * 4) != cudaSuccess) return 1;
  cudaMemset(in, 0, TILES * N * 4);
  half<<<132 * 4, THREADS>>>(out, in);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared --no-compress \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface "$work/half.cu" -o "$work/half"
$vhopper run --no-check --time h100 -- "$work/half" >"$work/out" 2>"$work/err" || fail 'half does not run'
us=$(sed -n 's/.* half takes \([0-9]*\)\..*/\1/p' "$work/err")
if [ "$us" -lt 8 ] || [ "$us" -gt 18 ]; then fail "33 MiB take $us us"; fi

# What never ends takes no time that could be told, and what does nothing has no picture.
cat >"$work/ends.cu" <<'CUDA'
#include "tma-interface.cuh"
__global__ void hangs() {
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) init_barrier(&barrier, 2);
  __syncthreads();
  if (threadIdx.x == 0) {
    arrive(&barrier);
    wait(&barrier, 0);
  }
}
__global__ void nothing() {}
__global__ void adds(int *data) { data[threadIdx.x + blockIdx.x * blockDim.x] += 1; }
int main(int count, char **) {
  int *data;
  if (cudaMalloc(&data, 4 << 20) != cudaSuccess) return 1;
  if (count > 2) nothing<<<1, 32>>>(), adds<<<1 << 12, 256>>>(data);
  else if (count > 1) hangs<<<1, 32>>>();
  else nothing<<<1, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared --no-compress \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface "$work/ends.cu" -o "$work/ends"
$vhopper run --time h100 -- "$work/ends" hang >"$work/out" 2>"$work/err" && fail 'a hang ends well'
grep -q 'rule deadlock' "$work/err" || fail 'a hang is not told'
grep -q 'hangs takes' "$work/err" && fail 'a hang takes a time'
$vhopper run --time h100 --timeline "$work/it.svg" -- "$work/ends" >"$work/out" 2>"$work/err" ||
  fail 'an empty kernel does not run'
grep -q 'nothing takes 2.4 us, hardly more than its launch' "$work/err" || fail 'an empty kernel is bound'
if [ ! -e "$work/it.svg" ] && ! grep -q 'no kernel did anything that takes time' "$work/err"; then
  fail 'neither a picture nor a reason'
fi
$vhopper run --time h100 --no-check --timeline "$work/it.svg" -- "$work/ends" of two \
  >"$work/out" 2>"$work/err" ||
  fail 'two kernels do not run'
grep -q '^vhopper: adds.*, which takes longest:$' "$work/err" || fail 'of which kernel is that said?'
