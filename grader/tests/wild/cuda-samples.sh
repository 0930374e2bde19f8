# NVIDIA/cuda-samples: programs are folders below Samples, with arguments behind a blank. Sourced by run.sh.
# shellcheck shell=sh
# shellcheck disable=SC2086,SC2154
build() {
  folder=$checkout/Samples/${1%% *}
  # shellcheck disable=SC2046 # no name has a blank
  $nvcc $flags -std=c++17 --extended-lambda -I"$checkout/Common" -I"$folder" -o "$2" \
    $(find "$folder" -maxdepth 1 -name '*.cu' -o -maxdepth 1 -name '*.cpp' -o -maxdepth 1 -name '*.c') -lcuda
}
accepts() {
  ! grep -qi 'test failed\|result = fail\|CUDA error' "$1.out" "$1.err"
}
