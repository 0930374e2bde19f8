#!/bin/sh
# exported-names prints what nm does, in order: of libraries with versions, of a program with a symbol of each
# kind. A file cut anywhere is read, or refused.
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
