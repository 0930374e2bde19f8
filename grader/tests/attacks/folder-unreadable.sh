#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a folder that nobody can enter; root can, and finds it empty
# expect: exit 1
# expect: says falls short
# expect: says 1-bulk-copy-1d.cu
# expect: silent about grader error
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir -m 000 "$1"
echo "$1"
