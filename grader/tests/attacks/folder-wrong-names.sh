#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in files under other names
# expect: exit 1
# expect: says has no source file
# expect: says lab9 final (2).cu
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
cp "$solution" "$1/lab9 final (2).cu"
echo "$1"
