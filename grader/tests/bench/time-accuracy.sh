#!/bin/sh
# In: build/bin/vhopper, and kernels whose bandwidth docs/measurements.md has from a chip. Out: a line for
# each: the predicted ratio to cudaMemcpy in a long launch, the measured one, and the error in percent; then
# the mean error. A long launch's rate is what the second half of an array adds.
#   time-accuracy.sh [MIB of the larger array]
set -eu
cd "$(dirname "$0")/../../.."
larger=${1:-128}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${NVCC:-nvcc}" -std=c++17 -O2 -cudart shared -lineinfo --no-compress \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface grader/tests/bench/time-variants.cu \
  -o "$work/variants"
export TIME_VARIANTS_NO_CHECK=1
line() { # CHIP NAME MIB: bytes and microseconds
  build/bin/vhopper run --time "$1" --no-check --quiet -- "$work/variants" "$3" 1 "$2" 2>/dev/null |
    awk 'NR == 1 { print $2, $4 }'
}
while read -r chip name measured; do
  echo "$chip $name $measured $(line "$chip" "$name" $((larger / 2))) $(line "$chip" "$name" "$larger")" \
    "$(line "$chip" memcpy $((larger / 2))) $(line "$chip" memcpy "$larger")"
done <<'END' | awk '{
    ratio = (($6 - $4) / ($7 - $5)) / (($10 - $8) / ($11 - $9)); off = 100 * (ratio / $3 - 1)
    printf "%-5s %-28s %6.3f %6.3f %+6.1f %%\n", $1, $2, ratio, $3, off; n++; sum += off < 0 ? -off : off
  } END { printf "mean error %.1f %% of %d kernels\n", sum / n, n }'
h100 tile-2048-0-128-16 1.006
h100 tile-4096-0-128-4 0.88
h100 tile-4096-0-128-8 1.011
h100 tile-4096-0-128-12 1.000
h100 tile-8192-0-256-4 1.000
h100 tile-8192-0-256-8 0.993
h100 tile-16384-0-256-8 0.990
h100 ring-32768-6-256-1-1 0.962
h100 ring-16384-4-256-2-1 0.952
h100 ring-4096-4-128-8-1 0.944
h100 ring-8192-4-256-4-1 0.945
h100 counter-4096-4-256-3-1 1.002
h100 ring-read-32768-6 1.049
h100 ring-read-4096-4-256-8 1.015
h100 plain-0-0-256 1.000
h200 tile-4096-0-128-8 0.947
h200 tile-4096-0-128-12 0.990
END
