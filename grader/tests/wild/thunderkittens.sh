# HazyResearch/ThunderKittens: kernels with a main of their own. Programs are files below the checkout. Their
# 4096 x 4096 matrices are made smaller in a copy, so that a CPU can multiply them. Sourced by run.sh.
# shellcheck shell=sh
# shellcheck disable=SC2086,SC2154
build() {
  folder=$2.source
  mkdir -p "$folder/a/b"
  cp "$checkout"/kernels/gemm/*.cuh "$folder/a/"
  cp "$checkout/$(dirname "$1")"/*.cu "$folder/a/b/"
  sed -i 's/N = 4096;/N = 256;/' "$folder"/a/b/*.cu
  # stdc++fs and OpenMP are not needed: what they speed up is small now
  $nvcc $flags -std=c++20 -O3 --use_fast_math --expt-extended-lambda --expt-relaxed-constexpr \
    -DNDEBUG -DKITTENS_HOPPER -DKITTENS_SM90 -I"$checkout/include" -I"$checkout/prototype" \
    -o "$2" "$folder/a/b/$(basename "$1")" -lcuda
}
accepts() {
  ! grep -q 'Error at\|Error count: [1-9]\|CUDA error' "$1.out" "$1.err"
}
