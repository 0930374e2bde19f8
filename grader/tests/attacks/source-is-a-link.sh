#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a link to the solution
# expect: exit 1
# expect: says is a symbolic link
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
ln -s "$solution" "$1/$exercise.cu"
echo "$1"
