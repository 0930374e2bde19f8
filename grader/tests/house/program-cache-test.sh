#!/bin/sh
# A program that was compiled before is taken instead of a compilation, and all that is reported of it stays
# the same, lines of headers among it. What has another source, header or interface is compiled, and so is
# that whose entry in build/compiled is damaged. The compiler here fails as soon as build/lib in the kit's
# copy has a file `broken`, which shows who needs it.
set -eu
cd "$(dirname "$0")/../../.."
house=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kit=$work/kit

fail() {
  echo "$1"
  cat "$work/said"
  exit 1
}

build/bin/grader doctor >"$work/said" 2>&1 || true
! grep -q 'bubblewrap cannot build its walls here' "$work/said" || { echo 'no walls, no cache' && exit 0; }

mkdir -p "$kit/build/lib" "$kit/build/bin" "$work/handed-in"
cp -a Makefile interface labs solutions "$kit/"
cp -a build/bin/grader build/bin/sandbox-* build/bin/exported-names build/bin/virtual-device "$kit/build/bin/"
cp -a build/lib/*.so* build/lib/*.fatbin build/runner "$kit/build/lib/"
mv "$kit/build/lib/runner" "$kit/build/"
mkdir "$kit/grader"
cp -a grader/hidden grader/exercises "$kit/grader/"
cd "$kit"
NVCC=$kit/build/lib/nvcc
export NVCC CUDA_HOME KIT="$house/.kit"
real=$(sed -n 's/^NVCC := //p' "$house/build/setup.mk")
CUDA_HOME=$(sed -n 's/^CUDA_HOME := //p' "$house/build/setup.mk")
printf '#!/bin/sh\n[ ! -e "%s" ] || exit 1\nexec "%s" "$@"\n' "$kit/build/lib/broken" "$real" >"$NVCC"
chmod +x "$NVCC"

# The fence is missing after what a header of the submission does.
source=$work/handed-in/1-bulk-copy-1d.cu header=$work/handed-in/step.cuh
echo '__device__ inline void step(uint32_t *word) { *word += 1; }' >"$header"
awk '/tile\[i\] \+= 1/ { print "    step(tile + i);"; next }
     /async_proxy_fence\(\); \/\/ by each writer/ { next }
     /^#include "lab9.h"/ { print; print "#include \"step.cuh\""; next } { print }' \
  solutions/lab9/1-bulk-copy-1d.cu >"$source"
cp -a "$work/handed-in" "$work/as-handed-in"

# check STATUS: what the grader says, without its seconds, in `said`.
check() {
  status=0
  build/bin/grader check lab9/1 --submission "$work/handed-in" --device virtual --seed 1 \
    >"$work/whole" 2>&1 || status=$?
  sed 's/ [0-9.]* s\.$//' "$work/whole" >"$work/said"
  [ "$status" = "$1" ] || fail "$2: the grader ends with $status, not $1"
}
entries() { find build/compiled -type f | wc -l; }

check 1 'the submission compiled'
grep -q 'step.cuh:1  *__device__ inline void step' "$work/said" || fail 'the line of the header is not shown'
[ "$(entries)" = 1 ] || fail "after the first check build/compiled has $(entries) entries"
cp "$work/said" "$work/first"
entry=$(find build/compiled -type f)
cp -p "$entry" "$work/entry"
touch build/lib/broken
check 1 'the same again'
cmp "$work/first" "$work/said" || fail 'another report of a program compiled before'

# not_taken WHAT: a compiler is needed now. Afterwards everything is as it was.
not_taken() {
  check 2 "$1"
  grep -q 'could not be compiled' "$work/said" || fail "$1: taken for what was compiled before"
  rm -rf "$work/handed-in"
  cp -a "$work/as-handed-in" "$work/handed-in"
  cp "$house/interface/tma-interface.cuh" interface/
  rm -f "$entry"
  cp -p "$work/entry" "$entry"
  check 1 "after: $1"
}
sed -i 's/+= 1/+= 2/' "$header" && not_taken 'another header'
echo '// another line' >>"$source" && not_taken 'another source'
echo '// another line' >>interface/tma-interface.cuh && not_taken 'another interface'
truncate -s -1 "$entry" && not_taken 'an entry that was cut'
printf X | dd of="$entry" bs=1 seek=9000 conv=notrunc 2>/dev/null && not_taken 'an entry with another byte'
chmod g+w "$entry" && not_taken 'an entry that others may write'
mv "$entry" "$work/moved" && ln -s "$work/moved" "$entry" && not_taken 'an entry that is a link'
mv "$entry" "build/compiled/$(basename "$entry" | tr 0-9 1-90)"
not_taken 'an entry under another name'

# A damaged entry is mended by the next compilation.
rm build/lib/broken
: >"$entry"
check 1 'an empty entry'
cmp -s "$entry" "$work/entry" || [ -s "$entry" ] || fail 'an empty entry stays empty'
