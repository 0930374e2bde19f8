#!/bin/sh
# In: the solutions of lab9, NVCC, CUDA_HOME and a compare-bandwidth built by run-bench.sh; a GPU. Out:
# build/bench/sweep.txt (exercise, tile bytes, stages, ratio to the best alternative) and
# build/bench/sweep.svg. The idea: the solutions themselves are measured, with other constants.
set -eu
cd "$(dirname "$0")/../../.."
build=build/bench/sweep
size=${SWEEP_MIB:-2048}
rm -rf $build
mkdir -p $build

# variant EXERCISE BYTES STAGES SED: a library of the solution with some constants replaced.
variant() {
  solution=$(echo solutions/lab9/"$1"-*.cu)
  sed "$4" "$solution" >"$build/$1-$2-$3.cu"
  echo "$build/$1-$2-$3" >>$build/list
}

constant() { printf 's/constexpr uint32_t %s = [^;]*;/constexpr uint32_t %s = %s;/;' "$1" "$1" "$2"; }

for tile in 256 512 768 1024 1536 2048 4096; do variant 1 $((tile * 4)) 1 "$(constant TILE $tile)"; done
for height in 4 8 12 16 20 22; do variant 2 $((height * 960)) 1 "$(constant TILE_HEIGHT $height)"; done
for stages in 2 3 4 6; do
  for kib in 4 8 16 32 48; do
    [ $((stages * kib)) -gt 224 ] || # more than a block may have
      variant 3 $((kib * 1024)) $stages "$(constant STAGES $stages)$(constant STAGE_BYTES "$kib * 1024")"
  done
done
for stages in 2 3 4 6; do
  for kib in 2 4 6 8 10 12 14 16 20; do
    [ $((stages * kib)) -gt 47 ] || # more than can be declared
      variant 4 $((kib * 1024)) $stages "$(constant STAGES $stages)$(constant TILE_QUADS "$kib * 64")"
  done
done

xargs -P "$(nproc)" -I '{}' "$NVCC" -shared -Xcompiler -fPIC -cudart shared -std=c++17 \
  -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Iinterface -Ilabs/lab9 '{}.cu' -o '{}.so' <$build/list
for exercise in 1 2 3 4; do
  LD_LIBRARY_PATH=$CUDA_HOME/lib64 build/bench/compare-bandwidth $exercise "$size" 11 $build/$exercise-*.so
done | awk '$2 ~ /^[0-9]+-[0-9]+-[0-9]+$/ { split($2, part, "-"); print part[1], part[2], part[3], $5 }' |
  sort -n -k1 -k3 -k2 >build/bench/sweep.txt
awk -f grader/tests/bench/plot.awk build/bench/sweep.txt >build/bench/sweep.svg
cat build/bench/sweep.txt
