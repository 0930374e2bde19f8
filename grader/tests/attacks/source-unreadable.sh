#!/bin/sh
# attack: 1-bulk-copy-1d
# tries: hands in a file that nobody can read; root can, and finds nothing in it
# expect: exit 1
# expect: says falls short
# expect: says 1-bulk-copy-1d.cu
# expect: silent about grader error
set -eu
: "${root:?}" "${solution:?}" "${exercise:?}" # exported by attacks-test.sh
mkdir "$1"
: >"$1/$exercise.cu"
chmod 000 "$1/$exercise.cu"
echo "$1"
