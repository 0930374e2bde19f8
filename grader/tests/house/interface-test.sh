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

# What an older nvcc gets. Such a compiler isn't here, so only its preprocessor is imitated.
as_nvcc() {
  printf '#include "tma-interface.cuh"\n' | "${CXX:-c++}" -E -P -xc++ -D__CUDACC__ \
    -D__CUDACC_VER_MAJOR__=12 -D__CUDACC_VER_MINOR__="$1" -Iinterface -isystem "$cuda/include" -
}
as_nvcc 4 >"$work/nvcc-12.4"
as_nvcc 6 >"$work/nvcc-12.6"
as_nvcc 8 >"$work/nvcc-12.8"
grep -q 'bytes / 16' "$work/nvcc-12.4" ||
  complain 'before nvcc 12.5 a stride must be given in units of 16 bytes'
! grep -q 'bytes / 16' "$work/nvcc-12.6" ||
  complain 'since nvcc 12.5 a stride must be given in bytes'
! grep -q 'async::generic' "$work/nvcc-12.6" ||
  complain 'nvcc 12.6 does not know fence.proxy.async::generic'
grep -q 'async::generic' "$work/nvcc-12.8" ||
  complain 'nvcc 12.8 lacks the functions of tma-cta.cuh'

# tensormap.replace compiles for every architecture-specific target that its comment names.
cat >"$work/replace.cu" <<'END'
#include "tma-interface.cuh"
__global__ void replace(const void *address) {
  __shared__ alignas(128) CUtensorMap map;
  tensormap_replace_global_address(&map, address);
  tensormap_replace_global_dim<0>(&map, 16);
  tensormap_replace_global_stride<0>(&map, 64);
}
END
for chip in 90a 100a 103a 110a 120a; do
  "$nvcc" -std=c++17 -gencode arch=compute_$chip,code=sm_$chip -Iinterface -cubin -o "$work/replace.cubin" \
    "$work/replace.cu" || complain "tensormap.replace doesn't compile for sm_$chip"
done
must_say 'tensormap.replace' "$nvcc" -std=c++17 -gencode arch=compute_90,code=sm_90 -Iinterface -cubin \
  -o "$work/replace.cubin" "$work/replace.cu"

# The interface holds on later chips: what calls nearly all of it assembles for them.
for program in interface-barriers interface-bulk-copy interface-tensor-ranks; do
  for chip in 100 120; do
    "$nvcc" -std=c++17 -gencode arch=compute_$chip,code=sm_$chip -Iinterface -cubin -o "$work/later.cubin" \
      grader/tests/programs/$program.cu || complain "$program doesn't compile for sm_$chip"
  done
done

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
