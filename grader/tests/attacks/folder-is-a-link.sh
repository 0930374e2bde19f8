#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a link to the folder of the solutions
# expect: exit 1
# expect: says has no source file
# expect: silent about passes
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
ln -s "$root/solutions/lab9" "$1/lab9"
echo "$1"
