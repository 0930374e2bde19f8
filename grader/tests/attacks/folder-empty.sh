#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in an empty folder
# expect: exit 1
# expect: says has no source file
# expect: says no .cu file at all
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
echo "$1"
