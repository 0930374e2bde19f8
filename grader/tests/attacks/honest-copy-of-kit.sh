#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: nothing: an honest submission with the kit's own files in it
# expect: exit 0
# expect: says The exercise passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
cp "$root"/labs/lab9/lab9.h "$root"/labs/lab9/lab.cfg "$root"/interface/*.cuh "$1"
cp "$solution" "$1/$exercise.cu"
echo "$1"
