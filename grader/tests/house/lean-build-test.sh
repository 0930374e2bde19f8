#!/bin/sh
# Lean headers change nothing but the time: PTX and machine code are the same bytes as with all of them, and
# what the compiler's tools read is a third at most; so it is with what was preprocessed before, and without.
# A source that names its own lines is compiled with whole headers, and one that has a header of a system
# header's name without what was preprocessed before. In the kit's copy the lean-compiler fails at first,
# which shows who needs it; then what was preprocessed before declares a struct of its own.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc=$(sed -n 's/^NVCC := //p' build/setup.mk)
host=$(sed -n 's/^#define SETUP_CXX "\(.*\)"/\1/p' build/setup.h)

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}

# build KIND COMPILER SOURCE ARCHITECTURE LAB: the kernels of SOURCE as KIND.kernels, with all files between.
build() {
  mkdir -p "$work/$1"
  "$nvcc" -ccbin "$2" -c -std=c++17 -lineinfo --no-compress "-I$house/interface" "-I$house/labs/$5" \
    -D_GLIBCXX_BITS_SPECFUN_H -D__TEXTURE_INDIRECT_FUNCTIONS_H__ -D__SURFACE_INDIRECT_FUNCTIONS_H__ \
    -gencode "arch=compute_$4,code=[sm_$4,compute_$4]" \
    --keep --keep-dir "$work/$1" "$3" -o "$work/$1.o" >"$work/said" 2>&1 || fail "$3: $1: not compiled"
  objcopy -O binary --only-section=.nv_fatbin "$work/$1.o" "$work/$1.kernels"
  [ -s "$work/$1.kernels" ] || fail "$3: $1: no kernels"
}

cat >"$work/plain.cu" <<'END'
#include <cmath>
#include <cstdio>
#include <algorithm>
#include <cuda_fp16.h>
__global__ void plain(float *a, const int *order, __half *halves) {
  const float x = std::sqrt(fabsf(a[threadIdx.x])) + __expf(1.0f) + fmaxf(1.0f, rsqrtf(2.0f));
  a[threadIdx.x] = __shfl_down_sync(~0u, x, 1) + static_cast<float>(__popc(atomicAdd((int *)a, 3)));
  halves[threadIdx.x] = __hadd(__float2half(x), halves[__ldg(order)]);
  if (x > 3) printf("%f\n", static_cast<double>(x));
}
int main() {
  int order[3] = {3, 1, 2};
  std::sort(order, order + 3);
  plain<<<1, 32>>>(nullptr, nullptr, nullptr);
  return order[0];
}
END
LEAN_COMPILER=$work/host LEAN_PREFIXES=$house/build/lean
LEAN_KEEPS=$house/interface:$house/labs:$house/solutions:$work
export LEAN_COMPILER LEAN_KEEPS LEAN_PREFIXES
printf '#!/bin/sh\necho "$@" >>"%s"\nexec "%s" "$@"\n' "$work/arguments" "$host" >"$LEAN_COMPILER"
chmod +x "$LEAN_COMPILER"

# One arguments: what build wants of this source.
compare() {
  build whole "$host" "$@"
  : >"$work/arguments"
  build lean "$house/build/bin/lean-compiler" "$@"
  cmp "$work/whole.kernels" "$work/lean.kernels" >"$work/said" || fail "$1: other kernels"
  for pass in 1 4; do
    whole=$(cat "$work"/whole/*.cpp$pass.ii | wc -c) lean=$(cat "$work"/lean/*.cpp$pass.ii | wc -c)
    [ $((3 * lean)) -lt "$whole" ] || fail "$1: $lean of $whole bytes are left in pass $pass"
  done
  rm -rf "$work/whole" "$work/lean"
}
compare solutions/lab9/4-store-commit-groups.cu 90 lab9
compare solutions/lab10/5-matmul.cu 90a lab10
compare "$work/plain.cu" 90 lab9
[ "$(grep -c -e '-include [^ ]*/[0-9a-f]*\.system\.h' "$work/arguments")" = 2 ] ||
  { cp "$work/arguments" "$work/said" && fail 'what was preprocessed before was not used'; }
LEAN_PREFIXES=$work/none compare "$work/plain.cu" 90 lab9
! grep -q 'system\.h' "$work/arguments" || fail 'what was preprocessed before was used from nowhere'

# Folders of the one who types make, which no submission is compiled with.
mkdir "$work/shadows"
printf '#include_next <features.h>\nstruct shadow { int a; };\n' >"$work/shadows/features.h"
CPATH=$work/shadows sh grader/lean/make-prefixes.sh "$nvcc" "$work/lean" -c -std=c++17 >"$work/said" 2>&1
[ -n "$(find "$work/lean" -name '*.ii')" ] || fail 'nothing was preprocessed'
! grep -q 'struct shadow' "$work"/lean/*.ii || fail 'a header of CPATH was preprocessed'

kit=$work/kit
mkdir -p "$kit/build/lib" "$kit/build/bin" "$work/handed-in"
cp -a Makefile interface labs solutions "$kit/"
cp -a build/bin/grader build/bin/sandbox-* build/bin/exported-names build/bin/virtual-device "$kit/build/bin/"
cp -a build/lib/*.so* build/lib/*.fatbin "$kit/build/lib/"
cp -a build/runner "$kit/build/"
mkdir "$kit/grader"
cp -a grader/hidden grader/exercises "$kit/grader/"
printf '#!/bin/sh\necho broken >&2\nexit 1\n' >"$kit/build/bin/lean-compiler"
chmod +x "$kit/build/bin/lean-compiler"
cd "$kit"

# check STATUS LINE: the grader's exit status for a solution with this line at its end.
check() {
  status=0
  rm -rf build/compiled
  { cat solutions/lab8/1-barrier.cu; echo "$2"; } >"$work/handed-in/1-barrier.cu"
  KIT=$house/.kit build/bin/grader check lab8/1 --submission "$work/handed-in" --device virtual \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = "$1" ] || fail "a source that ends in \`$2\`: the grader ends with $status, not $1"
}
check 2 '// as it is'
check 0 '#line 1 "/usr/include/another.h"'
check 0 '# 1 "/usr/include/another.h" 3'
check 0 '%: 1 "/usr/include/another.h" 3'

cp -a "$house/build/lean" "$kit/build/"
cp -a "$house/build/bin/lean-compiler" "$kit/build/bin/"
for text in "$kit"/build/lean/*.ii; do echo 'struct preprocessed_before { int a; };' >>"$text"; done
uses='static_assert(sizeof(preprocessed_before) == 4, "");'
check 0 "$uses"
echo '#pragma once' >"$work/handed-in/vector_types.h"
check 1 "$uses"
rm "$work/handed-in/vector_types.h"
touch "$kit/interface/vector_types.h"
check 1 "$uses"
rm "$kit/interface/vector_types.h"
for text in "$kit"/build/lean/*.ii; do sed -i '2s/^[0-9]*/1/' "$text"; done # another size of a file's
check 1 "$uses"
check 0 '// as it is'
