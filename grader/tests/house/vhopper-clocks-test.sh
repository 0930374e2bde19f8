#!/bin/sh
# In: build/bin/vhopper. Out: exit 0 if kernels' clocks follow the time model under vhopper run --time, agree
# with the program's events, are the same each time, and if the rehearsal of a kernel leaves no trace. What is
# expected are latencies in cycles, from the chips' own constants.
set -eu
cd "$(dirname "$0")/../../.."
vhopper=build/bin/vhopper
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() { "${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -arch=sm_90a --no-compress "$1" -o "$work/$2"; }
compile grader/tests/bench/time-clocks.cu clocks

fail() { printf 'vhopper-clocks-test: %s\n' "$1" >&2; cat "$work/out" "$work/err" >&2; exit 1; }
run() { # OPTIONS ..: of the program
  "$vhopper" run "$@" -- "$work/clocks" >"$work/out" 2>"$work/err" || fail "exit $?"
}
between() { # NAME LEAST MOST
  value=$(awk -v name="$1" '$1 == name { print $2 }' "$work/out")
  if [ "${value:--1}" -lt "$2" ] || [ "$value" -gt "$3" ]; then fail "$1: $value, not $2 to $3"; fi
}
for chip in h100 h200; do
  run --time $chip
  [ "$(grep -c 'a line of the kernel' "$work/out")" = 1 ] || fail 'a rehearsal is seen: it prints'
  between count 1 1       # a rehearsal is seen: it counts
  between chase 800 1000  # a load that misses all caches takes 456 ns
  between chain 1024 1100 # 256 dependent multiply-adds of 4 cycles
  between sleep 8000 8200 # until a tick of 8192 ns, as on the chips
  between spin 1010 1060   # 2 M cycles of 1980 MHz, and the launch
  between together 0 700   # 264 blocks of 1024 threads fill the chip
  between waves 18000 45000 # the tenth round of blocks that sleep for 2 us each
  ! grep -q "don't follow" "$work/err" || fail 'no rehearsal'
done
cp "$work/out" "$work/first"
run --time h200
cmp "$work/first" "$work/out" || fail 'other times the second time'
# Without a model clocks count what is executed: a line says that this means nothing.
run
grep -q 'times are not measured here' "$work/err" || fail 'nothing said without --time'

# A kernel that fails in its rehearsal fails once, with its report, and a line about the clocks.
cat >"$work/fails.cu" <<'END'
#include <cstdio>
__global__ void fails(long long *out) { out[1 << 20] = clock64(); }
int main() {
  long long *out;
  cudaMalloc(&out, 8);
  fails<<<1, 1>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
compile "$work/fails.cu" fails
status=0
$vhopper run --time h100 -- "$work/fails" >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 66 ] || fail "exit $status of a kernel with a fault"
[ "$(grep -c 'out-of-bounds' "$work/err")" -ge 1 ] || fail 'its fault is not told'
grep -q '1 fault,' "$work/err" || fail 'its fault is counted twice'
grep -q "1 of them the kernel's clocks don't follow" "$work/err" || fail 'nothing said about its clocks'
