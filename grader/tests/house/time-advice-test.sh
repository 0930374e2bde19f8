#!/bin/sh
# In: build/bin/vhopper, and the kernels of grader/tests/bench/time-advice.cu, each slow by one cause or good.
# Out: exit 0 if `vhopper run --time` says the cause of each, and no other one's remedy, which would be false.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'time-advice-test: %s\n' "$1" >&2; cat "$work/said" >&2; exit 1; }
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress -Iinterface \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' grader/tests/bench/time-advice.cu -o "$work/advice"

# Every sentence that advises.
remedies='more in flight
would only be full
Give it less to do
a warp of their own
started too slowly
hold up loads
to wake up
take turns
the slowest thread
too few reads
hold only
more to do:
nothing to do
beside empty places
give it back only then
Bank conflicts
held up by:'

says() { # CAUSE SENTENCE..: these, and no other remedy
  cause=$1
  shift
  build/bin/vhopper run --time h100 --no-check --timeline "$work/it.svg" -- "$work/advice" "$cause" \
    >"$work/said" 2>&1 || fail "$cause does not run"
  for sentence in "$@"; do
    grep -qF -e "$sentence" "$work/said" || fail "$cause: does not say: $sentence"
  done
  printf '%s\n' "$remedies" >"$work/others"
  while read -r other; do
    grep -qF -e "$other" "$work/said" || continue
    case "$*" in *"$other"*) ;; *) fail "$cause: says, and it is not true: $other" ;; esac
  done <"$work/others"
}

says good 'keeps the memory busy nearly all the time'
says plain 'keeps the memory busy nearly all the time'
says plain-few 'So too few reads are on their way.' 'keep more in flight'
says few-stages 'for the readers to give a stage back. More or larger stages keep more in flight.'
says readers-compute 'would only be full: warp 0, which reads them, hardly waits for loads; it works 100 %'
says readers-sleep 'would only be full: warp 0, which reads them, hardly waits for loads; it sleeps'
says readers-ask 'Warp 1, which starts the loads,' 'would only be full: warp 0'
says loader-computes 'So the loads are started too slowly: this warp executes '
says loader-sleeps 'So loads wait for the warp that starts them to wake up.'
says loader-asks "So a thread's own reads or atomics hold up loads."
says loader-works 'because this warp is busy. Give it less to do, or let more warps share its work'
says small-loads 'So the loads are started too slowly: a load has 512 bytes' 'hold only 16.0 KiB together.'
says slow-warp 'So loads wait for the slowest thread of the block. Share its work' 'Warp 3 works 100 %'
says written 'So stores hold up loads. Let more stores be unread'
says one-stage 'So loading, computing and storing take turns.' '(1 is there, and 8 have room)' \
  'hold only 8.0 KiB together.'
says banks 'held up by: shared memory' 'Bank conflicts make its accesses take 32.0 times'
says issue 'held up by: issue slots. Fewer instructions for each byte'
says flat-boxes 'held up by: copy engine'
says counter 'held up by: atomics on one address'
says columns 'held up by: L2 cache. Its threads store parts of sectors, which keep it busy'

# Both have a barrier of the same name, or none; the pictures tell them apart.
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared --no-compress -Iinterface -x cu - \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -o "$work/names" <<'CUDA'
#include "tma-interface.cuh"
struct stages_in_shared_memory { alignas(128) int4 tile[4][256]; uint64_t full[4]; };
__global__ void names(const int4 *in) {
  __shared__ stages_in_shared_memory all_of_the_stages_of_this_block;
  stages_in_shared_memory &s = all_of_the_stages_of_this_block;
  if (threadIdx.x == 0)
    for (int i = 0; i < 4; i++) init_barrier(&s.full[i], 1);
  async_proxy_fence();
  __syncthreads();
  for (int k = 0; k < 64; k++) {
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&s.full[k % 4], 4096);
      cp_async_bulk_global_to_shared(s.tile[k % 4], in + (blockIdx.x * 64 + k) * 256, 4096, &s.full[k % 4]);
    }
    wait(&s.full[k % 4], k / 4 & 1);
    __syncthreads();
  }
}
int main() {
  int4 *in;
  if (cudaMalloc(&in, 132 * 64 * 4096) != cudaSuccess) return 1;
  names<<<132, 64>>>(in);
  return cudaDeviceSynchronize() != cudaSuccess;
}
CUDA
build/bin/vhopper run --time h100 --no-check --timeline "$work/it.svg" -- "$work/names" >"$work/said" 2>&1 ||
  fail 'names does not run'
[ "$(grep -o 'class="lane"[^<]*>stage[^<]*' "$work/it.svg" | sed 's/.*>//' | sort -u | wc -l)" = 4 ] ||
  fail "four stages have other names than four: $(grep -o '>stage[^<]*' "$work/it.svg")"
