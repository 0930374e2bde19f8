#!/bin/sh
# exported-names prints what nm does, in order: of libraries with versions, of a program with a symbol of each
# kind. A file cut anywhere is read, or refused. Objects whose code is the same have the same key, whatever
# their sources say beside; any change of what runs, on either side, is another one.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/all.cc" <<'END'
#include <cstdio>
extern "C" {
int data = 1, zero;
extern const int constant;
const int constant = 2;
__attribute__((weak)) int weak_data = 3;
__attribute__((weak)) void weak_function() {}
static void chosen() {}
static void (*choose())() { return chosen; }
void by_choice() __attribute__((ifunc("choose")));
void function() {}
}
template <typename T> struct holder { static T value; };
template <typename T> T holder<T>::value = 4;
template struct holder<int>;
inline int &unique() {
  static int own;
  return own;
}
int main() {
  fprintf(stderr, "%d\n", holder<int>::value + unique());
  return 0;
}
END
host=$(sed -n 's/^#define SETUP_CXX "\(.*\)"/\1/p' build/setup.h)
"$host" -rdynamic "$work/all.cc" -o "$work/all"
for kind in T D B R V W i u; do
  build/bin/exported-names "$work/all" | grep -q " $kind " || { echo "no symbol of kind $kind"; exit 1; }
done
for file in "$work/all" build/lib/*.so.* /lib/x86_64-linux-gnu/libc.so.6 build/bin/grader; do
  [ -e "$file" ] || continue
  nm -D --defined-only "$file" | sed 's/@.*/@/' | sort >"$work/wanted"
  build/bin/exported-names "$file" >"$work/said"
  sort "$work/said" >"$work/got"
  diff "$work/wanted" "$work/got" || { echo "$file: see above"; exit 1; }
  cut -d' ' -f3 "$work/said" | sed 's/@//' | LC_ALL=C sort -c || { echo "$file: not in order"; exit 1; }
done

size=$(wc -c <"$work/all")
at=1
while [ $at -lt "$size" ]; do
  head -c $at "$work/all" >"$work/cut"
  status=0
  build/bin/exported-names "$work/cut" >/dev/null 2>&1 || status=$?
  [ $status -le 1 ] || { echo "cut after $at bytes: exit $status"; exit 1; }
  at=$((at + 197))
done

# ---- keys of code ----

cat >"$work/one.cu" <<'END'
static __device__ __noinline__ int twice(int number) { return 2 * number; }
__constant__ int table[2] = {1, 2};
__global__ void kernel(int *numbers) {
  __shared__ int tile[32];
  tile[threadIdx.x] = twice(numbers[threadIdx.x]) + table[threadIdx.x % 2];
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  numbers[threadIdx.x] = tile[31 - threadIdx.x];
}
extern "C" int launch(int *numbers) {
  kernel<<<1, 32>>>(numbers);
  return cudaGetLastError() + sizeof __FILE__;
}
END
# keys NAME: of what the source NAME.cu becomes.
keys() {
  cp "$work/$1.cu" "$work/kernel.cu"
  sh grader/tests/lean-nvcc.sh "$work" -c -std=c++17 -lineinfo --no-compress -gencode \
    'arch=compute_90,code=[sm_90,compute_90]' "$work/kernel.cu" -o "$work/$1.o"
  build/bin/exported-names "$work/all" "$work/$1.o" | sed -n '1s/^= //p'
}
# change NAME SCRIPT: another source.
change() {
  sed "$2" "$work/source" >"$work/$1.cu"
  ! cmp -s "$work/source" "$work/$1.cu" || { echo "$1: nothing is changed"; exit 1; }
}
cp "$work/one.cu" "$work/source"
first=$(keys one)
code=${first% *}
[ ${#first} = 129 ] || { echo "no keys: '$first'"; exit 1; }
{ cat "$work/source" && echo '// a comment'; } >"$work/behind.cu"
change before '1i// a comment'
[ "$(keys behind)" = "$first" ] || { echo 'a comment behind all makes another key'; exit 1; }
moved=$(keys before)
[ "${moved% *}" = "$code" ] || { echo 'a comment before all is other code'; exit 1; }
[ "$moved" != "$first" ] || { echo 'other lines have the same key'; exit 1; }
while read -r name script; do
  change "$name" "$script"
  other=$(keys "$name")
  [ -n "$other" ] || { echo "$name: no keys"; exit 1; }
  [ "${other% *}" != "$code" ] || { echo "$name: the same key"; exit 1; }
done <<'END'
device s/2 \* number/3 * number/
table s/{1, 2}/{1, 3}/
shared s/tile\[32\]/tile[33]/
fence /fence.proxy/d
threads s/1, 32>/1, 64>/
host s/cudaGetLastError() +/cudaGetLastError() -/
own s/"C" int launch/"C" int strange/
END

# What is not known as a whole has no keys, and any bytes are read.
{ cat "$work/source" && echo 'asm(".section .nv_fatbin, \"a\"; .long 1; .text");'; } >"$work/more.cu"
[ -z "$(keys more)" ] || { echo 'more than nvcc writes has keys'; exit 1; }
[ -s "$work/more.o" ] || { echo 'more than nvcc writes is no object'; exit 1; }
size=$(wc -c <"$work/one.o")
at=1
while [ $at -lt "$size" ]; do
  head -c $at "$work/one.o" >"$work/cut"
  head -c "$size" /dev/zero | cat "$work/cut" - | head -c "$size" >"$work/filled"
  for file in cut filled; do
    build/bin/exported-names "$work/all" "$work/$file" >"$work/said" ||
      { echo "cut at $at: exit $?"; exit 1; }
    ! grep -q "^= $code" "$work/said" || { echo "cut at $at it has its key"; exit 1; }
  done
  at=$((at + 397))
done
