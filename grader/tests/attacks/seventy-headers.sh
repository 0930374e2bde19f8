#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: brings more headers than are accepted, the last ones first: which are taken must not be luck
# expect: exit 1
# expect: says falls short
# expect: says starts no kernel
# expect: says Its header n65.h is not taken, since it comes after 64 others, and no more are accepted.
# expect: says Nor are 5 other headers.
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
{
  number=70
  while [ $number -gt 9 ]; do
    echo "enum { N$number };" >"$1/n$number.h"
    [ $number -gt 64 ] || echo "#include \"n$number.h\""
    number=$((number - 1))
  done
  for number in 01 02 03 04 05 06 07 08 09; do
    echo "enum { N$number };" >"$1/n$number.h"
    echo "#include \"n$number.h\""
  done
  grep -v '^// ' "$root/grader/tests/submissions/does-nothing-in-place.cu"
} >"$1/$exercise.cu"
echo "$1"
