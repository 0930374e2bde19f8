#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a folder in place of a file
# expect: exit 1
# expect: says is a folder
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir -p "$1/$exercise.cu"
echo "$1"
