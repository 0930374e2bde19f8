#!/bin/sh
# Lean headers change nothing but the time: PTX and machine code are the same bytes as with all of them, and
# what the compiler's tools read is a third at most. A source that names its own lines is compiled with whole
# headers. The lean-compiler of the kit's copy fails, which shows who needs it.
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
  "$nvcc" -ccbin "$2" -c -std=c++17 -lineinfo --no-compress -Iinterface "-Ilabs/$5" \
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
LEAN_COMPILER=$host LEAN_KEEPS=$house:$work
export LEAN_COMPILER LEAN_KEEPS
while read -r source architecture lab; do
  build whole "$host" "$source" "$architecture" "$lab"
  build lean "$house/build/bin/lean-compiler" "$source" "$architecture" "$lab"
  cmp "$work/whole.kernels" "$work/lean.kernels" >"$work/said" || fail "$source: other kernels"
  for pass in 1 4; do
    whole=$(cat "$work"/whole/*.cpp$pass.ii | wc -c) lean=$(cat "$work"/lean/*.cpp$pass.ii | wc -c)
    [ $((3 * lean)) -lt "$whole" ] || fail "$source: $lean of $whole bytes are left in pass $pass"
  done
  rm -rf "$work/whole" "$work/lean"
done <<END
solutions/lab9/4-store-commit-groups.cu 90 lab9
solutions/lab10/5-matmul.cu 90a lab10
$work/plain.cu 90 lab9
END

kit=$work/kit
mkdir -p "$kit/build/lib" "$kit/build/bin" "$work/handed-in"
cp -a Makefile interface labs solutions "$kit/"
cp -a build/bin/grader build/bin/sandbox-* build/bin/virtual-device "$kit/build/bin/"
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
  { cat solutions/lab8/1-barrier.cu; echo "$2"; } >"$work/handed-in/1-barrier.cu"
  KIT=$house/.kit build/bin/grader check lab8/1 --submission "$work/handed-in" --device virtual \
    >"$work/said" 2>&1 || status=$?
  [ "$status" = "$1" ] || fail "a source that ends in \`$2\`: the grader ends with $status, not $1"
}
check 2 '// as it is'
check 0 '#line 1 "/usr/include/another.h"'
check 0 '# 1 "/usr/include/another.h" 3'
check 0 '%: 1 "/usr/include/another.h" 3'
