#!/bin/sh
# In: interface/. Out: exit 0 if every header compiles alone in each of its languages, if the wrong compiler
# or chip is named, and if a test program calls every function.
# The idea: the first thing that a student meets must fail clearly.
set -eu
cd "$(dirname "$0")/../../.."
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=${NVCC:-$(command -v nvcc || echo "$cuda/bin/nvcc")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
  echo "$1"
  failed=1
}

for header in interface/*.h; do
  name=$(basename "$header")
  printf '#include "%s"\nint main(void) { return 0; }\n' "$name" >"$work/alone.c"
  cp "$work/alone.c" "$work/alone.cpp"
  ${CC:-cc} -std=c17 -Wall -Wextra -Werror -Iinterface -isystem "$cuda/include" -c "$work/alone.c" \
    -o "$work/alone.o" ||
    complain "$name doesn't stand alone in C"
  ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -Iinterface -isystem "$cuda/include" -c "$work/alone.cpp" \
    -o "$work/alone.o" ||
    complain "$name doesn't stand alone in C++"
done
for header in interface/*.cuh; do
  name=$(basename "$header")
  printf '#include "%s"\n#include "%s"\n__global__ void nothing() {}\n' "$name" "$name" >"$work/alone.cu"
  "$nvcc" -std=c++17 -gencode arch=compute_90,code=sm_90 -Xcompiler -Wall,-Wextra,-Werror \
    -Werror all-warnings -Iinterface \
    -c "$work/alone.cu" -o "$work/alone.o" || complain "$name doesn't stand alone"
done

# must_say WORDS COMMAND ..: the command fails, and its messages contain the words.
must_say() {
  words=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    complain "this should not compile: $*"
  elif ! grep -qF "$words" "$work/said"; then
    complain "this doesn't say '$words': $*"
    cat "$work/said"
  fi
}
printf '#include "tma-interface.cuh"\n' >"$work/wrong.cu"
cp "$work/wrong.cu" "$work/wrong.cpp"
must_say 'came with Hopper: compile for sm_90' "$nvcc" -gencode arch=compute_80,code=sm_80 \
  -Iinterface -c "$work/wrong.cu" -o "$work/wrong.o"
must_say 'compile this file with nvcc' "${CXX:-c++}" -Iinterface -isystem "$cuda/include" \
  -c "$work/wrong.cpp" -o "$work/wrong.o"
must_say 'needs nvcc 12.4 or newer' "${CXX:-c++}" -D__CUDACC__ -D__CUDACC_VER_MAJOR__=12 \
  -D__CUDACC_VER_MINOR__=3 -Iinterface \
  -isystem "$cuda/include" -c "$work/wrong.cpp" -o "$work/wrong.o"

# Functions that need sm_90a, which the test programs aren't built for.
untested='tensormap_replace_global_address tensormap_replace_global_dim tensormap_replace_global_stride'
cat grader/tests/programs/*.cu >"$work/programs"
for name in $(tr '\n' ' ' <interface/tma-interface.cuh |
  cat - interface/tma-c*.cuh interface/tma-map-update.cuh |
  grep -oE '__forceinline__ (void|bool|uint32_t|uint64_t) [a-z0-9_]+\(' | sed 's/.* //; s/(//' | sort -u); do
  case " $untested " in *" $name "*) continue ;; esac
  case $name in tma_shared_address) continue ;; esac # every function here calls it
  grep -qw "$name" "$work/programs" || complain "no test program calls $name"
done
exit $failed
